"""`wirebroker cluster features`: the features of a cluster and their levels; also changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.cluster.requests import (
    SAFE_DOWNGRADE,
    UNSAFE_DOWNGRADE,
    UPGRADE,
    api_versions,
    features_of,
    level_number,
    level_text,
    update_features,
)
from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.standard_streams import print_error

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("FEATURE", "feature"),
    Column("SUPPORTED-MIN", "supported_min_version"),
    Column("SUPPORTED-MAX", "supported_max_version"),
    Column("FINALIZED", "finalized_version_level"),
    Column("EPOCH", "epoch"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker cluster features`."""
    add_connection(parser)
    for option, about in (("--upgrade", "raise"), ("--downgrade", "lower")):
        parser.add_argument(
            option,
            action="append",
            default=[],
            metavar="FEATURE=LEVEL",
            help=f"{about} the level of a feature; repeatable",
        )
    parser.add_argument(
        "--disable", action="append", default=[], metavar="FEATURE", help="lower a feature to level 0; repeatable"
    )
    parser.add_argument("--unsafe", action="store_true", help="lower levels even if metadata is lost")
    parser.add_argument("--dry-run", action="store_true", help="have the controller check, and change nothing")


def run(args: argparse.Namespace) -> int:
    """Print features, after the changes if there are any; return the exit code, 1 if a change was refused."""
    lower = UNSAFE_DOWNGRADE if args.unsafe else SAFE_DOWNGRADE
    try:
        args.updates = [
            *(_update(each, UPGRADE) for each in args.upgrade),
            *(_update(each, lower) for each in args.downgrade),
            *((name, 0, lower) for name in args.disable),
        ]
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    if (args.unsafe or args.dry_run) and not args.updates:
        raise UsageError("name a change: --upgrade, --downgrade or --disable")
    return run_with(args, _features)


def _update(text: str, kind: int) -> tuple[str, int, int]:
    name, equals, level = text.partition("=")
    if not equals:
        raise ValueError(f"Can't parse feature=level string {text}: equals sign not found.")
    return name.strip(), level_number(name.strip(), level.strip()), kind


def _features(admin: Admin, args: argparse.Namespace) -> int:
    errors: dict[str, str | None] = {}
    if args.updates:
        errors = update_features(admin, args.updates, validate_only=args.dry_run)
    for name, error in errors.items():
        if error is not None:
            print_error(f"feature {name}: {error}")
    features, epoch = features_of(api_versions(admin.first))
    rows = [(each.name, *(level_text(each.name, level) for level in each[1:]), epoch) for each in features]
    print_records(_COLUMNS, rows, args.format)
    return int(any(error is not None for error in errors.values()))
