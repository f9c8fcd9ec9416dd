"""kafka-console-consumer.sh: records of a topic to standard output."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.kafka_tools.as_command import is_true, properties, run_command
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


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-console-consumer", _ABOUT)
    for each in ("topic", "partition", "offset", "group", "max-messages", "timeout-ms", "consumer.config"):
        parser.add_argument(f"--{each}")
    parser.add_argument("--from-beginning", action="store_true")
    parser.add_argument("--skip-message-on-error", action="store_true")
    parser.add_argument("--isolation-level", default="read_uncommitted")
    parser.add_argument("--formatter", default=_DEFAULT_FORMATTER)
    for each in ("property", "consumer-property"):
        parser.add_argument(f"--{each}", action="append", default=[])
    args = parser.read(argv)
    parser.require(args, "bootstrap-server")
    if not args.topic:
        parser.usage_error("At least one of the following arguments is required: [topic], [include]")
    if args.offset and not args.partition:
        parser.usage_error("The partition is required when offset is specified.")
    words = [args.topic, "-b", args.bootstrap_server, "--isolation", args.isolation_level]
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
    printer = _Counting(_printer(args.formatter, properties(args.property)))
    try:
        return run_command(consume, words, printer=printer)
    finally:
        print(f"Processed a total of {printer.count} messages", file=sys.stderr)


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
    """Return Kafka's DefaultMessageFormatter with the properties *given*."""
    separator = given.get("key.separator", "\t").encode()
    line_end = given.get("line.separator", "\n").encode()
    null = given.get("null.literal", "null").encode()
    headers_separator = given.get("headers.separator", ",").encode()

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
        "key": lambda message: null if message.key() is None else message.key(),
        "value": lambda message: null if message.value() is None else message.value(),
    }
    chosen = [part for name, part in parts.items() if is_true(given.get(f"print.{name}", str(name == "value")))]
    ends_line = is_true(given.get("print.value", "true"))
    return lambda message: separator.join(part(message) for part in chosen) + (line_end if ends_line else b"")
