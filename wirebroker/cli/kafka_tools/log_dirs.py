"""kafka-log-dirs.sh: the replicas in the log directories of brokers, as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect, message_of
from wirebroker.cli.log_dirs.requests import describe_log_dirs
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    from wirebroker.cli.log_dirs.requests import LogDirDescription

_ABOUT: Final = "This tool helps to query log directory usage on the specified brokers."


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-log-dirs", _ABOUT)
    parser.add_argument("--describe", action="store_true")
    parser.add_argument("--topic-list", default="")
    parser.add_argument("--broker-list", default="")
    args = parser.read(argv)
    parser.require(args, "bootstrap-server", "describe")
    topics = {each for each in args.topic_list.split(",") if each}
    try:
        wanted = {int(each) for each in args.broker_list.split(",") if each}
        with connect(args) as admin:
            live = sorted(broker.node_id for broker in admin.metadata(()).brokers)
            missing = sorted(wanted - set(live))
            if missing:
                raise ValueError(
                    f"ERROR: The given brokers do not exist from --broker-list: {_ids(missing)}. "
                    f"Current existent brokers: {_ids(live)}"
                )
            asked = sorted(wanted) or live
            print("Querying brokers for log directories information")
            found = describe_log_dirs(admin, asked)
    except (ValueError, ClientError) as problem:
        raise ToolError(message_of(problem)) from None
    print(f"Received log directory information from brokers {_ids(asked)}")
    brokers = [
        {"broker": broker_id, "logDirs": [_as_object(each, topics) for each in directories]}
        for broker_id, directories in found.items()
    ]
    print(json.dumps({"brokers": brokers, "version": 1}, separators=(",", ":")))
    return 0


def _ids(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))


def _as_object(directory: LogDirDescription, topics: set[str]) -> dict[str, Any]:
    return {
        "partitions": [
            {
                "partition": str(each.at),
                "size": each.size_bytes,
                "offsetLag": each.offset_lag,
                "isFuture": each.is_future,
            }
            for each in directory.replicas
            if not topics or each.at.topic in topics
        ],
        "error": directory.error,
        "logDir": directory.path,
    }
