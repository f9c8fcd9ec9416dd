"""Produce requests in another message format than the log's: they are written, and counted as conversions."""

from __future__ import annotations

from functools import partial

import pytest

from wirebroker.protocol.errors import ErrorCode
from wirebroker.record.compression import Codec
from wirebroker.record.validate import AppendRules
from wirebroker.replication.errors import PartitionError
from wirebroker.replication.legacy_append import append_down_converted, append_message_set
from wirebroker.tests.handlers.fetch_harness import FetchHarness
from wirebroker.tests.record.legacy_message_sets import PAIRS, message_set
from wirebroker.tests.replication.replica_set import STATE
from wirebroker.tests.storage.fakes.logs import batch


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
@pytest.mark.parametrize(("sent", "kept"), [(0, 1), (1, 0), (0, 2), (1, 2)])
async def test_messages_of_another_format_are_counted(sent: int, kept: int, codec: Codec) -> None:
    harness = FetchHarness()
    partition = harness.partition()
    partition.rules = AppendRules(magic=kept)
    result = await append_message_set(partition, memoryview(message_set(sent, codec)), 1, acks=1)
    assert result is not None
    assert partition.log.log_end_offset == len(PAIRS)
    times = partition.host.topic_stats.produce_conversions
    assert partition.stats.produce_conversions == len(PAIRS)
    assert (times.times_ms.count, times.bytes.count) == (1, 1)


async def test_messages_of_the_log_s_format_are_not_counted() -> None:
    harness = FetchHarness()
    partition = harness.partition()
    partition.rules = AppendRules(magic=1)
    await append_message_set(partition, memoryview(message_set(1)), 1, acks=1)
    assert partition.log.log_end_offset == len(PAIRS)
    assert partition.stats.produce_conversions == 0
    assert partition.host.topic_stats.produce_conversions.bytes.count == 0


@pytest.mark.parametrize("magic", [0, 1])
async def test_batches_for_a_log_of_messages_are_counted(magic: int) -> None:
    harness = FetchHarness()
    partition = harness.partition()
    partition.rules = AppendRules(magic=magic)
    await append_down_converted(partition, memoryview(batch(b"a", b"b").buffer), 1, acks=1, zstd_allowed=True)
    assert partition.log.log_end_offset == 2
    assert partition.stats.produce_conversions == 2
    assert partition.host.topic_stats.produce_conversions.bytes.count == 1


@pytest.mark.parametrize("records", [b"", b"junk" * 30, bytes(message_set(1))], ids=["none", "junk", "messages"])
async def test_a_follower_takes_no_records_of_clients(records: bytes) -> None:
    partition = FetchHarness().partition()
    partition.rules = AppendRules(magic=1)
    partition.make_follower(STATE._replace(leader=2, leader_epoch=2, partition_epoch=2))
    for append in (append_message_set, partial(append_down_converted, zstd_allowed=True)):
        with pytest.raises(PartitionError) as refused:
            await append(partition, memoryview(records), 1, acks=1)
        assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
