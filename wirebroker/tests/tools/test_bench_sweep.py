"""The shapes of the sweep's curves: which hold, and that one which does not is found."""

from __future__ import annotations

import pytest

from tools.bench.sweep_shapes import PLAIN_SIZE, SIZES, Point, Setup, shapes_of, table


def plausible(setup: Setup) -> Point:
    """A point of a broker that takes 1 µs for a record and 4 ns for a byte, times the replicas."""
    written = setup.size / (1 + setup.size / 250) / setup.replicas * setup.clients**0.5
    return Point("ours", setup, written, 2 * written)


def points() -> list[Point]:
    setups = [Setup(size, replicas=replicas) for replicas in (1, 2, 3) for size in SIZES]
    setups += [Setup(PLAIN_SIZE, partitions=count) for count in (3, 9)]
    setups += [Setup(PLAIN_SIZE, clients=count) for count in (2, 3)]
    return [plausible(setup) for setup in setups]


def test_plausible_curves_hold() -> None:
    shapes = shapes_of(points())
    assert len(shapes) == 3 * 4 + 1 + 2 + 2
    assert [each.what for each in shapes if not each.holds] == []


@pytest.mark.parametrize(
    ("wrong", "missing"),
    [
        (lambda each: each._replace(written=50.0), "MB/s written grow"),
        (lambda each: each._replace(read=each.setup.size), "records read a second fall"),
        (lambda each: each._replace(written=each.written * each.setup.replicas**2), "fall with the replication factor"),
        (lambda each: each._replace(written=each.written / each.setup.clients**2), "3 clients together write"),
        (lambda each: each._replace(read=each.read / each.setup.partitions), "9 partitions together read"),
    ],
)
def test_a_wrong_curve_is_found(wrong, missing: str) -> None:  # type: ignore[no-untyped-def]
    assert any(missing in each.what and not each.holds for each in shapes_of([wrong(each) for each in points()]))


def test_the_table_has_a_row_for_each_setup() -> None:
    rows = table([*points(), Point("theirs", Setup(10), 1.0, 2.0)], ["ours", "theirs"]).splitlines()
    assert len(rows) == 2 + len(points())
    assert "| 10 B | 1 | 3 | 1 | 3.2 / 6.4 | 1.0 / 2.0 |" in rows
