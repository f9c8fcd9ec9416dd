"""`wirebroker verifiable-consumer`: consumes as a member of a group, and prints what happens as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import group_id
from wirebroker.cli.records.client_library import add_client, create, error_text, library, run_client, settings
from wirebroker.cli.records.librdkafka_config import translated
from wirebroker.cli.verifiable.events import emit, stop_on_signal
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse

    from wirebroker.cli.verifiable.events import Stop

_POLL_S: Final = 0.1
_AT_ONCE: Final = 500
"""max.poll.records of the Java client."""
_DEFAULT_SESSION_MS: Final = 30_000
_CLASSIC: Final = "classic"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of kafka-verifiable-consumer.sh."""
    add = parser.add_argument
    add("--topic", required=True, metavar="TOPIC", help="what to consume")
    add_client(parser)
    add("--consumer.config", dest="command_config", metavar="FILE", help="the same as --command-config")
    add("--group-id", type=group_id, required=True, metavar="ID", help="the consumer group")
    add("--group-protocol", default=_CLASSIC, metavar="NAME", help=f"{_CLASSIC}, the only one here")
    add("--group-remote-assignor", metavar="NAME", help="refused: an assignor of the protocol consumer")
    add("--group-instance-id", metavar="ID", help="be a static member with this id")
    add("--max-messages", type=int, default=-1, metavar="N", help="how many to consume (default: -1, until a signal)")
    add(
        "--session-timeout",
        type=int,
        default=_DEFAULT_SESSION_MS,
        metavar="MS",
        help=f"session.timeout.ms (default: {_DEFAULT_SESSION_MS})",
    )
    add("--verbose", action="store_true", help="print each record")
    add("--enable-autocommit", action="store_true", help="have the client commit now and then, not after each poll")
    add("--reset-policy", choices=("earliest", "latest", "none"), default="earliest", help="where a new group begins")
    add("--assignment-strategy", default="range", metavar="NAME", help="range, roundrobin or cooperative-sticky")


def run(args: argparse.Namespace) -> int:
    """Consume until the count or a signal; return the exit code."""
    if args.group_protocol.lower() != _CLASSIC:
        raise UsageError(f"--group-protocol {args.group_protocol} is not supported, {_CLASSIC} is")
    if args.group_remote_assignor is not None:
        raise UsageError(f"--group-remote-assignor is not supported: the group protocol {_CLASSIC} has none")
    config = settings(args, {})
    config |= {
        "group.id": args.group_id,
        "session.timeout.ms": args.session_timeout,
        "enable.auto.commit": args.enable_autocommit,
        "auto.offset.reset": "error" if args.reset_policy == "none" else args.reset_policy,
        **translated({"partition.assignment.strategy": args.assignment_strategy}).settings,
    }
    if args.group_instance_id is not None:
        config["group.instance.id"] = args.group_instance_id
    return run_client(args, lambda: _consume(args, config))


def _consume(args: argparse.Namespace, config: dict[str, Any]) -> int:
    consumer = create("Consumer", config)

    def assigned(_: Any, partitions: list[Any]) -> None:
        emit("partitions_assigned", partitions=_places(partitions))

    def revoked(_: Any, partitions: list[Any]) -> None:
        emit("partitions_revoked", partitions=_places(partitions))

    with stop_on_signal() as stop:
        emit("startup_complete")
        consumer.subscribe([args.topic], on_assign=assigned, on_revoke=revoked)
        try:
            _until_the_end(consumer, args, stop)
        finally:
            consumer.close()
            emit("shutdown_complete")
    return 0


def _until_the_end(consumer: Any, args: argparse.Namespace, stop: Stop) -> None:
    """Consume, report and commit.

    Raises:
        ClientError: the cluster refuses.
    """
    count = 0
    while not stop.is_set and (args.max_messages < 0 or count < args.max_messages):
        most = _AT_ONCE if args.max_messages < 0 else min(_AT_ONCE, args.max_messages - count)
        first = consumer.poll(_POLL_S)
        if first is None:
            continue
        messages = [first, *(consumer.consume(most - 1, timeout=0) if most > 1 else ())]
        for message in messages:
            if message.error() is not None and (message.error().fatal() or not message.error().retriable()):
                raise ClientError(error_text(message.error()))
        good = [message for message in messages if message.error() is None]
        if not good:
            continue
        count += len(good)
        offsets = _report(good, verbose=args.verbose)
        if not args.enable_autocommit:
            _commit(consumer, args.topic, offsets)


def _report(messages: list[Any], *, verbose: bool) -> dict[int, int]:
    """Print the messages, if *verbose*, and a summary; return partition -> offset to commit."""
    by_partition: dict[int, list[Any]] = {}
    for message in messages:
        by_partition.setdefault(message.partition(), []).append(message)
    summaries = []
    for partition, some in by_partition.items():
        for message in some if verbose else ():
            emit(
                "record_data",
                key=_text(message.key()),
                value=_text(message.value()),
                topic=message.topic(),
                partition=partition,
                offset=message.offset(),
            )
        extent = {"minOffset": some[0].offset(), "maxOffset": some[-1].offset()}
        summaries.append({"topic": some[0].topic(), "partition": partition, "count": len(some), **extent})
    emit("records_consumed", count=len(messages), partitions=summaries)
    return {partition: some[-1].offset() + 1 for partition, some in by_partition.items()}


def _commit(consumer: Any, topic: str, offsets: dict[int, int]) -> None:
    """Commit, and print whether that succeeded."""
    kafka = library()
    problem: dict[str, str] = {}
    try:
        wanted = [kafka.TopicPartition(topic, partition, offset) for partition, offset in offsets.items()]
        for each in consumer.commit(offsets=wanted, asynchronous=False):
            if each.error is not None:
                problem = {"error": error_text(each.error)}
    except kafka.KafkaException as fault:
        problem = {"error": error_text(fault.args[0])}
    committed = [{"topic": topic, "partition": partition, "offset": offset} for partition, offset in offsets.items()]
    emit("offsets_committed", offsets=committed, **problem, success=not problem)


def _places(partitions: list[Any]) -> list[dict[str, Any]]:
    return [{"topic": at.topic, "partition": at.partition} for at in partitions]


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode(errors="replace")
