"""OffsetCleanup: removal of many committed offsets (expired, of deleted topics, of a deleted group) in short steps.

Each step is one turn of the event loop and appends one batch of tombstones; requests are handled between the steps.
Offsets that are committed meanwhile are newer than the reason of the cleanup, and are excluded from it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.timer_keys import OffsetCleanupKey
from wirebroker.coordinator.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from wirebroker.coordinator.group.classic_group import ClassicGroup
    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager

    Work = Callable[["OffsetCleanup"], Iterator[int]]
    """Does a cleanup, and yields the cost of each piece."""

logger = logging.getLogger(__name__)

_STEP_COST: Final = 10_000
"""About 3 ms, in units of one committed offset that is examined and stays (0.3 us)."""
_TOMBSTONE_COST: Final = 10
_GROUP_COST: Final = 3
_REMOVED_GROUP_COST: Final = 150
"""That of a group which is removed, too: most of it is its line in the log."""
_MEMBER_COST: Final = 30
_SLICE: Final = 500
"""Offsets that are examined between two questions whether the step is over."""


class OffsetCleanup:
    """One cleanup; `step` until it returns True.

    Args:
        work: does the cleanup.
        reason: why offsets are removed, for the log.
        on_finished: called with the turn of the last step.
    """

    def __init__(self, work: Work, reason: str, on_finished: Callable[[Turn], None] | None = None) -> None:
        self.excluded: set[tuple[str, str, int]] = set()
        """(group, topic, partition) of offsets that were committed since the cleanup began."""
        self.turn = Turn(0, 0)
        """The turn of the current step."""
        self.removed = 0
        self._work = work(self)
        self._reason = reason
        self._on_finished = on_finished

    def step(self, turn: Turn) -> bool:
        """Go on for about 3 ms; True when that was the end."""
        self.turn = turn
        turn.result.required_acks = 0
        cost = 0
        for units in self._work:
            cost += units
            if cost >= _STEP_COST:
                return False
        if self._on_finished is not None:
            self._on_finished(turn)
        if self.removed:
            logger.info("removed %d committed offsets: %s", self.removed, self._reason)
        return True


class OffsetCleanups:
    """The cleanups of one shard, which take turns with its requests: one goes on, the others wait."""

    def __init__(self) -> None:
        self.running: list[OffsetCleanup] = []
        """In the order in which they take place."""

    def start(self, cleanup: OffsetCleanup, turn: Turn) -> None:
        """Begin *cleanup* as soon as the requests that wait were handled, and the cleanups before it are over."""
        self.running.append(cleanup)
        if len(self.running) == 1:
            turn.set_timer(OffsetCleanupKey(), turn.monotonic_ms)

    def step(self, turn: Turn) -> None:
        """Do one step of the oldest cleanup."""
        if self.running and self.running[0].step(turn):
            self.running.pop(0)
        if self.running:
            turn.set_timer(OffsetCleanupKey(), turn.monotonic_ms)

    def exclude(self, group_id: str, topic: str, partition: int) -> None:
        """Have all cleanups leave an offset alone that was just committed."""
        for cleanup in self.running:
            cleanup.excluded.add((group_id, topic, partition))

    def clear(self) -> None:
        """Drop all cleanups; the shard is unloaded."""
        self.running.clear()


def cleanup_offsets_of_deleted_topics(manager: GroupMetadataManager, topics: frozenset[str]) -> Work:
    """Return the work that removes the offsets of deleted topics, and groups without other offsets."""

    def work(cleanup: OffsetCleanup) -> Iterator[int]:
        for group_id in list(manager.groups):
            examined = 0
            found = False
            for topic, partition in manager.offsets.keys_of(group_id):
                examined += 1
                if topic in topics:
                    found = True
                    yield _delete(manager, cleanup, group_id, topic, partition)
                elif not examined % _SLICE:
                    yield _SLICE
            group = manager.groups.get(group_id)
            if found and group is not None:
                yield _maybe_delete_group(manager, cleanup, group, "the topics of its offsets were deleted")
            yield _GROUP_COST + examined % _SLICE

    return work


def cleanup_expired_offsets(manager: GroupMetadataManager, wall_ms: int) -> Work:
    """Return the work that removes offsets expired at *wall_ms*, and groups without other offsets (KIP-211)."""

    def work(cleanup: OffsetCleanup) -> Iterator[int]:
        for group_id in list(manager.groups):
            group = manager.groups.get(group_id)
            if group is None:
                continue
            subscribed: frozenset[str] | None = frozenset()
            has_members = group.protocol_type is not None and group.state != ClassicGroupState.EMPTY
            if has_members and not manager.versions.expires_by_record:
                subscribed = yield from _subscribed(group)
            if subscribed is not None:
                examined = 0
                for topic, partition in manager.offsets.keys_of(group_id):
                    examined += 1
                    if manager.is_offset_expired(group, topic, partition, wall_ms, subscribed):
                        yield _delete(manager, cleanup, group_id, topic, partition)
                    elif not examined % _SLICE:
                        yield _SLICE
                if manager.groups.get(group_id) is group:
                    yield _maybe_delete_group(manager, cleanup, group, "its offsets have expired")
                yield _GROUP_COST + examined % _SLICE

    return work


def cleanup_offsets_of_deleted_group(group_id: str, keys: Iterable[tuple[str, int]]) -> Work:
    """Return the work that writes tombstones for the offsets of a group that the shard has deleted already."""

    def work(cleanup: OffsetCleanup) -> Iterator[int]:
        for topic, partition in keys:
            if (group_id, topic, partition) not in cleanup.excluded:
                cleanup.turn.append(records.offset_record(group_id, topic, partition, None))
            yield _TOMBSTONE_COST

    return work


def _delete(manager: GroupMetadataManager, cleanup: OffsetCleanup, group_id: str, topic: str, partition: int) -> int:
    """Delete one offset unless it is excluded; return the cost."""
    if (group_id, topic, partition) not in cleanup.excluded:
        manager.delete_offset(group_id, topic, partition, cleanup.turn)
        cleanup.removed += 1
    return _TOMBSTONE_COST


def _maybe_delete_group(manager: GroupMetadataManager, cleanup: OffsetCleanup, group: ClassicGroup, reason: str) -> int:
    """Delete a group that has neither members nor offsets any more; return the cost."""
    manager.maybe_delete(group, reason, cleanup.turn)
    return 0 if group.group_id in manager.groups else _REMOVED_GROUP_COST


def _subscribed(group: ClassicGroup) -> Generator[int, None, frozenset[str] | None]:
    """Yield the cost of `records.subscribed_topics`, then return its result.

    None if the topics are not certain: the group is in the middle of a rebalance, or has no consumers.
    """
    yield _MEMBER_COST * len(group.members)
    if group.state != ClassicGroupState.STABLE or group.protocol_type != "consumer":
        return None
    return records.subscribed_topics(group)
