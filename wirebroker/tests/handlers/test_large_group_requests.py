"""Large OffsetDelete and LeaveGroup requests: the same responses as in one turn, and short turns of the coordinator."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.requests import DeleteOffsets, DescribeGroup, FetchOffsets
from wirebroker.handlers.group_offsets import handle_offset_delete
from wirebroker.handlers.groups import handle_leave_group
from wirebroker.protocol.errors import ErrorCode
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
from wirebroker.tests.handlers.txn_harness import TxnHarness

DELETED = (
    ("missing", (0, 0, 1)),
    ("t", (7, 1, 7, 1, -1)),
    ("t", ()),
    ("stamped", (0, 1, 2, 3, 4)),
    ("gone", (5,)),
    ("t", (1, 0)),
    ("missing", (5,)),
)
LARGE = "wirebroker.handlers.large_group_requests"


def deletion(group: str) -> OffsetDeleteRequest:
    return OffsetDeleteRequest(
        group,
        [
            OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(index) for index in indexes])
            for name, indexes in DELETED
        ],
    )


class Requests:
    """Notes what the handlers ask the coordinator."""

    def __init__(self, harness: TxnHarness, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[Any] = []
        self._request = harness.groups.request
        monkeypatch.setattr(harness.groups, "request", self._note)

    def _note(self, key: str, request: Any, client: Any = None) -> Any:
        self.asked.append(request)
        return self._request(key, request, client)


async def with_commits() -> TxnHarness:
    """Return a harness whose group "g" has committed offsets of t-0, t-1 and stamped-0."""
    harness = await TxnHarness.open()
    topics = [
        OffsetCommitRequestTopic(name=name, partitions=[OffsetCommitRequestPartition(index) for index in indexes])
        for name, indexes in (("t", (0, 1)), ("stamped", (0,)))
    ]
    await harness.groups.request("g", OffsetCommitRequest("g", -1, "", topics=topics), harness.context(2))
    return harness


@pytest.mark.parametrize("per_turn", [1, 2, 3, 4, 1000])
@pytest.mark.parametrize("group", ["g", "unknown"])
async def test_offset_delete(group: str, per_turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for limit in (per_turn, 1000):
        monkeypatch.setattr(f"{LARGE}.PARTITIONS_PER_TURN", limit)
        harness = await with_commits()
        requests = Requests(harness, monkeypatch)
        response = await handle_offset_delete(harness.context(0), deletion(group))
        if limit < 4 and group == "g":
            parts, last = requests.asked[:-1], requests.asked[-1]
            assert type(last) is OffsetDeleteRequest
            assert {type(each) for each in parts} == {DeleteOffsets}
            assert max(len(topic.partitions) for part in requests.asked for topic in part.topics) == limit
        found.append((response, await harness.groups.request(group, DescribeGroup(group))))
    assert found[0] == found[1]
    assert found[0][0].error_code == (ErrorCode.NONE if group == "g" else ErrorCode.GROUP_ID_NOT_FOUND)
    assert found[0][1] is None, "the group is deleted with its last offset"


async def test_a_large_offset_delete_keeps_other_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{LARGE}.PARTITIONS_PER_TURN", 2)
    harness = await with_commits()
    request = deletion("g")
    request.topics = [topic for topic in request.topics if topic.name != "stamped"]
    await handle_offset_delete(harness.context(0), request)
    left = await harness.groups.request("g", FetchOffsets("g", None, False))
    assert [(topic, index) for topic, index, _, _ in left.offsets] == [("stamped", 0)]


async def test_a_large_offset_delete_yields_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.loop_budget.BUDGET_S", 0.0)
    monkeypatch.setattr(f"{LARGE}.PARTITIONS_PER_TURN", 2)
    harness = await with_commits()
    context = harness.context(0)
    await handle_offset_delete(context, deletion("g"))
    assert context.loop_budget is not None
    assert context.loop_budget.yields > sum(len(indexes) for _, indexes in DELETED)


@pytest.mark.parametrize("per_turn", [1, 2, 500])
@pytest.mark.parametrize("group", ["g", "unknown"])
async def test_leave_group(group: str, per_turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{LARGE}.MEMBERS_PER_TURN", per_turn)
    monkeypatch.setattr("wirebroker.loop_budget.BUDGET_S", 0.0)
    harness = await TxnHarness.open(group_initial_rebalance_delay_ms=0)
    join = JoinGroupRequest("g", 10_000, 10_000, "", "static", "consumer", [JoinGroupRequestProtocol("range", b"")])
    await harness.groups.request("g", join, harness.context(5))
    requests = Requests(harness, monkeypatch)
    members = [MemberIdentity("no member"), MemberIdentity("", "static"), MemberIdentity("", "static")]
    context = harness.context(3)
    response = await handle_leave_group(context, LeaveGroupRequest(group, members=deepcopy(members)))
    no, yes = ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.NONE if group == "g" else ErrorCode.UNKNOWN_MEMBER_ID
    assert [(each.member_id, each.group_instance_id, each.error_code) for each in response.members] == [
        ("no member", None, no),
        ("", "static", yes),
        ("", "static", no),
    ]
    assert len(requests.asked) == -(-len(members) // per_turn)
    assert context.loop_budget is not None
    assert context.loop_budget.yields == len(requests.asked)
    left = await harness.groups.request("g", DescribeGroup("g"))
    assert left.state == (ClassicGroupState.EMPTY if group == "g" else left.state)


async def test_leave_group_of_one_member(monkeypatch: pytest.MonkeyPatch) -> None:
    harness = await TxnHarness.open()
    requests = Requests(harness, monkeypatch)
    response = await handle_leave_group(harness.context(2), LeaveGroupRequest("g", "no member"))
    assert (response.error_code, response.members) == (ErrorCode.UNKNOWN_MEMBER_ID, [])
    assert len(requests.asked) == 1
