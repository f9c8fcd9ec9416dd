"""kafka-producer-perf-test.sh: the rate and latencies of a producer."""

from __future__ import annotations

from typing import Final

from wirebroker.cli.kafka_tools.as_command import add_print_metrics, properties, run_command, warn_of_print_metrics
from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser
from wirebroker.cli.perf import produce

_ABOUT: Final = "This tool is used to verify the producer performance."


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-producer-perf-test", _ABOUT)
    for each in ("topic", "num-records", "throughput", "record-size", "payload-file", "payload-delimiter"):
        parser.add_argument(f"--{each}")
    parser.add_argument("--transactional-id")  # without effect if there are no transactions
    parser.add_argument("--transaction-duration-ms", type=int, default=0)
    parser.add_argument("--producer.config")
    parser.add_argument("--payload-monotonic", action="store_true")
    add_print_metrics(parser)
    parser.add_argument("--producer-props", nargs="+", default=[])
    args = parser.read(argv)
    given = properties(args.producer_props)
    args.bootstrap_server = given.pop("bootstrap.servers", None) or args.bootstrap_server
    parser.require(args, "topic", "num-records", "throughput", "bootstrap-server")
    if not (args.record_size or args.payload_file or args.payload_monotonic):
        raise ToolError("one of the arguments --record-size --payload-file --payload-monotonic is required")
    words = [args.topic, "-b", args.bootstrap_server, "--throughput", args.throughput]
    options = {
        "--num-records": args.num_records,
        "--record-size": args.record_size,
        "--payload-file": args.payload_file,
        "--payload-delimiter": args.payload_delimiter,
        "--command-config": getattr(args, "producer.config"),
    }
    for option, value in options.items():
        words += [option, value] if value else []
    if args.transaction_duration_ms > 0:
        words += ["--transaction-duration-ms", str(args.transaction_duration_ms)]
        words += ["--transactional-id", args.transactional_id] if args.transactional_id else []
    words += ["--payload-monotonic"] if args.payload_monotonic else []
    warn_of_print_metrics(args)
    for name, value in given.items():
        words += ["-X", f"{name}={value}"]
    return run_command(produce, words)
