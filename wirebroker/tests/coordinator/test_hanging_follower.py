"""Groups while a follower in the ISR hangs, so that no record is committed: what is answered at once, and what is late.

Apache Kafka 3.9.1 answers in the same way (`compat_tests/cluster/test_coordinators_behind_a_follower.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.coordinator.delayed_request import DelayedRequest
from wirebroker.coordinator.group.requests import DeleteGroup
from wirebroker.coordinator.group.shard import GroupShard
from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.coordinator.turn import InternalClient
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from wirebroker.tests.coordinator.runtime_harness import outcome
from wirebroker.tests.coordinator.shard_harness import group_config
from wirebroker.tests.coordinator.test_runtime import FakePartition
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from collections.abc import Awaitable as A

    from wirebroker.replication.partition import Partition

E = ErrorCode


class GroupRuntime:
    """One shard of groups, with a record that replicas do not have."""

    def __init__(self) -> None:
        self.partition = FakePartition(0)
        self.partition.high_watermark = 0
        self.timer = Timer()
        config = group_config(group_initial_rebalance_delay_ms=0)
        self.runtime = CoordinatorRuntime(
            "__consumer_offsets",
            lambda _: GroupShard(config, lambda topic, _: topic == "t"),
            lambda _: cast("Partition", self.partition),
            timer=self.timer,
        )
        self.runtime.commit_timeout_s = 5.0

    async def ask(self, request: Any, version: int = 5) -> Any:
        """Return the response to *request*, the code of an error."""
        try:
            return await self.runtime.request(0, request, InternalClient(version))
        except ApiError as error:
            return error.code

    def commit(self, group: str = "g", **more: Any) -> DelayedRequest | Any:
        """Commit an offset; return the response, or the DelayedRequest."""
        topics = [OffsetCommitRequestTopic("t", partitions=[OffsetCommitRequestPartition(0, 7)])]
        request = OffsetCommitRequest(group, topics=topics, **more)
        return self.runtime.request_or_delay(0, request, InternalClient(8))

    def join(self, member_id: str = "", group: str = "g") -> A[Any]:
        """Join a group."""
        protocols = [JoinGroupRequestProtocol("range", b"")]
        return self.ask(JoinGroupRequest(group, 30_000, 30_000, member_id, None, "consumer", protocols))


@pytest.fixture
async def groups(nursery: trio.Nursery) -> AsyncIterator[GroupRuntime]:
    groups = GroupRuntime()
    nursery.start_soon(groups.timer.run)
    nursery.start_soon(groups.runtime.run)
    groups.runtime.follow({0: cast("Partition", groups.partition)})
    await groups.runtime.first_loads()
    assert isinstance(groups.commit("other"), DelayedRequest)
    yield groups
    nursery.cancel_scope.cancel()


async def test_a_commit_that_replicas_do_not_have_in_time_is_answered_with_request_timed_out(
    groups: GroupRuntime, autojump_clock: trio.testing.MockClock
) -> None:
    delayed = groups.commit()
    with pytest.raises(ApiError) as error:
        await outcome(delayed)
    assert error.value.code is E.REQUEST_TIMED_OUT
    assert trio.current_time() == pytest.approx(5.0, abs=0.1)
    topics = [OffsetCommitRequestTopic("t", partitions=[OffsetCommitRequestPartition(0, 7)])]
    assert await groups.ask(OffsetCommitRequest("g", topics=topics)) is E.REQUEST_TIMED_OUT


async def test_a_commit_that_is_refused_waits_for_no_replica(
    groups: GroupRuntime, autojump_clock: trio.testing.MockClock
) -> None:
    response = groups.commit("nobody", generation_id_or_member_epoch=3)
    assert not isinstance(response, DelayedRequest)
    assert response.topics[0].partitions[0].error_code == E.ILLEGAL_GENERATION


async def test_deletions_wait_for_no_replica(groups: GroupRuntime, autojump_clock: trio.testing.MockClock) -> None:
    assert await groups.ask(DeleteGroup("nobody")) == E.GROUP_ID_NOT_FOUND
    wanted = [OffsetDeleteRequestTopic("t", [OffsetDeleteRequestPartition(0)])]
    assert (await groups.ask(OffsetDeleteRequest("nobody", wanted))).error_code == E.GROUP_ID_NOT_FOUND
    await groups.join()  # creates the group
    deleted = await groups.ask(OffsetDeleteRequest("g", wanted))
    assert [each.error_code for each in deleted.topics[0].partitions] == [E.NONE]
    member_id = (await groups.join()).member_id
    await groups.join(member_id)
    assert await groups.ask(DeleteGroup("g")) == E.NON_EMPTY_GROUP
    await groups.join(group="h")
    assert await groups.ask(DeleteGroup("h")) == E.NONE
    assert trio.current_time() == 0


async def test_a_member_joins_and_leaves_without_a_wait(
    groups: GroupRuntime, autojump_clock: trio.testing.MockClock
) -> None:
    refused = await groups.join()
    assert refused.error_code == E.MEMBER_ID_REQUIRED
    joined = await groups.join(refused.member_id)
    assert (joined.error_code, joined.generation_id) == (E.NONE, 1)
    assert (await groups.join("unknown")).error_code == E.UNKNOWN_MEMBER_ID
    wrong = await groups.ask(SyncGroupRequest("g", 7, joined.member_id))
    assert wrong.error_code == E.ILLEGAL_GENERATION
    left = await groups.ask(LeaveGroupRequest("g", members=[MemberIdentity(joined.member_id)]))
    assert [each.error_code for each in left.members] == [E.NONE]
    assert trio.current_time() == 0


async def test_a_member_gets_its_assignment_again_if_replicas_have_it(
    groups: GroupRuntime, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    joined = await groups.join((await groups.join()).member_id)
    request = SyncGroupRequest("g", 1, joined.member_id)
    request.assignments = [SyncGroupRequestAssignment(joined.member_id, b"a")]
    answers = []

    async def sync() -> None:
        answers.append(await groups.ask(request))

    nursery.start_soon(sync)
    await wait_all_tasks_blocked()
    nursery.start_soon(sync)
    await wait_all_tasks_blocked()
    assert not answers
    groups.partition.commit(2)
    await wait_all_tasks_blocked()
    assert [each.assignment for each in answers] == [b"a", b"a"]
    groups.commit()
    await sync()
    assert answers[2].assignment == b"a"
    assert trio.current_time() == 0


async def test_a_group_rebalances_if_replicas_do_not_have_its_assignment_in_time(
    groups: GroupRuntime, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    ids = [(await groups.join()).member_id for _ in range(2)]
    answers: dict[str, Any] = {}

    async def note(name: str, ask: Callable[[], A[Any]]) -> None:
        answers[name] = await ask()

    for member_id in ids:  # the one that joins first leads, and joins again
        nursery.start_soon(note, member_id, lambda member_id=member_id: groups.join(member_id))
        await wait_all_tasks_blocked()
    nursery.start_soon(note, ids[0], lambda: groups.join(ids[0]))
    await wait_all_tasks_blocked()
    generation = answers[ids[1]].generation_id
    answers.clear()
    assignments = [SyncGroupRequestAssignment(each, b"a") for each in ids]
    follows, leads = (SyncGroupRequest("g", generation, ids[1]), SyncGroupRequest("g", generation, ids[0]))
    leads.assignments = assignments
    nursery.start_soon(note, "follows", lambda: groups.ask(follows))
    await wait_all_tasks_blocked()
    assert await groups.ask(leads) is E.REBALANCE_IN_PROGRESS
    await wait_all_tasks_blocked()
    assert answers == {"follows": E.REBALANCE_IN_PROGRESS}
    assert trio.current_time() == pytest.approx(5.0, abs=0.1)
    assert (await groups.ask(HeartbeatRequest("g", generation, ids[1]))).error_code == E.REBALANCE_IN_PROGRESS
