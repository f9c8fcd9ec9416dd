"""Rebalancer: moves classic groups from one generation to the next (KIP-62, 134, 345, 394, 559, 814).

A rebalance starts in `prepare_rebalance`, collects JoinGroup requests until `complete_join`, and ends in
`set_and_propagate_assignment` with the leader's SyncGroup.  `classic_group.py` has the states.  Where Kafka's documents
and Apache Kafka 3.9.1 differ, wirebroker does as 3.9.1, with the reason beside the code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.group_config import NEW_MEMBER_JOIN_TIMEOUT_MS
from wirebroker.coordinator.group.responses import join_group_error, join_group_response, sync_group_response
from wirebroker.coordinator.group.timer_keys import HeartbeatKey, JoinKey, SyncKey
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.sync_group import SyncGroupResponse

if TYPE_CHECKING:
    from wirebroker.coordinator.group.classic_group import ClassicGroup
    from wirebroker.coordinator.group.classic_group_member import ClassicGroupMember
    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
    from wirebroker.coordinator.turn import PendingResponse, Turn


class Rebalancer:
    """The rebalances, sessions and assignments of the groups of one shard."""

    def __init__(self, manager: GroupMetadataManager) -> None:
        self._manager = manager
        self._initial_delay_ms = manager.config.group_initial_rebalance_delay_ms

    # -- members -------------------------------------------------------------------------------------------------

    def add_member(
        self, group: ClassicGroup, member: ClassicGroupMember, pending: PendingResponse, reason: str, turn: Turn
    ) -> None:
        """Add a new member whose JoinGroup is *pending*, and rebalance."""
        if group.state == ClassicGroupState.PREPARING_REBALANCE and group.generation_id == 0:
            group.new_member_added = True
        group.add(member)
        member.is_new = True
        group.await_join(member, pending)
        member.session_deadline_ms = turn.monotonic_ms + NEW_MEMBER_JOIN_TIMEOUT_MS
        turn.set_timer(HeartbeatKey(group.group_id, member.member_id), member.session_deadline_ms)
        self.rebalance(group, f"member {member.member_id} joins: {reason}", turn)

    def remove_member(self, group: ClassicGroup, member: ClassicGroupMember, reason: str, turn: Turn) -> None:
        """Remove a member, for *reason*, without a rebalance; the caller decides on that."""
        self.fail_join(group, member, ErrorCode.UNKNOWN_MEMBER_ID, turn)
        self.fail_sync(member, ErrorCode.UNKNOWN_MEMBER_ID, turn)
        group.remove(member)
        group.history.member_left(member, group.generation_id, reason)
        turn.cancel_timer(HeartbeatKey(group.group_id, member.member_id))

    def remove_member_and_rebalance(
        self, group: ClassicGroup, member: ClassicGroupMember, reason: str, turn: Turn
    ) -> None:
        """Remove a member after LeaveGroup or its session timeout; the others take over its partitions."""
        self.remove_member(group, member, reason, turn)
        reason = f"member {member.member_id} leaves: {reason}"
        if group.state in (ClassicGroupState.STABLE, ClassicGroupState.COMPLETING_REBALANCE):
            self.rebalance(group, reason, turn)
        elif group.state == ClassicGroupState.PREPARING_REBALANCE:
            group.history.add_reason(reason)
            self.maybe_complete_join(group, turn)

    def fail_join(
        self, group: ClassicGroup, member: ClassicGroupMember, code: ErrorCode, turn: Turn, member_id: str = ""
    ) -> None:
        """Answer the member's pending JoinGroup, if there is one, with *code*.

        *member_id* goes into the response: a fenced or unloaded member gets its own id back, a removed one gets none
        and joins as a new member.
        """
        pending = group.take_pending_join(member)
        if pending is not None:
            pending.complete(join_group_error(code, member_id, member.join_version))

    def fail_sync(self, member: ClassicGroupMember, code: ErrorCode, turn: Turn) -> bool:
        """Answer the member's pending SyncGroup with *code*; False if there is none."""
        pending, member.pending_sync = member.pending_sync, None
        if pending is None:
            return False
        pending.complete(SyncGroupResponse(error_code=code))
        return True

    # -- sessions ------------------------------------------------------------------------------------------------

    def reschedule_heartbeat(self, group: ClassicGroup, member: ClassicGroupMember, turn: Turn) -> None:
        """Let the member's session begin anew."""
        deadline_ms = turn.monotonic_ms + member.session_timeout_ms
        if not member.session_deadline_ms or deadline_ms < member.session_deadline_ms:
            turn.set_timer(HeartbeatKey(group.group_id, member.member_id), deadline_ms)
        # else the timer that is set finds the new deadline when it is due: a heartbeat costs no timer
        member.session_deadline_ms = deadline_ms

    def expire_heartbeat(self, group: ClassicGroup, member_id: str, turn: Turn) -> None:
        """Handle the session timer of a member, or of a member id that was given out."""
        if member_id in group.pending_join_members:
            group.pending_join_members.discard(member_id)
            self.maybe_complete_join(group, turn)
            return
        member = group.members.get(member_id)
        if member is None:
            return
        if turn.monotonic_ms < member.session_deadline_ms:
            turn.set_timer(HeartbeatKey(group.group_id, member_id), member.session_deadline_ms)
            return
        if not member.is_new and (member.pending_join is not None or member.pending_sync is not None):
            # The member waits for us, not we for it.  The end of its wait starts the session anew.
            member.session_deadline_ms = 0
            return
        self.remove_member_and_rebalance(
            group, member, f"no heartbeat within its session timeout of {member.session_timeout_ms} ms", turn
        )

    # -- join phase ----------------------------------------------------------------------------------------------

    def rebalance(self, group: ClassicGroup, reason: str, turn: Turn) -> None:
        """Start a rebalance, or give the one whose join phase goes on another reason."""
        if group.state == ClassicGroupState.PREPARING_REBALANCE:
            group.history.add_reason(reason)
            self.maybe_complete_join(group, turn)
        else:
            self.prepare_rebalance(group, reason, turn)

    def prepare_rebalance(self, group: ClassicGroup, reason: str, turn: Turn) -> None:
        """Start a rebalance: collect the members of the next generation."""
        was_empty = group.state == ClassicGroupState.EMPTY
        if group.state == ClassicGroupState.COMPLETING_REBALANCE:
            self._reset_and_propagate_error(group, ErrorCode.REBALANCE_IN_PROGRESS, turn)
        group.pending_sync_members.clear()
        turn.cancel_timer(SyncKey(group.group_id))
        group.history.start(reason, None if was_empty else group.members, turn, group.generation_id, group.state)
        group.transition_to(ClassicGroupState.PREPARING_REBALANCE, turn.wall_ms)
        delay_ms = self._initial_delay_ms if was_empty else 0
        group.in_initial_delay = delay_ms > 0
        if group.in_initial_delay:
            group.new_member_added = False
            group.initial_delay_left_ms = max(group.rebalance_timeout_ms - delay_ms, 0)
            turn.set_timer(JoinKey(group.group_id), turn.monotonic_ms + delay_ms)
        elif was_empty:
            # An initial delay of 0 is over: like one that ran out, it does not await member ids that were given out.
            self.complete_join(group, turn)
        else:
            turn.set_timer(JoinKey(group.group_id), turn.monotonic_ms + group.rebalance_timeout_ms)
            self.maybe_complete_join(group, turn)

    def expire_join(self, group: ClassicGroup, turn: Turn) -> None:
        """End the join phase, with the members that have joined; new ones extend the initial delay."""
        if group.state != ClassicGroupState.PREPARING_REBALANCE:
            return
        if group.in_initial_delay and group.new_member_added and group.initial_delay_left_ms > 0:
            group.new_member_added = False
            delay_ms = min(self._initial_delay_ms, group.initial_delay_left_ms)
            group.initial_delay_left_ms -= delay_ms
            turn.set_timer(JoinKey(group.group_id), turn.monotonic_ms + delay_ms)
            return
        group.in_initial_delay = False
        self.complete_join(group, turn)

    def maybe_complete_join(self, group: ClassicGroup, turn: Turn) -> None:
        """End the join phase if every member has joined and the initial delay is over."""
        if (
            group.state == ClassicGroupState.PREPARING_REBALANCE
            and not group.in_initial_delay
            and group.has_all_members_joined()
        ):
            self.complete_join(group, turn)

    def complete_join(self, group: ClassicGroup, turn: Turn) -> None:
        """Begin the next generation: remove dynamic members that did not join, and answer JoinGroup to the others."""
        for member in [each for each in group.members.values() if each.pending_join is None and not each.is_static]:
            group.history.add_reason(f"member {member.member_id} did not join in time")
            reason = f"no JoinGroup within the rebalance timeout of {group.rebalance_timeout_ms} ms"
            self.remove_member(group, member, reason, turn)
        if group.members and not group.maybe_elect_new_joined_leader():
            # Only static members are left, and none has joined: they may, until their sessions end.
            turn.set_timer(JoinKey(group.group_id), turn.monotonic_ms + group.rebalance_timeout_ms)
            return
        turn.cancel_timer(JoinKey(group.group_id))
        group.init_next_generation(turn.wall_ms)
        if not group.members:
            group.history.complete(group.generation_id, group.members, turn)
            if not turn.below_min_isr:  # as in Kafka; the sessions of the members that the log has end if it is loaded
                self._manager.write_group(group, turn)
            return
        for member in group.members.values():
            pending = group.take_pending_join(member)
            if pending is not None:
                pending.complete(join_group_response(group, member))
            member.is_new = False
            member.session_deadline_ms = 0
            self.reschedule_heartbeat(group, member, turn)
            group.pending_sync_members.add(member.member_id)
        turn.set_timer(SyncKey(group.group_id), turn.monotonic_ms + group.rebalance_timeout_ms)

    # -- sync phase ----------------------------------------------------------------------------------------------

    def set_and_propagate_assignment(self, group: ClassicGroup, assignments: dict[str, bytes], turn: Turn) -> None:
        """End the rebalance: give each member its assignment, an empty one if the leader has named none."""
        if turn.below_min_isr:
            self._reset_and_propagate_error(group, ErrorCode.COORDINATOR_NOT_AVAILABLE, turn)
            self.rebalance(group, "too few replicas of the group's record are in sync", turn)
            return
        for member in group.members.values():
            member.assignment = assignments.get(member.member_id, b"")
        group.transition_to(ClassicGroupState.STABLE, turn.wall_ms)
        if not self._manager.write_group_if_it_fits(group, turn):
            self._reset_and_propagate_error(group, ErrorCode.UNKNOWN_SERVER_ERROR, turn)
            self.rebalance(group, "the group's record is larger than max.message.bytes", turn)
            return
        group.history.complete(group.generation_id, group.members, turn)
        for member in group.members.values():
            pending, member.pending_sync = member.pending_sync, None
            if pending is not None:
                turn.reply_to(pending, sync_group_response(group, member))
                self.reschedule_heartbeat(group, member, turn)

    def _reset_and_propagate_error(self, group: ClassicGroup, code: ErrorCode, turn: Turn) -> None:
        """Take all assignments back, and answer every pending SyncGroup with *code*."""
        for member in group.members.values():
            member.assignment = b""
            if self.fail_sync(member, code, turn):
                self.reschedule_heartbeat(group, member, turn)

    def remove_pending_sync_member(self, group: ClassicGroup, member: ClassicGroupMember, turn: Turn) -> None:
        """Note that *member* has sent SyncGroup; the last one ends the time to send it."""
        group.pending_sync_members.discard(member.member_id)
        if not group.pending_sync_members:
            turn.cancel_timer(SyncKey(group.group_id))

    def expire_pending_sync(self, group: ClassicGroup, turn: Turn) -> None:
        """Remove the members that have not sent SyncGroup in time, and rebalance."""
        if (
            group.state not in (ClassicGroupState.COMPLETING_REBALANCE, ClassicGroupState.STABLE)
            or not group.pending_sync_members
        ):
            return
        silent = [group.members[each] for each in group.pending_sync_members if each in group.members]
        for member in silent:
            reason = f"no SyncGroup within the rebalance timeout of {group.rebalance_timeout_ms} ms"
            self.remove_member(group, member, reason, turn)
        names = ", ".join(sorted(member.member_id for member in silent))
        self.rebalance(group, f"removed for sending no SyncGroup: {names}", turn)

    # -- unloading -----------------------------------------------------------------------------------------------

    def unload_group(self, group: ClassicGroup, turn: Turn) -> None:
        """Answer every pending request of a group with NOT_COORDINATOR; another broker coordinates it now."""
        for member in group.members.values():
            self.fail_join(group, member, ErrorCode.NOT_COORDINATOR, turn, member.member_id)
            self.fail_sync(member, ErrorCode.NOT_COORDINATOR, turn)
        group.transition_to(ClassicGroupState.DEAD, turn.wall_ms)
