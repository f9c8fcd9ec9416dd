"""`wirebroker perf produce TOPIC`: rate and latencies of a producer, as kafka-producer-perf-test.sh prints them."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import positive
from wirebroker.cli.perf.report import Report, add_format
from wirebroker.cli.perf.statistics import LatencyStatistics
from wirebroker.cli.perf.transactions import PerfTransactions
from wirebroker.cli.records.client_library import (
    CODECS,
    add_client,
    await_partitions,
    create,
    error_text,
    run_client,
    serve,
    settings,
)
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

_WINDOW_S: Final = 5.0
_SERVE_EVERY: Final = 256
"""Records between two calls that serve delivery reports."""
_PAYLOADS: Final = 64
"""Different random payloads, made before the clock starts: to make one for each record would be measured, too."""
_TRANSACTIONAL_ID: Final = "performance-producer-default-transactional-id"
_LETTER_OF_BYTE: Final = bytes(65 + each % 26 for each in range(256))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker perf produce`."""
    add = parser.add_argument
    add("topic", metavar="TOPIC")
    add_client(parser)
    add("--num-records", type=positive, default=1_000_000, metavar="N", help="how many to send (default: 1000000)")
    payload = parser.add_mutually_exclusive_group()
    payload.add_argument("--record-size", type=positive, metavar="BYTES", help="size of random payloads (default: 100)")
    payload.add_argument("--payload-file", metavar="FILE", help="send lines of this file, chosen at random")
    payload.add_argument("--payload-monotonic", action="store_true", help="send increasing numbers")
    add("--payload-delimiter", default="\\n", metavar="TEXT", help="what ends a payload in the file (default: \\n)")
    add("--throughput", type=float, default=-1, metavar="N", help="records a second, roughly (default: -1, no limit)")
    add(
        "--acks",
        choices=("0", "1", "all", "-1"),
        default="all",
        help="which replicas must have a record (default: all)",
    )
    add("-z", "--codec", choices=CODECS, default="none", help="compression (default: none)")
    add(
        "--transaction-duration-ms",
        type=positive,
        metavar="MS",
        help="send in transactions, and commit each when it has been open for so long (default: no transactions)",
    )
    add("--transactional-id", metavar="ID", help=f"with --transaction-duration-ms (default: {_TRANSACTIONAL_ID})")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Send the records and print the figures; return the exit code."""
    if args.transactional_id is not None and args.transaction_duration_ms is None:
        raise UsageError("--transactional-id needs --transaction-duration-ms")
    payload = _payload(args)
    is_all = args.acks in ("all", "-1")
    config = settings(
        args,
        {
            "client.id": "perf-producer-client",
            "acks": args.acks,
            "enable.idempotence": is_all,
            "compression.type": args.codec,
        },
    )
    if str(config["acks"]) not in ("all", "-1"):  # set by a property
        config["enable.idempotence"] = False
    if args.transaction_duration_ms is not None:
        config["transactional.id"] = args.transactional_id or config.get("transactional.id", _TRANSACTIONAL_ID)
    return run_client(args, lambda: _measure(args, config, payload))


def _payload(args: argparse.Namespace) -> Callable[[int], bytes]:
    """The function from a record's number to its value.

    Raises:
        UsageError: the file cannot be read or is empty.
    """
    if args.payload_monotonic:
        return lambda number: b"%d" % number
    if args.payload_file is not None:
        from random import Random  # two imports that only this needs

        from wirebroker.cli.records.templates import unescape

        chosen = Random(0)
        try:
            with open(args.payload_file, "rb") as file:
                text = file.read()
        except OSError as fault:
            raise UsageError(f"{args.payload_file}: {fault.strerror or fault}") from None
        if not text:
            raise UsageError(f"{args.payload_file} is empty")
        delimiter = unescape(args.payload_delimiter)
        if not delimiter:
            raise UsageError("--payload-delimiter is empty")
        lines = text.removesuffix(delimiter).split(delimiter)
        return lambda _: chosen.choice(lines)
    size = args.record_size or 100
    count = min(_PAYLOADS, args.num_records)
    payloads = [os.urandom(size).translate(_LETTER_OF_BYTE) for _ in range(count)]
    return lambda number: payloads[number % count]


def _measure(args: argparse.Namespace, config: dict[str, Any], payload: Callable[[int], bytes]) -> int:
    producer = create("Producer", config)
    await_partitions(producer, args.topic, args)
    transactions = PerfTransactions(producer, (args.transaction_duration_ms or 0) / 1000, args.timeout / 1000)
    report = Report(args.format)
    statistics = LatencyStatistics(args.num_records, time.monotonic())
    failed, reason = 0, ""

    def delivered(error: Any, message: Any) -> None:
        nonlocal failed, reason
        if error is None:
            statistics.record(message.latency(), len(message))
        else:
            failed += 1
            reason = reason or error_text(error)

    def poll_and_report(wait_s: float) -> None:
        serve(producer.poll, wait_s)
        now_s = time.monotonic()
        if now_s - statistics.window_started_s >= _WINDOW_S:
            figures = statistics.window(now_s)
            report.window(figures.line(), figures.document())

    started_s = time.monotonic()
    produce, topic, is_transactional = producer.produce, args.topic, args.transaction_duration_ms is not None
    for number in range(args.num_records):
        value = payload(number)
        if is_transactional:
            transactions.before_record()
        while True:
            try:
                produce(topic, value, on_delivery=delivered)
                break
            except BufferError:
                poll_and_report(0.01)
        if number % _SERVE_EVERY == 0:
            poll_and_report(0)
        if is_transactional:
            transactions.after_record()
        if args.throughput > 0:
            _throttle(poll_and_report, number + 1, args.throughput, started_s)
    transactions.commit()
    while serve(producer.flush, 0.1):
        poll_and_report(0)
    total = statistics.total(time.monotonic())
    report.total([total.line()], total.document())
    if failed:
        raise ClientError(f"{failed} of {args.num_records} records were not delivered to {topic}: {reason}")
    return 0


def _throttle(poll: Callable[[float], None], sent: int, throughput: float, started_s: float) -> None:
    """Serve delivery reports until *sent* records are no more than *throughput* allows."""
    while (ahead_s := started_s + sent / throughput - time.monotonic()) > 0:
        poll(min(ahead_s, 0.1))
        time.sleep(min(max(0.0, started_s + sent / throughput - time.monotonic()), 0.1))
