"""ClassicGroup: the state of one group: members, generation, protocol, and state of its rebalance.

    EMPTY --join--> PREPARING_REBALANCE --all joined--> COMPLETING_REBALANCE --leader syncs--> STABLE
                          ^   ^______________________________|  ___________________________________|
                          |________ a join, a leave, a timeout, changed metadata
    PREPARING_REBALANCE --no member left--> EMPTY;   any --deleted--> DEAD

`rebalance.py` moves a group through these states; nothing here writes records, sends replies or sets timers.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from wirebroker.coordinator.group.rebalance_history import RebalanceHistory
from wirebroker.coordinator.group.supported_protocols import SupportedProtocols
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from wirebroker.coordinator.group.classic_group_member import ClassicGroupMember, Protocols
    from wirebroker.coordinator.turn import PendingResponse


class ClassicGroupState(StrEnum):
    """States of a classic group, by their names in DescribeGroups and ListGroups."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


_S = ClassicGroupState
VALID_PREVIOUS_STATES: Final[dict[ClassicGroupState, frozenset[ClassicGroupState]]] = {
    _S.EMPTY: frozenset({_S.PREPARING_REBALANCE}),
    _S.PREPARING_REBALANCE: frozenset({_S.STABLE, _S.COMPLETING_REBALANCE, _S.EMPTY}),
    _S.COMPLETING_REBALANCE: frozenset({_S.PREPARING_REBALANCE}),
    _S.STABLE: frozenset({_S.COMPLETING_REBALANCE}),
    _S.DEAD: frozenset(_S),
}
"""New state -> states it may come from."""


class ClassicGroup:
    """State of one group; a simple group has offsets and never a member."""

    def __init__(self, group_id: str, state_timestamp_ms: int) -> None:
        self.group_id = group_id
        self.state = ClassicGroupState.EMPTY
        self.state_timestamp_ms = state_timestamp_ms
        """Wall-clock time of the last change of `state`."""
        self.generation_id = 0
        self.protocol_type: str | None = None
        self.protocol_name: str | None = None
        self.leader_id: str | None = None
        self.members: dict[str, ClassicGroupMember] = {}
        self.static_members: dict[str, str] = {}
        """Group instance id -> member id."""
        self.pending_join_members: set[str] = set()
        """Member ids given out with MEMBER_ID_REQUIRED that have not joined yet (KIP-394)."""
        self.pending_sync_members: set[str] = set()
        """Member ids of this generation that have not sent SyncGroup yet."""
        self.num_awaiting_join = 0
        """How many members have a pending JoinGroup response."""
        self.supported_protocols = SupportedProtocols()
        self.in_initial_delay = False
        """Whether the join phase is the one after EMPTY, which waits for members that start at the same time."""
        self.initial_delay_left_ms = 0
        """By how much the initial delay may still be extended."""
        self.new_member_added = False
        """Whether a member joined since the initial delay was set, which extends it."""
        self.history = RebalanceHistory(group_id)

    # -- questions -----------------------------------------------------------------------------------------------

    @property
    def rebalance_timeout_ms(self) -> int:
        """The longest rebalance timeout of all members."""
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    def supports_protocols(self, protocol_type: str, protocols: Protocols) -> bool:
        """Whether a member with these protocols may join."""
        if self.state == ClassicGroupState.EMPTY:
            return bool(protocol_type) and bool(protocols)
        return self.protocol_type == protocol_type and self.supported_protocols.contains_any(protocols)

    def select_protocol(self) -> str:
        """The protocol of the coming generation, by the votes of all members."""
        return self.supported_protocols.select(self.members.values())

    def validate_member(self, member_id: str, instance_id: str | None) -> ErrorCode:
        """NONE if *member_id* is a member, and the current one of *instance_id*, if given.

        Else UNKNOWN_MEMBER_ID, or FENCED_INSTANCE_ID if the instance has another member id by now.
        """
        if instance_id is not None:
            current = self.static_members.get(instance_id)
            if current is None:
                return ErrorCode.UNKNOWN_MEMBER_ID
            if current != member_id:
                return ErrorCode.FENCED_INSTANCE_ID
        if member_id not in self.members:
            return ErrorCode.UNKNOWN_MEMBER_ID
        return ErrorCode.NONE

    def has_all_members_joined(self) -> bool:
        """Whether every member, and every id that was given out, has joined the coming generation."""
        return not self.pending_join_members and self.num_awaiting_join == len(self.members)

    # -- changes -------------------------------------------------------------------------------------------------

    def add(self, member: ClassicGroupMember) -> None:
        """Add a member; the first one gives the group its protocol type and leads it."""
        if not self.members:
            self.protocol_type = member.protocol_type
        if self.leader_id is None:
            self.leader_id = member.member_id
        self.restore(member)
        self.pending_join_members.discard(member.member_id)

    def restore(self, member: ClassicGroupMember) -> None:
        """Add a member that was read from the log, where protocol type and leader are known."""
        self.members[member.member_id] = member
        self.supported_protocols.add(member.protocols)
        if member.group_instance_id is not None:
            self.static_members[member.group_instance_id] = member.member_id

    def update_protocols(self, member: ClassicGroupMember, protocols: Protocols) -> None:
        """Replace the protocols that *member* supports."""
        self.supported_protocols.replace(member.protocols, protocols)
        member.protocols = protocols

    def remove(self, member: ClassicGroupMember) -> None:
        """Remove a member; if the leader is removed, the oldest other member leads."""
        del self.members[member.member_id]
        self.supported_protocols.remove(member.protocols)
        if member.group_instance_id is not None:
            self.static_members.pop(member.group_instance_id, None)
        self.pending_sync_members.discard(member.member_id)
        if self.leader_id == member.member_id:
            self.leader_id = next(iter(self.members), None)

    def replace_static_member(self, instance_id: str, new_member_id: str) -> ClassicGroupMember:
        """Give the member of *instance_id* another member id, and return that member."""
        old_member_id = self.static_members[instance_id]
        member = self.members.pop(old_member_id)
        member.member_id = new_member_id
        self.members[new_member_id] = member
        self.static_members[instance_id] = new_member_id
        self.pending_sync_members.discard(old_member_id)
        if self.leader_id == old_member_id:
            self.leader_id = new_member_id
        return member

    def await_join(self, member: ClassicGroupMember, pending: PendingResponse) -> None:
        """Note that *member* has joined the coming generation; *pending* is completed when that begins."""
        if member.pending_join is None:
            self.num_awaiting_join += 1
        member.pending_join = pending

    def take_pending_join(self, member: ClassicGroupMember) -> PendingResponse | None:
        """Return the pending JoinGroup response of *member*, and forget it."""
        pending, member.pending_join = member.pending_join, None
        if pending is not None:
            self.num_awaiting_join -= 1
        return pending

    def maybe_elect_new_joined_leader(self) -> bool:
        """Make the first member that has joined the leader, unless the leader has; False if no member has joined."""
        leader = self.members.get(self.leader_id or "")
        if leader is not None and leader.pending_join is not None:
            return True
        for member in self.members.values():
            if member.pending_join is not None:
                self.leader_id = member.member_id
                return True
        return False

    def init_next_generation(self, wall_ms: int) -> None:
        """Begin the next generation: without members the group is EMPTY, else it awaits the leader's assignment."""
        self.generation_id += 1
        self.pending_sync_members.clear()
        if self.members:
            self.protocol_name = self.select_protocol()
            self.transition_to(ClassicGroupState.COMPLETING_REBALANCE, wall_ms)
        else:
            self.protocol_name = None
            self.transition_to(ClassicGroupState.EMPTY, wall_ms)

    def transition_to(self, state: ClassicGroupState, wall_ms: int) -> None:
        """Change the state; the move has to be in VALID_PREVIOUS_STATES."""
        assert self.state in VALID_PREVIOUS_STATES[state], f"{self.group_id}: {self.state} -> {state}"
        self.state = state
        self.state_timestamp_ms = wall_ms
