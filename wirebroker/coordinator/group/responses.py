"""Responses to JoinGroup and SyncGroup (KIP-559 protocol names, KIP-814 skipped assignments)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.protocol.messages.join_group import JoinGroupResponse, JoinGroupResponseMember
from wirebroker.protocol.messages.sync_group import SyncGroupResponse

if TYPE_CHECKING:
    from wirebroker.coordinator.group.classic_group import ClassicGroup
    from wirebroker.coordinator.group.classic_group_member import ClassicGroupMember
    from wirebroker.protocol.errors import ErrorCode

_NULL_PROTOCOL_SINCE: Final = 7
_SKIP_ASSIGNMENT_SINCE: Final = 9


def join_group_response(group: ClassicGroup, member: ClassicGroupMember) -> JoinGroupResponse:
    """JoinGroup for a member of the current generation; only the leader gets the list of members."""
    return JoinGroupResponse(
        generation_id=group.generation_id,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        leader=group.leader_id or "",
        member_id=member.member_id,
        members=_members(group) if member.member_id == group.leader_id else [],
    )


def static_rejoin_response(
    group: ClassicGroup, member: ClassicGroupMember, old_leader_id: str | None, version: int
) -> JoinGroupResponse:
    """JoinGroup for a static member that was started again while the generation goes on.

    A leader must not compute an assignment that no member awaits.  Since v9 `skip_assignment` says so; before, the
    response names *old_leader_id*, the leader before the restart, so that the member takes itself for a follower.
    """
    skips = version >= _SKIP_ASSIGNMENT_SINCE
    leads = skips and member.member_id == group.leader_id
    return JoinGroupResponse(
        generation_id=group.generation_id,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        leader=(group.leader_id if skips else old_leader_id) or "",
        skip_assignment=leads,
        member_id=member.member_id,
        members=_members(group) if leads else [],
    )


def join_group_error(code: ErrorCode, member_id: str, version: int) -> JoinGroupResponse:
    """JoinGroup that failed: no generation, and an empty protocol name where *version* cannot say null."""
    return JoinGroupResponse(
        error_code=code,
        generation_id=-1,
        protocol_name=None if version >= _NULL_PROTOCOL_SINCE else "",
        leader="",
        member_id=member_id,
        members=[],
    )


def sync_group_response(group: ClassicGroup, member: ClassicGroupMember) -> SyncGroupResponse:
    """SyncGroup with the member's assignment."""
    return SyncGroupResponse(
        protocol_type=group.protocol_type, protocol_name=group.protocol_name, assignment=member.assignment
    )


def _members(group: ClassicGroup) -> list[JoinGroupResponseMember]:
    return [
        JoinGroupResponseMember(
            member_id=member.member_id,
            group_instance_id=member.group_instance_id,
            metadata=member.metadata(group.protocol_name),
        )
        for member in group.members.values()
    ]
