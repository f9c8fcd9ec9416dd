"""GroupShard: the groups and offsets of one __consumer_offsets partition; routes each request to its class.

Check order is Kafka's: the handler has checked the group id and that this broker coordinates the group; here come
existence, the member, its generation, then the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.clock import now_ms
from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic_group import ClassicGroup
from wirebroker.coordinator.group.expirations import GroupExpirations
from wirebroker.coordinator.group.group_admin import GroupAdmin
from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
from wirebroker.coordinator.group.heartbeat import Heartbeat
from wirebroker.coordinator.group.join_group import JoinGroup
from wirebroker.coordinator.group.leave_group import LeaveGroup
from wirebroker.coordinator.group.notices import GroupNotices
from wirebroker.coordinator.group.offset_cleanup import OffsetCleanups
from wirebroker.coordinator.group.offset_commit import (
    LargeCommit,
    LargeOffsetCommit,
    LargeTxnOffsetCommit,
    OffsetCommit,
    TxnOffsetCommit,
)
from wirebroker.coordinator.group.offset_delete import OffsetDelete
from wirebroker.coordinator.group.offset_fetch import OffsetFetch
from wirebroker.coordinator.group.rebalance import Rebalancer
from wirebroker.coordinator.group.release_rules import NEWEST_RULES, GroupRules
from wirebroker.coordinator.group.requests import (
    DeleteGroup,
    DeleteOffsets,
    DescribeGroup,
    ExplainGroup,
    FetchOffsets,
    ListGroups,
    TopicsDeleted,
)
from wirebroker.coordinator.group.sync_group import SyncGroup
from wirebroker.coordinator.group.timer_keys import (
    HeartbeatKey,
    JoinKey,
    OffsetCleanupKey,
    OffsetExpirationKey,
    SyncKey,
)
from wirebroker.coordinator.shard import ReplayedBatch, TransactionEnded
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest
from wirebroker.protocol.messages.offset_commit import OffsetCommitRequest
from wirebroker.protocol.messages.offset_delete import OffsetDeleteRequest
from wirebroker.protocol.messages.sync_group import SyncGroupRequest
from wirebroker.protocol.messages.txn_offset_commit import TxnOffsetCommitRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from wirebroker.coordinator.group.group_config import GroupCoordinatorConfig
    from wirebroker.coordinator.turn import CoordinatorRecord, Turn

_UNLIMITED: Final = 2**31 - 1
_GROUPS_PER_STEP: Final = 100


class GroupShard:
    """State machine of one shard; `coordinator/shard.py` has the contract, the tables here the routes.

    The tables have no method of the shard itself: no cycle keeps its state when it is dropped (collector.py).
    """

    def __init__(
        self,
        config: GroupCoordinatorConfig,
        topic_exists: Callable[[str, int], bool],
        batch_limit: Callable[[], int] = lambda: _UNLIMITED,
        versions: records.RecordVersions = records.NEWEST,
        rules: GroupRules = NEWEST_RULES,
    ) -> None:
        self.manager = manager = GroupMetadataManager(config, topic_exists, batch_limit, versions, rules)
        self._cleanups = cleanups = OffsetCleanups()
        self._rebalancer = rebalancer = Rebalancer(manager)
        self._offset_commit = offset_commit = OffsetCommit(manager, rebalancer, cleanups)
        self._txn_offset_commit = txn_offset_commit = TxnOffsetCommit(manager, rebalancer, cleanups)
        offset_delete, sync_group = OffsetDelete(manager), SyncGroup(manager, rebalancer)
        admin, notices = GroupAdmin(manager, cleanups), GroupNotices(manager, cleanups)
        self._requests: dict[type, Callable[[Any, Turn], None]] = {
            HeartbeatRequest: Heartbeat(manager, rebalancer).handle,
            OffsetCommitRequest: offset_commit.handle,
            LargeOffsetCommit: offset_commit.handle_large,
            JoinGroupRequest: JoinGroup(manager, rebalancer).handle,
            SyncGroupRequest: sync_group.handle,
            LeaveGroupRequest: LeaveGroup(manager, rebalancer).handle,
            TxnOffsetCommitRequest: txn_offset_commit.handle,
            LargeTxnOffsetCommit: txn_offset_commit.handle_large,
            FetchOffsets: OffsetFetch(manager).handle,
            OffsetDeleteRequest: offset_delete.handle,
            DeleteOffsets: offset_delete.handle_part,
            DescribeGroup: admin.describe,
            ListGroups: admin.list_groups,
            DeleteGroup: admin.delete,
            ExplainGroup: admin.explain,
            TransactionEnded: notices.end_transaction,
            TopicsDeleted: notices.delete_topics,
        }
        self._expirations = expirations = GroupExpirations(manager, rebalancer, cleanups)
        self._sync_group = sync_group
        self._timers: dict[type, Callable[[Any, Turn], None]] = {
            HeartbeatKey: expirations.expire_heartbeat,
            JoinKey: expirations.expire_join,
            SyncKey: expirations.expire_pending_sync,
            OffsetExpirationKey: expirations.expire_offsets,
            OffsetCleanupKey: expirations.step_cleanup,
        }
        self._with_members: list[ClassicGroup] = []
        """Groups whose sessions start when the shard is loaded."""

    # -- loading -------------------------------------------------------------------------------------------------

    def replay(self, record: CoordinatorRecord, batch: ReplayedBatch) -> None:
        """Apply one record of __consumer_offsets; unknown kinds are skipped, as Kafka does."""
        parsed = records.read(record)
        if isinstance(parsed, records.OffsetRecord):
            group_id, topic, partition, committed = parsed
            if batch.transactional:
                self.manager.offsets.commit_pending(batch.producer_id, group_id, topic, partition, committed)
            elif committed is None:
                self.manager.offsets.delete(group_id, topic, partition)
            else:
                self.manager.offsets.commit(group_id, topic, partition, committed)
        elif isinstance(parsed, records.GroupRecord):
            if parsed.value is None:
                self.manager.groups.pop(parsed.group_id, None)
            else:
                self.manager.groups[parsed.group_id] = records.restore(parsed, batch.timestamp_ms)

    def replay_end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Apply a marker of a TxnOffsetCommit's transaction."""
        self.manager.offsets.end_transaction(producer_id, committed=committed)

    def finish_replay(self) -> Iterator[None]:
        """Create the simple groups, which have offsets and no record of their own."""
        groups = self.manager.groups
        for number, group_id in enumerate(self.manager.offsets.groups()):
            if group_id not in groups:
                groups[group_id] = ClassicGroup(group_id, 0)
            if not number % _GROUPS_PER_STEP:
                yield
        for number, group in enumerate(groups.values()):
            if group.members:
                self._with_members.append(group)
            if not number % _GROUPS_PER_STEP:
                yield

    def loaded(self, turn: Turn) -> None:
        """Give every member a full session from now, and look for expired offsets from now on.

        A group with more members than group.max.size, which may have been lowered, rebalances (KIP-389).
        """
        largest = self.manager.config.group_max_size
        for group in self._with_members:
            if len(group.members) > largest:
                reason = f"the group was loaded with more members than group.max.size={largest}"
                self._rebalancer.prepare_rebalance(group, reason, turn)
            for member in group.members.values():
                self._rebalancer.reschedule_heartbeat(group, member, turn)
        self._with_members.clear()
        self._expirations.schedule_offset_expiration(turn)

    def unloaded(self, turn: Turn) -> None:
        """Answer every waiting request with NOT_COORDINATOR, and drop all groups."""
        for group in self.manager.groups.values():
            self._rebalancer.unload_group(group, turn)
        self.manager.clear()
        self._cleanups.clear()

    # -- requests and notices ------------------------------------------------------------------------------------

    def handle(self, request: Any, turn: Turn) -> None:
        """Handle one request or notice with the method that its type has in the table."""
        self._requests[type(request)](request, turn)

    def replication_timed_out(self, request: Any, turn: Turn) -> ErrorCode:
        """Return Apache Kafka's code; a group whose assignment replicas do not have in time rebalances."""
        if isinstance(request, SyncGroupRequest):
            self._sync_group.replication_timed_out(request, turn)
        return (
            ErrorCode.REBALANCE_IN_PROGRESS
            if isinstance(request, (SyncGroupRequest, JoinGroupRequest))
            else ErrorCode.REQUEST_TIMED_OUT
        )

    def large_commit(self, request: OffsetCommitRequest | TxnOffsetCommitRequest, version: int) -> LargeCommit:
        """Return a large commit without partitions, which is handled when they were added to it in parts."""
        if isinstance(request, OffsetCommitRequest):
            return LargeOffsetCommit(self._offset_commit, request, version, now_ms())
        return LargeTxnOffsetCommit(self._txn_offset_commit, request, version, now_ms())

    # -- timers --------------------------------------------------------------------------------------------------

    def timed_out(self, key: Hashable, turn: Turn) -> None:
        """Handle a timer with the method that the type of its key has in the table."""
        self._timers[type(key)](key, turn)
