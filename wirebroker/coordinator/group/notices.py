"""GroupNotices: what a group shard does when a transaction has ended, and when topics are deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.coordinator.group.offset_cleanup import (
    OffsetCleanup,
    OffsetCleanups,
    cleanup_offsets_of_deleted_topics,
)

if TYPE_CHECKING:
    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
    from wirebroker.coordinator.group.requests import TopicsDeleted
    from wirebroker.coordinator.shard import TransactionEnded
    from wirebroker.coordinator.turn import Turn

_NAMES_LOGGED: Final = 3


class GroupNotices:
    """Handles TransactionEnded and TopicsDeleted, which nobody waits for.

    Args:
        manager: the groups and offsets.
        cleanups: the cleanups of offsets that are under way.
    """

    def __init__(self, manager: GroupMetadataManager, cleanups: OffsetCleanups) -> None:
        self._manager = manager
        self._cleanups = cleanups

    def end_transaction(self, notice: TransactionEnded, turn: Turn) -> None:
        """Commit or drop the pending offsets of a transaction whose marker is in the log."""
        self._manager.offsets.end_transaction(notice.producer_id, committed=notice.committed)

    def delete_topics(self, notice: TopicsDeleted, turn: Turn) -> None:
        """Begin to delete the offsets of topics, a step in each turn."""
        first = sorted(notice.names)[:_NAMES_LOGGED]
        more = len(notice.names) - len(first)
        reason = f"topics deleted: {', '.join(first)}{f' and {more} more' if more else ''}"
        cleanup = cleanup_offsets_of_deleted_topics(self._manager, notice.names)
        self._cleanups.start(OffsetCleanup(cleanup, reason), turn)
