"""`wirebroker api-versions`: the APIs that each broker serves, and the version that wirebroker's client would use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.cluster.requests import api_versions
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.protocol.api import API

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("BROKER", "broker"),
    Column("KEY", "api_key"),
    Column("API", "api"),
    Column("MIN", "min_version"),
    Column("MAX", "max_version"),
    Column("USABLE", "usable_version"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker api-versions`."""
    add_connection(parser)


def run(args: argparse.Namespace) -> int:
    """Print the versions; return the exit code."""
    return run_with(args, _print)


def _print(admin: Admin, args: argparse.Namespace) -> int:
    rows = [
        (
            broker_id,
            each.api_key,
            API[each.api_key].name if each.api_key in API else None,
            each.min_version,
            each.max_version,
            usable_version(each.api_key, each.min_version, each.max_version),
        )
        for broker_id, response in admin.ask_brokers(lambda _, broker: api_versions(broker)).items()
        for each in sorted(response.api_keys, key=lambda entry: entry.api_key)
    ]
    print_records(_COLUMNS, rows, args.format)
    return 0


def usable_version(api_key: int, lowest: int, highest: int) -> int | None:
    """Return the newest version that the broker and wirebroker know, None if there is none."""
    if api_key not in API:
        return None
    ours = API[api_key]
    version = min(highest, ours.max_version)
    return version if version >= max(lowest, ours.min_version) else None
