"""Rows of a table that compare the turns of wirebroker with those of Apache Kafka: medians, ranges, ratio, target."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, NamedTuple

from tools.bench.groups import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence


class Unit(NamedTuple):
    """How a figure is printed."""

    name: str
    digits: int


def at_least(what: str, ours: Sequence[float], other: Sequence[float], unit: Unit, bar: float) -> Figure:
    """Return a row whose ratio has to be *bar* or more."""
    ratio = _ratio(ours, other)
    met = None if ratio is None else ratio >= bar
    return Figure(what, _shown(ours, unit), _with_ratio(other, unit, ratio), f"≥ {bar:.3g} x", met)


def at_most(what: str, ours: Sequence[float], other: Sequence[float], unit: Unit, bar: float | None) -> Figure:
    """Return a row whose ratio has to be *bar* or less."""
    ratio = _ratio(ours, other)
    met = None if ratio is None or bar is None else ratio <= bar
    return Figure(
        what, _shown(ours, unit), _with_ratio(other, unit, ratio), "" if bar is None else f"≤ {bar:.2g} x", met
    )


def _ratio(ours: Sequence[float], other: Sequence[float]) -> float | None:
    return statistics.median(ours) / statistics.median(other) if ours and other else None


def _with_ratio(values: Sequence[float], unit: Unit, ratio: float | None) -> str:
    return _shown(values, unit) if ratio is None else f"{_shown(values, unit)}; {ratio:.2f} x"


def _shown(values: Sequence[float], unit: Unit) -> str:
    if not values:
        return "-"
    median, low, high = (f"{each:,.{unit.digits}f}" for each in (statistics.median(values), min(values), max(values)))
    return f"{median}{unit.name}" if len(values) == 1 else f"{median}{unit.name} ({low}-{high})"
