"""Partition: what three replicas keep and lose when the leader changes, by high watermarks and by leader epochs."""

from __future__ import annotations

import trio
import trio.testing

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.fetch import EpochEndOffset, FetchPartition, FetchTopic
from wirebroker.replication.fetch_messages import fetch_messages
from wirebroker.replication.fetch_params import FetchParams
from wirebroker.replication.fetch_session import requested_partitions
from wirebroker.tests.replication.replica_set import AT, STATE, append_each, started
from wirebroker.tests.storage.fakes.logs import batch


async def test_a_restarted_follower_keeps_records_above_its_high_watermark_that_the_leader_has() -> None:
    """With the high watermark alone (before KIP-101) the second record would be lost."""
    cluster = await started(state=STATE._replace(isr=(1, 2), replicas=(1, 2)))
    await append_each(cluster, 2)
    await cluster.fetch(2)
    assert (cluster.brokers[2].log.log_end_offset, cluster.brokers[2].partition.high_watermark) == (2, 0)
    await cluster.fetch(2)
    assert cluster.leader.partition.high_watermark == 2
    cluster.brokers[2].restart(0)
    await cluster.elect(1, (1, 2))
    await cluster.fetch(2)
    assert cluster.brokers[2].log.log_end_offset == 2
    await cluster.elect(2, (2,), to=[2])
    assert [value for _, value in cluster.leader.records()] == [b"0", b"1"]
    assert cluster.leader.partition.high_watermark == 2


async def test_truncation_to_the_high_watermark_loses_what_the_leader_had_acknowledged() -> None:
    """The same scenario for logs of old formats, which have no epochs."""
    cluster = await started(state=STATE._replace(isr=(1, 2), replicas=(1, 2)))
    await append_each(cluster, 2)
    await cluster.fetch(2)
    await cluster.fetch(2)
    follower = cluster.brokers[2]
    follower.restart(1)
    await cluster.elect(1, (1, 2))
    assert await follower.partition.truncate_to(follower.partition.high_watermark, 2) == 1
    await cluster.elect(2, (2,), to=[2])
    assert [value for _, value in follower.records()] == [b"0"]


async def test_diverged_logs_are_made_equal_by_epochs() -> None:
    cluster = await started(state=STATE._replace(isr=(1, 2), replicas=(1, 2)))
    await append_each(cluster, 1)
    await cluster.catch_up(2)
    await cluster.leader.append(b"only here")
    cluster.brokers[1].restart(1)
    await cluster.elect(2, (2,), to=[2])
    await cluster.leader.append(b"another")
    await cluster.leader.append(b"one more")
    await cluster.send([1])
    await cluster.catch_up(1)
    assert cluster.brokers[1].records() == cluster.brokers[2].records()
    assert [value for _, value in cluster.brokers[1].records()] == [b"0", b"another", b"one more"]
    assert cluster.brokers[1].log.leader_epoch_cache.entries == cluster.brokers[2].log.leader_epoch_cache.entries


async def test_double_failover_leaves_no_record_of_the_epochs_that_were_lost() -> None:
    cluster = await started()
    await append_each(cluster, 1)
    await cluster.catch_up(2, 3)
    await cluster.leader.append(b"epoch 1, lost")
    await cluster.elect(2, (2, 3), to=[2, 3])
    await cluster.leader.append(b"epoch 2, lost")
    await cluster.leader.append(b"epoch 2, lost, too")
    await cluster.elect(3, (3,), to=[3])
    await cluster.leader.append(b"epoch 3")
    await cluster.send([1, 2])
    await cluster.catch_up(1, 2)
    assert [each.records() for each in cluster.brokers.values()] == [[(1, b"0"), (3, b"epoch 3")]] * 3


async def test_acks_1_loses_records_on_failover_and_acks_all_does_not() -> None:
    cluster = await started()
    first = await cluster.leader.append(b"acks=all", acks=-1)
    await cluster.catch_up(2, 3)
    assert cluster.leader.partition.check_enough_replicas_reach_offset(first) == (True, ErrorCode.NONE)
    second = await cluster.leader.append(b"acks=1", acks=1)
    assert cluster.leader.partition.check_enough_replicas_reach_offset(second) == (False, ErrorCode.NONE)
    await cluster.elect(2, (2, 3))
    await cluster.catch_up(1, 3)
    assert [each.records() for each in cluster.brokers.values()] == [[(1, b"acks=all")]] * 3


async def test_a_queued_append_writes_nothing_after_a_change_of_leadership() -> None:
    cluster = await started()
    broker = cluster.leader
    broker.partition.executor.inline = False
    codes: list[ErrorCode] = []

    async def append() -> None:
        try:
            await broker.append(b"late")
        except ApiError as error:
            codes.append(error.code)

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(append)
        while not broker.partition.queued:
            await trio.lowlevel.checkpoint()
        await cluster.elect(2)
    assert codes == [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 3
    assert broker.log.log_end_offset == 0


async def test_a_response_of_a_former_leader_changes_nothing() -> None:
    cluster = await started()
    await append_each(cluster, 2)
    late = await cluster.request(3)
    assert late is not None
    await cluster.elect(2)
    await cluster.deliver(late)
    follower = cluster.brokers[3].partition
    assert follower.log.log_end_offset == 0
    assert await follower.truncate_fully_and_start_at(7, 1) is None
    assert follower.log.log_end_offset == 0
    assert await follower.truncate_fully_and_start_at(7, 2) == 7
    assert (follower.log.log_start_offset, follower.high_watermark) == (7, 7)


async def test_the_high_watermark_is_not_below_the_log_start() -> None:
    """A new leader may not know of it yet that a follower has moved its log start, as DeleteRecords asked for."""
    cluster = await started()
    await append_each(cluster, 4)
    await cluster.catch_up(2, 3)
    follower = cluster.brokers[3]
    follower.log.delete_records(3)
    fetched = await cluster.request(3)
    assert fetched is not None
    fetched.data.high_watermark = 1
    assert await cluster.deliver(fetched) == ErrorCode.NONE
    assert (follower.log.log_start_offset, follower.partition.high_watermark) == (3, 3)
    batch_of_one = batch(b"4", timestamp=1, base_offset=4).buffer
    end = follower.partition.append_single_batch(memoryview(bytearray(batch_of_one)), 1, 4, 1, 0)
    assert (end, follower.partition.high_watermark) == (5, 3)


async def test_a_diverging_epoch_below_the_log_start_is_out_of_range() -> None:
    """The follower fetches from the log start on, in place of truncating step by step."""
    cluster = await started()
    await append_each(cluster, 4)
    await cluster.catch_up(2, 3)
    await cluster.elect(1)
    await cluster.elect(1)
    await append_each(cluster, 4)
    assert await cluster.leader.partition.delete_records(2) == 2

    async def fetch(offset: int, last_fetched_epoch: int) -> tuple[int, EpochEndOffset]:
        epoch = cluster.state.leader_epoch
        requested = FetchPartition(0, epoch, offset, last_fetched_epoch=last_fetched_epoch, partition_max_bytes=1 << 20)
        (entry,) = requested_partitions([FetchTopic(AT.topic, bytes(16), [requested])])
        params = FetchParams(12, 2, 0, 0, 1, 1 << 20)
        data = (await fetch_messages(cluster.leader.replicas, params, [entry])).by_partition[entry]
        return data.error_code, data.diverging_epoch

    assert await fetch(3, 2) == (ErrorCode.NONE, EpochEndOffset(1, 4))
    assert await fetch(1, 2) == (ErrorCode.OFFSET_OUT_OF_RANGE, EpochEndOffset())
    assert await fetch(1, 1) == (ErrorCode.OFFSET_OUT_OF_RANGE, EpochEndOffset())
