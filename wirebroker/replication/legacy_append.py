"""Appends that know message formats 0 and 1: message sets of Produce v0-v2, and logs that keep an old format."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.record.errors import RecordValidationError
from wirebroker.record.record_batch import MAGIC_AT, RecordBatch
from wirebroker.record.validate import check_batch
from wirebroker.record.validate_legacy import check_message_set, down_convert_for_log, is_short
from wirebroker.replication.errors import PartitionError, to_partition_error

if TYPE_CHECKING:
    from wirebroker.record.message_set import MessageSet
    from wirebroker.record.validate import AppendRules
    from wirebroker.replication.partition import Partition
    from wirebroker.storage.log import AppendResult


async def append_message_set(
    partition: Partition, records: memoryview | None, now_ms: int, *, acks: int
) -> AppendResult | None:
    """Validate and write the records of a Produce request v0-v2, which may be of any format; None if there are none.

    Args and errors are those of `Partition.append`.
    """
    _check_leads(partition)
    partition.check_min_isr(acks)
    threads = partition.validation_threads
    began = perf_counter()
    try:
        if records is None or is_short(records):
            checked = check_message_set(records, partition.rules, now_ms)
        else:
            checked = await threads.run(check_message_set, records, partition.rules, now_ms)
    except RecordValidationError as error:
        raise to_partition_error(error, partition.log) from error
    if checked is None:
        return None
    elapsed_s = perf_counter() - began
    result = await partition.append_batch(checked, now_ms)
    if records is not None and records[MAGIC_AT] != partition.rules.magic:
        _count_conversion(partition, checked, elapsed_s)
    return result


async def append_down_converted(
    partition: Partition, records: memoryview | None, now_ms: int, *, acks: int, zstd_allowed: bool
) -> AppendResult:
    """Validate a batch of a Produce request v3 or later, and write it in the old format of the partition's log.

    Args and errors are those of `Partition.append`.
    """
    _check_leads(partition)
    partition.check_min_isr(acks, records, zstd_allowed=zstd_allowed)
    began = perf_counter()
    try:
        messages = await partition.validation_threads.run(_convert, records, partition.rules, now_ms, zstd_allowed)
    except RecordValidationError as error:
        raise to_partition_error(error, partition.log) from error
    elapsed_s = perf_counter() - began
    result = await partition.append_batch(messages, now_ms)
    _count_conversion(partition, messages, elapsed_s)
    return result


def _check_leads(partition: Partition) -> None:
    """Check the role before the records: an empty set is no error at a leader, and refused by a follower."""
    if partition.leader is None:
        raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)


def _count_conversion(partition: Partition, converted: RecordBatch | MessageSet, elapsed_s: float) -> None:
    """Count appended records in the figures of conversions; the size of messages is known once they have offsets."""
    count = converted.record_count if isinstance(converted, RecordBatch) else converted.count
    partition.stats.produce_conversions += count
    partition.host.topic_stats.produce_conversions.record(elapsed_s, converted.size_bytes)


def _convert(records: memoryview | None, rules: AppendRules, now_ms: int, zstd_allowed: bool) -> MessageSet:
    batch = check_batch(records, rules, now_ms, zstd_allowed=zstd_allowed)
    return down_convert_for_log(batch, rules, now_ms)
