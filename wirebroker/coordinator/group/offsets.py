"""Committed offsets of all groups of one shard: what was committed, what is pending in transactions, what expires.

A committed offset changes only by a commit, by expiry (KIP-211: from when the group became empty; old
commits that carry their own expiry keep it), by deletion, or by a transaction's marker.
"""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class CommittedOffset(NamedTuple):
    """One commit; `expire_ms` is -1 unless the client asked for a retention of its own (versions before 5)."""

    offset: int
    leader_epoch: int
    metadata: str
    commit_ms: int
    expire_ms: int = -1


class PendingOffsets(NamedTuple):
    """Commits of one open transaction."""

    group_id: str
    offsets: dict[tuple[str, int], CommittedOffset]


class OffsetTable:
    """(group, topic, partition) -> committed offset, and the same per open transaction."""

    def __init__(self) -> None:
        self._groups: dict[str, dict[tuple[str, int], CommittedOffset]] = {}
        self._pending: dict[int, dict[str, dict[tuple[str, int], CommittedOffset | None]]] = {}
        self._pending_count: dict[tuple[str, str, int], int] = {}

    def commit(self, group_id: str, topic: str, partition: int, offset: CommittedOffset) -> None:
        """Take over a commit; it overrules what came before."""
        offsets = self._groups.get(group_id)
        if offsets is None:
            offsets = self._groups[group_id] = {}
        # Interned: a million commits on one topic hold its name once.
        offsets[intern(topic), partition] = offset

    def forget(self, group_id: str, topic: str, partition: int) -> None:
        """Remove a commit, if there is one."""
        offsets = self._groups.get(group_id)
        if offsets is not None and offsets.pop((topic, partition), None) is not None and not offsets:
            del self._groups[group_id]

    def get(self, group_id: str, topic: str, partition: int) -> CommittedOffset | None:
        """What was committed last."""
        offsets = self._groups.get(group_id)
        return offsets.get((topic, partition)) if offsets else None

    def of_group(self, group_id: str) -> dict[tuple[str, int], CommittedOffset]:
        """All commits of a group; do not change it."""
        return self._groups.get(group_id, {})

    def groups(self) -> Iterator[str]:
        """Groups that have commits or pending ones."""
        yield from tuple(self._groups)

    # -- transactions ----------------------------------------------------------------------------------------

    def commit_pending(
        self, producer_id: int, group_id: str, topic: str, partition: int, offset: CommittedOffset | None
    ) -> None:
        """A commit inside a transaction: visible when its marker says so."""
        entries = self._pending.setdefault(producer_id, {}).setdefault(group_id, {})
        if (topic, partition) not in entries:
            key = (group_id, topic, partition)
            self._pending_count[key] = self._pending_count.get(key, 0) + 1
        entries[topic, partition] = offset

    def is_pending(self, group_id: str, topic: str, partition: int) -> bool:
        """Whether an open transaction holds a commit for this partition (KIP-447)."""
        return (group_id, topic, partition) in self._pending_count

    def has_pending(self, group_id: str) -> bool:
        """Whether an open transaction holds any commit of this group."""
        return any(group_id in groups for groups in self._pending.values())

    def end_transaction(self, producer_id: int, *, committed: bool) -> set[str]:
        """The marker has come: pending commits become real, or go.  Returns the groups concerned."""
        groups = self._pending.pop(producer_id, {})
        for group_id, entries in groups.items():
            for (topic, partition), offset in entries.items():
                key = (group_id, topic, partition)
                left = self._pending_count[key] - 1
                if left:
                    self._pending_count[key] = left
                else:
                    del self._pending_count[key]
                if not committed:
                    continue
                if offset is None:
                    self.forget(group_id, topic, partition)
                else:
                    self.commit(group_id, topic, partition, offset)
        return set(groups)

    # -- expiry ----------------------------------------------------------------------------------------------

    def expired(
        self, group_id: str, now_ms: int, retention_ms: int, since_ms: int | None, subscribed: frozenset[str]
    ) -> list[tuple[str, int]]:
        """Partitions whose commit is too old.

        Args:
            since_ms: when the group became empty; None for a group without members ever (simple
                consumers), where each commit's own age counts.
            subscribed: topics that live members consume; their commits stay.
        """
        found = []
        for (topic, partition), offset in self._groups.get(group_id, {}).items():
            if topic in subscribed or self.is_pending(group_id, topic, partition):
                continue
            if offset.expire_ms != -1:
                gone = now_ms >= offset.expire_ms
            else:
                base_ms = offset.commit_ms if since_ms is None else max(since_ms, offset.commit_ms)
                gone = now_ms - base_ms >= retention_ms
            if gone:
                found.append((topic, partition))
        return found
