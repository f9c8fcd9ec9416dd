"""ReplicaFetcher: truncation of a follower whose log diverges from its leader's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.loop_budget import LoopBudget
from wirebroker.model import TopicPartition
from wirebroker.protocol.messages.fetch import FetchRequest
from wirebroker.protocol.messages.list_offsets import ListOffsetsRequest
from wirebroker.protocol.messages.offset_for_leader_epoch import OffsetForLeaderEpochRequest
from wirebroker.record.compression import Codec
from wirebroker.record.message_set import MessageSet
from wirebroker.record.validate import AppendRules
from wirebroker.record.validate_legacy import check_message_set
from wirebroker.replication.fetcher.partition_states import ReplicaState
from wirebroker.tests.record.legacy_message_sets import message_set
from wirebroker.tests.replication.fetcher.follower_harness import T0, FollowerHarness, contents, settle, write
from wirebroker.tests.replication.fetcher.leader_harness import LeaderHarness

if TYPE_CHECKING:
    from trio.testing import MockClock


PROTOCOLS = ["2.0", "2.6", "2.7-IV1", "2.8", "3.1", "3.9"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_log_that_diverges_is_truncated_to_the_common_epoch(protocol: str, autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    led = leader.lead(T0, 0)
    write(led.log, 1, 1, 2, 2, 4)
    leader.lead(T0, 5)
    follower = FollowerHarness({2: leader}, protocol)
    write(follower.log(), 1, 1, 3, 3)
    async with follower.running():
        follower.follow(5)
        await settle(3)
        asked = [each for each in leader.requests if isinstance(each, OffsetForLeaderEpochRequest)]
        assert len(asked) == (2 if protocol < "2.7" else 0)
        assert follower.log().leader_epoch_cache.entries == [(1, 0), (2, 2), (4, 4)]
        assert follower.log().log_end_offset == 5
        values = [contents(log).count(b"epoch 3") for log in (follower.log(), led.log)]
        assert values == [0, 0]


async def test_a_leader_that_does_not_know_the_epoch_leaves_the_follower_its_high_watermark(
    autojump_clock: MockClock,
) -> None:
    leader = LeaderHarness()
    led = leader.lead(T0, 2)
    led.log.leader_epoch_cache.clear()  # of a leader with an old message format
    follower = FollowerHarness({2: leader}, "2.0")
    write(follower.log(), 1, 1, 1)
    follower.partition().update_high_watermark(2)
    async with follower.running():
        follower.follow(2)
        await settle(0.1)
        assert follower.log().log_end_offset == 0  # the leader's log, out of range, is shorter still
        first = [type(each) for each in leader.requests[:4]]
        assert first == [OffsetForLeaderEpochRequest, FetchRequest, ListOffsetsRequest, FetchRequest]
        assert leader.requests[1].topics[0].partitions[0].fetch_offset == 2


async def test_out_of_range_behind_the_leaders_log_start_begins_anew_there(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    led = leader.lead(T0, 0)
    write(led.log, *[0] * 10)
    led.log.delete_records(6)
    follower = FollowerHarness({2: leader})
    write(follower.log(), 0, 0)
    async with follower.running():
        follower.follow(0)
        await settle()
        log = follower.log()
        assert (log.log_start_offset, log.log_end_offset) == (6, 10)
        assert follower.partition().high_watermark == 10


async def test_a_follower_in_front_of_a_leader_without_epochs_is_cut_at_its_end(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    write(leader.lead(T0, 0).log, 0, 0)
    follower = FollowerHarness({2: leader}, "0.10.2")
    write(follower.log(), 0, 0, 0, 0)
    follower.partition().update_high_watermark(4)
    async with follower.running():
        follower.follow(0)
        await settle()
        assert follower.log().log_end_offset == 2


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
@pytest.mark.parametrize("protocol", ["2.0", "3.9"])
async def test_batches_of_old_formats_end_the_epochs_and_are_cut_at_the_high_watermark(
    magic: int, codec: Codec, protocol: str, autojump_clock: MockClock
) -> None:
    leader = LeaderHarness()
    led = leader.lead(T0, 0)
    write(led.log, 0)
    pairs = tuple((b"k", b"v" * 10) for _ in range(3))
    for _ in range(2):
        sets = message_set(magic, codec, pairs, timestamps=[5, 6, 7])
        checked = check_message_set(memoryview(sets), AppendRules(magic=magic, log_append_time=False), 9)
        assert isinstance(checked, MessageSet)
        led.log.append_messages(checked, 9)
    follower = FollowerHarness({2: leader}, protocol)
    async with follower.running():
        follower.follow(0)
        await settle()
        assert contents(follower.log()) == contents(led.log)
        assert follower.log().leader_epoch_cache.entries == []
        follower.partition().update_high_watermark(5)
        leader.requests.clear()
        leader.lead(T0, 1)
        follower.follow(1)
        await settle(1)
        first = next(each for each in leader.fetches() if each.topics)
        assert first.topics[0].partitions[0].fetch_offset == (5 if codec is Codec.NONE else 4), "whole batches are cut"
        assert follower.log().log_end_offset == 7


async def test_many_truncations_write_one_checkpoint(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    partitions = [TopicPartition("t", index) for index in range(40)]
    follower = FollowerHarness({2: leader}, "2.6")
    for at in partitions:
        write(leader.lead(at, 0).log, 0)
        leader.lead(at, 2)
        write(follower.log(at), 0, 1, 1)
        follower.log(at).flush()
    writes: list[str] = []
    written = follower.disk.write_whole

    def note(path: str, data: bytes, **more: object) -> None:
        writes.append(path)
        written(path, data, **more)  # type: ignore[arg-type]

    follower.disk.write_whole = note  # type: ignore[method-assign]
    async with follower.running():
        follower.follow(2, *partitions)
        await settle(1)
        assert {follower.log(at).log_end_offset for at in partitions} == {1}
        assert sum("recovery-point" in path for path in writes) == 1
        assert {follower.state(at).state for at in partitions} == {ReplicaState.FETCHING}


@pytest.mark.parametrize("protocol", ["2.6", "3.9"])
async def test_the_look_for_truncations_yields_at_each_partition(
    protocol: str, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    budgets: list[LoopBudget] = []

    def spent() -> LoopBudget:
        budgets.append(LoopBudget(0.0))
        return budgets[-1]

    monkeypatch.setattr("wirebroker.replication.fetcher.log_truncator.LoopBudget", spent)
    leader = LeaderHarness()
    leader.lead(T0, 1)
    follower = FollowerHarness({2: leader}, protocol)
    follower.log()
    async with follower.running():
        follower.follow(1)
        await settle(0.1)
    assert [each.yields for each in budgets[:2]] == [1, 1]
