"""`wirebroker verifiable-producer`: sends increasing numbers, and prints what became of each as JSON."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.records.client_library import (
    add_client,
    await_partitions,
    create,
    error_text,
    run_client,
    settings,
)
from wirebroker.cli.verifiable.events import emit, stop_on_signal, throttle

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

_POLL_S: Final = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of kafka-verifiable-producer.sh."""
    add = parser.add_argument
    add("--topic", required=True, metavar="TOPIC", help="where to send")
    add_client(parser)
    add("--producer.config", dest="command_config", metavar="FILE", help="the same as --command-config")
    add("--max-messages", type=int, default=-1, metavar="N", help="how many to send (default: -1, until a signal)")
    add("--throughput", type=int, default=-1, metavar="N", help="records a second, roughly (default: -1, no limit)")
    add("--acks", type=int, choices=(0, 1, -1), default=-1, help="which replicas must have a record (default: -1, all)")
    add("--message-create-time", type=int, default=-1, metavar="MS", help="the timestamp of the first record")
    add("--value-prefix", type=int, metavar="N", help="put this number and a dot before each value")
    add("--repeating-keys", type=int, metavar="N", help="keys from 0 to N-1, again and again (default: no keys)")


def run(args: argparse.Namespace) -> int:
    """Send until the count or a signal; return the exit code."""
    config = settings(
        args,
        {
            "acks": str(args.acks),
            "enable.idempotence": args.acks == -1,
            "retries": 0 if args.acks != -1 else 2_147_483_647,
            "partitioner": "murmur2_random",
        },
    )
    return run_client(args, lambda: _produce(args, config))


def _produce(args: argparse.Namespace, config: dict[str, Any]) -> int:
    producer = create("Producer", config)
    await_partitions(producer, args.topic, args)
    acked = sent = 0

    def report(key: str | None, value: str) -> Callable[[Any, Any], None]:
        def delivered(error: Any, message: Any) -> None:
            nonlocal acked
            if error is None:
                acked += 1
                place = {"topic": message.topic(), "partition": message.partition(), "offset": message.offset()}
                emit("producer_send_success", key=key, value=value, **place)
            else:
                _emit_error(args.topic, key, value, error)

        return delivered

    started_s = time.monotonic()
    create_time = args.message_create_time
    with stop_on_signal() as stop:
        emit("startup_complete")
        while not stop.is_set and (args.max_messages < 0 or sent < args.max_messages):
            key = str(sent % args.repeating_keys) if args.repeating_keys else None
            value = str(sent) if args.value_prefix is None else f"{args.value_prefix}.{sent}"
            more = {"timestamp": create_time + int((time.monotonic() - started_s) * 1000)} if create_time >= 0 else {}
            sent += 1
            while True:
                try:
                    producer.produce(args.topic, value, key, on_delivery=report(key, value), **more)
                    break
                except BufferError:
                    producer.poll(_POLL_S)
            producer.poll(0)
            while not stop.is_set and (wait_s := throttle(sent, args.throughput, started_s)) > 0:
                producer.poll(min(wait_s, _POLL_S))
                time.sleep(min(throttle(sent, args.throughput, started_s), _POLL_S))
        while producer.flush(_POLL_S):
            pass
    emit("shutdown_complete")
    average = acked / max(time.monotonic() - started_s, 1e-3)
    emit("tool_data", sent=sent, acked=acked, target_throughput=args.throughput, avg_throughput=average)
    return 0


def _emit_error(topic: str, key: str | None, value: str, error: Any) -> None:
    """Print that a record was not delivered; the class of the exception is librdkafka's name of the error."""
    emit("producer_send_error", key=key, value=value, topic=topic, exception=error.name(), message=error_text(error))
