"""`wirebroker quotas describe`: the quotas of users, client ids and addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.quotas.requests import CLIENT_ID, IP, USER, describe_quotas
from wirebroker.cli.quotas.selection import add_entity, chosen_entity

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("USER", "user"),
    Column("CLIENT-ID", "client_id"),
    Column("IP", "ip"),
    Column("QUOTA", "quota"),
    Column("VALUE", "value"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker quotas describe`."""
    add_connection(parser)
    add_entity(parser)
    parser.add_argument(
        "--strict", action="store_true", help="leave out quotas of a user and client id if only one of them is named"
    )


def run(args: argparse.Namespace) -> int:
    """Describe quotas; return the exit code."""
    chosen_entity(args)
    return run_with(args, _describe)


def _describe(admin: Admin, args: argparse.Namespace) -> int:
    rows = [
        (entity.named(USER), entity.named(CLIENT_ID), entity.named(IP), key, value)
        for entity, quotas in describe_quotas(admin, chosen_entity(args), strict=args.strict)
        for key, value in sorted(quotas.items())
    ]
    print_records(_COLUMNS, sorted(rows, key=lambda row: [each or "" for each in row[:4]]), args.format)
    return 0
