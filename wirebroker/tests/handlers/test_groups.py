"""Errors of the coordinator in each group API: the code, and its place in each version."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from wirebroker.coordinator.delayed_request import DelayedRequest
from wirebroker.coordinator.group.classic_group import ClassicGroup, ClassicGroupState
from wirebroker.coordinator.turn import PendingResponse
from wirebroker.handlers import coordinators, group_offsets, groups
from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest
from wirebroker.protocol.messages.list_groups import ListGroupsRequest
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from wirebroker.protocol.messages.offset_delete import OffsetDeleteRequest
from wirebroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from wirebroker.protocol.messages.sync_group import SyncGroupRequest
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.timer.timer import Timer
from wirebroker.zookeeper.consumer_offsets import ZkConsumerOffsets

E = ErrorCode
LOADING, ELSEWHERE, AWAY = E.COORDINATOR_LOAD_IN_PROGRESS, E.NOT_COORDINATOR, E.COORDINATOR_NOT_AVAILABLE
T_ID, NOBODY_S = b"t" * 16, b"n" * 16
refusals = pytest.mark.parametrize("code", [LOADING, ELSEWHERE, AWAY])


class FailingCoordinator:
    """A group coordinator that says no; without a code it forgets to be asked at all."""

    def __init__(self, code: ErrorCode | None) -> None:
        self.code = code

    async def request(self, group_id: str, request: Any, client: Any = None) -> Any:
        assert self.code is not None, "asked, though the request is bad in itself"
        raise ApiError(self.code)

    read = request

    def request_or_delay(self, group_id: str, request: Any, client: Any) -> DelayedRequest:
        self.pending = PendingResponse()
        return DelayedRequest(cast("Any", SimpleNamespace(responses=set())), self.pending, Timer())

    async def list_groups(self) -> tuple[list[tuple[str, str, str]], ErrorCode]:
        assert self.code is not None
        return [("g", "consumer", "Stable")], self.code


def context(version: int, code: ErrorCode | None = None) -> Any:
    topic = SimpleNamespace(name="t", topic_id=T_ID, partitions=[None, None])
    image = SimpleNamespace(
        topic=lambda name: topic if name == "t" else None,
        partition=lambda name, index: topic if name == "t" and 0 <= index < 2 else None,
        topic_by_id=lambda topic_id: topic if topic_id == T_ID else None,
    )
    services = SimpleNamespace(
        groups=FailingCoordinator(code),
        metadata=SimpleNamespace(image=image),
        config=SimpleNamespace(current=broker_config()),
        zookeeper_offsets=None,
    )
    asked = RequestContext(cast("Any", services), routes=RouteTable())
    asked.version, asked.client_id = version, "c"
    return asked


@refusals
async def test_join(code: ErrorCode) -> None:
    reply = await groups.handle_join_group(context(9, code), JoinGroupRequest("g", member_id="m"))
    assert (reply.error_code, reply.member_id, reply.generation_id) == (code, "m", -1)


@pytest.mark.parametrize(("code", "told"), [(LOADING, E.REBALANCE_IN_PROGRESS), (ELSEWHERE, ELSEWHERE), (AWAY, AWAY)])
async def test_a_sync_while_loading_is_answered_rebalance_in_progress(code: ErrorCode, told: ErrorCode) -> None:
    reply = await groups.handle_sync_group(context(4, code), SyncGroupRequest("g", 1, "m"))
    assert reply.error_code == told


@pytest.mark.parametrize(("code", "told"), [(LOADING, E.NONE), (ELSEWHERE, ELSEWHERE), (AWAY, AWAY)])
async def test_a_heartbeat_while_loading_is_fine(code: ErrorCode, told: ErrorCode) -> None:
    assert (await groups.handle_heartbeat(context(4, code), HeartbeatRequest("g", 1, "m"))).error_code == told


@refusals
async def test_leave(code: ErrorCode) -> None:
    assert (await groups.handle_leave_group(context(5, code), LeaveGroupRequest("g"))).error_code == code


async def test_records_that_are_too_large_have_a_code_in_commits_only() -> None:
    too_large = E.INVALID_COMMIT_OFFSET_SIZE
    reply = await groups.handle_join_group(context(9, too_large), JoinGroupRequest("g"))
    assert reply.error_code == E.UNKNOWN_SERVER_ERROR
    partitions = [OffsetCommitRequestPartition(partition_index=0)]
    request = OffsetCommitRequest("g", topics=[OffsetCommitRequestTopic(name="t", partitions=partitions)])
    committed = await group_offsets.handle_offset_commit(context(9, too_large), request)
    assert committed.topics[0].partitions[0].error_code == too_large


@refusals
async def test_describe(code: ErrorCode) -> None:
    reply = await groups.handle_describe_groups(context(5, code), DescribeGroupsRequest(["g", ""]))
    assert [(each.group_id, each.error_code) for each in reply.groups] == [("g", code), ("", code)]


@pytest.mark.parametrize(("version", "code"), [(5, E.NONE), (6, E.GROUP_ID_NOT_FOUND)])
async def test_a_group_that_is_not_there_is_dead_and_an_error_since_version_six(version: int, code: ErrorCode) -> None:
    asked = context(version)
    asked.services.groups.request = FakeGroupCoordinator().request
    request = DescribeGroupsRequest(["nobody"], include_authorized_operations=True)
    (group,) = (await groups.handle_describe_groups(asked, request)).groups
    assert (group.error_code, group.group_id, group.group_state) == (code, "nobody", "Dead")
    assert (group.protocol_type, group.protocol_data, group.members) == ("", "", [])
    assert bool(group.error_message) == bool(code)
    assert (group.authorized_operations == -(2**31)) == bool(code), "nothing may be done to what is an error"


class FakeGroupCoordinator:
    """A group coordinator with three groups."""

    async def request(self, group_id: str, request: Any, client: Any = None) -> Any:
        return None

    async def list_groups(self) -> tuple[list[ClassicGroup], ErrorCode]:
        groups = [ClassicGroup(each, 0) for each in "abc"]
        groups[0].state = ClassicGroupState.STABLE
        groups[0].protocol_type, groups[1].protocol_type = "consumer", "connect"
        return groups, E.NONE


@pytest.mark.parametrize(
    ("states", "types", "found"),
    [
        ([], [], "abc"),
        (["stable"], [], "a"),
        (["EMPTY", "Bogus"], [], "bc"),
        (["Bogus"], [], ""),
        ([], ["CLASSIC"], "abc"),
        ([], ["consumer"], ""),
        (["Stable"], ["share", "classic"], "a"),
    ],
)
async def test_list_filters(states: list[str], types: list[str], found: str) -> None:
    asked = context(5)
    asked.services.groups = FakeGroupCoordinator()
    reply = await groups.handle_list_groups(asked, ListGroupsRequest(states, types))
    assert "".join(each.group_id for each in reply.groups) == found
    assert {each.group_type for each in reply.groups} <= {"classic"}
    kinds = {"a": "consumer", "b": "connect", "c": ""}
    assert all(each.protocol_type == kinds[each.group_id] for each in reply.groups)


@pytest.mark.parametrize(("release", "found"), [("2.8.2", ""), ("3.7", ""), ("3.8", "bc")])
async def test_list_filters_ignore_the_case_of_states_since_3_8(release: str, found: str) -> None:
    asked = context(4)
    asked.services.groups = FakeGroupCoordinator()
    asked.routes = RouteTable(ReleaseProfile(release))
    reply = await groups.handle_list_groups(asked, ListGroupsRequest(["empty"]))
    assert "".join(each.group_id for each in reply.groups) == found
    reply = await groups.handle_list_groups(asked, ListGroupsRequest(["Empty"]))
    assert "".join(each.group_id for each in reply.groups) == "bc"


@pytest.mark.parametrize(("release", "generation"), [("2.0.1", 0), ("2.1", 0), ("2.2", -1), ("3.9", -1)])
async def test_a_refused_join_has_generation_0_before_2_2(release: str, generation: int) -> None:
    asked = context(2, LOADING)
    asked.routes = RouteTable(ReleaseProfile(release))
    reply = await groups.handle_join_group(asked, JoinGroupRequest(group_id="g", member_id="m"))
    assert (reply.error_code, reply.generation_id, reply.member_id) == (LOADING, generation, "m")


@refusals
async def test_list(code: ErrorCode) -> None:
    assert (await groups.handle_list_groups(context(5, code), ListGroupsRequest())).error_code == code


@refusals
async def test_delete(code: ErrorCode) -> None:
    reply = await groups.handle_delete_groups(context(2, code), DeleteGroupsRequest(["g", "g", "h"]))
    assert [(each.group_id, each.error_code) for each in reply.results] == [("g", code), ("h", code)]


@refusals
async def test_commit(code: ErrorCode) -> None:
    partitions = [OffsetCommitRequestPartition(partition_index=index) for index in (0, 1, 2)]
    topics = [OffsetCommitRequestTopic(name=name, partitions=partitions) for name in ("t", "missing")]
    reply = await group_offsets.handle_offset_commit(context(9, code), OffsetCommitRequest("g", topics=topics))
    unknown = E.UNKNOWN_TOPIC_OR_PARTITION
    codes = [[each.error_code for each in topic.partitions] for topic in reply.topics]
    assert codes == [[code, code, unknown], [unknown, unknown, unknown]]


@refusals
async def test_commit_by_topic_id(code: ErrorCode) -> None:
    partitions = [OffsetCommitRequestPartition(partition_index=index) for index in (1, 2)]
    topics = [OffsetCommitRequestTopic(topic_id=each, partitions=partitions) for each in (T_ID, NOBODY_S, NOBODY_S)]
    reply = await group_offsets.handle_offset_commit(context(10, code), OffsetCommitRequest("g", topics=topics))
    codes = {topic.topic_id: [each.error_code for each in topic.partitions] for topic in reply.topics}
    assert codes == {NOBODY_S: [E.UNKNOWN_TOPIC_ID] * 4, T_ID: [code, E.UNKNOWN_TOPIC_OR_PARTITION]}
    assert len(reply.topics) == 2


@pytest.mark.parametrize("code", [E.NONE, AWAY, ELSEWHERE])
@pytest.mark.parametrize("by_id", [False, True])
async def test_a_commit_that_waits_for_replicas_is_completed_later(code: ErrorCode, by_id: bool) -> None:
    asked = context(10 if by_id else 9, E.NONE)
    asked.api_key, asked.holds_responses = ApiKey.OFFSET_COMMIT, True
    names: list[dict[str, Any]] = [{"name": "t"}]
    if by_id:
        names = [{"topic_id": T_ID}, {"topic_id": NOBODY_S}]
    topics = [OffsetCommitRequestTopic(**name, partitions=[OffsetCommitRequestPartition()]) for name in names]
    reply = await group_offsets.handle_offset_commit(asked, OffsetCommitRequest("g", topics=topics))
    delayed = asked.delayed
    assert delayed is not None
    assert reply.topics == []
    asked.api_key, asked.version = ApiKey.HEARTBEAT, 4  # the next request of the connection
    answered = OffsetCommitResponse(
        topics=[OffsetCommitResponseTopic("t", partitions=[OffsetCommitResponsePartition()])]
    )
    pending = asked.services.groups.pending
    pending.complete(ApiError(code) if code else answered)
    assert delayed.is_completed
    found = {topic.topic_id or topic.name: [each.error_code for each in topic.partitions] for topic in reply.topics}
    unknown = {NOBODY_S: [E.UNKNOWN_TOPIC_ID]}
    assert found == ({T_ID: [code]} | unknown if by_id else {bytes(16): [code]})
    errors = {code: 1} if code else {}
    (metrics,) = [each for each in asked.routes.metrics() if each.name == "OffsetCommit"]
    assert metrics.errors == errors | ({E.UNKNOWN_TOPIC_ID: 1} if by_id else {})


@refusals
async def test_fetch_by_topic_id(code: ErrorCode) -> None:
    topics = [OffsetFetchRequestTopics(topic_id=each, partition_indexes=[0]) for each in (T_ID, NOBODY_S)]
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=topics)])
    (group,) = (await group_offsets.handle_offset_fetch(context(10, code), request)).groups
    assert (group.error_code, group.topics) == (code, [])


async def test_version_zero_kept_offsets_in_zookeeper() -> None:
    partitions = [OffsetCommitRequestPartition(partition_index=index) for index in (0, 9)]
    topics = [OffsetCommitRequestTopic(name=name, partitions=partitions) for name in ("t", "missing")]
    reply = await group_offsets.handle_offset_commit(context(0), OffsetCommitRequest("g", topics=topics))
    codes = [[each.error_code for each in topic.partitions] for topic in reply.topics]
    assert codes == [[E.UNSUPPORTED_VERSION] * 2] * 2
    unknown = OffsetCommitRequestTopic(name="t", partitions=partitions[1:])
    request = OffsetCommitRequest("g", topics=[topics[1], unknown, topics[1]])
    reply = await group_offsets.handle_offset_commit(context(0), request)
    codes = [[each.error_code for each in topic.partitions] for topic in reply.topics]
    assert codes == [[E.UNKNOWN_TOPIC_OR_PARTITION] * 4, [E.UNKNOWN_TOPIC_OR_PARTITION]]
    wanted = OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0, 0])])
    fetched = await group_offsets.handle_offset_fetch(context(0), wanted)
    (partition,) = fetched.topics[0].partitions
    assert (partition.committed_offset, partition.error_code) == (-1, E.UNSUPPORTED_VERSION)


@refusals
@pytest.mark.parametrize("version", [1, 2, 7])
async def test_fetch_has_a_top_level_error_from_version_two(code: ErrorCode, version: int) -> None:
    wanted = OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0, 1])])
    reply = await group_offsets.handle_offset_fetch(context(version, code), wanted)
    if version == 1:
        assert [each.error_code for each in reply.topics[0].partitions] == [code, code]
    else:
        assert (reply.error_code, reply.topics) == (code, [])


@refusals
async def test_fetch_of_several_groups_has_an_error_for_each(code: ErrorCode) -> None:
    wanted = [OffsetFetchRequestGroup(group_id=name, topics=None) for name in ("g", "")]
    reply = await group_offsets.handle_offset_fetch(context(8, code), OffsetFetchRequest(groups=wanted))
    assert [(each.group_id, each.error_code) for each in reply.groups] == [("g", code), ("", code)]


async def test_fetch_of_no_group() -> None:
    assert (await group_offsets.handle_offset_fetch(context(8), OffsetFetchRequest())).groups == []


@refusals
async def test_delete_offsets(code: ErrorCode) -> None:
    assert (await group_offsets.handle_offset_delete(context(0, code), OffsetDeleteRequest("g"))).error_code == code


async def test_groups_have_names() -> None:
    """Only commits, fetches, descriptions and deletions may name the group with no name."""
    replies: list[Any] = [
        await groups.handle_join_group(context(9), JoinGroupRequest("")),
        await groups.handle_sync_group(context(4), SyncGroupRequest("")),
        await groups.handle_heartbeat(context(4), HeartbeatRequest("")),
        await groups.handle_leave_group(context(5), LeaveGroupRequest("")),
        await group_offsets.handle_offset_delete(context(0), OffsetDeleteRequest("")),
    ]
    assert [each.error_code for each in replies] == [E.INVALID_GROUP_ID] * 5


@pytest.mark.parametrize(("kind", "name"), [(None, "range"), ("consumer", None), (None, None)])
async def test_a_sync_names_its_protocol_from_version_five(kind: str | None, name: str | None) -> None:
    reply = await groups.handle_sync_group(context(5), SyncGroupRequest("g", 1, "m", None, kind, name))
    assert reply.error_code == E.INCONSISTENT_GROUP_PROTOCOL


@pytest.mark.parametrize(
    ("version", "kind", "code"),
    [(3, 2, E.INVALID_REQUEST), (5, 2, E.INVALID_REQUEST), (6, 2, AWAY), (6, 3, E.INVALID_REQUEST)],
)
async def test_kinds_of_coordinators_that_do_not_exist(version: int, kind: int, code: ErrorCode) -> None:
    request = FindCoordinatorRequest("k", kind, ["k"])
    reply = await coordinators.handle_find_coordinator(context(version), request)
    found: Any = reply if version < 4 else reply.coordinators[0]
    assert (found.error_code, found.node_id, found.host, found.port) == (code, -1, "", -1)
    assert bool(found.error_message) == (version < 4 or kind != 2)


async def test_version_zero_keeps_offsets_in_zookeeper() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        found = context(0)
        found.services.zookeeper_offsets = ZkConsumerOffsets(this.session)
        for offset in (5, 6):
            partitions = [
                OffsetCommitRequestPartition(partition_index=0, committed_offset=offset, committed_metadata="m"),
                OffsetCommitRequestPartition(partition_index=1, committed_offset=7, committed_metadata="m" * 5000),
                OffsetCommitRequestPartition(partition_index=2, committed_offset=7),
            ]
            topics = [OffsetCommitRequestTopic(name=name, partitions=partitions) for name in ("t", "missing")]
            reply = await group_offsets.handle_offset_commit(found, OffsetCommitRequest("g", topics=topics))
            codes = [[each.error_code for each in topic.partitions] for topic in reply.topics]
            unknown = E.UNKNOWN_TOPIC_OR_PARTITION
            assert codes == [[0, E.OFFSET_METADATA_TOO_LARGE, unknown], [unknown] * 3]
            assert zookeeper.read("/consumers/g/offsets/t/0") == b"%d" % offset
        zookeeper.put("/consumers/old/offsets/t/0", b"11")
        for group_id, expected in {"g": (6, 0), "old": (11, 0), "new": (-1, 3), "a/b": (-1, 3)}.items():
            wanted = OffsetFetchRequest(group_id, [OffsetFetchRequestTopic("t", [0, 9])])
            (topic,) = (await group_offsets.handle_offset_fetch(found, wanted)).topics
            assert [(each.committed_offset, each.error_code) for each in topic.partitions] == [expected, (-1, 3)]
        (refused,) = (
            await group_offsets.handle_offset_commit(found, OffsetCommitRequest("a/b", topics=topics[:1]))
        ).topics
        assert refused.partitions[0].error_code == E.INVALID_GROUP_ID
        assert zookeeper.children("/consumers") == ["g", "old"]
