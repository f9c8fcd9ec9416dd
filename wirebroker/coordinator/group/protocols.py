"""What the members of a group have in common, kept as counts: a join need not look at every member's protocols."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.coordinator.group.member import Member

    Protocols = list[tuple[str, bytes]]


class CommonProtocols:
    """How many members support which protocol."""

    def __init__(self) -> None:
        self._supporters: Counter[str] = Counter()
        self._members = 0

    def add(self, protocols: Protocols) -> None:
        """A member with these is here."""
        self._members += 1
        self._supporters.update({name for name, _ in protocols})

    def remove(self, protocols: Protocols) -> None:
        """A member with these is gone."""
        self._members -= 1
        for name in {name for name, _ in protocols}:
            self._supporters[name] -= 1
            if not self._supporters[name]:
                del self._supporters[name]

    def replace(self, old: Protocols, new: Protocols) -> None:
        """A member has changed its mind."""
        if old != new:
            self.remove(old)
            self.add(new)

    def candidates(self) -> set[str]:
        """Protocols that every member supports."""
        return {name for name, count in self._supporters.items() if count == self._members}

    def shares(self, protocols: Protocols) -> bool:
        """Whether one of these is supported by everybody, and there is somebody."""
        return any(self._supporters.get(name) == self._members for name, _ in protocols)

    def elect(self, members: Iterable[Member]) -> str:
        """Each votes for the first of its protocols that is a candidate; most votes win, the older choice on a tie."""
        candidates = self.candidates()
        votes: dict[str, int] = {}
        for member in members:
            choice = member.vote(candidates)
            assert choice is not None, "members without a common protocol are never let in"
            votes[choice] = votes.get(choice, 0) + 1
        return max(votes, key=votes.__getitem__)
