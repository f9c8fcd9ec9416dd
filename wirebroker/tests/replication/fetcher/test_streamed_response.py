"""Large Fetch responses are appended while they arrive: the same logs, states and errors as of whole responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchResponse,
    PartitionData,
)
from wirebroker.record.compression import Codec
from wirebroker.record.message_set import MessageSet
from wirebroker.record.validate import AppendRules
from wirebroker.record.validate_legacy import check_message_set
from wirebroker.replication import follower_append
from wirebroker.replication.fetcher import streamed_response
from wirebroker.replication.fetcher.streamed_response import whole_batches
from wirebroker.tests.record.legacy_message_sets import message_set
from wirebroker.tests.replication.fetcher.follower_harness import (
    T0,
    T1,
    FollowerHarness,
    contents,
    settle,
    write,
)
from wirebroker.tests.replication.fetcher.leader_harness import LeaderHarness
from wirebroker.tests.storage.fakes.logs import batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock


T2 = TopicPartition("t", 2)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Append pieces of any size, so that those of the harness count."""
    monkeypatch.setattr(streamed_response, "_PIECE_BYTES", 1)
    monkeypatch.setattr(streamed_response, "_LARGE_BYTES", 1)


def leader_of(*partitions: TopicPartition, piece_bytes: int = 50, batches: int = 10) -> LeaderHarness:
    """Return a leader whose responses arrive in pieces; its logs have some batches of 2 records."""
    leader = LeaderHarness()
    leader.piece_bytes = piece_bytes
    for at in partitions:
        leader.lead(at, 0)
        for number in range(batches):
            leader.append(at, b"%d of %r" % (number, at.partition), b"second")
    return leader


@pytest.mark.parametrize("piece_bytes", [1, 7, 60, 100, 500, 5000])
@pytest.mark.parametrize("protocol", ["2.0", "2.6", "2.7-IV1", "2.8", "3.9"])
async def test_all_records_and_offsets_arrive(protocol: str, piece_bytes: int, autojump_clock: MockClock) -> None:
    partitions = (T0, T1, T2)
    leader = leader_of(*partitions, piece_bytes=piece_bytes)
    leader.high_watermarks[T0] = 12
    leader.led[T1].log.delete_records(3)
    follower = FollowerHarness({2: leader}, protocol)
    follower.topic_ids["t"] = leader.topic_ids["t"] = b"t" * 16
    async with follower.running():
        follower.follow(0, *partitions)
        await settle()
        for at in partitions:
            assert contents(follower.log(at)) == contents(leader.led[at].log)
            assert follower.state(at).fetch_offset == 20
            assert follower.log(at).log_start_offset == leader.led[at].log.log_start_offset
        assert [follower.partition(at).high_watermark for at in partitions] == [12, 20, 20]
        assert len(leader.fetches()) <= 4, "the first response has all records"
        leader.high_watermarks.clear()
        leader.append(T2, b"x" * 200)
        await settle(1)
        assert [follower.partition(at).high_watermark for at in partitions] == [20, 20, 21]


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
@pytest.mark.parametrize("magic", [0, 1])
async def test_old_formats(magic: int, codec: Codec, autojump_clock: MockClock) -> None:
    leader = leader_of(T0)
    led = leader.led[T0]
    for _ in range(4):
        sets = message_set(magic, codec, tuple((b"k", b"v" * 10) for _ in range(3)), timestamps=[5, 6, 7])
        checked = check_message_set(memoryview(sets), AppendRules(magic=magic, log_append_time=False), 9)
        assert isinstance(checked, MessageSet)
        led.log.append_messages(checked, 9)
    follower = FollowerHarness({2: leader})
    async with follower.running():
        follower.follow(0)
        await settle()
        assert contents(follower.log()) == contents(led.log)
        assert follower.log().leader_epoch_cache.entries == []


async def test_the_log_grows_before_the_response_is_complete(autojump_clock: MockClock) -> None:
    leader = leader_of(T0, T1)
    follower = FollowerHarness({2: leader})
    ends: list[tuple[int, int]] = []
    leader.before_piece = lambda: ends.append((follower.log().log_end_offset, follower.log(T1).log_end_offset))
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle()
    assert len(set(ends)) > 10
    assert ends == sorted(ends)
    assert (20, 0) in ends, "one partition is complete, the next one has not begun"


async def test_a_connection_that_breaks_leaves_whole_batches_and_the_fetch_goes_on_behind_them(
    autojump_clock: MockClock,
) -> None:
    leader = leader_of(T0, T1)
    follower = FollowerHarness({2: leader})
    pieces = 0

    def break_off() -> None:
        nonlocal pieces
        pieces += 1
        leader.is_down = pieces == 30

    leader.before_piece = break_off
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle()
        kept = follower.log(T1).log_end_offset
        assert follower.log().log_end_offset == 20
        assert 0 < kept < 20
        assert kept % 2 == 0
        assert contents(follower.log(T1)) == contents(leader.led[T1].log)[: len(contents(follower.log(T1)))]
        leader.is_down = False
        leader.requests.clear()
        await settle(3)
        full = leader.fetches()[0]
        assert full.session_epoch == 0, "the leader's session may have taken the request for answered"
        assert {each.partition: each.fetch_offset for each in full.topics[0].partitions} == {0: 20, 1: kept}
        for at in (T0, T1):
            assert contents(follower.log(at)) == contents(leader.led[at].log)


def altered(leader: LeaderHarness, alter: Callable[[bytearray], None], *, first: TopicPartition = T0) -> None:
    """Have the next response carry the records of *first* as *alter* leaves them, and then those of T1."""
    partitions = []
    for at in (first, T1):
        log = leader.led[at].log
        records = bytearray(contents(log))
        if at == first:
            alter(records)
        partitions.append(
            PartitionData(at.partition, high_watermark=log.log_end_offset, log_start_offset=0, records=bytes(records))
        )
    leader.answered_with = FetchResponse(session_id=1, responses=[FetchableTopicResponse("t", partitions=partitions)])


def flip(position: int) -> Callable[[bytearray], None]:
    def alter(records: bytearray) -> None:
        records[position] ^= 0xFF

    return alter


async def test_a_corrupt_batch_loses_nothing_of_other_partitions(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    leader = leader_of(T0, T1)
    size = batch(b"0 of 0", b"second").size_bytes
    altered(leader, flip(3 * size - 1))
    follower = FollowerHarness({2: leader}, "2.6")
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle(0.1)
        assert follower.log().log_end_offset == 4, "the batches before it are good"
        assert contents(follower.log(T1)) == contents(leader.led[T1].log)
        assert "corrupt" in caplog.text
        await settle(2)
        assert contents(follower.log()) == contents(leader.led[T0].log)


async def test_a_batch_without_a_possible_length_is_corrupt(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    leader = leader_of(T0, T1)
    size = batch(b"0 of 0", b"second").size_bytes

    def alter(records: bytearray) -> None:
        records[size + 8 : size + 12] = b"\xff" * 4

    altered(leader, alter)
    follower = FollowerHarness({2: leader}, "2.6")
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle(0.1)
        assert follower.log().log_end_offset == 2
        assert contents(follower.log(T1)) == contents(leader.led[T1].log)
        assert "corrupt" in caplog.text
        await settle(2)
        assert contents(follower.log()) == contents(leader.led[T0].log)


async def test_a_batch_that_is_cut_off_at_the_end_is_fetched_again(autojump_clock: MockClock) -> None:
    leader = leader_of(T0, T1)

    def cut(records: bytearray) -> None:
        del records[-5:]

    altered(leader, cut)
    follower = FollowerHarness({2: leader}, "2.6")
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle()
        assert contents(follower.log()) == contents(leader.led[T0].log)
        assert contents(follower.log(T1)) == contents(leader.led[T1].log)


async def test_partitions_with_errors_unknown_ones_and_those_that_diverge_are_among_others(
    autojump_clock: MockClock,
) -> None:
    leader = leader_of(T0, T1, T2)
    log = leader.led[T1].log
    follower = FollowerHarness({2: leader}, "2.7-IV1")
    follower.log(T2).append_as_leader(batch(b"0 of 2", b"second"), 0, 0)
    write(follower.log(T2), 0)
    asked_for = len(leader.requests)
    leader.answered_with = FetchResponse(
        session_id=1,
        responses=[
            FetchableTopicResponse("unknown", partitions=[PartitionData(0, records=contents(log))]),
            FetchableTopicResponse(
                "t",
                partitions=[
                    PartitionData(0, ErrorCode.KAFKA_STORAGE_ERROR, -1, records=b""),
                    PartitionData(7, high_watermark=3, records=contents(log)),
                    PartitionData(2, high_watermark=-1, diverging_epoch=EpochEndOffset(0, 2), records=b""),
                    PartitionData(
                        1,
                        high_watermark=20,
                        log_start_offset=0,
                        records=contents(log),
                        aborted_transactions=[AbortedTransaction(1, 2)] * 3,
                    ),
                ],
            ),
        ],
    )
    async with follower.running():
        follower.follow(0, T0, T1, T2)
        await settle(0.1)
        assert len(leader.requests) > asked_for
        assert contents(follower.log(T1)) == contents(log)
        assert follower.log().log_end_offset == 0
        assert follower.state().retry_at is not None
        assert contents(follower.log(T2)) == contents(leader.led[T2].log), "cut to offset 2, and fetched from there on"
        await settle(2)
        assert contents(follower.log()) == contents(leader.led[T0].log)


async def test_an_error_of_the_session_begins_another_one(autojump_clock: MockClock) -> None:
    leader = leader_of(T0)
    records = contents(leader.led[T0].log)
    leader.answered_with = FetchResponse(
        error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        responses=[FetchableTopicResponse("t", partitions=[PartitionData(0, high_watermark=20, records=records)])],
    )
    follower = FollowerHarness({2: leader})
    async with follower.running():
        follower.follow(0)
        await settle(0.01)
        assert [each.session_epoch for each in leader.fetches()][:2] == [0, 0]
        assert contents(follower.log()) == records


async def test_a_partition_that_changes_its_role_between_two_pieces_gets_no_more_of_them(
    autojump_clock: MockClock,
) -> None:
    leader = leader_of(T0, T1)
    follower = FollowerHarness({2: leader})
    changed_at: list[int] = []

    def change() -> None:
        end = follower.log().log_end_offset
        if end >= 6 and not changed_at:
            changed_at.append(end)
            leader.lead(T0, 1)
            follower.follow(1)
        elif changed_at and len(leader.fetches()) == 1:
            assert follower.log().log_end_offset == changed_at[0], "the response is that of the former epoch"

    leader.before_piece = change
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle(2)
        assert changed_at
        assert leader.fetches()[1].session_epoch == 0, "the leader takes the high watermark for known"
        for at in (T0, T1):
            assert contents(follower.log(at)) == contents(leader.led[at].log)
            assert follower.partition(at).high_watermark == 20


@pytest.mark.parametrize("code", [ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.OFFSET_OUT_OF_RANGE])
async def test_an_error_of_a_former_leader_epoch_does_not_count_in_the_new_one(
    code: ErrorCode, autojump_clock: MockClock
) -> None:
    """The controller names the new leader epoch while records of another partition are appended behind the error."""
    leader = leader_of(T0, T1)
    leader.errors[T0] = code
    follower = FollowerHarness({2: leader})
    named: list[int] = []

    def name_leader() -> None:
        if follower.log(T1).log_end_offset and not named:
            named.append(follower.log(T1).log_end_offset)
            del leader.errors[T0]
            leader.lead(T0, 1)
            follower.follow(1)

    leader.before_piece = name_leader
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle(0.5)
        assert named
        assert 0 < named[0] < 20
        assert not follower.fetchers.failed
        assert follower.state().leader_epoch == 1
        for at in (T0, T1):
            assert contents(follower.log(at)) == contents(leader.led[at].log)


async def test_a_partition_that_is_followed_no_more_is_skipped(autojump_clock: MockClock) -> None:
    leader = leader_of(T0, T1)
    follower = FollowerHarness({2: leader})

    def remove() -> None:
        if follower.log().log_end_offset == 6:
            follower.fetchers.remove_fetcher_for_partitions([T0])

    leader.before_piece = remove
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle(2)
        assert follower.log().log_end_offset == 6
        assert contents(follower.log(T1)) == contents(leader.led[T1].log)


async def test_pieces_that_have_to_wait_are_appended_in_order(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower_append, "INLINE_BYTES", 10)
    leader = leader_of(T0, T1)
    follower = FollowerHarness({2: leader})
    async with follower.running():
        follower.follow(0, T0, T1)
        await settle(1)
        for at in (T0, T1):
            assert contents(follower.log(at)) == contents(leader.led[at].log)


async def test_a_response_that_is_shorter_than_it_says_is_an_error_of_the_connection(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    leader = leader_of(T0)
    follower = FollowerHarness({2: leader}, "2.6")

    class Short(FetchResponse):
        def write(self, out: bytearray, version: int) -> None:
            super().write(out, version)
            del out[-30:]

    records = contents(leader.led[T0].log)
    partitions = [PartitionData(0, high_watermark=20, log_start_offset=0, records=records)]
    leader.answered_with = Short(session_id=1, responses=[FetchableTopicResponse("t", partitions=partitions)])
    async with follower.running():
        follower.follow(0)
        await settle(0.1)
        assert 0 < follower.log().log_end_offset < 20
        assert "cut off" in caplog.text
        await settle(3)
        assert contents(follower.log()) == records


def sizes_of(*sizes: int) -> bytes:
    return b"".join(bytes(8) + (size - 12).to_bytes(4, "big") + bytes(size - 12) for size in sizes)


@pytest.mark.parametrize(
    ("records", "end"),
    [
        (b"", 0),
        (sizes_of(100), 100),
        (sizes_of(100, 50), 150),
        (sizes_of(100, 50)[:-1], 100),
        (sizes_of(100, 50)[:111], 100),
        (sizes_of(100, 50)[:112], 100),
        (sizes_of(100)[:99], 0),
        (sizes_of(100) + bytes(12) + b"any", 115),
        (sizes_of(100) + b"\xff" * 12, 112),
    ],
)
def test_where_the_last_whole_batch_ends(records: bytes, end: int) -> None:
    assert whole_batches(memoryview(records)) == end
