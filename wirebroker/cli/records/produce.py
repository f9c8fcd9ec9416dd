"""`wirebroker produce TOPIC`: records from standard input, one a line, or from the command line."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any, Final, cast

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.records.client_library import (
    CODECS,
    add_client,
    await_partitions,
    create,
    error_text,
    library,
    run_client,
    serve,
    settings,
)
from wirebroker.cli.records.input_lines import LineLayout, parse_line, split
from wirebroker.cli.records.json_record import OutgoingRecord, from_json
from wirebroker.cli.records.templates import unescape
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

WRONG_INPUT: Final = 2
_POLL_S: Final = 0.1
_FLUSH_S: Final = 0.5
_AFTER_INTERRUPT_S: Final = 5.0
"""How long records that were read may take to arrive when Ctrl-C has ended the input."""


class InputError(Exception):
    """A line of the input is no record; the message has its number."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker produce`."""
    parser.set_defaults(layout=None)  # that of a script of Kafka's
    add = parser.add_argument
    add("topic", metavar="TOPIC", help="created by the broker if it creates topics on first use")
    add_client(parser)
    add(
        "--value",
        dest="values",
        metavar="TEXT",
        action="append",
        help="a record; repeatable; standard input is not read",
    )
    add("-k", "--key", metavar="TEXT", help="the key of every record that has none of its own")
    add("-K", "--key-separator", metavar="TEXT", help="what stands between key and value in a line, such as : or \\t")
    add(
        "-H", "--header", dest="headers", metavar="NAME=VALUE", action="append", default=[], help="a header; repeatable"
    )
    add(
        "-p", "--partition", type=_whole, metavar="N", help="the partition of every record (default: by the key's hash)"
    )
    add("--timestamp", type=_whole, metavar="MS", help="the timestamp of every record (default: now)")
    add("-D", "--delimiter", default="\\n", metavar="TEXT", help="what ends a record (default: \\n)")
    add("--null", metavar="TEXT", help="the text of a key or value that is to be null; may be empty")
    add(
        "--json",
        action="store_true",
        help="each line is an object as `consume --format json` prints it; key, value, headers, partition and "
        "timestamp are kept",
    )
    add("-z", "--codec", choices=CODECS, default="none", help="compression (default: none)")
    add(
        "--acks",
        choices=("0", "1", "all", "-1"),
        default="all",
        help="which replicas must have a record (default: all)",
    )
    add(
        "--idempotence",
        choices=("true", "false"),
        help="whether the broker drops duplicates of retries (default: true with --acks all)",
    )
    add("-v", "--verbose", action="store_true", help="print topic, partition and offset of each record")


def run(args: argparse.Namespace) -> int:
    """Produce the input; return the exit code: 1 if records were not delivered, 2 if a line is no record."""
    config, records = configuration(args), _records(args)
    return run_client(args, lambda: _produce(args, config, records))


def _whole(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


_whole.__name__ = "whole number"


def _produce(args: argparse.Namespace, config: dict[str, Any], records: Iterable[OutgoingRecord]) -> int:
    producer = RecordProducer(args.topic, config, args, verbose=args.verbose)
    try:
        for record in records:
            producer.send(record)
    except InputError as fault:
        producer.finish()
        print_error(str(fault))
        return WRONG_INPUT
    except KeyboardInterrupt:
        producer.finish(_AFTER_INTERRUPT_S)
        raise
    producer.finish()
    return 0


def configuration(args: argparse.Namespace) -> dict[str, Any]:
    """Return the producer's configuration; its partitioner is that of the Java client.

    Raises:
        UsageError: options contradict each other.
    """
    is_all = args.acks in ("all", "-1")
    if args.idempotence == "true" and not is_all:
        raise UsageError("--idempotence true needs --acks all")
    return settings(
        args,
        {
            "acks": args.acks,
            "enable.idempotence": args.idempotence == "true" or (args.idempotence is None and is_all),
            "compression.type": args.codec,
            "partitioner": "murmur2_random",
        },
    )


def _records(args: argparse.Namespace) -> Iterator[OutgoingRecord]:
    """The records of the command line or of standard input.

    Raises:
        UsageError: options cannot be read.
    """
    headers = tuple(map(_header, args.headers))
    key = None if args.key is None else args.key.encode()
    null = None if args.null is None else args.null.encode()
    parse: Callable[[bytes], OutgoingRecord] = from_json
    if args.json:
        if args.key_separator is not None or args.null is not None:
            raise UsageError("--json says where keys and nulls are; leave out --key-separator and --null")
    else:
        separator = None if args.key_separator is None else unescape(args.key_separator)
        if separator == b"":
            raise UsageError("--key-separator is empty")
        layout = args.layout or LineLayout(key_separator=separator, null_marker=null)
        parse = lambda line: parse_line(line, layout)  # noqa: E731
    delimiter = unescape(args.delimiter)
    if not delimiter:
        raise UsageError("--delimiter is empty")
    if args.values is not None:
        lines: Iterable[bytes] = [text.encode("utf-8", "surrogateescape") for text in args.values]
    else:
        if sys.stdin.isatty():
            print("one record a line; Ctrl-D ends", file=sys.stderr)
        lines = split(cast(io.BufferedReader, sys.stdin.buffer), delimiter)
    return (
        record._replace(
            key=record.key if record.key is not None or args.key_separator is not None else key,
            headers=(*record.headers, *headers),
            partition=record.partition if args.partition is None else args.partition,
            timestamp_ms=record.timestamp_ms if args.timestamp is None else args.timestamp,
        )
        for record in parsed(lines, parse)
    )


def _header(text: str) -> tuple[str, bytes | None]:
    name, is_set, value = text.partition("=")
    if not name:
        raise UsageError(f"header {text!r} is not NAME=VALUE")
    return name, value.encode() if is_set else None


def parsed(lines: Iterable[bytes], parse: Callable[[bytes], OutgoingRecord]) -> Iterator[OutgoingRecord]:
    """Yield the record of each line.

    Raises:
        InputError: a line is none.
    """
    for number, line in enumerate(lines, 1):
        try:
            yield parse(line)
        except ValueError as fault:
            raise InputError(f"line {number}: {fault}") from None


class RecordProducer:
    """A producer for one topic that counts the records that were not delivered."""

    def __init__(self, topic: str, config: dict[str, Any], args: argparse.Namespace, *, verbose: bool = False) -> None:
        """Connect, and have the topic created if the broker does that.

        Raises:
            ClientError: the topic cannot be had.
        """
        self._topic, self._verbose = topic, verbose
        self._sent, self._failed, self._reason = 0, 0, ""
        if not verbose:
            config = {**config, "delivery.report.only.error": True}
        self._producer = create("Producer", {**config, "on_delivery": self._delivered})
        self._buffer_full, self._kafka_error = BufferError, library().KafkaException
        self._partitions = len(await_partitions(self._producer, topic, args))

    def send(self, record: OutgoingRecord) -> None:
        """Hand *record* to the library, and wait while its queue is full.

        Raises:
            ClientError: the record names a partition that the topic does not have, or is refused.
        """
        more: dict[str, Any] = {}
        if record.partition is not None:
            if record.partition >= self._partitions:
                raise ClientError(f"topic {self._topic} has no partition {record.partition}; it has {self._partitions}")
            more["partition"] = record.partition
        if record.timestamp_ms is not None:
            more["timestamp"] = record.timestamp_ms
        if record.headers:
            more["headers"] = list(record.headers)
        while True:
            try:
                self._producer.produce(self._topic, record.value, record.key, **more)
                break
            except self._buffer_full:
                serve(self._producer.poll, _POLL_S)
            except self._kafka_error as refused:
                raise ClientError(f"record {self._sent + 1}: {error_text(refused.args[0])}") from None
        self._sent += 1
        if not self._sent & 0xFF or self._verbose:
            serve(self._producer.poll, 0)

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self._failed += 1
            self._reason = self._reason or error_text(error)
        elif self._verbose:
            print(f"{message.topic()}\t{message.partition()}\t{message.offset()}")

    def finish(self, within_s: float | None = None) -> None:
        """Wait until every record is delivered or has failed.

        Raises:
            ClientError: records have failed, or are not delivered *within_s*.
        """
        waited = 0.0
        while left := serve(self._producer.flush, _FLUSH_S):
            waited += _FLUSH_S
            if within_s is not None and waited >= within_s:
                raise ClientError(f"{left} of {self._sent} records are not delivered to {self._topic}")
        if self._failed:
            raise ClientError(
                f"{self._failed} of {self._sent} records were not delivered to {self._topic}: {self._reason}"
            )
