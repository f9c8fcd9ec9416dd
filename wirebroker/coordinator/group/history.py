"""The life of a group: one log line for each event; the last rebalances are kept for `wirebroker groups explain`."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.coordinator.shard import Now

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.coordinator.group.member import Member

logger = logging.getLogger(__name__)

_KEPT: Final = 20


class Rebalance(NamedTuple):
    """One rebalance, from its first reason to the leader's assignment."""

    started_ms: int
    finished_ms: int
    generation: int
    reasons: tuple[str, ...]
    joined: tuple[str, ...]
    left: tuple[str, ...]


class History:
    """What made one group rebalance lately."""

    def __init__(self, group_id: str) -> None:
        self._group_id = group_id
        self.rebalances: deque[Rebalance] = deque(maxlen=_KEPT)
        self._reasons: list[str] = []
        self._started = Now(0, 0)
        self._before: set[str] = set()
        self._left: set[str] = set()
        """Gone since the last rebalance ended."""

    def begin(self, reason: str, members: Iterable[str] | None, now: Now, generation: int, state: str) -> None:
        """A rebalance starts; *members* were in the generation before it, and so were those who just left.

        None when there was no such generation: the group was empty.  If one that went on has come to nothing, because
        its leader died, say, its reasons are this one's, too.
        """
        self._reasons = [reason] if members is None else [*self._reasons, reason]
        self._started = now
        self._before = set() if members is None else {*members, *self._left}
        logger.info(
            "group=%s generation=%d: preparing to rebalance, was %s: %s", self._group_id, generation, state, reason
        )

    def because(self, reason: str) -> None:
        """Something more happened while it went on."""
        self._reasons.append(reason)

    def left(self, member: Member, generation: int, reason: str) -> None:
        """Note a member that was removed."""
        self._left.add(member.member_id)
        logger.info(
            "group=%s generation=%d: member %s of client_id=%s at %s removed: %s",
            *(self._group_id, generation, member.member_id, member.client_id, member.client_host, reason),
        )

    def replaced(self, instance_id: str, old_id: str, new_id: str, generation: int) -> None:
        """Note a static member whose client has come back under another member id."""
        logger.info(
            "group=%s generation=%d: static member %s replaced: %s is fenced by %s",
            *(self._group_id, generation, instance_id, old_id, new_id),
        )

    def created(self) -> None:
        """Note a group that was created for its first member."""
        logger.info("group=%s generation=0: created", self._group_id)

    def removed(self, generation: int, reason: str) -> None:
        """Note a group that was removed; groups without members ever come and go by the hundred thousand."""
        level = logging.INFO if generation else logging.DEBUG
        logger.log(level, "group=%s generation=%d: removed: %s", self._group_id, generation, reason)

    def end(self, generation: int, members: Iterable[str], now: Now) -> None:
        """The new generation is complete."""
        current = set(members)
        elapsed_ms = now.monotonic_ms - self._started.monotonic_ms
        entry = Rebalance(
            self._started.wall_ms,
            self._started.wall_ms + elapsed_ms,
            generation,
            tuple(self._reasons),
            tuple(sorted(current - self._before)),
            tuple(sorted(self._before - current)),
        )
        self.rebalances.append(entry)
        self._left.clear()
        logger.info(
            "group=%s generation=%d: %s after %d ms, %d members, %d joined, %d left: %s",
            self._group_id,
            generation,
            "stabilized" if current else "empty",
            elapsed_ms,
            len(current),
            len(entry.joined),
            len(entry.left),
            "; ".join(self._reasons),
        )
        self._reasons = []
