"""Sweeps: removal of many committed offsets in short steps, each one batch of tombstones.

Each step is one turn of the event loop, so requests come in between.  What they commit while a sweep goes on is newer
than the reason for it, and is spared.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic import ClassicGroup, GroupState
from wirebroker.coordinator.shard import Now, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from wirebroker.coordinator.group.shard import GroupShard

    Key = tuple[str, str, int]

logger = logging.getLogger(__name__)

_STEP_COST: Final = 10_000
"""About 3 ms, in units of one committed offset that is looked at and stays (0.3 us)."""
_TOMBSTONE_COST: Final = 10
_GROUP_COST: Final = 3
_MEMBER_COST: Final = 30
_SLICE: Final = 500
"""Offsets that are looked at between two questions whether the step is over."""


class Sweep:
    """One sweep of a shard; `step` until it returns True.

    Args:
        shard: what it removes from.
        work: does it, yielding what each piece has cost.
        what: why they are removed, for the log.
        finished: called with the last step's outcome.
    """

    def __init__(
        self,
        shard: GroupShard,
        work: Callable[[Sweep], Iterator[int]],
        what: str,
        finished: Callable[[Outcome], None] | None = None,
    ) -> None:
        self.shard = shard
        self.spared: set[Key] = set()
        """Committed since the sweep began."""
        self.now = Now(0, 0)
        self.out = Outcome()
        self._work = work(self)
        self._what = what
        self._finished = finished
        self._removed = 0

    def step(self, now: Now, out: Outcome) -> bool:
        """Go on for a while; True when that was the end."""
        self.now, self.out = now, out
        cost = 0
        for units in self._work:
            cost += units
            if cost >= _STEP_COST:
                return False
        if self._finished is not None:
            self._finished(out)
        if self._removed:
            logger.info("removed %d committed offsets: %s", self._removed, self._what)
        return True

    def remove(self, group_id: str, topic: str, partition: int) -> int:
        """Remove one offset, unless it is spared; return the cost."""
        if (group_id, topic, partition) not in self.spared:
            self.shard.forget(group_id, topic, partition, self.out)
            self._removed += 1
        return _TOMBSTONE_COST


def of_deleted_topics(names: frozenset[str]) -> Callable[[Sweep], Iterator[int]]:
    """Remove the offsets of deleted topics, and groups that have no others."""

    def work(sweep: Sweep) -> Iterator[int]:
        shard = sweep.shard
        for group_id in list(shard.groups):
            looked_at = 0
            found = False
            for topic, partition in shard.offsets.keys_of(group_id):
                looked_at += 1
                if topic in names:
                    found = True
                    yield sweep.remove(group_id, topic, partition)
                elif not looked_at % _SLICE:
                    yield _SLICE
            group = shard.groups.get(group_id)
            if found and group is not None:
                shard.maybe_die(group, sweep.now, sweep.out, "the topics of its offsets were deleted")
            yield _GROUP_COST + looked_at % _SLICE

    return work


def of_expired_offsets(now: Now) -> Callable[[Sweep], Iterator[int]]:
    """Remove the offsets that are too old at *now*, and groups that have no others (KIP-211)."""

    def work(sweep: Sweep) -> Iterator[int]:
        shard = sweep.shard
        for group_id in list(shard.groups):
            group = shard.groups.get(group_id)
            if group is None:
                continue
            subscribed: frozenset[str] | None = frozenset()
            if group.protocol_type is not None and group.state != GroupState.EMPTY:
                subscribed = yield from _subscribed(group)
            if subscribed is not None:
                looked_at = 0
                for topic, partition in shard.offsets.keys_of(group_id):
                    looked_at += 1
                    if shard.is_expired(group, topic, partition, now.wall_ms, subscribed):
                        yield sweep.remove(group_id, topic, partition)
                    elif not looked_at % _SLICE:
                        yield _SLICE
                if shard.groups.get(group_id) is group:
                    shard.maybe_die(group, sweep.now, sweep.out, "its offsets have expired")
                yield _GROUP_COST + looked_at % _SLICE

    return work


def _subscribed(group: ClassicGroup) -> Generator[int, None, frozenset[str] | None]:
    """Return what `records.subscribed_topics` does, paying for it first; None when that is not certain.

    Which topics are read is known of consumers, and not in the middle of a rebalance.
    """
    yield _MEMBER_COST * len(group.members)
    if group.state != GroupState.STABLE or group.protocol_type != "consumer":
        return None
    return records.subscribed_topics(group)


def of_removed_group(group_id: str, keys: Iterable[tuple[str, int]]) -> Callable[[Sweep], Iterator[int]]:
    """Write the tombstones of offsets that a deleted group had; the shard holds them no longer."""

    def work(sweep: Sweep) -> Iterator[int]:
        for topic, partition in keys:
            if (group_id, topic, partition) not in sweep.spared:
                sweep.out.records.append(records.offset_record(group_id, topic, partition, None))
            yield _TOMBSTONE_COST

    return work
