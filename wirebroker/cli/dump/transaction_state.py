"""Records of __transaction_state as text, in the words of `kafka-dump-log.sh --transaction-log-decoder` 3.9.

The original prints partitions in the order of a hash table of Scala's.  `_hash_set_order` gives the same order, so that
compat_tests/test_dump_transactions.py can compare whole lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.dump.decoders import DELETED
from wirebroker.coordinator.transaction.transaction_metadata import TransactionState
from wirebroker.metadata.partitioning import java_hash
from wirebroker.model import TopicPartition
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal.transaction_state import TransactionLogKey, TransactionLogValue
from wirebroker.protocol.message import record_version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.record.record_batch import Record

_FIRST_SLOTS: Final = 16
_LOAD_FACTOR: Final = 0.75
_FEW: Final = 4


def decode_record(record: Record) -> tuple[str | None, str | None]:
    """Key and payload as they are printed; no payload for a key of an unknown version.

    Raises:
        ValueError: the bytes are no such record.
    """
    try:
        if record.key is None:
            raise ValueError("a record without a key")
        version = record_version(record.key)
        if version not in TransactionLogKey.VERSIONS:
            return f"unknown::version={version}", None
        key = f"transaction_metadata::transactionalId={TransactionLogKey.from_record(record.key).transactional_id}"
        if record.value is None:
            return key, DELETED
        value = TransactionLogValue.from_record(record.value)
    except ProtocolError as fault:
        raise ValueError(str(fault)) from fault
    state = _state(value.transaction_status)
    topics = [] if state is TransactionState.EMPTY else value.transaction_partitions or []
    partitions = _hash_set_order([TopicPartition(each.topic, index) for index in each.partition_ids] for each in topics)
    return key, (
        f"producerId:{value.producer_id},producerEpoch:{value.producer_epoch},state={state.label},"
        f"partitions=[{','.join(f'{topic}-{index}' for topic, index in partitions)}],"
        f"txnLastUpdateTimestamp={value.transaction_last_update_timestamp_ms},"
        f"txnTimeoutMs={value.transaction_timeout_ms}"
    )


def _state(status: int) -> TransactionState:
    try:
        return TransactionState(status)
    except ValueError:
        raise ValueError(f"unknown transaction status {status}") from None


def _hash_set_order(topics: Iterable[list[TopicPartition]]) -> list[TopicPartition]:
    """The partitions in the order in which a mutable HashSet of Scala 2.13 gives them back: by slot, then by hash.

    The table has a power of two of slots, which grows to what a topic's partitions need; besides, when a topic has a
    few only, it grows as soon as another element would fill three quarters of it.
    """
    slots = _FIRST_SLOTS
    hashes: dict[TopicPartition, int] = {}
    for partitions in topics:
        distinct = dict.fromkeys(partitions)
        slots = max(slots, 1 << max(int((len(distinct) + 1) / _LOAD_FACTOR) - 1, 4).bit_length())
        for partition in distinct:
            if len(distinct) <= _FEW and len(hashes) + 1 >= int(slots * _LOAD_FACTOR):
                slots *= 2
            hashes.setdefault(partition, _improved_hash(partition))

    def place(partition: TopicPartition) -> tuple[int, int]:
        improved = hashes[partition]
        return improved & (slots - 1), improved - (1 << 32) if improved >> 31 else improved

    return sorted(hashes, key=place)


def _improved_hash(partition: TopicPartition) -> int:
    """Java's hash of a TopicPartition, mixed as Scala's tables do."""
    value = (31 * (31 + partition.partition) + java_hash(partition.topic)) & 0xFFFFFFFF
    return value ^ (value >> 16)
