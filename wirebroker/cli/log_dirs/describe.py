"""`wirebroker log-dirs describe`: the log directories of brokers, and the size of each replica in them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.log_dirs.requests import describe_log_dirs
from wirebroker.cli.output import Column, print_json, print_records
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    from wirebroker.cli.log_dirs.requests import LogDirDescription
    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("BROKER", "broker"),
    Column("LOG-DIR", "log_dir"),
    Column("PARTITION", "partition"),
    Column("BYTES", "size_bytes"),
    Column("LAG", "offset_lag"),
    Column("FUTURE", "is_future"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker log-dirs describe`."""
    add_connection(parser)
    parser.add_argument("--broker-list", type=broker_ids, default=[], metavar="ID,...", help="default: all brokers")
    parser.add_argument("--topic-list", type=_names, default=[], metavar="TOPIC,...", help="default: all topics")


def broker_ids(text: str) -> list[int]:
    """Return the numbers in `1,2`.

    Raises:
        argparse.ArgumentTypeError: a part is no number.
    """
    try:
        return [int(each) for each in text.split(",") if each]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not ID,ID") from None


def _names(text: str) -> list[str]:
    return [each for each in text.split(",") if each]


def run(args: argparse.Namespace) -> int:
    """Describe log directories; return the exit code, 1 if one is offline."""
    return run_with(args, _describe)


def chosen_brokers(admin: Admin, wanted: list[int]) -> list[int]:
    """Return *wanted*, or all brokers if it is empty, sorted.

    Raises:
        ClientError: one of them is not in the cluster.
    """
    live = sorted(broker.node_id for broker in admin.metadata(()).brokers)
    missing = sorted(set(wanted) - set(live))
    if missing:
        raise ClientError(f"there is no broker {','.join(map(str, missing))}; there are {','.join(map(str, live))}")
    return sorted(set(wanted)) or live


def _describe(admin: Admin, args: argparse.Namespace) -> int:
    found = describe_log_dirs(admin, chosen_brokers(admin, args.broker_list))
    is_offline = False
    for broker_id, directories in found.items():
        for each in directories:
            if each.error:
                print_error(f"broker {broker_id}: {each.path}: {each.error}")
                is_offline = True
    if args.format == "json":
        print_json(
            [
                {"broker": broker_id, "log_dirs": [_document(each, args.topic_list) for each in directories]}
                for broker_id, directories in found.items()
            ]
        )
    else:
        rows = [
            (broker_id, directory.path, str(replica.at), *replica[1:])
            for broker_id, directories in found.items()
            for directory in directories
            for replica in sorted(directory.replicas)
            if not args.topic_list or replica.at.topic in args.topic_list
        ]
        print_records(_COLUMNS, rows, args.format)
    return int(is_offline)


def _document(directory: LogDirDescription, topics: list[str]) -> dict[str, object]:
    return {
        "log_dir": directory.path,
        "error": directory.error,
        "total_bytes": directory.total_bytes,
        "usable_bytes": directory.usable_bytes,
        "partitions": [
            {
                "partition": str(each.at),
                "size_bytes": each.size_bytes,
                "offset_lag": each.offset_lag,
                "is_future": each.is_future,
            }
            for each in sorted(directory.replicas)
            if not topics or each.at.topic in topics
        ],
    }
