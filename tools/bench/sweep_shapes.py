"""Points of the sweep, and the shapes that their curves must have, whatever the machine's speed."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SIZES = (10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 7000, 10_000)
"""Record sizes in bytes: 14 steps from 10 B to 10 kB."""
PLAIN_SIZE = 1000
"""The record size of the curves over something else."""
TOLERANCE = 0.75
"""A curve that must not fall may be lower by this factor: neighbouring points of one run differ by as much."""


class Setup(NamedTuple):
    """The topic and the clients with which a point is measured."""

    size: int
    partitions: int = 1
    replicas: int = 3
    clients: int = 1
    """The number of producers that write at once, and of consumers that read then."""


class Point(NamedTuple):
    """One measurement of one cluster, in 10**6 bytes of record values a second."""

    cluster: str
    setup: Setup
    written: float
    read: float
    """The sum of all consumers, each of which reads everything."""


class Shape(NamedTuple):
    """A property of a curve, and whether it holds."""

    what: str
    holds: bool
    figures: str


def shapes_of(points: Sequence[Point]) -> list[Shape]:
    """Return the shapes of each cluster's curves; a curve of fewer than two points has none."""
    found: list[Shape] = []
    for name in sorted({each.cluster for each in points}):
        own = [each for each in points if each.cluster == name]
        found += _by_size(name, own)
        found += _by_replicas(name, own)
        found += _by_count(name, own, "partitions", lambda setup: setup.partitions)
        found += _by_count(name, own, "clients", lambda setup: setup.clients)
    return found


def _plain(points: Iterable[Point], replicas: int) -> dict[int, Point]:
    """Record size -> the point of one client and one partition."""
    return {each.setup.size: each for each in points if each.setup == Setup(each.setup.size, replicas=replicas)}


def _by_size(name: str, points: Sequence[Point]) -> list[Shape]:
    found = []
    for replicas in (1, 2, 3):
        plain = _plain(points, replicas)
        if len(plain) < 2:
            continue
        sizes = sorted(plain)
        curves = {
            "written": [plain[size].written for size in sizes],
            "read": [plain[size].read for size in sizes],
        }
        for verb, rates in curves.items():
            # a leap for each decade: small records cost their number, large ones their bytes
            decades = [_median(rates, sizes, low, 10 * low) for low in (10, 100, 1000)]
            figures = " → ".join(f"{each:.1f}" for each in decades) + " MB/s (10 B, 100 B, 1 kB and more)"
            what = f"{name}, replication factor {replicas}: MB/s {verb} grow with the record size"
            found.append(Shape(what, decades[0] < decades[1] and decades[1] * TOLERANCE < decades[2], figures))
            per_s = [rate / size for rate, size in zip(rates, sizes, strict=True)]
            what = f"{name}, replication factor {replicas}: records {verb} a second fall with the record size"
            figures = f"{1e6 * per_s[0]:,.0f} of {sizes[0]} B, {1e6 * per_s[-1]:,.0f} of {sizes[-1]} B"
            found.append(Shape(what, per_s[0] > 2 * per_s[-1], figures))
    return found


def _median(rates: Sequence[float], sizes: Sequence[int], low: int, high: int) -> float:
    inside = [rate for rate, size in zip(rates, sizes, strict=True) if low <= size < high or size == high == SIZES[-1]]
    return statistics.median(inside) if inside else 0.0


def _by_replicas(name: str, points: Sequence[Point]) -> list[Shape]:
    medians = {}
    for replicas in (1, 2, 3):
        plain = _plain(points, replicas)
        if plain:
            medians[replicas] = statistics.median(each.written for each in plain.values())
    if len(medians) < 2:
        return []
    falls = medians[min(medians)] > medians[max(medians)]
    orderly = all(medians[one] >= medians[more] * TOLERANCE for one in medians for more in medians if one < more)
    figures = ", ".join(f"{each}: {median:.1f} MB/s" for each, median in medians.items())
    return [Shape(f"{name}: MB/s written fall with the replication factor", falls and orderly, figures)]


def _by_count(name: str, points: Sequence[Point], what: str, count: Callable[[Setup], int]) -> list[Shape]:
    one = Setup(PLAIN_SIZE)
    curve = {
        count(each.setup): each
        for each in points
        if each.setup == one or (count(each.setup) > 1 and each.setup == one._replace(**{what: count(each.setup)}))
    }
    if len(curve) < 2:
        return []
    least, most = curve[min(curve)], curve[max(curve)]
    return [
        Shape(
            f"{name}: {max(curve)} {what} together {verb} no less than {min(curve)}",
            best >= before * TOLERANCE,
            f"{before:.1f} → {best:.1f} MB/s",
        )
        for verb, before, best in (("write", least.written, most.written), ("read", least.read, most.read))
    ]


def table(points: Sequence[Point], clusters: Sequence[str]) -> str:
    """The points as markdown: a row for each setup, and written / read MB/s of each cluster."""
    by_setup: dict[Setup, dict[str, Point]] = {}
    for each in points:
        by_setup.setdefault(each.setup, {})[each.cluster] = each
    lines = ["| record size | partitions | replicas | clients | " + " | ".join(clusters) + " |"]
    lines.append("|" + "---|" * (4 + len(clusters)))
    for setup, found in by_setup.items():
        cells = [f"{found[name].written:.1f} / {found[name].read:.1f}" if name in found else "-" for name in clusters]
        size = f"{setup.size:,} B"
        lines.append(f"| {size} | {setup.partitions} | {setup.replicas} | {setup.clients} | {' | '.join(cells)} |")
    return "\n".join(lines)
