"""FaultRounds: how often the faults of one cluster happen, and a line about them in the file of `--fault-summary`.

    def test_something(fault_rounds: StartRounds, ...):
        rounds = fault_rounds("three wirebrokers", "kill -9 of a leader")
        with cluster:
            for fault in rounds:
                ...
        rounds.note_records(acked, found)

A line is written when the cluster has been checked, or has failed.  The rounds of clusters that passed are not run
again with the same file, so that a run which was cut off by time goes on where it ended.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from compat_tests.cluster.clients import Acked

logger = logging.getLogger(__name__)

FAULT_RUNS: Final = 2
"""How often each fault happens in a cluster if `--fault-runs` is not given."""


class RecordCounts(NamedTuple):
    """How many records a cluster has acknowledged, lost and doubled."""

    records: int
    """How many were acknowledged."""
    lost: int
    """How many of them are not at their offsets."""
    doubled: int
    """How many acknowledgements name a record for a second time, or records have the value of another one."""


def count_records(acked: Collection[Acked], found: Collection[Acked]) -> RecordCounts:
    """Return the counts of acknowledged records, compared with those that were read."""
    doubled = len(acked) - len(set(acked)) + len(found) - len({each.value for each in found})
    return RecordCounts(len(acked), len(set(acked) - set(found)), doubled)


class FaultRounds:
    """The rounds of one cluster: an iterator of the names of the faults, in turn, which counts those that have ended.

    Args:
        cluster: The name of the cluster.
        wanted: How often each fault is to happen, by its name.
        seconds: After how long no other round begins; the first of each cluster always does.
    """

    def __init__(self, cluster: str, wanted: Mapping[str, int], seconds: float | None = None) -> None:
        self.cluster = cluster
        self.done: Counter[str] = Counter()
        self.records: RecordCounts | None = None
        """None until the records of the cluster were read."""
        self._wanted, self._seconds = dict(wanted), seconds
        self._took: dict[str, list[float]] = {}

    @property
    def most(self) -> int:
        """How often the fault that is to happen most often happens."""
        return max(self._wanted.values())

    def __iter__(self) -> Iterator[str]:
        began = time.monotonic()
        while left := [fault for fault, count in self._wanted.items() if self.done[fault] < count]:
            for fault in left:
                at = time.monotonic()
                if self._seconds is not None and self.done and at - began >= self._seconds:
                    return
                yield fault
                self.done[fault] += 1
                took = time.monotonic() - at
                self._took.setdefault(fault, []).append(took)
                logger.info("%s: %s, round %d: %.1f s", self.cluster, fault, self.done[fault], took)

    def note_records(self, acked: Collection[Acked], found: Collection[Acked]) -> None:
        """Count the acknowledged records, before those checks that may fail."""
        self.records = count_records(acked, found)

    def table(self) -> str:
        """A line for each fault that has happened: how often, and how long its rounds took."""
        rows = (
            f"{fault}: {len(took)} rounds, {min(took):.1f} to {max(took):.1f} s" for fault, took in self._took.items()
        )
        return "\n".join(rows)

    def line(self, test: str, failure: str | None) -> dict[str, Any]:
        """The line of the summary; *failure* is the message of a test that has failed."""
        return {
            "test": test,
            "cluster": self.cluster,
            "rounds": dict(self.done),
            "wanted": self._wanted,
            "seconds": {fault: [round(each, 1) for each in took] for fault, took in self._took.items()},
            **(self.records or RecordCounts(0, 0, 0))._asdict(),
            "failure": failure,
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
            "load_average": round(os.getloadavg()[0], 1),
        }


StartRounds = Callable[..., FaultRounds]


class FaultSummary:
    """The file of `--fault-summary`, or none: which rounds were run and checked before."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def checked(self, test: str) -> Counter[str]:
        """How often each fault of a test has happened in clusters that passed."""
        done: Counter[str] = Counter()
        for line in [] if self._path is None or not self._path.exists() else self._path.read_text().splitlines():
            each = json.loads(line)
            if each["test"] == test and each["failure"] is None:
                done.update(each["rounds"])
        return done

    def add(self, line: Mapping[str, Any]) -> None:
        """Append a line; runs side by side may have one file."""
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps(line) + "\n")

    def missing(self, test: str, wanted: Mapping[str, int]) -> dict[str, int]:
        """How often each fault of a test is still to happen, without those that have happened often enough."""
        checked = self.checked(test)
        return {fault: count - checked[fault] for fault, count in wanted.items() if checked[fault] < count}
