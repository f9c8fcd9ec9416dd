"""`wirebroker groups list`: the groups of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.groups.common import add_connection, list_groups, print_json, print_table, run_with

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_ANY = "*"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker groups list`."""
    add_connection(parser)
    parser.add_argument("--state", nargs="?", const=_ANY, metavar="A,B", help="show states; only these if named")
    parser.add_argument("--type", nargs="?", const=_ANY, metavar="A,B", help="show types; only these if named")


def run(args: argparse.Namespace) -> int:
    """List groups; the result is the exit code."""
    return run_with(args, _list)


def _list(admin: Admin, args: argparse.Namespace) -> int:
    groups = list_groups(admin, _filter(args.state), _filter(args.type))
    if args.format == "json":
        print_json(
            [
                {"group": each.group_id, "protocolType": each.protocol_type, "state": each.group_state}
                | {"type": each.group_type}
                for each in groups
            ]
        )
    elif args.state is None and args.type is None:
        for each in groups:
            print(each.group_id)
    else:
        columns = [("GROUP", "group_id")]
        columns += [("TYPE", "group_type")] if args.type is not None else []
        columns += [("STATE", "group_state")] if args.state is not None else []
        print_table([title for title, _ in columns], [[getattr(each, name) for _, name in columns] for each in groups])
    return 0


def _filter(text: str | None) -> list[str]:
    return [] if text in (None, _ANY) else [part.strip() for part in str(text).split(",")]
