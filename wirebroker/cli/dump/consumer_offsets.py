"""Records of __consumer_offsets as JSON, in the words of `kafka-dump-log.sh --offsets-decoder` of Apache Kafka 3.9.

A key is {"type": version of the key, "data": {...}}, a value {"version": n, "data": {...}}; field names are Kafka's.
Subscriptions and assignments of classic consumer groups are decoded; other bytes are base64.
"""

from __future__ import annotations

from base64 import b64encode
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.dump.decoders import DELETED
from wirebroker.cli.dump.record_json import document_of, json_text
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal import consumer_offsets as offsets
from wirebroker.protocol.internal.consumer_protocol import ConsumerProtocolAssignment, ConsumerProtocolSubscription
from wirebroker.protocol.message import record_version
from wirebroker.record.errors import RecordError

if TYPE_CHECKING:
    from wirebroker.protocol.message import Data, ReadableMessage
    from wirebroker.record.record_batch import Record

_VALUES: Final[dict[int, tuple[type[ReadableMessage], type[ReadableMessage]]]] = {
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
    """Key and payload as they are printed; for a record that cannot be read, the reason in place of its key."""
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
        key_text = json_text({"type": str(kind), "data": _document(key_class.from_record(key), kind)})
        if value is None:
            return key_text, DELETED
        version = record_version(value)
        message = value_class.from_record(value)
    except ProtocolError as fault:
        raise ValueError(str(fault)) from fault
    data = _document(message, version)
    if isinstance(message, offsets.GroupMetadataValue) and message.protocol_type == "consumer":
        for shown, member in zip(data["members"], message.members, strict=True):
            shown["subscription"] = _embedded(ConsumerProtocolSubscription, bytes(member.subscription))
            shown["assignment"] = _embedded(ConsumerProtocolAssignment, bytes(member.assignment))
    return key_text, json_text({"version": str(version), "data": data})


def _embedded(message: type[ReadableMessage], data: bytes) -> Any:
    """The subscription or assignment of a consumer; base64 if *data* is of another protocol."""
    try:
        version = min(record_version(data), message.VERSIONS[-1])
        return _document(message.read(data, 2, version)[0], version)
    except ProtocolError:
        return b64encode(data).decode()


def _document(message: ReadableMessage, version: int) -> dict[str, Any]:
    return document_of(message, partial(is_shown, version))


def is_shown(version: int, _: Data, name: str) -> bool:
    """Whether a field, by its Python name, is in *version* of its record."""
    return version >= _SINCE.get(name, 0) and (name != "expire_timestamp" or version == _EXPIRY_ONLY_IN)
