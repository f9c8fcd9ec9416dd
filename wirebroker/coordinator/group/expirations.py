"""GroupExpirations: what a group shard does when one of its timers fires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.group.offset_cleanup import OffsetCleanup, OffsetCleanups, cleanup_expired_offsets
from wirebroker.coordinator.group.timer_keys import OffsetExpirationKey

if TYPE_CHECKING:
    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
    from wirebroker.coordinator.group.rebalance import Rebalancer
    from wirebroker.coordinator.group.timer_keys import HeartbeatKey, JoinKey, OffsetCleanupKey, SyncKey
    from wirebroker.coordinator.turn import Turn


class GroupExpirations:
    """Handles the timers of `timer_keys.py`; those of a group that is gone have no effect.

    Args:
        manager: the groups and offsets.
        rebalancer: moves groups between their states.
        cleanups: the cleanups of offsets that are under way.
    """

    def __init__(self, manager: GroupMetadataManager, rebalancer: Rebalancer, cleanups: OffsetCleanups) -> None:
        self._manager = manager
        self._rebalancer = rebalancer
        self._cleanups = cleanups

    def expire_heartbeat(self, key: HeartbeatKey, turn: Turn) -> None:
        """Remove a member whose session has expired."""
        group = self._manager.groups.get(key.group_id)
        if group is not None:
            self._rebalancer.expire_heartbeat(group, key.member_id, turn)

    def expire_join(self, key: JoinKey, turn: Turn) -> None:
        """End the join phase of a rebalance."""
        group = self._manager.groups.get(key.group_id)
        if group is not None:
            self._rebalancer.expire_join(group, turn)

    def expire_pending_sync(self, key: SyncKey, turn: Turn) -> None:
        """Remove the members that have not sent SyncGroup."""
        group = self._manager.groups.get(key.group_id)
        if group is not None:
            self._rebalancer.expire_pending_sync(group, turn)

    def expire_offsets(self, _: OffsetExpirationKey, turn: Turn) -> None:
        """Begin to delete expired offsets, a step in each turn, and set the timer again."""
        self._cleanups.start(OffsetCleanup(cleanup_expired_offsets(self._manager, turn.wall_ms), "expired"), turn)
        self.schedule_offset_expiration(turn)

    def schedule_offset_expiration(self, turn: Turn) -> None:
        """Set the timer of `expire_offsets`."""
        interval_ms = self._manager.config.offsets_retention_check_interval_ms
        turn.set_timer(OffsetExpirationKey(), turn.monotonic_ms + interval_ms)

    def step_cleanup(self, _: OffsetCleanupKey, turn: Turn) -> None:
        """Do the next step of the cleanups."""
        self._cleanups.step(turn)
