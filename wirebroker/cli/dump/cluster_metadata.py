"""Records of a KRaft metadata log as JSON, in the words of `kafka-dump-log.sh --cluster-metadata-decoder` 3.9.

A record is {"type": ..., "version": n, "data": {...}} with Kafka's field names; fields that a version lacks are left
out, tagged ones also when they have their default.  Bytes are base64, ids as Kafka spells them.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from wirebroker.cli.dump.record_json import document_of, json_text_with_doubles
from wirebroker.metadata.kafka_import.kraft_records import parse
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal import cluster_metadata as records

if TYPE_CHECKING:
    from wirebroker.protocol.message import Data
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


def decode_record(record: Record) -> tuple[None, str]:
    """No key, and the payload as it is printed; for a record that cannot be read, the reason."""
    try:
        if record.value is None:
            raise ProtocolError("the record has no value")
        _, version, message = parse(record.value)
    except ProtocolError as error:
        return None, f"Error at {record.offset}, skipping. {error}"
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(message).__name__).upper()
    data = document_of(message, partial(_is_shown, version), has_uuids=True)
    return None, json_text_with_doubles({"type": name, "version": version, "data": data})


def _is_shown(version: int, data: Data, name: str) -> bool:
    kind = type(data)
    if name in _TAGGED.get(kind, ()):
        return bool(getattr(data, name) != getattr(kind(), name))
    return version >= _SINCE.get((kind, name), 0)
