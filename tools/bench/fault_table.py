"""The table of RESULTS_CLUSTER.md about repeated faults, from files of `pytest --fault-summary`.

    python -m tools.bench.fault_table night.jsonl more.jsonl

A line of a file is one cluster.  `pytest --fault-runs 0 --fault-summary FILE` adds a line without rounds for each test,
so that the table has the faults that never happened, too.  The rounds and records of clusters that passed are added up;
those that failed are listed below the table, and their rounds do not count, as their records were not all checked.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ENDED_BY_HAND = "ended by hand"
"""The failure of a cluster whose run was interrupted, which is neither a pass nor a failure."""

Line = dict[str, Any]


class Group(NamedTuple):
    """The faults that take turns in one kind of cluster, so that its records are those of all of them."""

    cluster: str
    faults: tuple[str, ...]


def read_lines(files: Iterable[Path]) -> list[Line]:
    """Return the lines of all files."""
    return [json.loads(line) for file in files for line in file.read_text().splitlines() if line]


def table(lines: Iterable[Line], runs: int) -> str:
    """Return the Markdown table; a fault that happened less than *runs* times misses rounds."""
    rounds: Counter[tuple[str, str]] = Counter()
    sums: dict[Group, Counter[str]] = {}
    groups: dict[str, Group] = {}
    for line in lines:
        faults = groups.get(line["test"], Group(line["cluster"], tuple(line["wanted"]))).faults
        more = tuple(each for each in line["wanted"] if each not in faults)
        groups[line["test"]] = Group(line["cluster"], faults + more)
    ordered = sorted(groups.items(), key=lambda each: (each[1].faults, each[1].cluster))
    for line in lines:
        added = sums.setdefault(groups[line["test"]], Counter())
        added["failed"] += line["failure"] not in (None, ENDED_BY_HAND)
        for name in ("lost", "doubled"):
            added[name] += line[name]
        if line["failure"] is None:
            added["passed"] += bool(line["rounds"])
            added["records"] += line["records"]
            rounds.update({(line["test"], fault): count for fault, count in line["rounds"].items()})
    rows = ["| fault | cluster | rounds | missing | passed | failed | records | lost | doubled |"]
    rows.append("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for test, group in ordered:
        found = sums[group]
        totals = [f"{found[name]:,}" for name in ("passed", "failed", "records", "lost", "doubled")]
        for number, fault in enumerate(group.faults):
            count = rounds[test, fault]
            counts = [fault, group.cluster, f"{count}", f"{max(runs - count, 0)}"]
            rows.append("| " + " | ".join(counts + (totals if number == 0 else ['"'] * len(totals))) + " |")
    return "\n".join(rows)


def failures(lines: Iterable[Line]) -> list[str]:
    """Return a line for each cluster that failed, with the first line of its failure."""
    return [
        f"- {each['ended']} {each['cluster']}: {', '.join(each['wanted'])}: {each['failure'].partition(chr(10))[0]}"
        for each in lines
        if each["failure"] is not None
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, the sums and the failures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a file of --fault-summary")
    parser.add_argument("--runs", type=int, default=20, help="how often each fault is to happen (default: %(default)s)")
    options = parser.parse_args(arguments)
    lines = read_lines(options.files)
    passed = [each for each in lines if each["failure"] is None and each["rounds"]]
    rounds = sum(sum(each["rounds"].values()) for each in passed)
    records = sum(each["records"] for each in passed)
    lost, doubled = (sum(each[name] for each in lines) for name in ("lost", "doubled"))
    print(table(lines, options.runs))
    print(f"\n{rounds:,} rounds in {len(passed)} clusters, {records:,} records, {lost} lost, {doubled} doubled")
    print("\n".join(failures(lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
