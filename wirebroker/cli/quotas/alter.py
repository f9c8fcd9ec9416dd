"""`wirebroker quotas alter`: set and delete quotas of a user, client id or address."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.quotas.requests import CLIENT_ID, IP, IP_QUOTAS, USER, USER_QUOTAS, QuotaEntity, alter_quotas
from wirebroker.cli.quotas.selection import add_entity, chosen_entity

if TYPE_CHECKING:
    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("USER", "user"),
    Column("CLIENT-ID", "client_id"),
    Column("IP", "ip"),
    Column("SET", "added"),
    Column("DELETED", "deleted"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker quotas alter`."""
    add_connection(parser)
    add_entity(parser)
    known = ", ".join(sorted(USER_QUOTAS | IP_QUOTAS))
    parser.add_argument(
        "--set", action="append", default=[], type=_quota, metavar="QUOTA=NUMBER", help=f"repeatable; {known}"
    )
    parser.add_argument("--delete", action="append", default=[], metavar="QUOTA", help="a quota to delete; repeatable")


def _quota(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not QUOTA=NUMBER") from None


def run(args: argparse.Namespace) -> int:
    """Alter quotas; return the exit code."""
    parts = chosen_entity(args)
    if not parts:
        raise UsageError("name a user, client id or address: --user, --client, --ip, or their defaults")
    if not (args.set or args.delete):
        raise UsageError("name a change: --set or --delete")
    known = IP_QUOTAS if args.ip is not None else USER_QUOTAS
    for name in (*(name for name, _ in args.set), *args.delete):
        if name not in known:
            raise UsageError(f"no quota {name!r} here; there are {', '.join(sorted(known))}")
    return run_with(args, _alter)


def _alter(admin: Admin, args: argparse.Namespace) -> int:
    entity = QuotaEntity(tuple((part.entity_type, part.name or None) for part in chosen_entity(args)))
    alter_quotas(admin, entity, dict(args.set), args.delete)
    names = (entity.named(USER), entity.named(CLIENT_ID), entity.named(IP))
    print_records(_COLUMNS, [(*names, [f"{name}={value:.15g}" for name, value in args.set], args.delete)], args.format)
    return 0
