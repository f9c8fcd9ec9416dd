"""kafka-replica-verification.sh: compare the replicas of partitions again and again, and report the largest lag.

Each partition is compared as by `wirebroker replicas verify`, and next time from where the comparison has ended.
"""

from __future__ import annotations

import re
import time
from datetime import datetime
from typing import TYPE_CHECKING, Final

from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect
from wirebroker.cli.replicas.comparison import replicas_of_topics, verify_partition
from wirebroker.client.admin import LATEST
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from wirebroker.client.admin import Admin
    from wirebroker.model import TopicPartition

_ABOUT: Final = "Validate that all replicas for a set of topics have the same data."
_FETCH_SIZE: Final = 1 << 20
_PAUSE_S: Final = 1.0
"""Between two passes, in which Apache Kafka's script has brokers wait for records."""


def main(argv: list[str]) -> int:
    """Run the script until replicas differ, and return its exit code."""
    parser = ToolParser("kafka-replica-verification", _ABOUT)
    parser.add_argument("--broker-list", metavar="HOST:PORT,...", help="the brokers to connect to first")
    parser.add_argument("--topics-include", "--topic-white-list", default=".*", help="the topics to compare, a regex")
    parser.add_argument("--fetch-size", type=int, default=_FETCH_SIZE, help="bytes to read from a replica at once")
    parser.add_argument("--max-wait-ms", type=int, help="without effect: a Fetch request does not wait")
    parser.add_argument("--report-interval-ms", type=int, default=30_000, help="between two reports")
    parser.add_argument("--time", type=int, default=LATEST, help="ms where to begin, -1 for the end, -2 for the begin")
    args = parser.read(argv)
    args.bootstrap_server = args.broker_list or args.bootstrap_server
    if not args.bootstrap_server:
        parser.usage_error('Missing required argument "[broker-list]"')
    try:
        pattern = re.compile(args.topics_include)
    except re.error:
        raise ToolError(f"{args.topics_include} is an invalid regex.") from None
    try:
        with connect(args) as admin:
            return _compare_until_different(admin, args, pattern)
    except ClientError as problem:
        raise ToolError(str(problem)) from None


def _compare_until_different(admin: Admin, args: argparse.Namespace, pattern: re.Pattern[str]) -> int:
    replicas = replicas_of_topics(admin, pattern)
    if not replicas:
        raise ToolError(
            "No topics found. [topics-include] if specified, is either filtering out all topics or there is no topic."
        )
    brokers = admin.brokers({each for broker_ids in replicas.values() for each in broker_ids})
    starts = admin.list_offsets(dict.fromkeys(replicas, args.time))
    offsets = {at: max(0, starts[at]) for at in sorted(replicas) if at in starts}
    _print("verification process is started")
    reports = _ReportInterval(args.report_interval_ms / 1000, time.monotonic)
    while True:
        lags: dict[TopicPartition, int] = {}
        for at, offset in offsets.items():
            connections = {each: brokers[each] for each in replicas[at] if each in brokers}
            found = verify_partition(at, connections, offset, args.fetch_size)
            if lines := found.corruptions + found.mismatches:
                for line in lines:
                    _print(line)
                return 1
            offsets[at], lags[at] = found.offset, found.lag
        if reports.is_due():
            at = max(lags, key=lambda each: lags[each])
            _print(f"max lag is {lags[at]} for partition {at} at offset {offsets[at]} among {len(lags)} partitions")
        time.sleep(min(_PAUSE_S, reports.interval_s))


class _ReportInterval:
    """The interval of the reports, the first of which comes at its end."""

    def __init__(self, interval_s: float, clock: Callable[[], float]) -> None:
        self.interval_s = interval_s
        self._clock, self._last = clock, clock()

    def is_due(self) -> bool:
        """Return whether the interval is over; the next one begins then."""
        now = self._clock()
        if now - self._last < self.interval_s:
            return False
        self._last = now
        return True


def _print(text: str) -> None:
    """Print *text* behind the time, at once, as the output is followed."""
    now = datetime.now()
    print(f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03}: {text}", flush=True)
