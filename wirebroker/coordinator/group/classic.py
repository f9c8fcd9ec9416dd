"""One classic group: who is in it, which generation, and how it gets to the next one (KIP-62, 345, 394, 559, 800, 814).

    EMPTY --join--> PREPARING_REBALANCE --all joined--> COMPLETING_REBALANCE --leader syncs--> STABLE
                          ^   ^______________________________|  ___________________________________|
                          |________ a join, a leave, a timeout, changed metadata
    PREPARING_REBALANCE --nobody left--> EMPTY;   any --deleted--> DEAD

The group changes at once and puts what follows into an Outcome: records to write, replies to send
when they are written, timers.  Rules seen on Apache Kafka 3.9.1 carry their reason here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from wirebroker.coordinator.group.answers import failed_join, joined, returned, synced
from wirebroker.coordinator.group.history import History
from wirebroker.coordinator.group.protocols import CommonProtocols
from wirebroker.coordinator.group.settings import NEW_MEMBER_JOIN_TIMEOUT_MS, GroupSettings
from wirebroker.coordinator.shard import Timer
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.sync_group import SyncGroupResponse

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.coordinator.group.member import Member
    from wirebroker.coordinator.shard import Now, Outcome


class GroupState(StrEnum):
    """Names as clients see them in DescribeGroups and ListGroups."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


MAY_FOLLOW: dict[GroupState, frozenset[GroupState]] = {
    GroupState.EMPTY: frozenset({GroupState.PREPARING_REBALANCE}),
    GroupState.PREPARING_REBALANCE: frozenset({GroupState.STABLE, GroupState.COMPLETING_REBALANCE, GroupState.EMPTY}),
    GroupState.COMPLETING_REBALANCE: frozenset({GroupState.PREPARING_REBALANCE}),
    GroupState.STABLE: frozenset({GroupState.COMPLETING_REBALANCE}),
    GroupState.DEAD: frozenset(GroupState),
}
"""New state -> states it may come from."""


class ClassicGroup:
    """State machine of one group.  *write* makes the group's metadata record, and says whether the log takes it."""

    def __init__(
        self, group_id: str, settings: GroupSettings, write: Callable[[ClassicGroup, Outcome], bool], since_ms: int
    ) -> None:
        self.group_id = group_id
        self.settings = settings
        self._write = write
        self.state = GroupState.EMPTY
        self.state_since_ms = since_ms
        self.generation = 0
        self.protocol_type: str | None = None
        self.protocol: str | None = None
        self.leader: str | None = None
        self.members: dict[str, Member] = {}
        self.static_members: dict[str, str] = {}
        self.pending_members: dict[str, int] = {}
        """Ids given out with MEMBER_ID_REQUIRED that have not joined yet -> when they expire (KIP-394), monotonic."""
        self.pending_sync: set[str] = set()
        self.awaiting_join = 0
        """How many members have a join ticket: they wait for the coming generation."""
        self._common = CommonProtocols()
        self._newcomer = False  # joined during the initial delay, so it is extended
        self._initial_delay_left_ms = 0
        self._in_initial_delay = False
        self.history = History(group_id)

    # -- questions ---------------------------------------------------------------------------------------------

    @property
    def rebalance_timeout_ms(self) -> int:
        """The longest that any member asks for."""
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    def supports(self, protocol_type: str, protocols: list[tuple[str, bytes]]) -> bool:
        """Whether somebody with these protocols could join."""
        if self.state == GroupState.EMPTY:
            return bool(protocol_type) and bool(protocols)
        return self.protocol_type == protocol_type and self._common.shares(protocols)

    def select_protocol(self) -> str:
        """Every member votes for the first of its protocols that all support; most votes win, older on a tie."""
        return self._common.elect(self.members.values())

    def accepts(self, member_id: str) -> bool:
        """Whether group.max.size has room for this member (KIP-389)."""
        limit = self.settings.max_size
        member = self.members.get(member_id)
        if self.state in (GroupState.EMPTY, GroupState.DEAD):
            return True
        if self.state == GroupState.PREPARING_REBALANCE:
            return (member is not None and member.join_ticket is not None) or self.awaiting_join < limit
        return member is not None or len(self.members) < limit

    def check_member(self, member_id: str, instance_id: str | None) -> ErrorCode:
        """Is this who it claims to be?"""
        if instance_id is not None:
            known = self.static_members.get(instance_id)
            if known is None:
                return ErrorCode.UNKNOWN_MEMBER_ID
            if known != member_id:
                return ErrorCode.FENCED_INSTANCE_ID
        if member_id not in self.members:
            return ErrorCode.UNKNOWN_MEMBER_ID
        return ErrorCode.NONE

    # -- members come, change and go -----------------------------------------------------------------------------

    def admit(self, member: Member) -> None:
        """Take a member in as it is; nothing follows from that."""
        self.members[member.member_id] = member
        self._common.add(member.protocols)
        if member.group_instance_id is not None:
            self.static_members[member.group_instance_id] = member.member_id

    def add(self, member: Member, ticket: object, now: Now, out: Outcome, reason: str) -> None:
        """A new member joins; that makes the group rebalance."""
        if not self.members:
            self.protocol_type = member.protocol_type
        if self.leader is None:
            self.leader = member.member_id
        if self.state == GroupState.PREPARING_REBALANCE and self.generation == 0:
            self._newcomer = True
        self.admit(member)
        self.pending_members.pop(member.member_id, None)
        member.is_new = True
        self._await_join(member, ticket)
        self._expire_in(member, NEW_MEMBER_JOIN_TIMEOUT_MS, now, out)
        self.rebalance(f"member {member.member_id} joins: {reason}", now, out)

    def update(
        self,
        member: Member,
        protocols: list[tuple[str, bytes]],
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        ticket: object,
        now: Now,
        out: Outcome,
        reason: str,
    ) -> None:
        """A member joins again, perhaps with other metadata; that makes the group rebalance."""
        if member.join_ticket is not None and member.join_ticket is not ticket:
            # Sent twice, over another connection: the older request must not wait for ever.
            self.fail_join(member, ErrorCode.REBALANCE_IN_PROGRESS, out)
        self._common.replace(member.protocols, protocols)
        member.protocols = protocols
        member.rebalance_timeout_ms = rebalance_timeout_ms
        member.session_timeout_ms = session_timeout_ms
        self._await_join(member, ticket)
        self.rebalance(f"member {member.member_id} joins again: {reason}", now, out)

    def replace_static(
        self,
        instance_id: str,
        new_member_id: str,
        protocols: list[tuple[str, bytes]],
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        ticket: object,
        version: int,
        now: Now,
        out: Outcome,
        reason: str,
    ) -> None:
        """A static member's process is back under a new member id; whoever used the old id is fenced.

        While the chosen protocol stays, the generation and all assignments stay, too (KIP-345): the
        member goes on with what it had.
        """
        old_id = self.static_members[instance_id]
        old_leader = self.leader
        self.history.replaced(instance_id, old_id, new_member_id, self.generation)
        member = self.members.pop(old_id)
        self.fail_join(member, ErrorCode.FENCED_INSTANCE_ID, out, old_id)
        if member.sync_ticket is not None:
            out.reply(member.sync_ticket, SyncGroupResponse(error_code=ErrorCode.FENCED_INSTANCE_ID))
            member.sync_ticket = None
        member.member_id = new_member_id
        self.members[new_member_id] = member
        self.static_members[instance_id] = new_member_id
        out.timers.append(Timer(("session", self.group_id, old_id), None))
        member.expires_ms = 0  # no timer stands under the new id
        self.pending_sync.discard(old_id)
        if self.leader == old_id:
            self.leader = new_member_id
        self._common.replace(member.protocols, protocols)
        member.protocols = protocols
        member.rebalance_timeout_ms = rebalance_timeout_ms
        member.session_timeout_ms = session_timeout_ms
        self.touch(member, now, out)
        if self.state == GroupState.STABLE and self.select_protocol() == self.protocol:
            self._write(self, out)
            out.reply(ticket, returned(self, member, old_leader, version))
            return
        self._await_join(member, ticket)
        self.rebalance(f"static member {instance_id} is back as {new_member_id}: {reason}", now, out)

    def remove(self, member: Member, out: Outcome, reason: str) -> None:
        """Remove a member, for *reason*; the caller decides what that leads to."""
        self.fail_join(member, ErrorCode.UNKNOWN_MEMBER_ID, out)
        if member.sync_ticket is not None:
            out.reply(member.sync_ticket, SyncGroupResponse(error_code=ErrorCode.UNKNOWN_MEMBER_ID))
            member.sync_ticket = None
        del self.members[member.member_id]
        self._common.remove(member.protocols)
        self.history.left(member, self.generation, reason)
        if member.group_instance_id is not None:
            self.static_members.pop(member.group_instance_id, None)
        self.pending_sync.discard(member.member_id)
        if self.leader == member.member_id:
            self.leader = next(iter(self.members), None)
        out.timers.append(Timer(("session", self.group_id, member.member_id), None))

    def leave(self, member: Member, now: Now, out: Outcome, reason: str) -> None:
        """A member is gone, by its own word or by silence: the others take over its partitions."""
        self.remove(member, out, reason)
        why = f"member {member.member_id} leaves: {reason}"
        if self.state in (GroupState.STABLE, GroupState.COMPLETING_REBALANCE):
            self.rebalance(why, now, out)
        elif self.state == GroupState.PREPARING_REBALANCE:
            self.history.because(why)
            self.maybe_complete_join(now, out)

    def fail_join(self, member: Member, code: ErrorCode, out: Outcome, member_id: str = "") -> None:
        """Answer a waiting JoinGroup with an error.

        *member_id* is what the response carries: a fenced or unloaded member gets its own back, one that was removed
        gets none and joins as a new member.
        """
        if member.join_ticket is not None:
            out.reply(member.join_ticket, failed_join(code, member_id, member.join_version))
            member.join_ticket = None
            self.awaiting_join -= 1

    def _await_join(self, member: Member, ticket: object) -> None:
        if member.join_ticket is None:
            self.awaiting_join += 1
        member.join_ticket = ticket

    # -- time ----------------------------------------------------------------------------------------------------

    def touch(self, member: Member, now: Now, out: Outcome) -> None:
        """The member was heard of; its session starts anew."""
        self._expire_in(member, member.session_timeout_ms, now, out)

    def _expire_in(self, member: Member, timeout_ms: int, now: Now, out: Outcome) -> None:
        due_ms = now.monotonic_ms + timeout_ms
        # A heartbeat only moves the number: the timer that stands looks at it when it goes off.
        if not member.expires_ms or due_ms < member.expires_ms:
            out.timers.append(Timer(("session", self.group_id, member.member_id), due_ms))
        member.expires_ms = due_ms

    def session_timed_out(self, member_id: str, now: Now, out: Outcome) -> None:
        """A session timer went off."""
        pending_until = self.pending_members.get(member_id)
        if pending_until is not None:
            del self.pending_members[member_id]
            self.maybe_complete_join(now, out)
            return
        member = self.members.get(member_id)
        if member is None:
            return
        if now.monotonic_ms < member.expires_ms:
            out.timers.append(Timer(("session", self.group_id, member_id), member.expires_ms))
            return
        if not member.is_new and (member.join_ticket is not None or member.sync_ticket is not None):
            # It waits for us, not we for it.  Whatever ends the wait starts its session anew.
            member.expires_ms = 0
            return
        self.leave(member, now, out, f"nothing heard for its session timeout of {member.session_timeout_ms} ms")

    # -- rebalancing ---------------------------------------------------------------------------------------------

    def rebalance(self, reason: str, now: Now, out: Outcome) -> None:
        """Start collecting members for a new generation, or go on with it."""
        if self.state == GroupState.PREPARING_REBALANCE:
            self.history.because(reason)
            self.maybe_complete_join(now, out)
            return
        if self.state == GroupState.COMPLETING_REBALANCE:
            self._fail_syncs(ErrorCode.REBALANCE_IN_PROGRESS, now, out)
        self.pending_sync.clear()
        out.timers.append(Timer(("sync", self.group_id), None))
        was_empty = self.state == GroupState.EMPTY
        self.history.begin(reason, None if was_empty else self.members, now, self.generation, self.state)
        self._become(GroupState.PREPARING_REBALANCE, now)
        if was_empty and self.settings.initial_rebalance_delay_ms > 0:
            delay_ms = self.settings.initial_rebalance_delay_ms
            self._newcomer = False
            self._initial_delay_left_ms = max(self.rebalance_timeout_ms - delay_ms, 0)
            out.timers.append(Timer(("join", self.group_id), now.monotonic_ms + delay_ms))
            self._in_initial_delay = True
            return
        self._in_initial_delay = False
        if was_empty:
            # An initial delay of nothing is over: like one that ran out, it waits for no member id that was given out.
            self._complete_join(now, out)
            return
        out.timers.append(Timer(("join", self.group_id), now.monotonic_ms + self.rebalance_timeout_ms))
        self.maybe_complete_join(now, out)

    def join_timed_out(self, now: Now, out: Outcome) -> None:
        """The time to join is over: go on with those who are here, unless newcomers extend the initial delay."""
        if self.state != GroupState.PREPARING_REBALANCE:
            return
        if self._in_initial_delay and self._newcomer and self._initial_delay_left_ms > 0:
            self._newcomer = False
            delay_ms = min(self.settings.initial_rebalance_delay_ms, self._initial_delay_left_ms)
            self._initial_delay_left_ms -= delay_ms
            out.timers.append(Timer(("join", self.group_id), now.monotonic_ms + delay_ms))
            return
        self._in_initial_delay = False
        self._complete_join(now, out)

    def maybe_complete_join(self, now: Now, out: Outcome) -> None:
        """Everybody who is expected has joined?"""
        if self.state != GroupState.PREPARING_REBALANCE or self._in_initial_delay or self.pending_members:
            return
        if self.awaiting_join == len(self.members):
            self._complete_join(now, out)

    def _complete_join(self, now: Now, out: Outcome) -> None:
        for member in [m for m in self.members.values() if m.join_ticket is None and not m.is_static]:
            self.history.because(f"member {member.member_id} did not join in time")
            self.remove(member, out, f"no JoinGroup within the rebalance timeout of {self.rebalance_timeout_ms} ms")
        if self.members and not self._leader_joined():
            # Only static members are left, and none is here: they have until their sessions end.
            out.timers.append(Timer(("join", self.group_id), now.monotonic_ms + self.rebalance_timeout_ms))
            return
        out.timers.append(Timer(("join", self.group_id), None))
        self.generation += 1
        self.pending_sync.clear()
        if not self.members:
            self.protocol = None
            self._become(GroupState.EMPTY, now)
            self.history.end(self.generation, self.members, now)
            self._write(self, out)
            return
        self.protocol = self.select_protocol()
        self._become(GroupState.COMPLETING_REBALANCE, now)
        for member in self.members.values():
            ticket, member.join_ticket = member.join_ticket, None
            if ticket is not None:
                self.awaiting_join -= 1
                out.reply(ticket, joined(self, member))
            member.is_new = False
            member.expires_ms = 0
            self.touch(member, now, out)
            self.pending_sync.add(member.member_id)
        out.timers.append(Timer(("sync", self.group_id), now.monotonic_ms + self.rebalance_timeout_ms))

    def _leader_joined(self) -> bool:
        """Whether the leader, or else another who has joined, leads the coming generation."""
        leader = self.members.get(self.leader or "")
        if leader is not None and leader.join_ticket is not None:
            return True
        for member in self.members.values():
            if member.join_ticket is not None:
                self.leader = member.member_id
                return True
        return False

    # -- assignments ---------------------------------------------------------------------------------------------

    def assign(self, assignments: dict[str, bytes], now: Now, out: Outcome) -> None:
        """The leader has decided: everybody gets what it is given, nothing if the leader forgot it."""
        for member in self.members.values():
            member.assignment = assignments.get(member.member_id, b"")
        self._become(GroupState.STABLE, now)
        if not self._write(self, out):
            out.records.pop()
            self._fail_syncs(ErrorCode.UNKNOWN_SERVER_ERROR, now, out)
            self.rebalance("the group's record is larger than max.message.bytes", now, out)
            return
        self.history.end(self.generation, self.members, now)
        for member in self.members.values():
            ticket, member.sync_ticket = member.sync_ticket, None
            if ticket is not None:
                out.reply(ticket, synced(self, member))
                self.touch(member, now, out)

    def heard_sync(self, member: Member, out: Outcome) -> None:
        """The member has sent its SyncGroup."""
        self.pending_sync.discard(member.member_id)
        if not self.pending_sync:
            out.timers.append(Timer(("sync", self.group_id), None))

    def sync_timed_out(self, now: Now, out: Outcome) -> None:
        """Members that joined and never came for their assignment are out."""
        if self.state not in (GroupState.COMPLETING_REBALANCE, GroupState.STABLE) or not self.pending_sync:
            return
        silent = [self.members[member_id] for member_id in self.pending_sync if member_id in self.members]
        for member in silent:
            self.remove(member, out, f"no SyncGroup within the rebalance timeout of {self.rebalance_timeout_ms} ms")
        names = ", ".join(sorted(member.member_id for member in silent))
        self.rebalance(f"removed for sending no SyncGroup: {names}", now, out)

    def _fail_syncs(self, code: ErrorCode, now: Now, out: Outcome) -> None:
        for member in self.members.values():
            member.assignment = b""
            if member.sync_ticket is not None:
                out.reply(member.sync_ticket, SyncGroupResponse(error_code=code))
                member.sync_ticket = None
                self.touch(member, now, out)

    # -- the end -------------------------------------------------------------------------------------------------

    def die(self, code: ErrorCode, now: Now, out: Outcome) -> None:
        """Deleted or unloaded: whoever waits is told *code*, no timer stays."""
        for member in self.members.values():
            self.fail_join(member, code, out, member.member_id)
            if member.sync_ticket is not None:
                out.reply(member.sync_ticket, SyncGroupResponse(error_code=code))
                member.sync_ticket = None
            out.timers.append(Timer(("session", self.group_id, member.member_id), None))
        out.timers.append(Timer(("join", self.group_id), None))
        out.timers.append(Timer(("sync", self.group_id), None))
        self._become(GroupState.DEAD, now)

    def _become(self, state: GroupState, now: Now) -> None:
        assert self.state in MAY_FOLLOW[state], f"{self.group_id}: {self.state} -> {state}"
        self.state = state
        self.state_since_ms = now.wall_ms
