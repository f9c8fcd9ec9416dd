"""OffsetMetadataManager: committed offsets of all groups of one shard, and those pending in open transactions.

A committed offset changes only by a commit, by expiration (KIP-211), by deletion, or by a transaction's marker.

An offset expires `offsets.retention.minutes` after its group became empty, or after its commit if that came later; old
commits that carry their own expiration keep it.  Apache Kafka counts from when the group became empty alone: an offset
that an operator sets for an idle group may expire in the next minutes there.
"""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class OffsetAndMetadata(NamedTuple):
    """One commit; `expire_ms` is -1 unless the client asked for a retention of its own (versions before 5)."""

    offset: int
    leader_epoch: int
    metadata: str
    commit_ms: int
    expire_ms: int = -1

    def is_expired(self, wall_ms: int, retention_ms: int, group_empty_since_ms: int | None) -> bool:
        """Whether the commit is too old at *wall_ms*.

        *group_empty_since_ms* is when a group with members became empty; None for a group without members ever (a
        simple consumer) and for topics that the members do not consume, where each commit's own age counts.
        """
        if self.expire_ms != -1:
            return wall_ms >= self.expire_ms
        since_ms = self.commit_ms if group_empty_since_ms is None else max(group_empty_since_ms, self.commit_ms)
        return wall_ms - since_ms >= retention_ms


class _PendingCommit(NamedTuple):
    """A commit inside a transaction, and its place in the order of all commits."""

    order: int
    committed: OffsetAndMetadata | None


_Key = tuple[str, str, int]


class OffsetMetadataManager:
    """(group, topic, partition) -> committed offset, and the same per open transaction.

    Of several commits for one partition the one counts whose record comes last in the log, whenever its transaction
    ends.  The order of commits matters only where a transaction is pending, and is noted only there.
    """

    def __init__(self) -> None:
        self._groups: dict[str, dict[tuple[str, int], OffsetAndMetadata]] = {}
        self._pending: dict[int, dict[_Key, _PendingCommit]] = {}
        """Producer id -> its open transaction's commits."""
        self._pending_count: dict[str, dict[tuple[str, int], int]] = {}
        """Group -> (topic, partition) -> how many open transactions have a commit for it."""
        self._newest: dict[_Key, int] = {}
        """Order of the last commit that counts, of keys that have pending ones."""
        self._order = 0

    def clear(self) -> None:
        """Drop all offsets; the shard is unloaded."""
        for offsets in (self._groups, self._pending, self._pending_count, self._newest):
            offsets.clear()

    def commit(self, group_id: str, topic: str, partition: int, offset: OffsetAndMetadata) -> OffsetAndMetadata | None:
        """Store a commit, and return the one before, None if there was none."""
        if self._pending_count and self.is_pending(group_id, topic, partition):
            self._order += 1
            self._newest[group_id, topic, partition] = self._order
        return self._put(group_id, topic, partition, offset)

    def _put(self, group_id: str, topic: str, partition: int, offset: OffsetAndMetadata) -> OffsetAndMetadata | None:
        offsets = self._groups.get(group_id)
        if offsets is None:
            offsets = self._groups[group_id] = {}
        # Interned: a million commits on one topic hold its name once.
        key = intern(topic), partition
        before = offsets.get(key)
        offsets[key] = offset
        return before

    def delete(self, group_id: str, topic: str, partition: int) -> None:
        """Delete a commit, if there is one, and those that are pending."""
        self._remove(group_id, topic, partition)
        key = group_id, topic, partition
        if self._pending_count and self.is_pending(*key):
            for producer_id, entries in list(self._pending.items()):
                if entries.pop(key, None) is not None and not entries:
                    del self._pending[producer_id]
            self._not_pending(key)
            self._newest.pop(key, None)

    def _not_pending(self, key: _Key) -> None:
        pending = self._pending_count[key[0]]
        del pending[key[1:]]
        if not pending:
            del self._pending_count[key[0]]

    def _remove(self, group_id: str, topic: str, partition: int) -> None:
        offsets = self._groups.get(group_id)
        if offsets is not None and offsets.pop((topic, partition), None) is not None and not offsets:
            del self._groups[group_id]

    def get(self, group_id: str, topic: str, partition: int) -> OffsetAndMetadata | None:
        """The last commit; None if there is none."""
        offsets = self._groups.get(group_id)
        return offsets.get((topic, partition)) if offsets else None

    def of_group(self, group_id: str) -> dict[tuple[str, int], OffsetAndMetadata]:
        """All commits of a group, by (topic, partition); not to be changed."""
        return self._groups.get(group_id, {})

    def all_groups(self) -> list[tuple[str, dict[tuple[str, int], OffsetAndMetadata]]]:
        """Return every group with its commits, which are not to be changed."""
        return list(self._groups.items())

    def keys_of(self, group_id: str) -> list[tuple[str, int]]:
        """The (topic, partition) of all commits of a group and of its pending ones, as they are now."""
        known = self._groups.get(group_id, {})
        return [*known, *(key for key in self._pending_count.get(group_id, ()) if key not in known)]

    def take_group(self, group_id: str) -> dict[tuple[str, int], OffsetAndMetadata]:
        """Remove all commits of a group, and return them."""
        return self._groups.pop(group_id, {})

    def groups(self) -> set[str]:
        """Groups that have commits or pending ones."""
        return {*self._groups, *self._pending_count}

    # -- transactions ----------------------------------------------------------------------------------------

    def commit_pending(
        self, producer_id: int, group_id: str, topic: str, partition: int, offset: OffsetAndMetadata | None
    ) -> None:
        """Store a commit inside a transaction, visible from the COMMIT marker on; *offset* None is a deletion."""
        entries = self._pending.setdefault(producer_id, {})
        key = group_id, intern(topic), partition
        if key not in entries:
            pending = self._pending_count.setdefault(group_id, {})
            pending[key[1:]] = pending.get(key[1:], 0) + 1
        self._order += 1
        entries[key] = _PendingCommit(self._order, offset)

    def is_pending(self, group_id: str, topic: str, partition: int) -> bool:
        """Whether an open transaction holds a commit for this partition (KIP-447)."""
        pending = self._pending_count.get(group_id)
        return pending is not None and (topic, partition) in pending

    def pending_of(self, group_id: str) -> Iterable[tuple[str, int]]:
        """The (topic, partition) of all commits of a group inside open transactions."""
        return self._pending_count.get(group_id, ())

    def has_pending(self, group_id: str) -> bool:
        """Whether an open transaction holds any commit of this group."""
        return group_id in self._pending_count

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Apply a transaction marker: the producer's pending commits become visible, or are dropped."""
        for key, (order, offset) in self._pending.pop(producer_id, {}).items():
            pending = self._pending_count[key[0]]
            last = pending[key[1:]] == 1
            if last:
                self._not_pending(key)
            else:
                pending[key[1:]] -= 1
            newest = self._newest.pop(key, 0) if last else self._newest.get(key, 0)
            if not committed or order < newest:
                continue
            if not last:
                self._newest[key] = order
            if offset is None:
                self._remove(*key)
            else:
                self._put(*key, offset)
