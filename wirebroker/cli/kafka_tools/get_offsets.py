"""kafka-get-offsets.sh: the offset of each partition at a time."""

from __future__ import annotations

import sys
from typing import Final

from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect
from wirebroker.cli.offsets.partition_patterns import matching_partitions, partition_patterns, topic_patterns
from wirebroker.cli.offsets.requests import find_offsets, parse_time
from wirebroker.client.connection import ClientError

_ABOUT: Final = "An interactive shell for getting topic-partition offsets."


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-get-offsets", _ABOUT)
    parser.add_argument("--broker-list", help="the old name of --bootstrap-server")
    for each in ("topic-partitions", "topic", "partitions"):
        parser.add_argument(f"--{each}")
    parser.add_argument("--time", default="latest")
    parser.add_argument("--exclude-internal-topics", action="store_true")
    args = parser.read(argv)
    args.bootstrap_server = args.bootstrap_server or args.broker_list
    parser.require(args, "bootstrap-server")
    try:
        if args.topic_partitions and (args.topic or args.partitions):
            raise ValueError("--topic-partitions cannot be used with --topic or --partitions")
        time_ms = parse_time(args.time)
        patterns = (
            partition_patterns(args.topic_partitions)
            if args.topic_partitions
            else topic_patterns(args.topic, args.partitions)
        )
        with connect(args) as admin:
            admin.skips_unreachable = True
            partitions = matching_partitions(admin, patterns, exclude_internal=args.exclude_internal_topics)
            if not partitions:
                raise ValueError("Could not match any topic-partitions with the specified filters")
            found = find_offsets(admin, partitions, time_ms)
    except (ValueError, ClientError, ToolError) as problem:
        raise ToolError(f"Error occurred: {problem}") from None
    for at, offset, _, error in sorted(found, key=lambda each: str(each.at)):
        if error:
            print(f"Skip getting offsets for topic-partition {at} due to error: {error}", file=sys.stderr)
        elif offset is not None:
            print(f"{at.topic}:{at.partition}:{offset}")
    return 0
