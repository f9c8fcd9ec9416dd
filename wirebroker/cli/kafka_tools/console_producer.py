"""kafka-console-producer.sh: lines of standard input to a topic."""

from __future__ import annotations

from typing import Final

from wirebroker.cli.kafka_tools.as_command import is_true, properties, properties_of_file, run_command
from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser
from wirebroker.cli.records import produce
from wirebroker.cli.records.input_lines import LineLayout
from wirebroker.cli.records.templates import unescape

_ABOUT: Final = "This tool helps to read data from standard input and publish it to Kafka."
_LINE_READER: Final = "LineMessageReader"
_WITHOUT_EFFECT: Final = (
    "max-block-ms",
    "max-memory-bytes",
    "max-partition-memory-bytes",
    "message-send-max-retries",
    "metadata-expiry-ms",
    "request-timeout-ms",
    "retry-backoff-ms",
    "socket-buffer-size",
)
"""Options of the Java client's buffers and retries, which change nothing about the records."""


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-console-producer", _ABOUT)
    for each in ("topic", "broker-list", "timeout", "batch-size", "producer.config", "reader-config", *_WITHOUT_EFFECT):
        parser.add_argument(f"--{each}")
    parser.add_argument("--sync", action="store_true")
    parser.add_argument("--line-reader", default=_LINE_READER)
    parser.add_argument("--request-required-acks", default="-1")
    parser.add_argument("--compression-codec", nargs="?", const="gzip", default="none")
    for each in ("property", "producer-property"):
        parser.add_argument(f"--{each}", action="append", default=[])
    args = parser.read(argv)
    args.bootstrap_server = args.bootstrap_server or args.broker_list
    parser.require(args, "bootstrap-server", "topic")
    if args.line_reader.rpartition(".")[2].rpartition("$")[2] != _LINE_READER:
        raise ToolError(f"no reader {args.line_reader}; there is {_LINE_READER}")
    given = {**properties_of_file(args.reader_config), **properties(args.property)}
    tab = "\t"
    layout = LineLayout(
        key_separator=given.get("key.separator", tab).encode() if is_true(given.get("parse.key")) else None,
        headers_delimiter=given.get("headers.delimiter", tab).encode() if is_true(given.get("parse.headers")) else None,
        headers_separator=given.get("headers.separator", ",").encode(),
        headers_key_separator=given.get("headers.key.separator", ":").encode(),
        null_marker=unescape(given["null.marker"]) if "null.marker" in given else None,
        ignore_error=is_true(given.get("ignore.error")),
    )
    words = [args.topic, "-b", args.bootstrap_server, "--acks", args.request_required_acks]
    words += ["--codec", args.compression_codec]
    config = getattr(args, "producer.config")
    words += ["--command-config", config] if config else []
    words += ["-X", f"linger.ms={args.timeout}"] if args.timeout else []
    words += ["-X", f"batch.size={args.batch_size}"] if args.batch_size else []
    for each in args.producer_property:
        words += ["-X", each]
    return run_command(produce, words, layout=layout)
