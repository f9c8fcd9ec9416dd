"""`wirebroker cluster info`: the id of a cluster, its controller and its brokers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.cluster.requests import describe_cluster
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, as_objects, print_json, print_lines, table_lines, text_lines

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("BROKER", "broker_id"),
    Column("HOST", "host"),
    Column("PORT", "port"),
    Column("RACK", "rack"),
    Column("FENCED", "is_fenced"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker cluster info`."""
    add_connection(parser)


def run(args: argparse.Namespace) -> int:
    """Print the cluster; return the exit code."""
    return run_with(args, _info)


def _info(admin: Admin, args: argparse.Namespace) -> int:
    cluster = describe_cluster(admin)
    if args.format == "json":
        print_json(
            {
                "cluster_id": cluster.cluster_id,
                "controller_id": cluster.controller_id,
                "brokers": as_objects(_COLUMNS, cluster.brokers),
            }
        )
    elif args.format == "text":
        print_lines(text_lines(cluster.brokers))
    else:
        controller = "unknown" if cluster.controller_id is None else cluster.controller_id
        print(f"cluster {cluster.cluster_id or 'without an id'}, controller: {controller}")
        print_lines(table_lines(_COLUMNS, cluster.brokers))
    return 0
