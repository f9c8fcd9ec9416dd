"""LeaveGroup in a shard: members leave at once, or an operator removes static members by their instance ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.coordinator.group.timer_keys import HeartbeatKey
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.leave_group import LeaveGroupResponse, MemberIdentity, MemberResponse

if TYPE_CHECKING:
    from wirebroker.coordinator.group.classic_group import ClassicGroup
    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
    from wirebroker.coordinator.group.rebalance import Rebalancer
    from wirebroker.coordinator.turn import Turn
    from wirebroker.protocol.messages.leave_group import LeaveGroupRequest

_BATCHED_SINCE: Final = 3
_NO_REASON: Final = "client sent LeaveGroup"


class LeaveGroup:
    """Handles LeaveGroup."""

    def __init__(self, manager: GroupMetadataManager, rebalancer: Rebalancer) -> None:
        self._manager = manager
        self._rebalancer = rebalancer

    def handle(self, request: LeaveGroupRequest, turn: Turn) -> None:
        """Remove each member; each succeeds or fails alone.

        As in Kafka the answer does not wait for the record of a group that has become empty.
        """
        group = self._manager.groups.get(request.group_id)
        if turn.client.version < _BATCHED_SINCE:
            code = self._remove(group, MemberIdentity(member_id=request.member_id), turn)
            turn.reply_immediately(LeaveGroupResponse(error_code=code))
            return
        members = [
            MemberResponse(
                member_id=each.member_id,
                group_instance_id=each.group_instance_id,
                error_code=self._remove(group, each, turn),
            )
            for each in request.members
        ]
        turn.reply_immediately(LeaveGroupResponse(members=members))

    def _remove(self, group: ClassicGroup | None, identity: MemberIdentity, turn: Turn) -> ErrorCode:
        member_id, instance_id = identity.member_id, identity.group_instance_id
        if group is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if not member_id and instance_id is not None:  # an operator knows the instance id only
            member_id = group.static_members.get(instance_id, "")
            if not member_id:
                return ErrorCode.UNKNOWN_MEMBER_ID
        if member_id in group.pending_join_members:
            group.pending_join_members.discard(member_id)
            turn.cancel_timer(HeartbeatKey(group.group_id, member_id))
            self._rebalancer.maybe_complete_join(group, turn)
            return ErrorCode.NONE
        code = self._manager.rules.validate_member(group, member_id, instance_id)
        if not code:
            reason = identity.reason or _NO_REASON
            self._rebalancer.remove_member_and_rebalance(group, group.members[member_id], reason, turn)
        return code
