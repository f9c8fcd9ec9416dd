"""`wirebroker groups explain`: the latest rebalances of a group: reasons, members that joined or left, times."""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.groups.requests import describe
from wirebroker.cli.output import as_cell, counted, print_json, print_lines, text_lines
from wirebroker.client.admin import response_error
from wirebroker.client.connection import ClientError
from wirebroker.protocol.messages.inspect import InspectRequest

if TYPE_CHECKING:
    from wirebroker.client.admin import Admin
    from wirebroker.protocol.messages.describe_groups import DescribedGroup
    from wirebroker.protocol.messages.inspect import InspectResponse

_KEYS = ("started_ms", "finished_ms", "generation", "reasons", "joined", "left")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker groups explain`."""
    add_connection(parser)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--group", metavar="GROUP", help="group id")
    which.add_argument("group", metavar="GROUP", nargs="?", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Explain a group; return the exit code."""
    return run_with(args, _explain)


def _explain(admin: Admin, args: argparse.Namespace) -> int:
    group = describe(admin, args.group)
    if group.group_state == "Dead":
        raise ClientError(f"consumer group '{args.group}' does not exist")
    rebalances = admin.retry(lambda: _rebalances(admin, args.group))
    if args.format == "json":
        print_json({"group": args.group, "state": group.group_state, "rebalances": rebalances})
    elif args.format == "text":
        print_lines(text_lines([each[key] for key in _KEYS] for each in rebalances))
    else:
        _print_history(group, rebalances)
    return 0


def _rebalances(admin: Admin, group_id: str) -> list[dict[str, Any]]:
    """The latest rebalances of a group, oldest first, as the Inspect API of wirebroker has them.

    Raises:
        ClientError: the coordinator is no wirebroker, or refuses.
    """
    _, address, coordinator = admin.coordinator(group_id)
    try:
        answer: InspectResponse = coordinator.send_unlisted(InspectRequest(subject="group", name=group_id), 0)
    except ClientError:
        raise ClientError(f"the broker at {address} keeps no history of rebalances; is it a wirebroker?") from None
    if answer.error_code:
        raise response_error(f"group {group_id}", answer.error_code)
    found: list[dict[str, Any]] = json.loads(answer.document or "[]")
    return found


def _print_history(group: DescribedGroup, rebalances: list[dict[str, Any]]) -> None:
    print(f"{group.group_id} is {group.group_state} with {counted(len(group.members), 'member')}.")
    if not rebalances:
        print("It has not rebalanced since its coordinator started.")
    for entry in rebalances:
        when = datetime.fromtimestamp(entry["finished_ms"] / 1000, UTC).isoformat(timespec="milliseconds")
        took_ms = entry["finished_ms"] - entry["started_ms"]
        print(f"\n{when}  generation {entry['generation']}, after {took_ms} ms")
        for label in ("reasons", "joined", "left"):
            for line in entry[label]:
                print(f"  {'because' if label == 'reasons' else label:<8} {as_cell(line)}")
