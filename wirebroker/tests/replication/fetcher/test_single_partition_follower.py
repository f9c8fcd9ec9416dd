"""SinglePartitionFollower: takes what ReplicaFetcher would, and leaves to it whatever changes meanwhile."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchResponse
from wirebroker.quota.replication_quota import ALL_REPLICAS
from wirebroker.replication.follower_append import SMALL_BYTES
from wirebroker.replication.partition import Partition
from wirebroker.tests.replication.fetcher.follower_harness import T0, T1, FollowerHarness, contents, settle
from wirebroker.tests.replication.fetcher.leader_harness import LeaderHarness
from wirebroker.tests.storage.fakes.logs import batch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from trio.testing import MockClock

    from wirebroker.tests.executor_modes import ExecutorMode

TOPIC_ID = b"t" * 16


class Pair:
    """A leader, and a follower that keeps up with one partition of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, executor_mode: ExecutorMode) -> None:
        self.is_inline = executor_mode == "inline"
        self.leader = LeaderHarness()
        for at in (T0, T1):
            self.leader.lead(at, 5)
        self.follower = FollowerHarness({2: self.leader})
        self.follower.topic_ids["t"] = self.leader.topic_ids["t"] = TOPIC_ID
        self.unanswered = 0
        """The requests that have failed."""
        self.taken = 0
        """The batches that the SinglePartitionFollower has appended."""
        append = Partition.append_single_batch

        def count(partition: Partition, *arguments: Any) -> int | None:
            end = append(partition, *arguments)
            self.taken += end is not None
            return end

        monkeypatch.setattr(Partition, "append_single_batch", count)

    def assert_taken(self, count: int) -> None:
        """Check the number of batches that were appended; others are appended where the event loop cannot."""
        assert self.taken == count if self.is_inline else self.taken <= count

    async def append(self, *values: bytes) -> None:
        self.leader.append(T0, *values)
        await settle()

    def check(self) -> None:
        """Compare follower and leader."""
        partition, log = self.follower.partition(), self.leader.led[T0].log
        assert contents(partition.log) == contents(log)
        assert partition.log.log_start_offset == log.log_start_offset
        assert partition.high_watermark == self.leader.high_watermark(T0)
        assert partition.stats.replication_bytes_in == log.size_bytes
        state = self.follower.state()
        assert (state.fetch_offset, state.last_fetched_epoch) == (log.log_end_offset, 5)
        assert state.lag == max(0, self.leader.high_watermark(T0) - log.log_end_offset)
        fetcher = self.follower.fetchers.fetcher(T0)
        assert fetcher is not None
        assert fetcher.stats.size_bytes >= log.size_bytes
        answered = len(self.leader.fetches()) - self.unanswered
        assert fetcher.stats.requests in (answered, answered - 1)


@pytest.fixture
async def pair(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, executor_mode: ExecutorMode
) -> AsyncIterator[Pair]:
    found = Pair(monkeypatch, executor_mode)
    async with found.follower.running():
        found.follower.follow(5)
        await settle()
        for number in range(5):
            await found.append(b"%d" % number)
        found.assert_taken(3)  # the first two requests have no frame
        found.check()
        yield found


async def test_small_batches_are_taken_one_after_the_other(pair: Pair, autojump_clock: MockClock) -> None:
    for size in (0, 1, 100, 5000):
        await pair.append(b"x" * size, b"y")
    pair.assert_taken(7)
    pair.check()


async def test_the_high_watermark_of_the_leader_is_taken(pair: Pair, autojump_clock: MockClock) -> None:
    pair.leader.high_watermarks[T0] = 4
    await pair.append(b"a")
    assert pair.follower.partition().high_watermark == 4
    pair.check()
    del pair.leader.high_watermarks[T0]
    await pair.append(b"b")
    pair.check()


async def test_a_request_names_the_next_offset_and_session_epoch(pair: Pair, autojump_clock: MockClock) -> None:
    await pair.append(b"a")
    await pair.append(b"b")
    one, other = pair.leader.fetches()[-2:]
    assert other.session_epoch == one.session_epoch + 1
    assert [each.topics[0].partitions[0].fetch_offset for each in (one, other)] == [6, 7]
    assert other.topics[0].partitions[0].last_fetched_epoch == 5


async def several_batches(pair: Pair) -> None:
    pair.leader.led[T0].log.append_as_leader(batch(b"a"), 5, 0)


async def large_batch(pair: Pair) -> None:
    pair.leader.led[T0].log.append_as_leader(batch(b"a" * SMALL_BYTES), 5, 0)
    pair.leader.wake()
    await settle()
    pair.assert_taken(3)


async def log_start_of_the_leader(pair: Pair) -> None:
    pair.leader.led[T0].log.delete_records(3)


async def another_partition(pair: Pair) -> None:
    pair.follower.follow(5, T1)
    await settle()
    pair.leader.append(T1, b"other")
    await settle()
    assert contents(pair.follower.log(T1)) == contents(pair.leader.led[T1].log)


async def quota(pair: Pair) -> None:
    pair.follower.quota.limit = 1_000_000


async def throttled_replica(pair: Pair) -> None:
    log = pair.follower.log()
    log.config = log.config._replace(follower_replication_throttled_replicas=ALL_REPLICAS)


async def broker_epoch(pair: Pair) -> None:
    pair.follower.broker_epoch += 1


async def slow_disk(pair: Pair) -> None:
    pair.follower.partition().executor.inline = False


async def session_of_the_leader(pair: Pair) -> None:
    pair.leader.answered_with = FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND)


async def leader_down(pair: Pair) -> None:
    pair.leader.is_down = True
    pair.leader.append(T0, b"while it is down")
    answered = len(pair.leader.fetches())
    await settle(3)
    pair.leader.is_down = False
    pair.unanswered = len(pair.leader.fetches()) - answered


CHANGES = [
    several_batches,
    large_batch,
    log_start_of_the_leader,
    another_partition,
    quota,
    throttled_replica,
    broker_epoch,
    slow_disk,
    session_of_the_leader,
    leader_down,
]


@pytest.mark.parametrize("change", CHANGES)
async def test_a_change_is_left_to_the_fetcher(pair: Pair, change: Any, autojump_clock: MockClock) -> None:
    await change(pair)
    await pair.append(b"behind the change")
    await settle(2)
    if change not in (large_batch, session_of_the_leader, leader_down):  # the fetcher keeps up again
        pair.assert_taken(3)
    await pair.append(b"later")
    await settle(2)
    pair.check()
    if change is broker_epoch:
        assert pair.leader.fetches()[-1].replica_state.replica_epoch == 78
    if change is throttled_replica:
        pair.follower.quota.limit = 1
        assert pair.follower.quota.is_exceeded(5000)


async def test_a_partition_that_is_removed_gets_nothing(pair: Pair, autojump_clock: MockClock) -> None:
    end = pair.follower.log().log_end_offset
    pair.follower.fetchers.remove_fetcher_for_partitions([T0])
    await pair.append(b"a")
    assert pair.follower.log().log_end_offset == end


async def test_records_of_a_former_leader_epoch_are_not_appended(pair: Pair, autojump_clock: MockClock) -> None:
    end = pair.follower.log().log_end_offset
    pair.follower.follow(6)
    await pair.append(b"a")
    assert pair.follower.log().log_end_offset == end
    pair.assert_taken(3)
    pair.leader.lead(T0, 6)
    await settle(2)
    assert contents(pair.follower.log()) == contents(pair.leader.led[T0].log)


async def test_a_disk_error_fails_the_partition(
    pair: Pair, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    pair.follower.disk.fail_next["pwrite"] = errno.EIO
    await pair.append(b"a")
    assert T0 in pair.follower.fetchers.failed
    assert "cannot be appended" in caplog.text
