"""GroupRules: the invariants of a consumer group, over what all of its members are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.tests.simulation.trace import Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class GroupRules:
    """Knows all assignments, and the highest offsets whose commits were acknowledged."""

    def __init__(self) -> None:
        self.committed: dict[int, int] = {}
        """Partition -> offset; members commit higher ones only."""
        self._owners: dict[tuple[int, int], str] = {}
        """(generation, partition) -> the member that has it."""

    @property
    def generations(self) -> int:
        """The number of generations in which partitions were assigned."""
        return len({generation for generation, _ in self._owners})

    def assigned(self, generation: int, member_id: str, partitions: Iterable[int]) -> None:
        """Note what SyncGroup has assigned.  Raises Violation."""
        for each in partitions:
            owner = self._owners.setdefault((generation, each), member_id)
            if owner != member_id:
                raise Violation(f"partition {each} is assigned to {owner} and {member_id} in generation {generation}")

    def committed_offsets(self, offsets: Mapping[int, int]) -> None:
        """Note commits that were acknowledged."""
        for partition, offset in offsets.items():
            self.committed[partition] = max(offset, self.committed.get(partition, -1))
