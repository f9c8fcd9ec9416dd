"""The chart of the flights demo as a PNG: delay per day over the period, and per carrier."""

from __future__ import annotations

import os
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.cli.demo.report import Report

_BLUE, _RED, _GREY = "#2f6690", "#c1442e", "#d9dcd6"
_ONE_DAY: Final = timedelta(days=1)
_NAMED_DAYS: Final = 3
_LEAST_APART: Final = 7  # in parts of the whole period
_MANY_DAYS: Final = 21


def draw(report: Report, path: Path) -> None:
    """Write the chart to *path*, under another name until it is complete."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (over_time, per_carrier) = plt.subplots(2, 1, figsize=(11, 9), height_ratios=(1, 1.1), layout="constrained")
    _draw_days(report, over_time)
    _draw_carriers(report, per_carrier)
    unfinished = path.with_name(f".{path.stem}.{os.getpid()}.png")
    try:
        figure.savefig(unfinished, dpi=110)
        unfinished.replace(path)
    finally:
        plt.close(figure)
        unfinished.unlink(missing_ok=True)


def _draw_days(report: Report, axes: Any) -> None:
    found = report.by_period(lambda row: row.hour[:10])
    means = {date.fromisoformat(day): mean for day, mean in found.items() if mean is not None}
    days, values = list(means), list(means.values())
    axes.bar(days, values, width=1.0 if len(days) > _MANY_DAYS else 0.8, color=_BLUE)
    axes.axhline(0, color="black", linewidth=0.6)
    for day in _worst_days(means):
        axes.annotate(
            f"{day.day} {day:%b}: {means[day]:.0f} min",
            (datetime(day.year, day.month, day.day), means[day]),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=9,
            color=_RED,
        )
    axes.margins(x=0.01, y=0.12)
    axes.set_title("Mean departure delay per day (UTC), flights from New York", loc="left", fontweight="bold")
    axes.set_ylabel("minutes")
    _plain(axes, "y")


def _worst_days(means: dict[date, float]) -> list[date]:
    """The days to label: the worst that are worse than their neighbours, so far apart that labels do not overlap."""
    if not means:
        return []
    apart = (max(means) - min(means)) / _LEAST_APART
    named: list[date] = []
    for day in sorted(means, key=lambda day: (-means[day], day)):
        is_peak = all(means.get(day + beside, means[day]) <= means[day] for beside in (-_ONE_DAY, _ONE_DAY))
        if is_peak and all(abs(day - other) >= apart for other in named):
            named.append(day)
    return named[:_NAMED_DAYS]


def _draw_carriers(report: Report, axes: Any) -> None:
    carriers = [each for each in report.carriers() if each.mean_delay is not None][::-1]
    bars = axes.barh([report.name_of(each.carrier) for each in carriers], [each.mean_delay for each in carriers])
    for each in bars:
        each.set_color(_BLUE if each.get_width() >= 0 else _GREY)
    axes.bar_label(
        bars,
        [f"{each.mean_delay:.1f}  ({each.flights:,} flights)" for each in carriers],
        padding=4,
        fontsize=9,
    )
    axes.axvline(0, color="black", linewidth=0.6)
    axes.margins(x=0.18, y=0.02)
    axes.set_title("Mean departure delay per carrier", loc="left", fontweight="bold")
    axes.set_xlabel("minutes")
    _plain(axes, "x")


def _plain(axes: Any, grid: str) -> None:
    axes.grid(axis=grid, color=_GREY, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
