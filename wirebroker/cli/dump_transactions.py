"""Records of __transaction_state as text, in the words of `kafka-dump-log.sh --transaction-log-decoder` 3.9.

The original prints the partitions in the order of a hash table of Scala's; so do we, for the lines to be equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.dump_report import DELETED
from wirebroker.model import TopicPartition
from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.internal.transaction_state import TransactionLogKey, TransactionLogValue
from wirebroker.protocol.message import record_version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.record.record_batch import Record

_STATES: Final = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
)
_INT: Final = 0xFFFFFFFF
_FIRST_SLOTS: Final = 16
_FULL: Final = 0.75
_FEW: Final = 4


def decode_record(record: Record) -> tuple[str | None, str | None]:
    """Key and payload as they are printed; no payload for a kind of record that is not known.

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
    if not 0 <= value.transaction_status < len(_STATES):
        raise ValueError(f"unknown transaction status {value.transaction_status}")
    state = _STATES[value.transaction_status]
    topics = [] if state == "Empty" else value.transaction_partitions or []
    partitions = _in_scala_s_order(
        [TopicPartition(each.topic, index) for index in each.partition_ids] for each in topics
    )
    return key, (
        f"producerId:{value.producer_id},producerEpoch:{value.producer_epoch},state={state},"
        f"partitions=[{','.join(f'{topic}-{index}' for topic, index in partitions)}],"
        f"txnLastUpdateTimestamp={value.transaction_last_update_timestamp_ms},"
        f"txnTimeoutMs={value.transaction_timeout_ms}"
    )


def _in_scala_s_order(topics: Iterable[list[TopicPartition]]) -> list[TopicPartition]:
    """As a mutable HashSet gives them back: by slot, then by hash, then as they were put in.

    The table has a power of two of slots, which grows to what a topic's partitions need; besides, when a topic has a
    few only, it grows as soon as another element would fill three quarters of it.
    """
    slots = _FIRST_SLOTS
    held: dict[TopicPartition, int] = {}
    for partitions in topics:
        distinct = dict.fromkeys(partitions)
        slots = max(slots, 1 << max(int((len(distinct) + 1) / _FULL) - 1, 4).bit_length())
        for at in distinct:
            if len(distinct) <= _FEW and len(held) + 1 >= int(slots * _FULL):
                slots *= 2
            held.setdefault(at, _hash(at))

    def place(at: TopicPartition) -> tuple[int, int]:
        mixed = held[at]
        return mixed & (slots - 1), mixed - (1 << 32) if mixed >> 31 else mixed

    return sorted(held, key=place)


def _hash(at: TopicPartition) -> int:
    """Java's hash of a TopicPartition, mixed as Scala's tables do."""
    data = at.topic.encode("utf-16-be", "surrogatepass")
    topic = 0
    for n in range(0, len(data), 2):
        topic = (31 * topic + int.from_bytes(data[n : n + 2], "big")) & _INT
    value = (31 * (31 + at.partition) + topic) & _INT
    return value ^ (value >> 16)
