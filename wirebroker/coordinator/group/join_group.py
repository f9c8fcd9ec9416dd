"""JoinGroup in a shard: checks, member ids (KIP-394), static members (KIP-345), and the start of rebalances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import uuid4

from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.classic_group_member import ClassicGroupMember
from wirebroker.coordinator.group.responses import join_group_error, join_group_response, static_rejoin_response
from wirebroker.coordinator.group.timer_keys import HeartbeatKey
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from wirebroker.coordinator.group.classic_group import ClassicGroup
    from wirebroker.coordinator.group.classic_group_member import Protocols
    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
    from wirebroker.coordinator.group.rebalance import Rebalancer
    from wirebroker.coordinator.turn import Turn
    from wirebroker.protocol.messages.join_group import JoinGroupRequest

_MEMBER_ID_REQUIRED_SINCE: Final = 4
_REBALANCE_TIMEOUT_SINCE: Final = 1
_NO_REASON: Final = "no reason given"  # clients before KIP-800


class JoinGroup:
    """Handles JoinGroup; the response comes when the next generation begins.

    As in Kafka no response waits for replicas, but for that to a static member whose new id is written.
    """

    def __init__(self, manager: GroupMetadataManager, rebalancer: Rebalancer) -> None:
        self._manager = manager
        self._config = manager.config
        self._rebalancer = rebalancer

    def handle(self, request: JoinGroupRequest, turn: Turn) -> None:
        """Check the request in Kafka's order, and join as a new, a pending or a known member."""
        member_id = request.member_id
        if not (
            self._config.group_min_session_timeout_ms
            <= request.session_timeout_ms
            <= self._config.group_max_session_timeout_ms
        ):
            _refuse(ErrorCode.INVALID_SESSION_TIMEOUT, member_id, turn)
            return
        group = self._manager.groups.get(request.group_id)
        if group is None:
            if member_id:
                _refuse(ErrorCode.UNKNOWN_MEMBER_ID, member_id, turn)
                return
            group = self._manager.create(request.group_id, turn)
        if not self._accepts_joining_member(group, member_id):
            member = group.members.get(member_id)
            if member is not None:  # the others do not wait for it
                reason = f"group.max.size={self._config.group_max_size} other members have joined"
                self._rebalancer.remove_member(group, member, reason, turn)
                self._rebalancer.maybe_complete_join(group, turn)
            _refuse(ErrorCode.GROUP_MAX_SIZE_REACHED, "", turn)
            return
        protocols = [(each.name, bytes(each.metadata)) for each in request.protocols]
        if not group.supports_protocols(request.protocol_type, protocols):
            _refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, member_id, turn)
        elif not member_id:
            self._join_new_member(group, request, protocols, turn)
        elif member_id in group.pending_join_members and request.group_instance_id is None:
            self._add_member(group, request, member_id, protocols, turn)
        elif code := group.validate_member(member_id, request.group_instance_id):
            _refuse(code, member_id, turn)
        else:
            self._join_existing_member(group, request, protocols, turn)

    def _accepts_joining_member(self, group: ClassicGroup, member_id: str) -> bool:
        """Whether group.max.size has room for this member (KIP-389)."""
        member = group.members.get(member_id)
        if group.state in (ClassicGroupState.EMPTY, ClassicGroupState.DEAD):
            return True
        if group.state == ClassicGroupState.PREPARING_REBALANCE:
            joined = member is not None and member.pending_join is not None
            return joined or group.num_awaiting_join < self._config.group_max_size
        return member is not None or len(group.members) < self._config.group_max_size

    def _join_new_member(
        self, group: ClassicGroup, request: JoinGroupRequest, protocols: Protocols, turn: Turn
    ) -> None:
        instance_id = request.group_instance_id
        prefix = instance_id if instance_id is not None else turn.client.client_id or ""
        member_id = f"{prefix}-{uuid4()}"
        if instance_id is not None and instance_id in group.static_members:
            self._replace_static_member(group, request, member_id, protocols, turn)
        elif instance_id is None and turn.client.version >= _MEMBER_ID_REQUIRED_SINCE:
            # The client joins again with this id, so a lost response leaves no member behind (KIP-394).
            group.pending_join_members.add(member_id)
            turn.set_timer(HeartbeatKey(group.group_id, member_id), turn.monotonic_ms + request.session_timeout_ms)
            _refuse(ErrorCode.MEMBER_ID_REQUIRED, member_id, turn)
        else:
            self._add_member(group, request, member_id, protocols, turn)

    def _add_member(
        self, group: ClassicGroup, request: JoinGroupRequest, member_id: str, protocols: Protocols, turn: Turn
    ) -> None:
        member = ClassicGroupMember(
            member_id,
            group_instance_id=request.group_instance_id,
            client_id=turn.client.client_id or "",
            client_host=f"/{turn.client.client_host}",  # Java's way of printing an address, kept in the record
            session_timeout_ms=request.session_timeout_ms,
            rebalance_timeout_ms=_rebalance_timeout_ms(request, turn),
            protocol_type=request.protocol_type,
            protocols=protocols,
        )
        member.join_version = turn.client.version
        self._rebalancer.add_member(group, member, turn.pending, request.reason or _NO_REASON, turn)

    def _join_existing_member(
        self, group: ClassicGroup, request: JoinGroupRequest, protocols: Protocols, turn: Turn
    ) -> None:
        """Let a member join again; one that did not change gets the current generation, unless it leads."""
        member = group.members[request.member_id]
        member.join_version = turn.client.version
        unchanged = member.protocols == protocols
        leads = member.member_id == group.leader_id
        if unchanged and (
            group.state == ClassicGroupState.COMPLETING_REBALANCE
            or (group.state == ClassicGroupState.STABLE and not leads)
        ):
            turn.reply_immediately(join_group_response(group, member))
            return
        if member.pending_join is not None:
            # Sent twice, over another connection: the older request must not wait for ever.
            self._rebalancer.fail_join(group, member, ErrorCode.REBALANCE_IN_PROGRESS, turn)
        _update_member(group, member, request, protocols, turn)
        group.await_join(member, turn.pending)
        reason = request.reason or _NO_REASON
        if not unchanged:
            reason = f"changed metadata; {reason}"
        self._rebalancer.rebalance(group, f"member {member.member_id} joins again: {reason}", turn)

    def _replace_static_member(
        self, group: ClassicGroup, request: JoinGroupRequest, member_id: str, protocols: Protocols, turn: Turn
    ) -> None:
        """Give a static member that was started again the new *member_id*; a client with the old id is fenced.

        While the chosen protocol stays, the generation and all assignments stay, too, so the member goes on with the
        assignment that it had (KIP-345).
        """
        if turn.below_min_isr and group.state == ClassicGroupState.STABLE:
            _refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE, "", turn)
            return
        instance_id = request.group_instance_id
        assert instance_id is not None
        old_id, old_leader_id = group.static_members[instance_id], group.leader_id
        group.history.static_member_replaced(instance_id, old_id, member_id, group.generation_id)
        member = group.replace_static_member(instance_id, member_id)
        self._rebalancer.fail_join(group, member, ErrorCode.FENCED_INSTANCE_ID, turn, old_id)
        self._rebalancer.fail_sync(member, ErrorCode.FENCED_INSTANCE_ID, turn)
        turn.cancel_timer(HeartbeatKey(group.group_id, old_id))
        member.session_deadline_ms = 0
        _update_member(group, member, request, protocols, turn)
        self._rebalancer.reschedule_heartbeat(group, member, turn)
        if group.state == ClassicGroupState.STABLE and group.select_protocol() == group.protocol_name:
            self._manager.write_group(group, turn)
            turn.reply(static_rejoin_response(group, member, old_leader_id, turn.client.version))
            return
        group.await_join(member, turn.pending)
        reason = f"static member {instance_id} was started again as {member_id}: {request.reason or _NO_REASON}"
        self._rebalancer.rebalance(group, reason, turn)


def _refuse(code: ErrorCode, member_id: str, turn: Turn) -> None:
    turn.reply_immediately(join_group_error(code, member_id, turn.client.version))


def _update_member(
    group: ClassicGroup, member: ClassicGroupMember, request: JoinGroupRequest, protocols: Protocols, turn: Turn
) -> None:
    group.update_protocols(member, protocols)
    member.rebalance_timeout_ms = _rebalance_timeout_ms(request, turn)
    member.session_timeout_ms = request.session_timeout_ms


def _rebalance_timeout_ms(request: JoinGroupRequest, turn: Turn) -> int:
    """The rebalance timeout; version 0 has one timeout for both."""
    if turn.client.version < _REBALANCE_TIMEOUT_SINCE:
        return request.session_timeout_ms
    return request.rebalance_timeout_ms
