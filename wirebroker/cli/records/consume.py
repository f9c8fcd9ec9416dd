"""`wirebroker consume TOPIC...`: records of topics on standard output, as they come or until an end."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import group_id, positive
from wirebroker.cli.interrupt import raise_on_terminate
from wirebroker.cli.records.client_library import (
    add_client,
    create,
    error_text,
    library,
    partitions_of,
    run_client,
    serve,
    settings,
)
from wirebroker.cli.records.formatters import FORMATTERS
from wirebroker.cli.records.json_record import to_json
from wirebroker.cli.records.positions import BEGINNING, END, Start, add_positions, assigned, start_of
from wirebroker.cli.records.record_table import RecordTable
from wirebroker.cli.records.templates import compile_template
from wirebroker.cli.records.topic_patterns import PatternSubscription, check_patterns, is_pattern, matching_topics
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

_POLL_S: Final = 0.2
"""How long a call of the library lasts at most, and so how long Ctrl-C waits."""
_AT_ONCE: Final = 1000
"""Messages of one call."""
_NO_GROUP: Final = "wirebroker-consume"
"""librdkafka wants the id of a group although the partitions are assigned by hand; nothing is committed for it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker consume`."""
    parser.set_defaults(printer=None)  # what a script of Kafka's prints by
    add = parser.add_argument
    add(
        "topics",
        metavar="TOPIC",
        nargs="+",
        help="a name, or a regular expression that begins with ^ and matches the whole name, for all topics that there"
        " are at the start, or that a group meets",
    )
    add_client(parser)
    add_positions(parser)
    add("-p", "--partition", dest="partitions", type=int, action="append", metavar="N", help="only this; repeatable")
    add(
        "-G",
        "--group",
        type=group_id,
        metavar="ID",
        help="as a member of this group: begin at its offsets, commit what is printed",
    )
    add("-c", "--count", type=positive, metavar="N", help="end after N records")
    add("-e", "--exit", action="store_true", help="end at the end of every partition")
    add("--idle-timeout", type=positive, metavar="MS", help="end when no record has come for so long")
    add(
        "--isolation",
        choices=("read_uncommitted", "read_committed"),
        default="read_uncommitted",
        help="with read_committed, records of open and aborted transactions are not printed",
    )
    add(
        "--format",
        choices=("text", "json", "table"),
        default="text",
        help="values (default), JSON lines that `produce --json` takes, or a table",
    )
    add(
        "-f",
        "--template",
        metavar="TEXT",
        help=r"such as '%%t [%%p] %%o: %%k=%%s\n'; %%T timestamp, %%h headers, %%S and %%K sizes of value and key",
    )
    add("--null", default="null", metavar="TEXT", help="printed for a key or value that is null (default: null)")
    add(
        "--formatter",
        choices=tuple(FORMATTERS),
        help="print records of __consumer_offsets or __transaction_state as JSON, as Kafka's message formatters do",
    )


def run(args: argparse.Namespace) -> int:
    """Print records until the end that the options name; return the exit code."""
    start = start_of(args)
    check_patterns(args.topics)
    if args.group is not None and (args.partitions or (start is not None and start.offset is None)):
        raise UsageError(
            "a group chooses partitions and offsets itself; `wirebroker groups reset-offsets` moves its offsets"
        )
    if args.group is not None and start is not None and start.offset not in (BEGINNING, END):
        raise UsageError("--offset is not for groups; `wirebroker groups reset-offsets` moves their offsets")
    printer, config = args.printer or _printer(args), _configuration(args, start)
    return run_client(args, lambda: _consume(args, config, start or Start(offset=END), printer))


def _consume(args: argparse.Namespace, config: dict[str, Any], start: Start, printer: Callable[[Any], bytes]) -> int:
    """Connect, print records until the end that the options name, and leave the group if there is one.

    SIGTERM and Ctrl-C leave the group, too: its other members need not wait for the session timeout.
    """
    consumer = create("Consumer", config)
    try:
        raise_on_terminate()
        reader, timeout_s = MessageReader(consumer), args.timeout / 1000
        subscription = None
        if args.group is not None:
            for topic in args.topics:
                if not is_pattern(topic):
                    partitions_of(consumer, topic, timeout_s)
            subscription = PatternSubscription(consumer, args.topics, timeout_s, reader.subscribe)
        else:
            reader.assign(_partitions(consumer, args), start, timeout_s)
        _print(reader, printer, args, subscription)
    finally:
        consumer.close()
    return 0


def _configuration(args: argparse.Namespace, start: Start | None) -> dict[str, Any]:
    """The consumer's configuration."""
    is_member = args.group is not None
    from_beginning = start is not None and start.offset == BEGINNING
    config: dict[str, Any] = {
        "isolation.level": args.isolation,
        "enable.partition.eof": True,
        "fetch.wait.max.ms": 100,
        "enable.auto.commit": is_member,
        "enable.auto.offset.store": False,
        "auto.offset.reset": ("earliest" if from_beginning else "latest") if is_member else "error",
    }
    config = settings(args, config)
    config["group.id"] = args.group or config.get("group.id", _NO_GROUP)
    return config


def _partitions(consumer: Any, args: argparse.Namespace) -> list[tuple[str, int]]:
    """The partitions to read.

    Raises:
        ClientError: no topic matches, or a topic or one of `--partition` does not exist.
    """
    found: list[tuple[str, int]] = []
    topics = matching_topics(consumer, args.topics, args.timeout / 1000)
    if not topics:
        raise ClientError(f"no topic matches {' or '.join(args.topics)}")
    for topic in topics:
        numbers = partitions_of(consumer, topic, args.timeout / 1000)
        wanted = dict.fromkeys(args.partitions or numbers)  # librdkafka refuses one that is there twice
        for number in wanted:
            if number not in numbers:
                raise ClientError(f"topic {topic} has no partition {number}; it has {len(numbers)}")
        found += [(topic, number) for number in wanted]
    return found


def _printer(args: argparse.Namespace) -> Callable[[Any], bytes]:
    """The function from a message to the bytes to print.

    Raises:
        UsageError: the template cannot be read, or several forms are given.
    """
    if (args.template is not None) + (args.formatter is not None) + (args.format != "text") > 1:
        raise UsageError(f"give one of --template, --formatter and --format {args.format}")
    null = args.null.encode()
    if args.formatter is not None:
        formatter = FORMATTERS[args.formatter]

        def formatted(message: Any) -> bytes:
            try:
                line = formatter(message.key(), message.value())
            except ValueError as fault:
                at = f"{message.topic()}-{message.partition()}, offset {message.offset()}"
                raise ClientError(f"{at}: {fault}") from None
            return b"" if line is None else f"{line}\n".encode()

        return formatted
    if args.format == "json":
        return lambda message: f"{to_json(message)}\n".encode("utf-8", "surrogatepass")
    if args.format == "table":
        return RecordTable(args.topics)
    try:
        return compile_template(args.template if args.template is not None else "%s\\n", null)
    except ValueError as fault:
        raise UsageError(f"--template: {fault}") from None


def _print(
    reader: MessageReader,
    printer: Callable[[Any], bytes],
    args: argparse.Namespace,
    subscription: PatternSubscription | None,
) -> None:
    """Print messages until the count, the end of all partitions, or the idle timeout."""
    out = sys.stdout.buffer
    left = args.count if args.count is not None else -1
    last = time.monotonic()
    while left:
        if subscription is not None:
            subscription.refresh()
        messages = reader.read(min(left, _AT_ONCE) if left > 0 else _AT_ONCE)
        for message in messages:
            out.write(printer(message))
        if messages:
            out.flush()
            if args.group is not None:
                reader.store(messages)
            left -= len(messages) if left > 0 else 0
            last = time.monotonic()
        elif args.idle_timeout is not None and time.monotonic() - last >= args.idle_timeout / 1000:
            return
        if args.exit and reader.is_at_the_end:
            return


class MessageReader:
    """A consumer's messages without its events; knows which partitions are at their end."""

    def __init__(self, consumer: Any) -> None:
        self._consumer = consumer
        self._kafka = library()
        self._assigned: set[tuple[str, int]] = set()
        self._at_end: set[tuple[str, int]] = set()

    @property
    def is_at_the_end(self) -> bool:
        """Whether every partition that the consumer has, and it has some, was read to its end."""
        return bool(self._assigned) and self._at_end >= self._assigned

    def assign(self, partitions: list[tuple[str, int]], start: Start, timeout_s: float) -> None:
        """Read *partitions* from *start* on."""
        self._consumer.assign(assigned(self._consumer, self._kafka, partitions, start, timeout_s))
        self._assigned = set(partitions)

    def subscribe(self, topics: list[str]) -> None:
        """Read what the group assigns to this member."""

        def gained(_: Any, partitions: list[Any]) -> None:
            self._assigned |= {(at.topic, at.partition) for at in partitions}

        def lost(_: Any, partitions: list[Any]) -> None:
            gone = {(at.topic, at.partition) for at in partitions}
            self._assigned -= gone
            self._at_end -= gone

        self._consumer.subscribe(topics, on_assign=gained, on_revoke=lost, on_lost=lost)

    def read(self, count: int) -> list[Any]:
        """Return up to *count* messages, none if there are none for a moment.

        Raises:
            ClientError: the cluster refuses what is asked, and asking again would not help.
        """
        found = []
        first = serve(self._consumer.poll, _POLL_S)
        if first is None:
            return []
        more = serve(self._consumer.consume, count - 1, 0) if count > 1 else []
        for message in (first, *more):
            error = message.error()
            if error is None:
                found.append(message)
                self._at_end.discard((message.topic(), message.partition()))
            elif error.code() == self._kafka.KafkaError._PARTITION_EOF:
                self._at_end.add((message.topic(), message.partition()))
            elif error.fatal() or error.code() > 0 or error.name() == "_AUTO_OFFSET_RESET":
                raise ClientError(error_text(error))
        return found

    def store(self, messages: list[Any]) -> None:
        """Have the offsets behind *messages* committed with the next commit, which `close` does at the latest."""
        newest = {(message.topic(), message.partition()): message for message in messages}
        mine = [
            self._kafka.TopicPartition(topic, number, last.offset() + 1, leader_epoch=last.leader_epoch())
            for (topic, number), last in newest.items()
            if (topic, number) in self._assigned
        ]
        if mine:
            self._consumer.store_offsets(offsets=mine)
