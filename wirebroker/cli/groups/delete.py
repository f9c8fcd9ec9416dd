"""`wirebroker groups delete`: delete groups without members, and everything they committed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wirebroker.cli.groups.common import add_connection, add_groups, print_json, run_with, wanted_groups
from wirebroker.client.admin import explain
from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker groups delete`."""
    add_connection(parser)
    add_groups(parser)


def run(args: argparse.Namespace) -> int:
    """Delete groups; the result is the exit code, 1 when one could not be deleted."""
    return run_with(args, _delete)


def _delete(admin: Admin, args: argparse.Namespace) -> int:
    outcome: dict[str, str | None] = {}
    for group_id in wanted_groups(admin, args):
        _, _, coordinator = admin.coordinator(group_id)
        result = coordinator.ask(DeleteGroupsRequest(groups_names=[group_id])).results[0]
        outcome[group_id] = explain(result.error_code) if result.error_code else None
    if args.format == "json":
        print_json(outcome)
    else:
        done = [group_id for group_id, problem in outcome.items() if problem is None]
        if done:
            print(f"Deleted: {', '.join(done)}")
        for group_id, problem in outcome.items():
            if problem is not None:
                print(f"wirebroker: group {group_id} was not deleted: {problem}", file=sys.stderr)
    return 1 if any(outcome.values()) else 0
