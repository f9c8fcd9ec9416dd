"""SinglePartitionFollower with two partitions: it does what the general path of ReplicaFetcher does."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from wirebroker.replication.fetcher.single_partition_follower import SinglePartitionFollower
from wirebroker.tests.replication.fetcher.follower_harness import (
    T0,
    T1,
    FollowerHarness,
    contents,
    count_few_partitions,
    settle,
)
from wirebroker.tests.replication.fetcher.leader_harness import LeaderHarness

if TYPE_CHECKING:
    from trio.testing import MockClock

    from wirebroker.replication.fetcher.partition_states import PartitionFetchState

TOPIC_ID = b"t" * 16


class Step(NamedTuple):
    """The states, logs and counts that can be seen after a step."""

    states: list[PartitionFetchState | None]
    logs: list[Any]
    high_watermarks: list[int]
    requests: int
    size_bytes: int
    failed: set[Any]


async def story(seed: int) -> tuple[list[Step], list[Any]]:
    """Return what a follower of two partitions looks like after random steps of its leader, and its Fetch requests."""
    random = Random(seed)
    leader = LeaderHarness()
    for at in (T0, T1):
        leader.lead(at, 5)
    follower = FollowerHarness({2: leader})
    follower.topic_ids["t"] = leader.topic_ids["t"] = TOPIC_ID
    steps: list[Step] = []
    async with follower.running():
        follower.follow(5, T0, T1)
        await settle()
        for number in range(40):
            some = random.choice(([T0], [T1], [T0, T1], [T1, T0], [T0], [T1]))
            action = random.random()
            if action < 0.1:
                leader.high_watermarks[some[0]] = leader.led[some[0]].log.log_end_offset
            elif action < 0.15:
                leader.high_watermarks.clear()
            for at in some:
                leader.append(at, b"%d" % number, bytes(random.choice((1, 100, 20_000))))
            await settle()
            fetcher = follower.fetchers.fetcher(T0) or follower.fetchers.fetcher(T1)
            assert fetcher is not None
            steps.append(
                Step(
                    [follower.state(at) for at in (T0, T1)],
                    [contents(follower.partition(at).log) for at in (T0, T1)],
                    [follower.partition(at).high_watermark for at in (T0, T1)],
                    fetcher.stats.requests,
                    fetcher.stats.size_bytes,
                    set(follower.fetchers.failed),
                )
            )
    return steps, [
        # threads that append for several partitions end in any order
        (each.session_epoch, {(one.partition, one.fetch_offset) for topic in each.topics for one in topic.partitions})
        for each in leader.fetches()
    ]


@pytest.mark.parametrize("seed", range(12))
async def test_the_general_path_does_the_same(
    seed: int, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = count_few_partitions(monkeypatch)
    fast = await story(seed)
    monkeypatch.setattr(SinglePartitionFollower, "_take_few", lambda *_: None)
    monkeypatch.setattr(SinglePartitionFollower, "_prepare", _prepare_nothing)
    general = await story(seed)
    assert counter["taken"] > 5
    for one, other in zip(fast[0], general[0], strict=True):
        assert one._replace(states=[]) == other._replace(states=[])
        for state, expected in zip(one.states, other.states, strict=True):
            assert state == expected
    assert fast[1] == general[1]


def _prepare_nothing(follower: SinglePartitionFollower, frame: Any) -> None:
    """Have no response be taken."""
    follower._frame, follower._each = frame, None
