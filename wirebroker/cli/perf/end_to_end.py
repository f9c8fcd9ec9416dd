"""`wirebroker perf end-to-end TOPIC`: the time from a send to its receipt, one record at a time, as EndToEndLatency."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.connection import positive
from wirebroker.cli.perf.report import Report, add_format
from wirebroker.cli.perf.statistics import percentiles_ms
from wirebroker.cli.records.client_library import (
    add_client,
    await_partitions,
    create,
    error_text,
    library,
    run_client,
    serve,
    settings,
)
from wirebroker.cli.records.positions import Start, assigned
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse

_RECEIVE_S: Final = 60.0
_REPORT_EVERY: Final = 1000
_PERCENTILES: Final = (0.5, 0.99, 0.999)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker perf end-to-end`."""
    add = parser.add_argument
    add("topic", metavar="TOPIC", help="nobody else may write to it meanwhile")
    add_client(parser)
    add("--num-records", type=positive, default=1000, metavar="N", help="how many to send (default: 1000)")
    add("--record-size", type=positive, default=100, metavar="BYTES", help="their size (default: 100)")
    add("--acks", choices=("1", "all"), default="all", help="which replicas must have a record (default: all)")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Send and receive record by record, and print the figures; return the exit code."""
    producing = settings(args, {"acks": args.acks, "linger.ms": 0})
    consuming = settings(args, {"enable.auto.commit": False, "fetch.wait.max.ms": 500, "auto.offset.reset": "error"})
    consuming["group.id"] = f"end-to-end-{time.time_ns() // 1_000_000}"
    return run_client(args, lambda: _measure(args, producing, consuming))


def _measure(args: argparse.Namespace, producing: dict[str, Any], consuming: dict[str, Any]) -> int:
    timeout_s = args.timeout / 1000
    producer, consumer = create("Producer", producing), create("Consumer", consuming)
    try:
        partitions = [(args.topic, number) for number in await_partitions(producer, args.topic, args)]
        consumer.assign(assigned(consumer, library(), partitions, Start(tail=0), timeout_s))
        report = Report(args.format)
        chosen = random.Random(0)
        latencies_s: list[float] = []
        for number in range(args.num_records):
            value = chosen.randbytes(args.record_size)
            began_s = time.perf_counter()
            _send(producer, args.topic, value)
            received = serve(consumer.poll, _RECEIVE_S)
            elapsed_s = time.perf_counter() - began_s
            _check(received, value)
            latencies_s.append(elapsed_s)
            if number % _REPORT_EVERY == 0:
                report.window(f"{number}\t{elapsed_s * 1000}", _document([elapsed_s]))
    finally:
        consumer.close()
    document = _document(latencies_s)
    lines = (
        f"Avg latency: {document['avg_latency_ms']:.4f} ms",
        "Percentiles: 50th = {p50_latency_ms}, 99th = {p99_latency_ms}, 99.9th = {p999_latency_ms}".format(**document),
    )
    report.total(lines, document)
    return 0


def _document(latencies_s: list[float]) -> dict[str, Any]:
    p50, p99, p999 = percentiles_ms(latencies_s, _PERCENTILES)
    return {
        "records_sent": len(latencies_s),
        "avg_latency_ms": round(sum(latencies_s) / len(latencies_s) * 1000, 4),
        "max_latency_ms": round(max(latencies_s) * 1000, 4),
        "p50_latency_ms": p50,
        "p99_latency_ms": p99,
        "p999_latency_ms": p999,
    }


def _send(producer: Any, topic: str, value: bytes) -> None:
    """Send one record and wait for its acknowledgement.

    Raises:
        ClientError: the record was not delivered.
    """
    problems: list[str] = []
    ended: list[bool] = []

    def delivered(error: Any, _: Any) -> None:
        ended.append(True)
        if error is not None:
            problems.append(error_text(error))

    producer.produce(topic, value, on_delivery=delivered)
    while not ended:
        serve(producer.poll, 1.0)
    if problems:
        raise ClientError(f"a record was not delivered to {topic}: {problems[0]}")


def _check(message: Any, value: bytes) -> None:
    """Raise ClientError unless *message* is the record with *value*."""
    if message is None:
        raise ClientError(f"no record came within {_RECEIVE_S:g} s")
    if message.error() is not None:
        raise ClientError(error_text(message.error()))
    if message.value() != value:
        raise ClientError(
            f"{message.topic()}-{message.partition()}, offset {message.offset()}: not the record that was sent; "
            "nobody else may write to the topic meanwhile"
        )
