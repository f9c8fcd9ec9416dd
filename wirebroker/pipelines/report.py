"""Tables for people and one JSON object for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wirebroker.pipelines.delays import DelayRow

WORST = 10
FEWEST_FLIGHTS = 5  # one late flight alone does not make an hour the worst


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Columns under *headers*; the first *left* columns flush left, the others right."""
    lines = [list(headers), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "  ".join(
            f"{cell:<{w}}" if i < left else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def minutes(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def carrier_table(rows: Sequence[DelayRow], names: Mapping[str, str]) -> str:
    """The windows rolled up per carrier, most delayed first."""
    carriers: dict[str, list[DelayRow]] = {}
    for row in rows:
        carriers.setdefault(row.carrier, []).append(row)
    lines = []
    for carrier, windows in carriers.items():
        departed = sum(row.departed for row in windows)
        mean = sum(row.delay_minutes or 0 for row in windows) / departed if departed else None
        flights = sum(row.flights for row in windows)
        worst = max((row.mean_delay for row in windows if row.mean_delay is not None), default=None)
        cells = (f"{carrier} {names.get(carrier, '')}".strip(), f"{len(windows):,}", f"{flights:,}")
        lines.append((mean or 0.0, (*cells, f"{flights - departed:,}", minutes(mean), minutes(worst))))
    lines.sort(reverse=True)
    headers = ("carrier", "hours", "flights", "cancelled", "mean delay, min", "worst hour, min")
    return table(headers, [cells for _, cells in lines])


def worst_table(rows: Sequence[DelayRow]) -> str:
    """The hours with the longest mean delay."""
    busy = [row for row in rows if row.departed >= FEWEST_FLIGHTS and row.mean_delay is not None]
    worst = sorted(busy, key=lambda row: (-(row.mean_delay or 0), row))[:WORST]
    headers = ("hour (UTC)", "carrier", "flights", "departed", "mean delay, min")
    lines = [(r.hour, r.carrier, str(r.flights), str(r.departed), minutes(r.mean_delay)) for r in worst]
    return table(headers, lines, left=2)


def as_json(rows: Sequence[DelayRow], **facts: Any) -> dict[str, Any]:
    return {**facts, "windows": [row._asdict() for row in rows]}
