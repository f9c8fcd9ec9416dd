"""Heartbeat in a shard: the member's session begins anew, and the member learns of a rebalance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.heartbeat import HeartbeatResponse

if TYPE_CHECKING:
    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
    from wirebroker.coordinator.group.rebalance import Rebalancer
    from wirebroker.coordinator.turn import Turn
    from wirebroker.protocol.messages.heartbeat import HeartbeatRequest


class Heartbeat:
    """Handles Heartbeat; answered immediately, for the response depends on no record."""

    def __init__(self, manager: GroupMetadataManager, rebalancer: Rebalancer) -> None:
        self._groups = manager.groups
        self._rules = manager.rules
        self._rebalancer = rebalancer

    def handle(self, request: HeartbeatRequest, turn: Turn) -> None:
        """Reschedule the member's session timeout; REBALANCE_IN_PROGRESS asks it to join again."""
        group = self._groups.get(request.group_id)
        code = ErrorCode.UNKNOWN_MEMBER_ID
        if group is not None:
            code = self._rules.validate_member(group, request.member_id, request.group_instance_id)
            if not code and request.generation_id != group.generation_id:
                code = ErrorCode.ILLEGAL_GENERATION
            refused = not self._rules.heartbeats_in_completing_rebalance
            if not code and refused and group.state is ClassicGroupState.COMPLETING_REBALANCE:
                code = ErrorCode.REBALANCE_IN_PROGRESS
            elif not code:
                self._rebalancer.reschedule_heartbeat(group, group.members[request.member_id], turn)
                if group.state is ClassicGroupState.PREPARING_REBALANCE:
                    code = ErrorCode.REBALANCE_IN_PROGRESS
        turn.reply_immediately(HeartbeatResponse(error_code=code))
