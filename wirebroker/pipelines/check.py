"""The same windows computed from the data frame with pandas, and an exact comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.pipelines.delays import DelayRow

if TYPE_CHECKING:
    from collections.abc import Iterable


def expected_delays(flights: Any) -> list[DelayRow]:
    """The windows of *flights*, in order of carrier and hour."""
    hour = flights["event_time"].dt.floor("h").rename("hour")
    groups = flights.groupby([flights["carrier"], hour])["dep_delay"]
    table = groups.agg(["size", "count", "sum"])
    rows = []
    for (carrier, start), size, departed, delay in table.itertuples():
        minutes = int(delay) if departed else None
        mean = None if minutes is None else minutes / departed
        rows.append(DelayRow(carrier, start.strftime("%Y-%m-%dT%H:%M:%SZ"), int(size), int(departed), minutes, mean))
    return sorted(rows)


def differences(found: Iterable[DelayRow], expected: Iterable[DelayRow]) -> list[str]:
    """One line for each window that is missing, unexpected, different or there twice."""
    lines = []
    left = {(row.carrier, row.hour): row for row in expected}
    seen = set()
    for row in found:
        window = (row.carrier, row.hour)
        name = f"{row.carrier} {row.hour}"
        if window in seen:
            lines.append(f"{name}: there twice")
            continue
        seen.add(window)
        want = left.pop(window, None)
        if want is None:
            lines.append(f"{name}: not in the data frame")
        elif want != row:
            lines.append(f"{name}: found {tuple(row[2:])}, the data frame has {tuple(want[2:])}")
    lines.extend(f"{carrier} {hour}: missing" for carrier, hour in left)
    return lines
