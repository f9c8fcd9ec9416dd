"""`wirebroker groups list`: the groups of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.groups.requests import list_groups
from wirebroker.cli.output import Column, print_lines, print_records, text_lines

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_ANY = "*"
_GROUP = Column("GROUP", "group")
_PROTOCOL_TYPE = Column("PROTOCOL-TYPE", "protocol_type")
_TYPE = Column("TYPE", "type")
_STATE = Column("STATE", "state")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker groups list`."""
    add_connection(parser)
    parser.add_argument("--state", nargs="?", const=_ANY, metavar="A,B", help="show states; only these if named")
    parser.add_argument("--type", nargs="?", const=_ANY, metavar="A,B", help="show types; only these if named")


def run(args: argparse.Namespace) -> int:
    """List groups; return the exit code."""
    return run_with(args, _list)


def _list(admin: Admin, args: argparse.Namespace) -> int:
    """Print group ids only, unless states or types are asked for; JSON has everything."""
    groups = list_groups(admin, _filter(args.state), _filter(args.type))
    if args.format == "json":
        rows = [(each.group_id, each.protocol_type, each.group_state, each.group_type) for each in groups]
        print_records((_GROUP, _PROTOCOL_TYPE, _STATE, _TYPE), rows, args.format)
    elif args.state is None and args.type is None:
        print_lines(text_lines((each.group_id,) for each in groups))  # no header, as kafka-consumer-groups.sh --list
    else:
        columns = [_GROUP, *([_TYPE] if args.type is not None else []), *([_STATE] if args.state is not None else [])]
        cells = {_GROUP: "group_id", _TYPE: "group_type", _STATE: "group_state"}
        print_records(columns, [[getattr(each, cells[column]) for column in columns] for each in groups], args.format)
    return 0


def _filter(text: str | None) -> list[str]:
    return [] if text in (None, _ANY) else [part.strip() for part in str(text).split(",")]
