"""The tables of RESULTS_CLUSTER.md about repeated faults, from files of `pytest --fault-summary`.

    python -m tools.bench.fault_table [--write] [night.jsonl more.jsonl]

Without files it is fault_rounds.jsonl, the record of all rounds.  A line of a file is one cluster.
`pytest --fault-runs 0 --fault-summary FILE` adds a line without rounds for each test, so that the tables have the
faults that never happened, too.  The rounds and records of clusters that passed are added up; those that failed are
listed below the tables, and their rounds do not count, as their records were not all checked.
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

RECORD = Path(__file__).with_name("fault_rounds.jsonl")
RESULTS = Path(__file__).with_name("RESULTS_CLUSTER.md")
BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"
ENDED_BY_HAND = "ended by hand"
"""The failure of a cluster whose run was interrupted, which is neither a pass nor a failure."""

Line = dict[str, Any]


class Table(NamedTuple):
    """Clusters that have faults in common, and all faults of these clusters."""

    clusters: list[str]
    faults: list[str]


def read_lines(files: Iterable[Path]) -> list[Line]:
    """Return the lines of all files."""
    return [json.loads(line) for file in files for line in file.read_text().splitlines() if line]


def tables(lines: Iterable[Line]) -> list[Table]:
    """Return which clusters and faults have a table of their own, in the order of the lines."""
    found: list[Table] = []
    for line in lines:
        faults = list(line["wanted"])
        same = [each for each in found if line["cluster"] in each.clusters or not set(faults).isdisjoint(each.faults)]
        merged = Table([], [])
        for clusters, others in [*same, Table([line["cluster"]], faults)]:
            merged.clusters.extend(each for each in clusters if each not in merged.clusters)
            merged.faults.extend(each for each in others if each not in merged.faults)
        at = found.index(same[0]) if same else len(found)
        found = [each for each in found if each not in same]
        found.insert(at, merged)
    return found


def markdown(table: Table, lines: Iterable[Line], runs: int) -> str:
    """Return the table of rounds; a fault of a test that happened less than *runs* times in a cluster misses rounds."""
    rounds: Counter[tuple[str, str]] = Counter()
    sums: dict[str, Counter[str]] = {each: Counter() for each in table.clusters}
    for line in lines:
        if line["cluster"] not in table.clusters:
            continue
        added = sums[line["cluster"]]
        added["failed"] += line["failure"] not in (None, ENDED_BY_HAND)
        added["lost"] += line["lost"]
        added["doubled"] += line["doubled"]
        rounds.update({(fault, line["cluster"]): 0 for fault in line["wanted"]})
        if line["failure"] is None:
            added["records"] += line["records"]
            rounds.update({(fault, line["cluster"]): count for fault, count in line["rounds"].items()})
    rows = ["| fault | " + " | ".join([*table.clusters, "missing"]) + " |"]
    rows.append("|---|" + "---:|" * (len(table.clusters) + 1))
    missing = 0
    for fault in table.faults:
        counts = [rounds.get((fault, each)) for each in table.clusters]
        left = sum(max(runs - count, 0) for count in counts if count is not None)
        missing += left
        rows.append(_row(fault, ["" if count is None else f"{count:,}" for count in counts], left))
    every = [sum(count for (_, cluster), count in rounds.items() if cluster == each) for each in table.clusters]
    rows.append(_row("all", [f"{each:,}" for each in every], missing))
    for name, what in (
        ("records", "records checked"),
        ("lost", "… lost"),
        ("doubled", "… doubled"),
        ("failed", "clusters that failed"),
    ):
        rows.append(_row(what, [f"{sums[each][name]:,}" for each in table.clusters]))
    return "\n".join(rows)


def _row(name: str, cells: Iterable[str], missing: int | None = None) -> str:
    return "| " + " | ".join([name, *cells, "" if missing is None else f"{missing:,}"]) + " |"


def failures(lines: Iterable[Line]) -> list[str]:
    """Return a line for each cluster that failed, with the first line of its failure."""
    return [
        f"- {each['ended']} {each['cluster']}: {', '.join(each['wanted'])}: {each['failure'].partition(chr(10))[0]}"
        for each in lines
        if each["failure"] is not None
    ]


def report(lines: Sequence[Line], runs: int) -> str:
    """Return the tables, the sums and the failures."""
    passed = [each for each in lines if each["failure"] is None and each["rounds"]]
    rounds = sum(sum(each["rounds"].values()) for each in passed)
    records = sum(each["records"] for each in passed)
    lost, doubled = (sum(each[name] for each in lines) for name in ("lost", "doubled"))
    sums = f"{rounds:,} rounds, {records:,} records checked, {lost} lost, {doubled} doubled.  Clusters that failed:"
    parts = [markdown(each, lines, runs) for each in tables(lines)]
    return "\n\n".join([*parts, sums, "\n".join(failures(lines)) or "none"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, the sums and the failures, or write them to RESULTS_CLUSTER.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="a file of --fault-summary")
    parser.add_argument("--runs", type=int, default=20, help="how often each fault is to happen (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help="put the tables between the marks in RESULTS_CLUSTER.md")
    options = parser.parse_args(arguments)
    text = report(read_lines(options.files or [RECORD]), options.runs)
    if options.write:
        before, _, rest = RESULTS.read_text().partition(BEGIN)
        _, _, after = rest.partition(END)
        RESULTS.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
