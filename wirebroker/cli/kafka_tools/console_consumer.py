"""kafka-console-consumer.sh: records of a topic to standard output."""

from __future__ import annotations

import re
import sys
from random import randrange
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.kafka_tools.as_command import is_true, properties, properties_of_file, run_command
from wirebroker.cli.kafka_tools.deserializers import deserializer
from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser
from wirebroker.cli.records import consume
from wirebroker.cli.records.formatters import FORMATTERS
from wirebroker.cli.records.json_record import TIMESTAMP_TYPES
from wirebroker.cli.records.templates import headers_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ABOUT: Final = "This tool helps to read data from Kafka topics and outputs it to standard output."
_FORMATTERS: Final = {
    "OffsetsMessageFormatter": "offsets",
    "GroupMetadataMessageFormatter": "group-metadata",
    "TransactionLogMessageFormatter": "transaction-log",
}
_DEFAULT_FORMATTER: Final = "DefaultMessageFormatter"
_GROUPS: Final = 100_000
"""Numbers for the names of groups that are used once."""


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-console-consumer", _ABOUT)
    for each in ("topic", "include", "whitelist", "partition", "offset", "group", "max-messages", "timeout-ms"):
        parser.add_argument(f"--{each}")
    for each in ("consumer.config", "formatter-config", "key-deserializer", "value-deserializer"):
        parser.add_argument(f"--{each}")
    for each in ("from-beginning", "skip-message-on-error", "enable-systest-events"):
        parser.add_argument(f"--{each}", action="store_true")
    parser.add_argument("--isolation-level", default="read_uncommitted")
    parser.add_argument("--formatter", default=_DEFAULT_FORMATTER)
    for each in ("property", "consumer-property"):
        parser.add_argument(f"--{each}", action="append", default=[])
    args = parser.read(argv)
    parser.require(args, "bootstrap-server")
    args.include = args.include or args.whitelist
    if bool(args.topic) == bool(args.include):
        parser.usage_error("Exactly one of --include/--topic is required.")
    if args.partition and not args.topic:
        parser.usage_error("The topic is required when partition is specified.")
    if args.offset and not args.partition:
        parser.usage_error("The partition is required when offset is specified.")
    words = [args.topic or _pattern(args.include), "-b", args.bootstrap_server, "--isolation", args.isolation_level]
    if args.include and not args.group:  # only a member of a group meets topics that are created later
        args.group = f"console-consumer-{randrange(_GROUPS)}"
        args.consumer_property.append("enable.auto.commit=false")
    options = {
        "--partition": args.partition,
        "--offset": args.offset,
        "--group": args.group,
        "--count": args.max_messages,
        "--idle-timeout": args.timeout_ms,
        "--command-config": getattr(args, "consumer.config"),
    }
    for option, value in options.items():
        words += [option, value] if value else []
    words += ["--from-beginning"] if args.from_beginning else []
    for each in args.consumer_property:
        words += ["-X", each]
    given = {
        **properties_of_file(args.formatter_config),
        **{f"{each}.deserializer": getattr(args, f"{each}_deserializer") or "" for each in ("key", "value")},
        **properties(args.property),
    }
    printer = _Counting(_printer(args.formatter, given))
    try:
        return run_command(consume, words, printer=printer)
    finally:
        print(f"Processed a total of {printer.count} messages", file=sys.stderr)
        if args.enable_systest_events:
            print("shutdown_complete")


def _pattern(expression: str) -> str:
    """The pattern of `consume` for the regular expression of `--include`.

    Raises:
        ToolError: it cannot be read.
    """
    try:
        re.compile(expression)
    except re.error as fault:
        raise ToolError(f"{expression!r} is no regular expression: {fault}") from None
    return f"^(?:{expression})"


class _Counting:
    """A printer that counts what it prints."""

    def __init__(self, printer: Callable[[Any], bytes]) -> None:
        self._printer, self.count = printer, 0

    def __call__(self, message: Any) -> bytes:
        self.count += 1
        return self._printer(message)


def _printer(formatter: str, given: Mapping[str, str]) -> Callable[[Any], bytes]:
    """The function from a message to its output.

    Raises:
        ToolError: there is no such formatter.
    """
    name = formatter.rpartition(".")[2].rpartition("$")[2]
    if name in _FORMATTERS:
        formatted = FORMATTERS[_FORMATTERS[name]]

        def printed(message: Any) -> bytes:
            line = formatted(message.key(), message.value())
            return b"" if line is None else f"{line}\n".encode()

        return printed
    if name == "NoOpMessageFormatter":
        return lambda _: b""
    if name != _DEFAULT_FORMATTER:
        raise ToolError(f"no formatter {formatter}; there are {_DEFAULT_FORMATTER}, {', '.join(_FORMATTERS)}")
    return default_formatter(given)


def default_formatter(given: Mapping[str, str]) -> Callable[[Any], bytes]:
    """Return Kafka's DefaultMessageFormatter with the properties *given*.

    Raises:
        ToolError: there is no such deserializer.
    """
    separator = given.get("key.separator", "\t").encode()
    line_end = given.get("line.separator", "\n").encode()
    null = given.get("null.literal", "null").encode()
    headers_separator = given.get("headers.separator", ",").encode()
    key_text, value_text = (deserializer(given.get(f"{each}.deserializer", "")) for each in ("key", "value"))

    def timestamp(message: Any) -> bytes:
        kind, time_ms = message.timestamp()
        return f"{TIMESTAMP_TYPES[kind]}:{time_ms}".encode() if kind in TIMESTAMP_TYPES else b"NO_TIMESTAMP"

    def headers(message: Any) -> bytes:
        return headers_text(message, null, separator=headers_separator, equals=b":") or b"NO_HEADERS"

    parts: dict[str, Callable[[Any], bytes]] = {
        "timestamp": timestamp,
        "partition": lambda message: b"Partition:%d" % message.partition(),
        "offset": lambda message: b"Offset:%d" % message.offset(),
        "headers": headers,
        "key": lambda message: null if message.key() is None else key_text(message.key()),
        "value": lambda message: null if message.value() is None else value_text(message.value()),
    }
    chosen = [part for name, part in parts.items() if is_true(given.get(f"print.{name}", str(name == "value")))]
    ends_line = is_true(given.get("print.value", "true"))
    return lambda message: separator.join(part(message) for part in chosen) + (line_end if ends_line else b"")
