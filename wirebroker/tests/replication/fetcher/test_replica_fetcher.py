"""ReplicaFetcher: follows a leader at each protocol, through errors, elections, throttles and late responses."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.model import LeaderAndIsr, TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchResponse
from wirebroker.replication import follower_append
from wirebroker.replication.log_dir_executor import LogDirExecutor, WorkKind
from wirebroker.tests.replication.fetcher.follower_harness import (
    BROKER_ID,
    T0,
    T1,
    FollowerHarness,
    contents,
    settle,
    write,
)
from wirebroker.tests.replication.fetcher.leader_harness import LeaderHarness

if TYPE_CHECKING:
    from trio.testing import MockClock

    from wirebroker.replication.partition import Partition

PROTOCOLS = ["2.0", "2.6", "2.7-IV1", "2.8", "3.1", "3.9"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_follower_gets_all_records_the_high_watermark_and_the_log_start(
    protocol: str, autojump_clock: MockClock
) -> None:
    leader = LeaderHarness()
    leader.lead(T0, 5)
    for number in range(10):
        leader.append(T0, b"a%d" % number, b"b")
    leader.high_watermarks[T0] = 12
    follower = FollowerHarness({2: leader}, protocol)
    if protocol >= "2.8":
        follower.topic_ids["t"] = leader.topic_ids["t"] = b"t" * 16
    async with follower.running():
        follower.follow(5)
        await settle()
        partition = follower.partition()
        assert contents(partition.log) == contents(leader.led[T0].log)
        assert partition.high_watermark == 12
        assert follower.state().lag == 0
        leader.append(T0, b"later")
        leader.high_watermarks.clear()
        leader.led[T0].log.delete_records(4)
        leader.wake()
        await settle(1)
        assert contents(partition.log)[-70:] == contents(leader.led[T0].log)[-70:]
        assert partition.high_watermark == 21
        assert partition.log.log_start_offset == 4
        assert partition.log.leader_epoch_cache.latest_epoch == 5
    fetches = leader.fetches()
    versions = {version for each, version in zip(leader.requests, leader.versions, strict=True) if each in fetches}
    assert versions == {{"2.0": 8, "2.6": 11, "2.7-IV1": 12, "2.8": 12, "3.1": 13, "3.9": 17}[protocol]}
    for request in fetches:
        assert (request.replica_state.replica_id if protocol == "3.9" else request.replica_id) == BROKER_ID
        assert protocol != "3.9" or request.replica_state.replica_epoch == 77
    assert fetches[-1].topics == []


async def test_an_idle_follower_sends_two_empty_requests_a_second(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    partitions = [TopicPartition("t", index) for index in range(50)]
    for at in partitions:
        leader.lead(at, 0)
    follower = FollowerHarness({2: leader})
    async with follower.running():
        follower.follow(0, *partitions)
        await settle(2)
        leader.requests.clear()
        looked_up: list[TopicPartition] = []
        find = follower.replicas.find

        def noting_find(topic: str, index: int) -> Partition | None:
            looked_up.append(TopicPartition(topic, index))
            return find(topic, index)

        follower.replicas.find = noting_find
        await settle(10)
        assert 18 <= len(leader.requests) <= 22
        assert all(each.topics == [] and each.session_epoch > 0 for each in leader.fetches())
        assert looked_up == [], "an idle partition costs nothing"
        leader.append(partitions[7], b"x")
        await settle()
        assert set(looked_up) == {partitions[7]}


ERRORS = [
    (ErrorCode.NOT_LEADER_OR_FOLLOWER, False, 2),
    (ErrorCode.UNKNOWN_LEADER_EPOCH, False, 2),
    (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, False, 2),
    (ErrorCode.KAFKA_STORAGE_ERROR, False, 1),
    (ErrorCode.UNKNOWN_SERVER_ERROR, False, 1),
    (ErrorCode.FENCED_LEADER_EPOCH, True, 1),
]
"""Code, whether the partition fails, and the end of its log after less than a second."""


@pytest.mark.parametrize(("code", "fails", "soon"), ERRORS)
@pytest.mark.parametrize("protocol", ["2.6", "3.9"])
async def test_a_partition_with_an_error_rests_or_fails_and_the_others_go_on(
    code: ErrorCode, fails: bool, soon: int, protocol: str, autojump_clock: MockClock
) -> None:
    leader = LeaderHarness()
    for at in (T0, T1):
        write(leader.lead(at, 0).log, 0)
    leader.errors[T0] = code
    follower = FollowerHarness({2: leader}, protocol)
    write(follower.log(), 0)
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle(0.2)
        assert follower.log(T1).log_end_offset == 1
        assert (T0 in follower.fetchers.failed) == fails
        write(leader.led[T0].log, 0)
        del leader.errors[T0]
        await settle(0.7)
        assert follower.log().log_end_offset == soon, "it rests for a second, unless its leader is new"
        await settle(1)
        assert follower.log().log_end_offset == (1 if fails else 2)
        leader.lead(T0, 1)
        follower.follow(1)
        await settle(1)
        assert follower.log().log_end_offset == 2
        assert not follower.fetchers.failed


async def test_corrupt_records_are_fetched_again(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    leader = LeaderHarness()
    led = leader.lead(T0, 0)
    write(led.log, 0, 0)
    follower = FollowerHarness({2: leader})
    read = led.log.read

    def corrupt(*arguments: object) -> object:
        found = read(*arguments)  # type: ignore[arg-type]
        data = bytearray(found.tobytes())
        data[-1] ^= 1
        return type("Slice", (), {"tobytes": lambda _: bytes(data)})()

    monkeypatch.setattr(led.log, "read", corrupt)
    async with follower.running():
        follower.follow(0)
        await settle(0.1)
        assert follower.log().log_end_offset == 1, "the first batch is good"
        assert "corrupt" in caplog.text
        monkeypatch.setattr(led.log, "read", read)
        await settle(2)
        assert follower.log().log_end_offset == 2


async def test_a_leader_that_is_down_is_asked_every_second_and_named_once(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    leader = LeaderHarness()
    write(leader.lead(T0, 0).log, 0)
    leader.is_down = True
    follower = FollowerHarness({2: leader})
    async with follower.running():
        follower.follow(0)
        await settle(5.5)
        assert len(leader.requests) == 6
        assert sum("not replicated from broker 2 (leader:9092)" in message for message in caplog.messages) == 1
        leader.is_down = False
        await settle(1)
        assert follower.log().log_end_offset == 1
        assert sum("replicated from broker 2 (leader:9092) again" in message for message in caplog.messages) == 1


async def test_requests_that_are_sent_again_have_what_has_changed_meanwhile(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    leader.lead(T0, 5)
    leader.topic_ids["t"] = b"t" * 16
    follower = FollowerHarness({2: leader})
    follower.topic_ids["t"] = leader.topic_ids["t"]

    async def append() -> tuple[int, int, int, int]:
        """Append a record; return the fields of the request after it that are not its offset."""
        leader.append(T0, b"x")
        await settle()
        request = leader.fetches()[-1]
        (topic,) = request.topics
        (each,) = topic.partitions
        assert each.fetch_offset == leader.led[T0].log.log_end_offset
        epoch = request.replica_state.replica_epoch
        return epoch, each.log_start_offset, each.current_leader_epoch, each.last_fetched_epoch

    async with follower.running():
        follower.follow(5)
        await settle()
        assert [await append() for _ in range(4)] == [(77, 0, 5, 5)] * 4
        follower.broker_epoch = 78
        assert [await append() for _ in range(2)] == [(78, 0, 5, 5)] * 2
        leader.led[T0].log.delete_records(2)
        assert [await append() for _ in range(2)] == [(78, 2, 5, 5)] * 2
        leader.lead(T0, 6)
        follower.follow(6)
        await settle()
        assert [await append() for _ in range(2)] == [(78, 2, 6, 6)] * 2
    assert contents(follower.log()) == contents(leader.led[T0].log)


async def test_requests_that_are_sent_again_name_the_epoch_of_the_last_record(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    log = leader.lead(T0, 1).log
    leader.led[T0] = leader.led[T0]._replace(leader_epoch=9)
    follower = FollowerHarness({2: leader})
    write(log, 1)
    async with follower.running():
        follower.follow(9)
        await settle()
        for epoch in (1, 1, 4, 4, 5, 9, 9):
            write(log, epoch)
            leader.wake()
            await settle()
            asked = leader.fetches()[-1].topics[0].partitions[0]
            assert (asked.last_fetched_epoch, asked.fetch_offset) == (epoch, log.log_end_offset)
    assert contents(follower.log()) == contents(log)


async def test_a_leader_that_does_not_respond_is_asked_anew_with_all_partitions(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    leader.lead(T0, 0)
    follower = FollowerHarness({2: leader}, replica_socket_timeout_ms=3000)
    async with follower.running():
        follower.follow(0)
        for number in range(5):  # requests whose deadline is that of an earlier one
            leader.append(T0, b"%d" % number)
            await settle()
        leader.is_silent = True
        leader.append(T0, b"later")
        await settle()
        count = len(leader.fetches())
        await settle(3)
        assert len(leader.fetches()) == count, "the request waits for its time"
        leader.is_silent = False
        await settle(1.2)
        assert leader.fetches()[count].session_epoch == 0
        assert len(leader.fetches()[count].topics) == 1
        assert contents(follower.log()) == contents(leader.led[T0].log)


async def test_a_lost_session_begins_anew_with_all_partitions(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    for at in (T0, T1):
        write(leader.lead(at, 0).log, 0)
    follower = FollowerHarness({2: leader})
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle(0.1)
        leader.answered_with = FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        await settle(1)
        leader.append(T0, b"x")
        await settle(0.1)
        assert follower.log().log_end_offset == 2
        full = [each for each in leader.fetches() if each.session_epoch == 0]
        assert [sum(len(topic.partitions) for topic in each.topics) for each in full] == [2, 2]


async def test_a_response_after_the_partition_got_another_role_changes_nothing(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    leader.lead(T0, 0)
    follower = FollowerHarness({2: leader})
    async with follower.running():
        follower.follow(0)
        await settle(0.1)
        leader.append(T0, b"x")  # the response is on its way
        partition = follower.partition()
        await partition.make_leader(LeaderAndIsr(BROKER_ID, 1, (BROKER_ID,), 0, (2, BROKER_ID)))
        follower.fetchers.remove_fetcher_for_partitions([T0])
        await settle(1)
        assert partition.log.log_end_offset == 0
        assert follower.fetchers.fetcher(T0) is None


async def test_the_high_watermark_of_a_response_that_came_too_late_is_sent_again(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    leader.lead(T0, 0)
    leader.append(T0, b"x")
    leader.high_watermarks[T0] = 0
    follower = FollowerHarness({2: leader}, "2.0")
    async with follower.running():
        follower.follow(0)
        await settle(0.1)
        assert (follower.log().log_end_offset, follower.partition().high_watermark) == (1, 0)
        leader.high_watermarks.clear()
        leader.wake()  # the response is on its way
        follower.follow(1)
        leader.lead(T0, 1)
        await settle(2)
        assert follower.partition().high_watermark == 1


async def test_a_leader_change_moves_the_partition_to_another_fetcher(autojump_clock: MockClock) -> None:
    leaders = {2: LeaderHarness(), 3: LeaderHarness()}
    write(leaders[2].lead(T0, 0).log, 0, 0, 0)
    write(leaders[3].lead(T0, 0).log, 0, 0)
    leaders[3].lead(T0, 1)
    write(leaders[3].led[T0].log, 1, 1)
    follower = FollowerHarness(leaders)
    async with follower.running():
        follower.follow(0)
        await settle(0.1)
        follower.follow(1, leader=3)
        await settle(1)
        assert contents(follower.log()) == contents(leaders[3].led[T0].log)
        follower.fetchers.shutdown_idle_fetchers()
        await settle(1)
        assert len(follower.fetchers) == 1
        assert leaders[2].channels[0].is_closed
        assert not leaders[3].channels[0].is_closed


async def test_throttled_partitions_that_are_not_in_sync_wait_for_room_in_the_quota(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    for at in (T0, T1):
        leader.lead(at, 0)
        for _ in range(40):
            leader.append(at, bytes(1000))
    follower = FollowerHarness({2: leader}, replica_fetch_max_bytes=1000)
    follower.quota.limit = 1500
    throttled = follower.log().config._replace(follower_replication_throttled_replicas=("0:1",))
    follower.log().config = throttled
    follower.log(T1).config = throttled
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle(3)
        assert follower.log(T1).log_end_offset == 40
        at_first = follower.log().log_end_offset
        assert 13 <= at_first <= 20, "eleven seconds of the limit"
        await settle(10)
        assert at_first < follower.log().log_end_offset < 40
        follower.quota.limit = None
        await settle(3)
        assert follower.log().log_end_offset == 40


async def test_partitions_are_shared_by_the_fetchers_of_a_leader(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    partitions = [TopicPartition("t", index) for index in range(10)]
    for at in partitions:
        write(leader.lead(at, 0).log, 0)
    follower = FollowerHarness({2: leader}, num_replica_fetchers=3)
    async with follower.running():
        follower.follow(0, *partitions)
        await settle()
        assert len(leader.channels) == len(follower.fetchers) == 3
        assert {each.settings.client_id for each in leader.channels} == {f"broker-1-fetcher-{n}" for n in range(3)}
        for size in (1, 5):
            follower.fetchers.resize(size)
            for at in partitions:
                leader.append(at, b"more")
            await settle(2)
            assert len(follower.fetchers) == size
            assert sum(not each.is_closed for each in leader.channels) == size
            assert {follower.log(at).log_end_offset for at in partitions} == {leader.led[T0].log.log_end_offset}


async def test_another_address_of_the_leader_takes_its_partitions_over(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    for at in (T0, T1):
        write(leader.lead(at, 0).log, 0)
    follower = FollowerHarness({2: leader})
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle()
        leader.lead(T0, 1)
        follower.follow(1, T0, port=9093)
        leader.append(T1, b"x")
        await settle(1)
        assert follower.log(T1).log_end_offset == 2
        assert [each.is_closed for each in leader.channels] == [True, False]


@pytest.mark.parametrize(("inline_bytes", "in_thread"), [(150, 1), (100, 2), (50, 3)])
async def test_many_records_of_one_partition_are_appended_in_a_thread(
    inline_bytes: int, in_thread: int, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sizes of the three batches are 69, 119 and 269 bytes."""
    monkeypatch.setattr(follower_append, "INLINE_BYTES", inline_bytes)
    kinds: list[WorkKind] = []
    submit = LogDirExecutor.submit

    async def note(executor: LogDirExecutor, kind: WorkKind, *arguments: Any) -> Any:
        kinds.append(kind)
        return await submit(executor, kind, *arguments)

    monkeypatch.setattr(LogDirExecutor, "submit", note)
    leader = LeaderHarness()
    leader.lead(T0, 0)
    follower = FollowerHarness({2: leader})
    async with follower.running():
        follower.follow(0)
        for size in (1, 50, 200):
            leader.append(T0, bytes(size))
            await settle(1)
        assert contents(follower.log()) == contents(leader.led[T0].log)
        assert kinds.count(WorkKind.DISK) == in_thread


async def test_a_disk_that_fails_ends_the_fetches_of_its_partitions(autojump_clock: MockClock) -> None:
    """The leader is told, too, so that it sends their records no more."""
    leader = LeaderHarness()
    for at in (T0, T1):
        write(leader.lead(at, 0).log, 0)
    follower = FollowerHarness({2: leader})
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle()
        follower.replicas.on_log_dir_failed = follower.fetchers.remove_fetcher_for_unserved_partitions
        follower.disk.fail_next["pwrite"] = errno.EIO
        leader.append(T0, b"x")
        await settle(2)
        assert follower.fetchers.fetcher(T0) is None
        assert follower.fetchers.fetcher(T1) is None
        forgotten = [topic for each in leader.fetches() for topic in each.forgotten_topics_data]
        assert [sorted(topic.partitions) for topic in forgotten] == [[0, 1]]
