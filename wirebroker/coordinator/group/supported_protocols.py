"""SupportedProtocols: how many members of a group support which protocol.

Kept as counts, so that a join need not look at every member's protocols.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.coordinator.group.classic_group_member import ClassicGroupMember, Protocols


class SupportedProtocols:
    """Protocol name -> number of members that support it."""

    def __init__(self) -> None:
        self._supporters: Counter[str] = Counter()
        self._members = 0

    def add(self, protocols: Protocols) -> None:
        """Count a member that joins with *protocols*."""
        self._members += 1
        self._supporters.update({name for name, _ in protocols})

    def remove(self, protocols: Protocols) -> None:
        """Take back `add` of a member that leaves."""
        self._members -= 1
        for name in {name for name, _ in protocols}:
            self._supporters[name] -= 1
            if not self._supporters[name]:
                del self._supporters[name]

    def replace(self, old: Protocols, new: Protocols) -> None:
        """Count a member that joins again with *new* in place of *old*."""
        if old != new:
            self.remove(old)
            self.add(new)

    def is_candidate(self, name: str) -> bool:
        """Whether every member supports the protocol *name*."""
        return self._supporters[name] == self._members

    def contains_any(self, protocols: Protocols) -> bool:
        """Whether every member supports one of *protocols*; with no member left, any will do, as in Apache Kafka."""
        return any(self.is_candidate(name) for name, _ in protocols)

    def select(self, members: Iterable[ClassicGroupMember]) -> str:
        """The candidate with most votes; each member votes for its first, and on a tie the earlier vote wins."""
        votes: dict[str, int] = {}
        for member in members:
            choice = member.vote(self.is_candidate)
            assert choice is not None, "JoinGroup refuses a member without a common protocol"
            votes[choice] = votes.get(choice, 0) + 1
        return max(votes, key=votes.__getitem__)
