"""SyncGroup in a shard: the leader brings the assignment of every member, and each member gets its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.responses import sync_group_response
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.sync_group import SyncGroupResponse

if TYPE_CHECKING:
    from wirebroker.coordinator.group.classic_group import ClassicGroup
    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
    from wirebroker.coordinator.group.rebalance import Rebalancer
    from wirebroker.coordinator.group.release_rules import GroupRules
    from wirebroker.coordinator.turn import Turn
    from wirebroker.protocol.messages.sync_group import SyncGroupRequest


class SyncGroup:
    """Handles SyncGroup; the response comes with the leader's assignment."""

    def __init__(self, manager: GroupMetadataManager, rebalancer: Rebalancer) -> None:
        self._manager = manager
        self._rebalancer = rebalancer

    def handle(self, request: SyncGroupRequest, turn: Turn) -> None:
        """Answer with the member's assignment, or wait for the leader, or take the leader's assignments."""
        group = self._manager.groups.get(request.group_id)
        code = ErrorCode.UNKNOWN_MEMBER_ID if group is None else _validate(self._manager.rules, group, request)
        if group is None or code:
            turn.reply_immediately(SyncGroupResponse(error_code=code))
            return
        member = group.members[request.member_id]
        self._rebalancer.remove_pending_sync_member(group, member, turn)
        if group.state == ClassicGroupState.STABLE:
            self._manager.note_group(group, turn)  # replicas must have the assignment, and nothing else
            turn.reply(sync_group_response(group, member))
            self._rebalancer.reschedule_heartbeat(group, member, turn)
            return
        # Sent twice, over another connection: the older request must not wait for ever.
        self._rebalancer.fail_sync(member, ErrorCode.REBALANCE_IN_PROGRESS, turn)
        member.pending_sync = turn.pending
        if member.member_id == group.leader_id:
            assignments = {each.member_id: bytes(each.assignment) for each in request.assignments}
            self._rebalancer.set_and_propagate_assignment(group, assignments, turn)

    def replication_timed_out(self, request: SyncGroupRequest, turn: Turn) -> None:
        """Rebalance, as replicas do not have the leader's assignments in time."""
        group = self._manager.groups.get(request.group_id)
        if (
            group is not None
            and group.state == ClassicGroupState.STABLE
            and group.generation_id == request.generation_id
        ):
            self._rebalancer.prepare_rebalance(group, "replicas do not have the group's record in time", turn)


def _validate(rules: GroupRules, group: ClassicGroup, request: SyncGroupRequest) -> ErrorCode:
    """NONE if the member may sync; the order of the checks is Kafka's."""
    code = rules.validate_member(group, request.member_id, request.group_instance_id)
    if code:
        return code
    if request.generation_id != group.generation_id:
        return ErrorCode.ILLEGAL_GENERATION
    if (request.protocol_type is not None and request.protocol_type != group.protocol_type) or (
        request.protocol_name is not None and request.protocol_name != group.protocol_name
    ):
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    if group.state == ClassicGroupState.PREPARING_REBALANCE:
        return ErrorCode.REBALANCE_IN_PROGRESS
    return ErrorCode.NONE
