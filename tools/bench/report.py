"""Rows to words: medians with lowest and highest, ratios pair by pair, and whether the target is met."""

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from tools.bench.compare import Plan, Row
from tools.bench.sink import Ceiling
from tools.jvm import java

RESULTS = Path(__file__).with_name("RESULTS.md")
NOTES = Path(__file__).with_name("NOTES.md")
HEADER = ("workload", "unit", "Apache Kafka 3.9.1", "wirebroker", "ratio", "target", "met")


def ratios(row: Row) -> list[float]:
    """wirebroker's figure over Apache Kafka's, one for each round that has both."""
    return [ours / theirs for theirs, ours in zip(row.kafka, row.wirebroker, strict=False) if theirs]


def met(row: Row) -> bool | None:
    """Whether the medians reach the target; None without a target or without figures of both."""
    target, found = row.metric.target, ratios(row)
    if target is None or not found:
        return None
    return target.met(statistics.median(found), statistics.median(row.wirebroker))


def spread(figures: Sequence[float], digits: int) -> str:
    """Median, and lowest and highest when there is more than one figure."""
    if not figures:
        return "-"
    text = f"{statistics.median(figures):,.{digits}f}"
    if len(figures) > 1:
        text += f" ({min(figures):,.{digits}f}-{max(figures):,.{digits}f})"
    return text


def wanted(row: Row) -> str:
    target = row.metric.target
    if target is None:
        return ""
    sign = "≥" if target.at_least else "≤"
    return f"{sign} {target.bound:g}" + (f" {row.metric.unit}" if target.absolute else "")


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table, in the order of :data:`HEADER`."""
    digits = row.metric.digits
    verdict = {True: "yes", False: "no", None: ""}[met(row)]
    figures = (spread(row.kafka, digits), spread(row.wirebroker, digits), spread(ratios(row), 2))
    return (row.metric.title, row.metric.unit, *figures, wanted(row), verdict)


def table(rows: Sequence[Row]) -> str:
    lines = ["| " + " | ".join(HEADER) + " |", "|---|---|---:|---:|---:|---|---|"]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    failures = sorted({f"- {row.workload}: {row.failure}" for row in rows if row.failure})
    return "\n".join([*lines, *(["", "Not measured:", *failures] if failures else [])])


def text(rows: Sequence[Row]) -> str:
    """The table for a terminal."""
    lines = [HEADER, *(cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def as_json(rows: Sequence[Row], plan: Plan, ceiling: Ceiling | None) -> str:
    """Everything that was measured, for other programs."""
    return json.dumps(
        {
            "machine": machine(),
            "rounds": plan.rounds,
            "quick": plan.quick,
            "sender_ceiling_mb_per_s": ceiling and ceiling.flood_bytes_per_s / 1e6,
            "rows": [
                {
                    "workload": row.workload,
                    "title": row.metric.title,
                    "unit": row.metric.unit,
                    "kafka": row.kafka,
                    "wirebroker": row.wirebroker,
                    "ratios": ratios(row),
                    "target": wanted(row),
                    "met": met(row),
                    "failure": row.failure,
                }
                for row in rows
            ],
        },
        indent=2,
        ensure_ascii=False,
    )


def machine() -> dict[str, str]:
    """The hardware and versions on which the figures depend, without names of hosts or users."""
    memory_kb = int(Path("/proc/meminfo").read_text().split()[1])
    said = subprocess.run([java(), "-version"], capture_output=True, text=True, check=True).stderr
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cores": str(os.cpu_count()),
        "processor": models[0].partition(":")[2].strip() if models else platform.machine(),
        "memory": f"{memory_kb / 1e6:.0f} GB",
        "kernel": ".".join(platform.release().split("-")[0].split(".")[:2]),
        "python": platform.python_version(),
        "trio": version("trio"),
        "java": said.splitlines()[0].split('"')[1],
        "librdkafka client": f"confluent-kafka {version('confluent-kafka')}",
    }


def markdown(rows: Sequence[Row], plan: Plan, ceiling: Ceiling | None) -> str:
    """RESULTS.md: the table, the conditions, and NOTES.md, which people write."""
    facts = ", ".join(f"{name} {value}" for name, value in machine().items())
    verdicts = [verdict for verdict in map(met, rows) if verdict is not None]
    parts = [
        "# Wirebroker beside Apache Kafka 3.9.1",
        f"Written by `python -m tools.bench run` on {time.strftime('%Y-%m-%d', time.gmtime())}: "
        f"{plan.rounds} rounds after a warm-up, alternating, {'small volumes, ' if plan.quick else ''}"
        "median (lowest-highest); the ratio is wirebroker's figure over Apache Kafka's, taken round by round.",
        f"Machine: {facts}.",
        "Both brokers run with their own defaults, unpinned, on one disk; Apache Kafka is one KRaft node with a heap "
        "of 768 MB. All clients run on the same machine.",
        f"{sum(verdicts)} of {len(verdicts)} targets met.",
        table(rows),
    ]
    if ceiling is not None:
        small = " / ".join(f"{rate:,.0f}" for rate in ceiling.small_per_s.values())
        parts.append(
            "The raw sender against a peer that only reads and answers: "
            f"{ceiling.flood_bytes_per_s / 1e6:,.0f} MB/s, and {small} one-record requests/s with "
            f"{' / '.join(map(str, ceiling.small_per_s))} in flight."
        )
    if NOTES.exists():
        parts.append(NOTES.read_text().strip())
    return "\n\n".join(parts) + "\n"
