"""The results of the flights demo as tables with bars, as JSON and as CSV."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from wirebroker.cli.output import Column, print_json, print_lines, table_lines, text_lines
from wirebroker.pipelines.delays import DelayRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import TextIO

_WORST: Final = 10
_FEWEST_FLIGHTS: Final = 5  # one late flight alone does not make an hour the worst
_DIFFERENCES_SHOWN: Final = 10
_BAR_WIDTH: Final = 30
_MOST_PERIODS: Final = 16
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"

_CARRIERS = (
    Column("CARRIER", "carrier"),
    Column("HOURS", "hours", align=">"),
    Column("FLIGHTS", "flights", align=">"),
    Column("CANCELLED", "cancelled", align=">"),
    Column("MEAN DELAY (MIN)", "mean_delay", align=">"),
    Column("WORST HOUR (MIN)", "worst_hour", align=">"),
    Column("", "bar"),
)
_HOURS = (
    Column("HOUR (UTC)", "hour"),
    Column("CARRIER", "carrier"),
    Column("FLIGHTS", "flights", align=">"),
    Column("DEPARTED", "departed", align=">"),
    Column("MEAN DELAY (MIN)", "mean_delay", align=">"),
    Column("", "bar"),
)
_PERIODS = (Column("FROM (UTC)", "start"), Column("MEAN DELAY (MIN)", "mean_delay", align=">"), Column("", "bar"))


class CarrierTotal(NamedTuple):
    """The windows of one carrier, added up."""

    carrier: str
    hours: int
    flights: int
    departed: int
    mean_delay: float | None
    worst_hour: float | None


class Report:
    """The results of the pipeline, in every form in which they are printed."""

    def __init__(self, windows: Sequence[DelayRow], airlines: dict[str, str], **facts: Any) -> None:
        self.windows, self.airlines = windows, airlines
        self._facts = facts

    @classmethod
    def of(cls, results: dict[str, Any]) -> Self:
        """The report of the results that the worker has written."""
        return cls(**{**results, "windows": [DelayRow(*row) for row in results["windows"]]})

    @property
    def is_equal(self) -> bool:
        """Whether every window equals that of the data frame."""
        return not self._facts["differences"]

    def print(self, form: str) -> None:
        """Print the report in the form that `--format` names."""
        if form == "json":
            print_json(self.document())
        elif form == "text":
            print_lines(text_lines(self._carrier_cells(each) for each in self.carriers()))
        else:
            print_lines(self.lines())

    def document(self) -> dict[str, Any]:
        """The report as one JSON object."""
        facts = {name: value for name, value in self._facts.items() if name != "differences"}
        return {
            **facts,
            "equal": self.is_equal,
            "differences": self._facts["differences"],
            "windows": [row._asdict() for row in self.windows],
        }

    def write(self, path: Path) -> None:
        """Write every window to *path*, as CSV or JSON by its suffix, under another name until it is complete."""
        with _replaced(path) as file:
            if path.suffix == ".csv":
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(DelayRow._fields)
                writer.writerows(self.windows)
            else:
                json.dump(self.document(), file, indent=2)
                file.write("\n")

    # -- figures

    def carriers(self) -> list[CarrierTotal]:
        """The carriers, most delayed first."""
        by_carrier: dict[str, list[DelayRow]] = defaultdict(list)
        for row in self.windows:
            by_carrier[row.carrier].append(row)
        totals = [
            CarrierTotal(
                carrier,
                len(rows),
                sum(row.flights for row in rows),
                sum(row.departed for row in rows),
                _mean_delay(rows),
                max((row.mean_delay for row in rows if row.mean_delay is not None), default=None),
            )
            for carrier, rows in by_carrier.items()
        ]
        return sorted(totals, key=lambda each: (-(each.mean_delay or 0.0), each.carrier))

    def by_period(self, period_of: Callable[[DelayRow], str]) -> dict[str, float | None]:
        """The mean delay of all flights of each period, in order."""
        periods: dict[str, list[DelayRow]] = defaultdict(list)
        for row in self.windows:
            periods[period_of(row)].append(row)
        return {period: _mean_delay(periods[period]) for period in sorted(periods)}

    def name_of(self, carrier: str) -> str:
        """Code and name of a carrier."""
        return f"{carrier} {self.airlines.get(carrier, '')}".strip()

    # -- tables

    def lines(self) -> list[str]:
        """Tables with bars, and whether the results are equal to those of the data frame."""
        facts = self._facts
        carriers = self.carriers()
        hours = self._worst_hours()
        periods = self._periods()
        lines = [
            f"Departure delay per carrier, {facts['flights']:,} flights in {len(self.windows):,} hours of a carrier:",
            "",
            *_with_bars(_CARRIERS, [self._carrier_cells(each) for each in carriers], [c.mean_delay for c in carriers]),
            "",
            "The worst of these hours:",
            "",
            *_with_bars(_HOURS, [_hour_cells(each) for each in hours], [each.mean_delay for each in hours]),
            "",
            "All carriers over time:",
            "",
            *_with_bars(_PERIODS, [(start, _minutes(mean)) for start, mean in periods.items()], [*periods.values()]),
            "",
        ]
        if self.is_equal:
            return [*lines, f"Equal: all {len(self.windows):,} windows are those computed from the data frame."]
        wrong = facts["differences"]
        return [
            *lines,
            f"NOT EQUAL: {len(wrong):,} windows differ from the data frame's ({facts['late']} events came too late):",
            *(f"  {line}" for line in wrong[:_DIFFERENCES_SHOWN]),
        ]

    def _carrier_cells(self, each: CarrierTotal) -> tuple[str, ...]:
        """The cells of a carrier's row, without the bar."""
        return (
            self.name_of(each.carrier),
            f"{each.hours:,}",
            f"{each.flights:,}",
            f"{each.flights - each.departed:,}",
            _minutes(each.mean_delay),
            _minutes(each.worst_hour),
        )

    def _worst_hours(self) -> list[DelayRow]:
        busy = [row for row in self.windows if row.departed >= _FEWEST_FLIGHTS and row.mean_delay is not None]
        return sorted(busy, key=lambda row: (-(row.mean_delay or 0), row))[:_WORST]

    def _periods(self) -> dict[str, float | None]:
        """Mean delay by day, or by month if the days are too many for a table."""
        days = self.by_period(lambda row: row.hour[:10])
        return days if len(days) <= _MOST_PERIODS else self.by_period(lambda row: row.hour[:7])


def _hour_cells(row: DelayRow) -> tuple[str, ...]:
    return (row.hour, row.carrier, str(row.flights), str(row.departed), _minutes(row.mean_delay))


def _mean_delay(rows: Sequence[DelayRow]) -> float | None:
    departed = sum(row.departed for row in rows)
    return sum(row.delay_minutes or 0 for row in rows) / departed if departed else None


def _minutes(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _with_bars(columns: Sequence[Column], rows: Sequence[tuple[str, ...]], values: Sequence[float | None]) -> list[str]:
    """A table whose last column is a bar for each of *values*."""
    longest = max((value for value in values if value is not None), default=0.0)
    cells = [(*row, bar(value or 0.0, longest)) for row, value in zip(rows, values, strict=True)]
    return table_lines(columns, cells, separator="  ", rule=True)


def bar(value: float, longest: float, width: int = _BAR_WIDTH) -> str:
    """A bar of *width* characters for *longest* and in proportion for *value*; nothing for a value below 0."""
    if longest <= 0 or value <= 0:
        return ""
    eighths = round(value / longest * width * 8)
    if not _can_show(_EIGHTHS):
        return "#" * round(eighths / 8)
    whole, part = divmod(eighths, 8)
    return (_EIGHTHS[8] * whole + _EIGHTHS[part]).rstrip()


def _can_show(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def _replaced(path: Path) -> Iterator[TextIO]:
    """A file that replaces *path* when the block has written it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            yield file
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
