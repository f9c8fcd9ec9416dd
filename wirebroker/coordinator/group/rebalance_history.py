"""RebalanceHistory: logs the events of a group, and keeps its last rebalances for `wirebroker groups explain`."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.coordinator.group.classic_group_member import ClassicGroupMember
    from wirebroker.coordinator.turn import Turn

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


class RebalanceHistory:
    """The last rebalances of one group, and the reasons of one that is under way."""

    def __init__(self, group_id: str) -> None:
        self._group_id = group_id
        self.rebalances: deque[Rebalance] = deque(maxlen=_KEPT)
        self._reasons: list[str] = []
        self._started_monotonic_ms = 0
        self._started_wall_ms = 0
        self._members_before: set[str] = set()
        self._left: set[str] = set()
        """Members removed since the last rebalance was completed."""

    def start(self, reason: str, members: Iterable[str] | None, turn: Turn, generation: int, state: str) -> None:
        """Note the start of a rebalance of a group that was in *state*.

        Args:
            reason: why; the reasons of a rebalance that was not completed (its leader died, say) count for this one.
            members: member ids of the generation before, without those that left since; None if the group was empty.
            turn: the moment.
            generation: the generation before.
            state: the state that the group was in.
        """
        self._reasons = [reason] if members is None else [*self._reasons, reason]
        self._started_monotonic_ms, self._started_wall_ms = turn.monotonic_ms, turn.wall_ms
        self._members_before = set() if members is None else {*members, *self._left}
        logger.info(
            "group=%s generation=%d: preparing to rebalance, was %s: %s", self._group_id, generation, state, reason
        )

    def add_reason(self, reason: str) -> None:
        """Note another reason of the rebalance that is under way."""
        self._reasons.append(reason)

    def member_left(self, member: ClassicGroupMember, generation: int, reason: str) -> None:
        """Note a member that was removed."""
        self._left.add(member.member_id)
        logger.info(
            "group=%s generation=%d: member %s of client_id=%s at %s removed: %s",
            *(self._group_id, generation, member.member_id, member.client_id, member.client_host, reason),
        )

    def static_member_replaced(self, instance_id: str, old_id: str, new_id: str, generation: int) -> None:
        """Note a static member whose client was started again and has another member id now."""
        logger.info(
            "group=%s generation=%d: static member %s replaced: %s is fenced by %s",
            *(self._group_id, generation, instance_id, old_id, new_id),
        )

    def created(self) -> None:
        """Note a group that was created for its first member."""
        logger.info("group=%s generation=0: created", self._group_id)

    def removed(self, generation: int, reason: str) -> None:
        """Note a group that was removed; simple groups (generation 0) may be very many and are logged at DEBUG."""
        level = logging.INFO if generation else logging.DEBUG
        logger.log(level, "group=%s generation=%d: removed: %s", self._group_id, generation, reason)

    def complete(self, generation: int, members: Iterable[str], turn: Turn) -> None:
        """Note that the rebalance is over: every member of *generation* has its assignment."""
        current = set(members)
        elapsed_ms = turn.monotonic_ms - self._started_monotonic_ms
        entry = Rebalance(
            self._started_wall_ms,
            self._started_wall_ms + elapsed_ms,
            generation,
            tuple(self._reasons),
            tuple(sorted(current - self._members_before)),
            tuple(sorted(self._members_before - current)),
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
