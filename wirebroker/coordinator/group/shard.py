"""The groups and offsets of one __consumer_offsets partition: requests in, records and replies out.

Check order is Kafka's: the handler has checked the group id and that this broker coordinates the
group; here come existence, who the member is, its generation, then the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.coordinator.group import committing, joining, records, transactional
from wirebroker.coordinator.group.answers import synced
from wirebroker.coordinator.group.classic import ClassicGroup, GroupState
from wirebroker.coordinator.group.offsets import OffsetTable
from wirebroker.coordinator.group.requests import (
    DeleteGroup,
    DescribeGroup,
    ExplainGroup,
    FetchOffsets,
    GroupRequest,
    ListGroups,
    TopicsDeleted,
)
from wirebroker.coordinator.group.sweeps import Sweep, of_deleted_topics, of_expired_offsets, of_removed_group
from wirebroker.coordinator.shard import CoordinatorRecord, Now, Outcome, ReplayedBatch, Reply, Timer, TransactionEnded
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from wirebroker.protocol.messages.join_group import JoinGroupRequest
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberResponse
from wirebroker.protocol.messages.offset_commit import OffsetCommitRequest
from wirebroker.protocol.messages.offset_delete import OffsetDeleteRequest
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from wirebroker.protocol.messages.txn_offset_commit import TxnOffsetCommitRequest
from wirebroker.record.record_batch import HEADER_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from wirebroker.coordinator.group.member import Member
    from wirebroker.coordinator.group.settings import GroupSettings

_UNLIMITED = 2**31 - 1
_NAMES_LOGGED = 3
_LEFT = "client sent LeaveGroup"
_SWEEP = ("sweep",)
_EXPIRY = ("expiry",)
_TOMBSTONES_AT_ONCE = 1000
_GROUPS_PER_STEP = 100
_RECORD_BYTES = 12  # what a record has around its key and value: six numbers of varying length


class GroupShard:
    """State machine of one shard; see `coordinator/shard.py` for the promise."""

    def __init__(
        self,
        settings: GroupSettings,
        topic_exists: Callable[[str, int], bool],
        batch_limit: Callable[[], int] = lambda: _UNLIMITED,
    ) -> None:
        self.settings = settings
        self.topic_exists = topic_exists
        self._batch_limit = batch_limit
        self.groups: dict[str, ClassicGroup] = {}
        self.offsets = OffsetTable()
        self.sweeps: list[Sweep] = []
        """Under way, the first one step by step."""
        self._with_members: list[ClassicGroup] = []
        self._now = Now(0, 0)

    # -- loading -------------------------------------------------------------------------------------------------

    def replay(self, record: CoordinatorRecord, offset: int, batch: ReplayedBatch) -> None:
        """Take over one record of __consumer_offsets; unknown kinds are skipped, as Kafka does."""
        kind = records.read(record)
        if isinstance(kind, records.OffsetRecord):
            if batch.transactional:
                self.offsets.commit_pending(
                    batch.producer_id, kind.group_id, kind.topic, kind.partition, kind.committed
                )
            elif kind.committed is None:
                self.offsets.forget(kind.group_id, kind.topic, kind.partition)
            else:
                self.offsets.commit(kind.group_id, kind.topic, kind.partition, kind.committed)
        elif isinstance(kind, records.GroupRecord):
            if kind.value is None:
                self.groups.pop(kind.group_id, None)
            else:
                self.groups[kind.group_id] = records.restore(kind, self.settings, self._write_group, batch.timestamp_ms)

    def replay_end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """A marker of a TxnOffsetCommit's transaction."""
        self.offsets.end_transaction(producer_id, committed=committed)

    def finish_replay(self) -> Iterator[None]:
        """Simple groups have no record of their own: make one for everybody who commits."""
        for number, group_id in enumerate(self.offsets.groups()):
            if group_id not in self.groups:
                self.groups[group_id] = ClassicGroup(group_id, self.settings, self._write_group, 0)
            if not number % _GROUPS_PER_STEP:
                yield
        for number, group in enumerate(self.groups.values()):
            if group.members:
                self._with_members.append(group)
            if not number % _GROUPS_PER_STEP:
                yield

    def loaded(self, now: Now) -> Outcome:
        """Every member gets a full session from now; expiry is looked at from now on."""
        self._now = now
        out = Outcome()
        for group in self._with_members:
            for member in group.members.values():
                group.touch(member, now, out)
        self._with_members.clear()
        out.timers.append(Timer(_EXPIRY, now.monotonic_ms + self.settings.offsets_retention_check_ms))
        return out

    def unloaded(self) -> Outcome:
        """Somebody else coordinates these groups now."""
        out = Outcome()
        for group in self.groups.values():
            group.die(ErrorCode.NOT_COORDINATOR, self._now, out)
        self.groups.clear()
        self.offsets = OffsetTable()
        self.sweeps.clear()
        return out

    def _write_group(self, group: ClassicGroup, out: Outcome) -> bool:
        """Write a group; says whether the log takes it."""
        record = records.group_record(group)
        out.records.append(record)
        return self.fits([record])

    def fits(self, made: list[CoordinatorRecord]) -> bool:
        """Whether a batch of these may be as large as max.message.bytes of the topic allows."""
        size = sum(len(key) + len(value or b"") + _RECORD_BYTES for key, value in made)
        return size + HEADER_SIZE <= self._batch_limit()

    # -- requests ------------------------------------------------------------------------------------------------

    def handle(self, request: Any, ticket: object, now: Now) -> Outcome:
        """Route one request."""
        self._now = now
        out = Outcome()
        if isinstance(request, GroupRequest):
            message = request.message
            if isinstance(message, HeartbeatRequest):
                self._heartbeat(message, ticket, now, out)
            elif isinstance(message, OffsetCommitRequest):
                committing.commit(self, request, message, ticket, now, out)
            elif isinstance(message, JoinGroupRequest):
                joining.join(self, request, message, ticket, now, out)
            elif isinstance(message, SyncGroupRequest):
                self._sync(message, ticket, now, out)
            elif isinstance(message, LeaveGroupRequest):
                self._leave(request, message, ticket, now, out)
            elif isinstance(message, TxnOffsetCommitRequest):
                transactional.commit(self, message, ticket, now, out)
            else:
                assert isinstance(message, OffsetDeleteRequest)
                committing.delete(self, message, ticket, now, out)
        elif isinstance(request, FetchOffsets):
            out.reply(ticket, committing.fetch(self, request))
        elif isinstance(request, DescribeGroup):
            out.reply(ticket, self.groups.get(request.group_id))
        elif isinstance(request, ListGroups):
            out.reply(ticket, list(self.groups.values()))
        elif isinstance(request, ExplainGroup):
            group = self.groups.get(request.group_id)
            out.reply(ticket, list(group.history.rebalances) if group is not None else [])
        elif isinstance(request, DeleteGroup):
            self._delete_group(request.group_id, ticket, now, out)
        elif isinstance(request, TransactionEnded):
            self.replay_end_transaction(request.producer_id, committed=request.committed)
        else:
            assert isinstance(request, TopicsDeleted)
            self._start_sweep(
                Sweep(self, of_deleted_topics(request.names), f"topics deleted: {_some(request.names)}"), now, out
            )
        return out

    def timed_out(self, key: Hashable, now: Now) -> Outcome:
        """A session, a join, a sync, or the look at old offsets is due."""
        self._now = now
        out = Outcome()
        assert isinstance(key, tuple)
        if key == _SWEEP:
            self._step_sweep(now, out)
            return out
        if key == _EXPIRY:
            self._start_sweep(Sweep(self, of_expired_offsets(now), "expired"), now, out)
            out.timers.append(Timer(key, now.monotonic_ms + self.settings.offsets_retention_check_ms))
            return out
        group = self.groups.get(key[1])
        if group is None:
            return out
        if key[0] == "session":
            group.session_timed_out(key[2], now, out)
        elif key[0] == "join":
            group.join_timed_out(now, out)
        else:
            group.sync_timed_out(now, out)
        return out

    # -- members -------------------------------------------------------------------------------------------------

    def _sync(self, message: SyncGroupRequest, ticket: object, now: Now, out: Outcome) -> None:
        group = self.groups.get(message.group_id)
        code = ErrorCode.UNKNOWN_MEMBER_ID
        if group is not None:
            code = group.check_member(message.member_id, message.group_instance_id)
            if not code and message.generation_id != group.generation:
                code = ErrorCode.ILLEGAL_GENERATION
            if not code and (
                (message.protocol_type is not None and message.protocol_type != group.protocol_type)
                or (message.protocol_name is not None and message.protocol_name != group.protocol)
            ):
                code = ErrorCode.INCONSISTENT_GROUP_PROTOCOL
            if not code and group.state == GroupState.PREPARING_REBALANCE:
                code = ErrorCode.REBALANCE_IN_PROGRESS
        if group is None or code:
            out.reply(ticket, SyncGroupResponse(error_code=code))
            return
        member = group.members[message.member_id]
        group.heard_sync(member, out)
        if group.state == GroupState.STABLE:
            out.reply(ticket, synced(group, member))
            group.touch(member, now, out)
            return
        if member.sync_ticket is not None:
            out.reply(member.sync_ticket, SyncGroupResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS))
        member.sync_ticket = ticket
        if member.member_id == group.leader:
            group.assign({each.member_id: bytes(each.assignment) for each in message.assignments}, now, out)

    def _heartbeat(self, message: HeartbeatRequest, ticket: object, now: Now, out: Outcome) -> None:
        group = self.groups.get(message.group_id)
        code = ErrorCode.UNKNOWN_MEMBER_ID
        if group is not None:
            code = group.check_member(message.member_id, message.group_instance_id)
            if not code and message.generation_id != group.generation:
                code = ErrorCode.ILLEGAL_GENERATION
            if not code:
                group.touch(group.members[message.member_id], now, out)
                if group.state == GroupState.PREPARING_REBALANCE:
                    code = ErrorCode.REBALANCE_IN_PROGRESS
        out.immediate.append(Reply(ticket, HeartbeatResponse(error_code=code)))

    def _leave(self, request: GroupRequest, message: LeaveGroupRequest, ticket: object, now: Now, out: Outcome) -> None:
        group = self.groups.get(message.group_id)
        if request.version < 3:
            code = self._leave_one(group, message.member_id, None, _LEFT, now, out)
            out.reply(ticket, LeaveGroupResponse(error_code=code))
            return
        members = [
            MemberResponse(
                member_id=each.member_id,
                group_instance_id=each.group_instance_id,
                error_code=self._leave_one(
                    group, each.member_id, each.group_instance_id, each.reason or _LEFT, now, out
                ),
            )
            for each in message.members
        ]
        out.reply(ticket, LeaveGroupResponse(members=members))

    def _leave_one(
        self,
        group: ClassicGroup | None,
        member_id: str,
        instance_id: str | None,
        reason: str,
        now: Now,
        out: Outcome,
    ) -> ErrorCode:
        if group is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if not member_id and instance_id is not None:  # an operator removes a static member by its instance id
            member_id = group.static_members.get(instance_id, "")
            if not member_id:
                return ErrorCode.UNKNOWN_MEMBER_ID
        if group.pending_members.pop(member_id, None) is not None:
            out.timers.append(Timer(("session", group.group_id, member_id), None))
            group.maybe_complete_join(now, out)
            return ErrorCode.NONE
        code = group.check_member(member_id, instance_id)
        if not code:
            group.leave(group.members[member_id], now, out, reason)
        return code

    # -- offsets -------------------------------------------------------------------------------------------------

    def group_that_commits(self, group_id: str, now: Now) -> None:
        """Whoever commits is a group, if only a simple one without members."""
        if group_id not in self.groups:
            self.groups[group_id] = ClassicGroup(group_id, self.settings, self._write_group, now.wall_ms)

    def forget(self, group_id: str, topic: str, partition: int, out: Outcome) -> None:
        offsets = self.offsets
        if offsets.get(group_id, topic, partition) is not None or offsets.is_pending(group_id, topic, partition):
            offsets.forget(group_id, topic, partition)
            out.records.append(records.offset_record(group_id, topic, partition, None))

    def is_expired(
        self, group: ClassicGroup, topic: str, partition: int, wall_ms: int, subscribed: frozenset[str]
    ) -> bool:
        """Whether a committed offset of *group*, whose members consume *subscribed*, is too old at *wall_ms*."""
        if topic in subscribed:
            return False
        was_consumed = group.protocol_type is not None and group.state == GroupState.EMPTY
        return self.offsets.is_expired(
            group.group_id,
            topic,
            partition,
            wall_ms=wall_ms,
            retention_ms=self.settings.offsets_retention_ms,
            since_ms=group.state_since_ms if was_consumed else None,
        )

    # -- sweeps --------------------------------------------------------------------------------------------------

    def _start_sweep(self, sweep: Sweep, now: Now, out: Outcome) -> None:
        """Do the first step now, and the others as soon as the requests that wait have had their turn."""
        self.sweeps.append(sweep)
        if len(self.sweeps) == 1:
            out.timers.append(Timer(_SWEEP, now.monotonic_ms))

    def _step_sweep(self, now: Now, out: Outcome) -> None:
        if self.sweeps and self.sweeps[0].step(now, out):
            self.sweeps.pop(0)
        if self.sweeps:
            out.timers.append(Timer(_SWEEP, now.monotonic_ms))

    def spare(self, group_id: str, topic: str, partition: int) -> None:
        """An offset was committed: sweeps that go on leave it alone."""
        for sweep in self.sweeps:
            sweep.spared.add((group_id, topic, partition))

    # -- groups --------------------------------------------------------------------------------------------------

    def maybe_die(self, group: ClassicGroup, now: Now, out: Outcome, reason: str) -> None:
        """Remove a group that has neither members nor offsets any more, for *reason*."""
        if (
            group.state == GroupState.EMPTY
            and not self.offsets.of_group(group.group_id)
            and not self.offsets.has_pending(group.group_id)
        ):
            self._bury(group, now, out, reason)

    def _bury(self, group: ClassicGroup, now: Now, out: Outcome, reason: str) -> None:
        group.history.removed(group.generation, reason)
        group.die(ErrorCode.UNKNOWN_MEMBER_ID, now, out)
        del self.groups[group.group_id]
        if group.generation > 0:  # it was written once
            out.records.append(records.group_tombstone(group.group_id))

    def _delete_group(self, group_id: str, ticket: object, now: Now, out: Outcome) -> None:
        """Delete an empty group; answered when the last of its tombstones is written."""
        group = self.groups.get(group_id)
        if group is None:
            out.reply(ticket, ErrorCode.GROUP_ID_NOT_FOUND)
        elif group.state != GroupState.EMPTY or self.offsets.has_pending(group_id):
            # Kafka deletes a group with pending commits and then loses them without a word.
            out.reply(ticket, ErrorCode.NON_EMPTY_GROUP)
        else:
            keys = self.offsets.take_group(group_id)
            if len(keys) <= _TOMBSTONES_AT_ONCE:
                out.records += [records.offset_record(group_id, *key, None) for key in keys]
                self._bury(group, now, out, "client sent DeleteGroups")
                out.reply(ticket, ErrorCode.NONE)
            else:
                self._bury(group, now, out, "client sent DeleteGroups")
                work = of_removed_group(group_id, keys)
                self._start_sweep(
                    Sweep(self, work, "group deleted", lambda last: last.reply(ticket, ErrorCode.NONE)), now, out
                )

    def member(self, group_id: str, member_id: str) -> Member | None:
        """One member, for those who describe it."""
        group = self.groups.get(group_id)
        return group.members.get(member_id) if group is not None else None


def _some(names: frozenset[str]) -> str:
    """Names for a log line."""
    first = sorted(names)[:_NAMES_LOGGED]
    return ", ".join(first) + (f" and {len(names) - len(first)} more" if len(names) > len(first) else "")
