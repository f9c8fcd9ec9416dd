"""Records of __consumer_offsets as JSON, in the words of `kafka-dump-log.sh --offsets-decoder` of Apache Kafka 3.9.

A key is {"type": what it is, "data": {...}}, a value {"version": n, "data": {...}}; field names are Kafka's.  What a
classic consumer group's members say to each other is opened up, too; other bytes are base64.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.dump_report import DELETED
from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.internal import consumer_offsets as offsets
from wirebroker.protocol.internal.consumer_protocol import ConsumerProtocolAssignment, ConsumerProtocolSubscription
from wirebroker.protocol.message import Data, Message, record_version
from wirebroker.record.faults import RecordError

if TYPE_CHECKING:
    from wirebroker.record.record_batch import Record

_VALUES: Final[dict[int, tuple[type[Message], type[Message]]]] = {
    0: (offsets.OffsetCommitKey, offsets.OffsetCommitValue),
    1: (offsets.OffsetCommitKey, offsets.OffsetCommitValue),
    2: (offsets.GroupMetadataKey, offsets.GroupMetadataValue),
    3: (offsets.ConsumerGroupMetadataKey, offsets.ConsumerGroupMetadataValue),
    4: (offsets.ConsumerGroupPartitionMetadataKey, offsets.ConsumerGroupPartitionMetadataValue),
    5: (offsets.ConsumerGroupMemberMetadataKey, offsets.ConsumerGroupMemberMetadataValue),
    6: (offsets.ConsumerGroupTargetAssignmentMetadataKey, offsets.ConsumerGroupTargetAssignmentMetadataValue),
    7: (offsets.ConsumerGroupTargetAssignmentMemberKey, offsets.ConsumerGroupTargetAssignmentMemberValue),
    8: (offsets.ConsumerGroupCurrentMemberAssignmentKey, offsets.ConsumerGroupCurrentMemberAssignmentValue),
}
"""Key type -> key and value."""

_SINCE: Final = {
    "leader_epoch": 3,
    "topic_id": 5,  # later than Apache Kafka 3.9
    "current_state_timestamp": 2,
    "group_instance_id": 3,
    "rebalance_timeout": 1,
    "owned_partitions": 1,
    "generation_id": 2,
    "rack_id": 3,
    "metadata_hash": 1,
}
"""Fields that came later -> the version that brought them."""
_EXPIRY_ONLY_IN: Final = 1


def decode_record(record: Record) -> tuple[str | None, str | None]:
    """Key and payload as they are printed; a record that cannot be read says so in place of its key."""
    if record.key is None:
        raise RecordError(f"the record at offset {record.offset} has no key")
    try:
        return decode(record.key, record.value)
    except ValueError as fault:
        return f"Error at offset {record.offset}, skipping. {fault}", None


def decode(key: bytes, value: bytes | None) -> tuple[str, str]:
    """Key and payload as they are printed.

    Raises:
        ValueError: the bytes are no such record.
    """
    try:
        kind = record_version(key)
        known = _VALUES.get(kind)
        if known is None:
            return f"unknown::{kind}", "" if value is None else b64encode(value).decode()
        key_class, value_class = known
        key_text = _text({"type": str(kind), "data": _json(key_class.from_record(key), kind)})
        if value is None:
            return key_text, DELETED
        version = record_version(value)
        message = value_class.from_record(value)
    except ProtocolError as fault:
        raise ValueError(str(fault)) from fault
    data = _json(message, version)
    if isinstance(message, offsets.GroupMetadataValue) and message.protocol_type == "consumer":
        for shown, member in zip(data["members"], message.members, strict=True):
            shown["subscription"] = _opened(ConsumerProtocolSubscription, bytes(member.subscription))
            shown["assignment"] = _opened(ConsumerProtocolAssignment, bytes(member.assignment))
    return key_text, _text({"version": str(version), "data": data})


def _opened(message: type[Message], data: bytes) -> Any:
    """A consumer's subscription or assignment; base64 when it is none."""
    try:
        version = min(record_version(data), message.VERSIONS[-1])
        return _json(message.read(data, 2, version)[0], version)
    except ProtocolError:
        return b64encode(data).decode()


def _json(value: Any, version: int) -> Any:
    if isinstance(value, Data):
        return {
            _camel(name): _json(getattr(value, name), version)
            for name in value.FIELDS
            if version >= _SINCE.get(name, 0) and (name != "expire_timestamp" or version == _EXPIRY_ONLY_IN)
        }
    if isinstance(value, list):
        return [_json(each, version) for each in value]
    if isinstance(value, bytes | memoryview):
        return b64encode(value).decode()
    return value


def _camel(name: str) -> str:
    return re.sub(r"_(.)", lambda match: match[1].upper(), name)


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
