"""Records of a KRaft metadata log as JSON, in the words of `kafka-dump-log.sh --cluster-metadata-decoder` 3.9.

A record is {"type": ..., "version": n, "data": {...}} with Kafka's field names; fields that a version lacks are left
out, tagged ones also when they have their default.  Bytes are base64, ids as Kafka spells them.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from wirebroker.metadata.adoption.kraft_records import parse
from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.internal import cluster_metadata as records
from wirebroker.protocol.internal import raft_control
from wirebroker.protocol.message import Data
from wirebroker.record.control import ControlType
from wirebroker.record.faults import RecordError

if TYPE_CHECKING:
    from wirebroker.protocol.message import Message
    from wirebroker.record.record_batch import Record

_SINCE: Final[dict[tuple[type[Data], str], int]] = {
    (records.RegisterBrokerRecord, "is_migrating_zk_broker"): 2,
    (records.RegisterBrokerRecord, "in_controlled_shutdown"): 1,
    (records.PartitionRecord, "directories"): 1,
}
"""Untagged fields that came later -> the version that brought them."""

_TAGGED: Final[dict[type[Data], frozenset[str]]] = {
    records.RegisterBrokerRecord: frozenset({"log_dirs", "cordoned_log_dirs"}),
    records.PartitionRecord: frozenset({"leader_recovery_state", "eligible_leader_replicas", "last_known_elr"}),
    records.PartitionChangeRecord: frozenset(records.PartitionChangeRecord.FIELDS) - {"partition_id", "topic_id"},
    records.BrokerRegistrationChangeRecord: frozenset(
        {"fenced", "in_controlled_shutdown", "log_dirs", "cordoned_log_dirs"}
    ),
    records.BeginTransactionRecord: frozenset({"name"}),
    records.AbortTransactionRecord: frozenset({"reason"}),
}

_CONTROL: Final[dict[ControlType, tuple[str, type[Message]]]] = {
    ControlType.SNAPSHOT_HEADER: ("SnapshotHeader", raft_control.SnapshotHeaderRecord),
    ControlType.SNAPSHOT_FOOTER: ("SnapshotFooter", raft_control.SnapshotFooterRecord),
    ControlType.KRAFT_VERSION: ("KRaftVersion", raft_control.KRaftVersionRecord),
    ControlType.KRAFT_VOTERS: ("KRaftVoters", raft_control.VotersRecord),
}
_IDS: Final = frozenset(
    {"incarnation_id", "topic_id", "id", "log_dirs", "cordoned_log_dirs", "directories", "voter_directory_id"}
)
"""Fields that hold ids, where they hold 16 bytes."""


def decode_record(record: Record) -> tuple[None, str]:
    """The payload as it is printed; a record that cannot be read says so."""
    try:
        if record.value is None:
            raise ProtocolError("the record has no value")
        type_id, version, message = parse(record.value)
    except ProtocolError as fault:
        return None, f"Error at {record.offset}, skipping. {fault}"
    del type_id
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(message).__name__).upper()
    return None, _text({"type": name, "version": version, "data": _json(message, version)})


def control_json(kind: ControlType, value: bytes) -> tuple[str, str]:
    """Title and content of a control record that KRaft has written.  Raises RecordError."""
    title, message = _CONTROL[kind]
    try:
        return title, _text(_json(message.read(value, 0, 0)[0], 0))
    except ProtocolError as fault:
        raise RecordError(str(fault)) from fault


def _json(value: Any, version: int, *, is_id: bool = False) -> Any:
    if isinstance(value, Data):
        return {
            _camel(name): _json(getattr(value, name), version, is_id=name in _IDS)
            for name in value.FIELDS
            if _is_shown(value, name, version)
        }
    if isinstance(value, list):
        return [_json(each, version, is_id=is_id) for each in value]
    if isinstance(value, bytes):
        return urlsafe_b64encode(value).decode().rstrip("=") if is_id else b64encode(value).decode()
    return value


def _is_shown(data: Data, name: str, version: int) -> bool:
    kind = type(data)
    if name in _TAGGED.get(kind, ()):
        return bool(getattr(data, name) != getattr(kind(), name))
    return version >= _SINCE.get((kind, name), 0)


def _double(value: float) -> str:
    """A double as Java prints it."""
    if not isfinite(value):
        return f'"{_NOT_FINITE[repr(value)]}"'
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    return _scientific(value)


_NOT_FINITE: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def _scientific(value: float) -> str:
    """d.dddEn with as few digits as say *value*."""
    text = next(text for text in (f"{value:.{precision}e}" for precision in range(17)) if float(text) == value)
    digits, _, exponent = text.partition("e")
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent)}"


def _camel(name: str) -> str:
    return re.sub(r"_(.)", lambda match: match[1].upper(), name)


def _text(value: Any) -> str:
    """Compact JSON."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{_text(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, float):
        return _double(value)
    return json.dumps(value, ensure_ascii=False)
