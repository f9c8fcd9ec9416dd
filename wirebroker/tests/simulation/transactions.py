"""TransactionOutcomes: what has become of each transaction, in each partition that it has written to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.tests.simulation.trace import Violation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wirebroker.tests.simulation.committed_log import PartitionKey


class TransactionOutcomes:
    """Compares the markers of one transaction with each other, and with what its producer was told."""

    def __init__(self) -> None:
        self.count = 0
        """The number of transactions whose end was acknowledged."""
        self._markers: dict[str, dict[PartitionKey, tuple[bool, int]]] = {}
        """Transaction -> partition -> whether it was committed there, and its number of records."""
        self._acknowledged: dict[str, tuple[bool, Mapping[PartitionKey, int]]] = {}
        """Transaction -> whether it was committed, and the number of records by partition."""

    def marker_written(self, key: PartitionKey, values: Sequence[bytes], *, is_commit: bool) -> None:
        """Note that the records *values* of a partition were committed or aborted.  Raises Violation."""
        found: dict[str, list[int]] = {}
        for value in values:
            name, _, number = value.decode().rpartition(" ")
            found.setdefault(name, []).append(int(number))
        for name, numbers in found.items():
            if numbers != list(range(len(numbers))):
                raise Violation(f"{key}: transaction {name} has the records {numbers}")
            markers = self._markers.setdefault(name, {})
            markers[key] = is_commit, len(numbers)
            if len({committed for committed, _ in markers.values()}) > 1:
                raise Violation(f"transaction {name} is committed in a part of its partitions: {_text(markers)}")
            self._check(name)

    def acknowledged(self, name: str, counts: Mapping[PartitionKey, int], *, is_commit: bool) -> None:
        """Note what a producer was told of its transaction, with *counts* records.  Raises Violation."""
        self.count += 1
        self._acknowledged[name] = is_commit, counts
        self._check(name)

    def given_up(self, name: str) -> None:
        """Note that a producer has not asked for the commit of a transaction, and never will.  Raises Violation."""
        self._acknowledged[name] = False, {}
        self._check(name)

    def check_all(self) -> None:
        """Check that all transactions are complete.  Raises Violation."""
        for name, (is_commit, counts) in self._acknowledged.items():
            missing = counts.keys() - self._markers.get(name, {})
            if missing:
                what = "committed" if is_commit else "aborted"
                raise Violation(f"transaction {name} was {what}, but not in {sorted(map(str, missing))}")

    def _check(self, name: str) -> None:
        if name not in self._acknowledged:
            return
        is_commit, counts = self._acknowledged[name]
        for key, (committed, count) in self._markers.get(name, {}).items():
            if committed != is_commit or (is_commit and count != counts.get(key)):
                raise Violation(
                    f"{key}: {count} records of transaction {name} are {'committed' if committed else 'aborted'}, but"
                    f" its producer was told {'commit' if is_commit else 'abort'} of {counts.get(key)}"
                )


def _text(markers: Mapping[PartitionKey, tuple[bool, int]]) -> str:
    return ", ".join(f"{key} {'commit' if committed else 'abort'}" for key, (committed, _) in markers.items())
