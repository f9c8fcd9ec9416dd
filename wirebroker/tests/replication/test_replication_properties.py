"""Three replicas under any order of appends, fetches, ISR answers, elections, crashes and lost messages.

The records below the high watermark of any leader at any time are *committed*: every replica that the controller may
elect has them, at their offsets, for ever.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from wirebroker.replication.errors import PartitionError
from wirebroker.tests.replication.replica_set import BROKERS, ReplicaSet

if TYPE_CHECKING:
    from wirebroker.replication.alter_partition_manager import AlterPartitionItem
    from wirebroker.replication.leader_state import LeaderState
    from wirebroker.tests.replication.replica_set import Broker, Fetched

_BROKER = st.sampled_from(BROKERS)
_NUMBER = st.integers(0, 3)
_FATE = st.sampled_from(["answer", "answer", "lose", "repeat"])
_SINGLE = st.one_of(
    st.tuples(st.just("append"), _BROKER),
    st.tuples(st.just("fetch"), _BROKER),
    st.tuples(st.just("request"), _BROKER),
    st.tuples(st.just("deliver"), _NUMBER),
    st.tuples(st.just("shrink"), _BROKER),
    st.tuples(st.just("apply"), _BROKER, _FATE),
    st.tuples(st.just("answer"), _NUMBER),
    st.tuples(st.just("elect"), _BROKER),
    st.tuples(st.just("send"), _BROKER),
    st.tuples(st.just("crash"), _BROKER, st.integers(0, 20)),
)
_SERIES = st.one_of(
    st.tuples(st.just("append_to_leader"), _NUMBER),
    st.tuples(st.just("catch_up"), _BROKER, st.integers(1, 3)),
    st.tuples(st.just("lag"), _BROKER),
    st.tuples(st.just("settle"), st.integers(1, 2)),
    st.tuples(st.just("fail_over"), _BROKER),
)
ACTIONS = st.lists(st.one_of(_SINGLE, _SERIES, _SERIES), min_size=20, max_size=80)


class Machine:
    """Carries out actions, and checks the invariants after each."""

    def __init__(self, clock: MockClock) -> None:
        self.cluster = ReplicaSet()
        self.clock = clock
        self.responses: list[Fetched] = []
        self.answers: list[tuple[AlterPartitionItem, object]] = []
        self.committed: list[tuple[int, bytes]] = []
        self.watermarks: dict[LeaderState, int] = {}
        self.count = 0

    def broker(self, broker_id: int) -> Broker:
        return self.cluster.brokers[broker_id]

    async def append(self, broker_id: int) -> None:
        self.count += 1
        with suppress(PartitionError):  # it is not the leader
            await self.broker(broker_id).append(b"%d" % self.count)

    async def fetch(self, broker_id: int) -> None:
        await self.cluster.fetch(broker_id)

    async def request(self, broker_id: int) -> None:
        fetched = await self.cluster.request(broker_id, max_bytes=100)
        if fetched is not None:
            self.responses.append(fetched)

    async def deliver(self, number: int) -> None:
        """Deliver a response, perhaps after those that were sent later: a follower has a new connection then."""
        if number < len(self.responses):
            await self.cluster.deliver(self.responses.pop(number))

    async def shrink(self, broker_id: int) -> None:
        self.clock.jump(4.0)
        self.broker(broker_id).partition.maybe_shrink_isr()

    async def apply(self, broker_id: int, fate: str) -> None:
        """Have the controller process a proposal, whose answer comes later, or is lost and the request sent again."""
        submitted = self.broker(broker_id).submitted
        if submitted:
            item = submitted[0] if fate == "repeat" else submitted.pop(0)
            answer = self.cluster.alter_partition(item)
            if fate == "answer":
                self.answers.append((item, answer))

    async def answer(self, number: int) -> None:
        if number < len(self.answers):
            item, answer = self.answers.pop(number)
            item.completed(answer)  # type: ignore[arg-type]

    async def elect(self, broker_id: int) -> None:
        if broker_id in self.cluster.state.isr:
            await self.cluster.elect(broker_id, to=[])

    async def send(self, broker_id: int) -> None:
        await self.cluster.send([broker_id])

    async def crash(self, broker_id: int, high_watermark: int) -> None:
        """Crash, and start at once; the controller has taken the broker out of the ISR unless it is alone there."""
        broker, state = self.broker(broker_id), self.cluster.state
        broker.restart(min(high_watermark, broker.partition.high_watermark))
        self.responses = [each for each in self.responses if each.follower is not broker]
        left = tuple(each for each in state.isr if each != broker_id) or state.isr
        await self.cluster.elect(state.leader if state.leader in left else left[0], left, to=[])

    # -- series of actions that belong together, for progress

    async def append_to_leader(self, count: int) -> None:
        for _ in range(count):
            await self.append(self.cluster.state.leader)

    async def catch_up(self, broker_id: int, count: int) -> None:
        for _ in range(count):
            await self.fetch(broker_id)
            self.check()

    async def lag(self, broker_id: int) -> None:
        """One follower is silent for too long, and the other is not."""
        self.clock.jump(11.0)
        for each in BROKERS:
            if each != broker_id:
                await self.catch_up(each, 2)
        await self.shrink(self.cluster.state.leader)

    async def settle(self, count: int) -> None:
        """Proposals are processed, and some of the answers arrive."""
        for each in BROKERS:
            await self.apply(each, "answer")
        for _ in range(count):
            await self.answer(0)

    async def fail_over(self, broker_id: int) -> None:
        """A member of the ISR becomes the leader, and all brokers but perhaps *broker_id* get to know."""
        state = self.cluster.state
        leader = state.isr[-1] if state.isr[-1] != state.leader else state.isr[0]
        await self.elect(leader)
        for each in BROKERS:
            if each != broker_id or each == leader:
                await self.send(each)

    def check(self) -> None:
        state = self.cluster.state
        for broker in self.cluster.brokers.values():
            partition = broker.partition
            assert partition.log.log_start_offset <= partition.high_watermark <= partition.log.log_end_offset
            leader = partition.leader
            if leader is None:
                continue
            assert self.watermarks.get(leader, -1) <= partition.high_watermark, "moved back within an epoch"
            self.watermarks[leader] = partition.high_watermark
            if leader.leader_epoch == state.leader_epoch:
                ends = [self.broker(each).log.log_end_offset for each in leader.partition_state.maximal_isr]
                assert set(state.isr) <= set(leader.partition_state.maximal_isr)
                assert partition.high_watermark <= min(ends)
            if partition.high_watermark > len(self.committed):
                self.committed += broker.records()[len(self.committed) : partition.high_watermark]
        for each in state.isr:
            assert self.broker(each).records()[: len(self.committed)] == self.committed, f"broker {each} lost records"


@pytest.mark.usefixtures("executor_mode")
@settings(max_examples=50)
@given(actions=ACTIONS)
def test_committed_records_are_in_every_replica_that_may_be_elected(
    actions: list[tuple[str, int]] | list[tuple[str, int, object]],
) -> None:
    async def run() -> None:
        machine = Machine(clock)
        await machine.cluster.send()
        for name, *arguments in actions:
            await getattr(machine, name)(*arguments)
            machine.check()

    clock = MockClock()
    trio.run(run, clock=clock)


async def test_actions_that_reach_every_rule() -> None:
    """One long run with all kinds of actions, so that the invariants are not true for want of committed records."""
    machine = Machine(MockClock())
    await machine.cluster.send()
    for leader in (1, 2, 3, 1):
        await machine.append(leader)
        for each in BROKERS:
            for _ in range(3):
                await machine.fetch(each)
                machine.check()
        await machine.elect(leader % 3 + 1)
        for each in BROKERS:
            await machine.send(each)
            machine.check()
    assert len(machine.committed) == 4
