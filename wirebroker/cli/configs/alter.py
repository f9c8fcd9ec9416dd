"""`wirebroker configs alter`: set and delete settings, quotas and SCRAM credentials of one entity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.configs.changes import add_changes, changes_of
from wirebroker.cli.configs.entities import add_entities, entities_of
from wirebroker.cli.configs.entity_requests import alter_entity
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.standard_streams import print_error

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("TYPE", "entity_type"),
    Column("NAME", "entity_name"),
    Column("SET", "added"),
    Column("DELETED", "deleted"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker configs alter`."""
    add_connection(parser)
    add_entities(parser)
    add_changes(parser)


def run(args: argparse.Namespace) -> int:
    """Alter settings; return the exit code."""
    entities = entities_of(args)
    problem = entities.problem() or entities.problem_of_alter()
    if problem:
        raise UsageError(problem)
    try:
        args.changes = changes_of(args)
    except ValueError as fault:
        raise UsageError(str(fault)) from None
    return run_with(args, _alter)


def _alter(admin: Admin, args: argparse.Namespace) -> int:
    entities = entities_of(args)
    try:
        alter_entity(admin, entities, args.changes)
    except ValueError as problem:
        print_error(str(problem))
        return 1
    names = [name or "<default>" for name in entities.names]
    row = (",".join(entities.types), ",".join(names), list(args.changes.added), args.changes.deleted)
    print_records(_COLUMNS, [row], args.format)
    return 0
