"""`wirebroker perf consume TOPIC`: the rate of a consumer, as kafka-consumer-perf-test.sh prints it."""

from __future__ import annotations

import random
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wirebroker.cli.connection import group_id, positive
from wirebroker.cli.interrupt import raise_on_terminate
from wirebroker.cli.perf.report import Report, add_format
from wirebroker.cli.perf.statistics import MB
from wirebroker.cli.records.client_library import (
    add_client,
    create,
    error_text,
    partitions_of,
    run_client,
    serve,
    settings,
)
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse

_POLL_S: Final = 0.1
_AT_ONCE: Final = 10_000
_DEFAULT_TIMEOUT_MS: Final = 10_000
_DEFAULT_INTERVAL_MS: Final = 5_000
_MORE_COLUMNS: Final = "rebalance.time.ms, fetch.time.ms, fetch.MB.sec, fetch.nMsg.sec"
TOTAL_HEADER: Final = (
    f"start.time, end.time, data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, {_MORE_COLUMNS}"
)
DETAILED_HEADER: Final = (
    f"time, threadId, data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, {_MORE_COLUMNS}"
)


class Consumed(NamedTuple):
    """Figures of some time in which records were consumed."""

    started_ms: int
    ended_ms: int
    records: int
    size_bytes: int
    rebalance_ms: int
    """The part of the time before the group had assigned partitions."""

    def cells(self) -> tuple[str, ...]:
        """Return the columns of TOTAL_HEADER."""
        total_mb = self.size_bytes / MB
        elapsed_s = max(self.ended_ms - self.started_ms, 1) / 1000
        fetch_ms = self.ended_ms - self.started_ms - self.rebalance_ms
        fetch_s = max(fetch_ms, 1) / 1000
        return (
            _date(self.started_ms),
            _date(self.ended_ms),
            f"{total_mb:.4f}",
            f"{total_mb / elapsed_s:.4f}",
            str(self.records),
            f"{self.records / elapsed_s:.4f}",
            str(self.rebalance_ms),
            str(fetch_ms),
            f"{total_mb / fetch_s:.4f}",
            f"{self.records / fetch_s:.4f}",
        )

    def document(self) -> dict[str, Any]:
        """Return the figures by name, rates of the time without rebalance last."""
        names = ("mb", "mb_per_sec", "records", "records_per_sec", "rebalance_ms", "fetch_ms")
        cells = self.cells()
        numbers = [float(cell) if "." in cell else int(cell) for cell in cells[2:]]
        found: dict[str, Any] = {"start_time": cells[0], "end_time": cells[1]}
        found |= dict(zip((*names, "fetch_mb_per_sec", "fetch_records_per_sec"), numbers, strict=True))
        return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker perf consume`."""
    add = parser.add_argument
    add("topic", metavar="TOPIC")
    add_client(parser)
    add("--messages", type=positive, default=1_000_000, metavar="N", help="how many to consume (default: 1000000)")
    add("-G", "--group", type=group_id, metavar="ID", help="the consumer group (default: a new one)")
    add("--from-latest", action="store_true", help="a group without offsets begins at the end, not at the beginning")
    add(
        "--idle-timeout",
        type=positive,
        default=_DEFAULT_TIMEOUT_MS,
        metavar="MS",
        help=f"end when no record has come for so long (default: {_DEFAULT_TIMEOUT_MS})",
    )
    add("--show-detailed-stats", action="store_true", help="print figures for each interval")
    add(
        "--reporting-interval",
        type=positive,
        default=_DEFAULT_INTERVAL_MS,
        metavar="MS",
        help=f"the interval (default: {_DEFAULT_INTERVAL_MS})",
    )
    add("--hide-header", action="store_true", help="print no header")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Consume the records and print the figures; return the exit code."""
    config = settings(
        args,
        {
            "client.id": "perf-consumer-client",
            "auto.offset.reset": "latest" if args.from_latest else "earliest",
            "check.crcs": False,
            "queued.max.messages.kbytes": 131_072,
        },
    )
    config["group.id"] = args.group or config.get("group.id", f"perf-consumer-{random.randrange(100_000)}")
    return run_client(args, lambda: _measure(args, config))


def _measure(args: argparse.Namespace, config: dict[str, Any]) -> int:
    """Consume until the count, or until no record has come for the timeout."""
    consumer = create("Consumer", config)
    try:
        raise_on_terminate()
        partitions_of(consumer, args.topic, args.timeout / 1000)
        report = Report(args.format)
        if args.format == "text" and not args.hide_header:
            print(DETAILED_HEADER if args.show_detailed_stats else TOTAL_HEADER, flush=True)
        figures = _consume(consumer, args, report)
    finally:
        consumer.close()
    if figures.records < args.messages and args.format == "text":
        print(
            "WARNING: Exiting before consuming the expected number of messages: "
            f"timeout ({args.idle_timeout} ms) exceeded. You can use the --idle-timeout option to increase the timeout."
        )
    if args.format != "text" or not args.show_detailed_stats:
        report.total([", ".join(figures.cells())], figures.document())
    return 0


def _consume(consumer: Any, args: argparse.Namespace, report: Report) -> Consumed:
    """Consume, report intervals, and return the figures of all of it.

    Raises:
        ClientError: the cluster refuses.
    """
    started_ms = last_ms = window_ms = _now_ms()
    joined_ms: int | None = None
    window_rebalance_ms = 0
    count = size = window_count = window_size = 0

    def assigned(_: Any, __: Any) -> None:
        nonlocal joined_ms, window_rebalance_ms
        if joined_ms is None:
            joined_ms = _now_ms()
            window_rebalance_ms = joined_ms - started_ms

    consumer.subscribe([args.topic], on_assign=assigned)
    while count < args.messages:
        messages = serve(consumer.consume, min(_AT_ONCE, args.messages - count), _POLL_S)
        now_ms = _now_ms()
        for message in messages:
            error = message.error()
            if error is not None:
                if error.fatal() or (error.code() > 0 and not error.retriable()):
                    raise ClientError(error_text(error))
                continue
            count += 1
            key = message.key()
            size += len(message) + (0 if key is None else len(key))
        if messages:
            last_ms = now_ms
        elif now_ms - last_ms > args.idle_timeout:
            break
        if args.show_detailed_stats and now_ms - window_ms >= args.reporting_interval:
            window = Consumed(window_ms, now_ms, count - window_count, size - window_size, window_rebalance_ms)
            report.window(_detailed(window, count, size), window.document())
            window_ms, window_count, window_size, window_rebalance_ms = now_ms, count, size, 0
    return Consumed(started_ms, _now_ms(), count, size, (joined_ms or _now_ms()) - started_ms)


def _detailed(window: Consumed, count: int, size: int) -> str:
    """The line of `--show-detailed-stats`: totals so far, and rates of the interval."""
    _, end, _, mb_sec, _, records_sec, *rest = window.cells()
    return ", ".join((end, "0", f"{size / MB:.4f}", mb_sec, str(count), records_sec, *rest))


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _date(time_ms: int) -> str:
    return f"{datetime.fromtimestamp(time_ms // 1000):%Y-%m-%d %H:%M:%S}:{time_ms % 1000:03}"
