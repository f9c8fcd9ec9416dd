"""What members are told: answers to JoinGroup and SyncGroup (KIP-559 protocol names, KIP-814 skipped assignments)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.protocol.messages.join_group import JoinGroupResponse, JoinGroupResponseMember
from wirebroker.protocol.messages.sync_group import SyncGroupResponse

if TYPE_CHECKING:
    from wirebroker.coordinator.group.classic import ClassicGroup
    from wirebroker.coordinator.group.member import Member
    from wirebroker.protocol.errors import ErrorCode

_NULL_PROTOCOL_SINCE: Final = 7
_SKIP_ASSIGNMENT_SINCE: Final = 9


def joined(group: ClassicGroup, member: Member) -> JoinGroupResponse:
    """What a member of the current generation is told; only the leader learns of the others."""
    return JoinGroupResponse(
        generation_id=group.generation,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol,
        leader=group.leader or "",
        member_id=member.member_id,
        members=_members(group) if member.member_id == group.leader else [],
    )


def returned(group: ClassicGroup, member: Member, old_leader: str | None, version: int) -> JoinGroupResponse:
    """What a static member is told that is back while nothing changes.

    Before v9 a leader that came back must not compute an assignment that nobody asked for, so it is told the id
    that it had.
    """
    skips = version >= _SKIP_ASSIGNMENT_SINCE
    leads = skips and member.member_id == group.leader
    return JoinGroupResponse(
        generation_id=group.generation,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol,
        leader=(group.leader if skips else old_leader) or "",
        skip_assignment=leads,
        member_id=member.member_id,
        members=_members(group) if leads else [],
    )


def failed_join(code: ErrorCode, member_id: str, version: int) -> JoinGroupResponse:
    """A JoinGroup that did not work: no generation, and empty names where a version cannot say null."""
    return JoinGroupResponse(
        error_code=code,
        generation_id=-1,
        protocol_name=None if version >= _NULL_PROTOCOL_SINCE else "",
        leader="",
        member_id=member_id,
        members=[],
    )


def synced(group: ClassicGroup, member: Member) -> SyncGroupResponse:
    """A member's assignment."""
    return SyncGroupResponse(
        protocol_type=group.protocol_type, protocol_name=group.protocol, assignment=member.assignment
    )


def _members(group: ClassicGroup) -> list[JoinGroupResponseMember]:
    return [
        JoinGroupResponseMember(
            member_id=member.member_id,
            group_instance_id=member.group_instance_id,
            metadata=member.metadata(group.protocol),
        )
        for member in group.members.values()
    ]
