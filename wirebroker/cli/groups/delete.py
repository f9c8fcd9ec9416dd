"""`wirebroker groups delete`: delete groups without members, and the offsets that they have committed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.groups.requests import add_groups, wanted_groups
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.admin import response_error
from wirebroker.client.connection import ClientError
from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS = (Column("GROUP", "group"), Column("DELETED", "deleted"), Column("ERROR", "error"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker groups delete`."""
    add_connection(parser)
    add_groups(parser)


def run(args: argparse.Namespace) -> int:
    """Delete groups; return the exit code, 1 when one could not be deleted."""
    return run_with(args, _delete)


def _delete(admin: Admin, args: argparse.Namespace) -> int:
    """Delete each group on its own, so that one that is not empty does not keep the others."""
    rows: list[tuple[str, bool, str | None]] = []
    for group_id in wanted_groups(admin, args):
        try:
            admin.retry(partial(delete_group, admin, group_id))
        except ClientError as problem:
            rows.append((group_id, False, str(problem)))
        else:
            rows.append((group_id, True, None))
    if args.format == "json" or any(is_deleted for _, is_deleted, _ in rows):
        print_records(_COLUMNS, rows, args.format)
    problems = [f"not deleted: {problem}" for _, _, problem in rows if problem is not None]
    for text in problems:
        print_error(text)
    return 1 if problems else 0


def delete_group(admin: Admin, group_id: str) -> None:
    """Delete a group.

    Raises:
        ClientError: its coordinator refuses.
    """
    _, _, coordinator = admin.coordinator(group_id)
    result = coordinator.send(DeleteGroupsRequest(groups_names=[group_id])).results[0]
    if result.error_code:
        raise response_error(f"group {group_id}", result.error_code)
