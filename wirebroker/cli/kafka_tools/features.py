"""kafka-features.sh: the features of a cluster, and changes of their levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.cluster.requests import (
    METADATA_VERSION,
    SAFE_DOWNGRADE,
    UNSAFE_DOWNGRADE,
    UPGRADE,
    api_versions,
    features_of,
    level_number,
    level_text,
    update_features,
)
from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect, message_of
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_ABOUT: Final = "This tool manages feature flags in Kafka."
_COMMANDS: Final = ("describe", "upgrade", "downgrade", "disable")


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-features", _ABOUT)
    parser.add_argument("command", choices=_COMMANDS)
    parser.add_argument("--metadata")
    parser.add_argument("--feature", action="append", default=[])
    parser.add_argument("--unsafe", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    args = parser.read(argv)
    parser.require(args, "bootstrap-server")
    try:
        updates = _updates(args)
        with connect(args) as admin:
            if args.command == "describe":
                _describe(admin)
            else:
                _update(admin, args, updates)
    except (ValueError, ClientError) as problem:
        raise ToolError(message_of(problem)) from None
    return 0


def _describe(admin: Admin) -> None:
    features, epoch = features_of(api_versions(admin.first))
    for each in features:
        low, high, level = (level_text(each.name, number) for number in each[1:])
        print(
            f"Feature: {each.name}\tSupportedMinVersion: {low}\tSupportedMaxVersion: {high}\t"
            f"FinalizedVersionLevel: {level}\tEpoch: {'-' if epoch is None else epoch}"
        )


def _updates(args: argparse.Namespace) -> list[tuple[str, int, int]]:
    """Return (feature, level, type of change) of the options, each feature once."""
    kind = UPGRADE if args.command == "upgrade" else UNSAFE_DOWNGRADE if args.unsafe else SAFE_DOWNGRADE
    updates = [(METADATA_VERSION, level_number(METADATA_VERSION, args.metadata), kind)] if args.metadata else []
    for text in args.feature:
        name, equals, level = text.partition("=")
        if args.command == "disable":
            name, level = text, "0"
        elif not equals:
            raise ValueError(f"Can't parse feature=level string {text}: equals sign not found.")
        if any(name.strip() == each[0] for each in updates):
            raise ValueError(f"Feature {name.strip()} was specified more than once.")
        updates.append((name.strip(), level_number(name.strip(), level.strip()), kind))
    return updates


def _update(admin: Admin, args: argparse.Namespace, updates: list[tuple[str, int, int]]) -> None:
    if not updates:
        raise ValueError(f"You must specify at least one feature to {args.command}")
    errors = update_features(admin, updates, validate_only=args.dry_run)
    levels = {name: level for name, level, _ in updates}
    for name, error in sorted(errors.items()):
        done = "disabled." if args.command == "disable" else f"{args.command}d to {levels[name]}."
        failed = f"disable {name}" if args.command == "disable" else f"{args.command} {name} to {levels[name]}"
        if error is None:
            print(f"{name} {'can be' if args.dry_run else 'was'} {done}")
        else:
            print(f"{'Can' if args.dry_run else 'Could'} not {failed}. {error}")
    failures = sum(error is not None for error in errors.values())
    if failures:
        raise ValueError(f"{failures} out of {len(updates)} operation(s) failed.")
