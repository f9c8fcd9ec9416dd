"""Requests of operators about groups, as steps of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.list_groups import ListGroupsRequest
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)

if TYPE_CHECKING:
    from compat_tests.group_scenario import GroupScenario


def list_groups(s: GroupScenario, version: int, **filters: list[str]) -> None:
    """ListGroups; only the groups of this scenario are compared."""
    answer = s.ask_unrecorded("admin", ListGroupsRequest(**filters), version)
    answer.groups = [each for each in answer.groups if each.group_id.startswith(s.group)]
    s._note(f"ListGroups v{version} {filters}", answer)


def describe(s: GroupScenario, version: int, *groups: str, operations: bool = False) -> None:
    s.ask("admin", DescribeGroupsRequest(list(groups) or [s.group], operations), version)


def delete(s: GroupScenario, version: int, *groups: str) -> None:
    s.ask("admin", DeleteGroupsRequest(list(groups) or [s.group]), version)


def delete_offsets(s: GroupScenario, *topics: tuple[str, list[int]], group: str | None = None) -> None:
    wanted = [OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(p) for p in ps]) for name, ps in topics]
    s.ask("admin", OffsetDeleteRequest(s.group if group is None else group, wanted), 0)


def look(s: GroupScenario) -> None:
    """Describe and list the group."""
    describe(s, 5)
    list_groups(s, 5)
