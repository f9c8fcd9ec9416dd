"""kafka-consumer-perf-test.sh: the rate of a consumer."""

from __future__ import annotations

from typing import Final

from wirebroker.cli.kafka_tools.as_command import add_print_metrics, run_command, warn_of_print_metrics
from wirebroker.cli.kafka_tools.tool import ToolParser
from wirebroker.cli.perf import consume

_ABOUT: Final = "This tool is used to verify the consumer performance."
_FLAGS: Final = ("from-latest", "show-detailed-stats", "hide-header")


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-consumer-perf-test", _ABOUT)
    for each in ("broker-list", "topic", "group", "messages", "timeout", "reporting-interval", "consumer.config"):
        parser.add_argument(f"--{each}")
    for each in ("fetch-size", "socket-buffer-size", "date-format", "threads", "num-fetch-threads"):
        parser.add_argument(f"--{each}")  # no effect on the figures
    for each in _FLAGS:
        parser.add_argument(f"--{each}", action="store_true")
    add_print_metrics(parser)
    args = parser.read(argv)
    args.bootstrap_server = args.bootstrap_server or args.broker_list
    parser.require(args, "bootstrap-server", "topic", "messages")
    words = [args.topic, "-b", args.bootstrap_server, "--messages", args.messages]
    options = {
        "--group": args.group,
        "--idle-timeout": args.timeout,
        "--reporting-interval": args.reporting_interval,
        "--command-config": getattr(args, "consumer.config"),
    }
    for option, value in options.items():
        words += [option, value] if value else []
    words += [f"--{each}" for each in _FLAGS if getattr(args, each.replace("-", "_"))]
    warn_of_print_metrics(args)
    return run_command(consume, words)
