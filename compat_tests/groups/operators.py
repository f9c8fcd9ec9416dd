"""What operators ask of groups, as steps of a scene."""

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
    from compat_tests.group_scene import Scene


def list_groups(s: Scene, version: int, **filters: list[str]) -> None:
    """Only this scene's groups are compared."""
    answer = s.quietly("admin", ListGroupsRequest(**filters), version)
    answer.groups = [each for each in answer.groups if each.group_id.startswith(s.group)]
    s._note(f"ListGroups v{version} {filters}", answer)


def describe(s: Scene, version: int, *groups: str, operations: bool = False) -> None:
    s.ask("admin", DescribeGroupsRequest(list(groups) or [s.group], operations), version)


def delete(s: Scene, version: int, *groups: str) -> None:
    s.ask("admin", DeleteGroupsRequest(list(groups) or [s.group]), version)


def delete_offsets(s: Scene, *topics: tuple[str, list[int]], group: str | None = None) -> None:
    wanted = [OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(p) for p in ps]) for name, ps in topics]
    s.ask("admin", OffsetDeleteRequest(s.group if group is None else group, wanted), 0)


def look(s: Scene) -> None:
    """The group from outside."""
    describe(s, 5)
    list_groups(s, 5)
