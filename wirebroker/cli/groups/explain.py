"""`wirebroker groups explain`: why a group rebalanced lately, who came and who went, and how long it took."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from wirebroker.cli.groups.common import add_connection, describe, print_json, run_with
from wirebroker.client.admin import explain
from wirebroker.client.connection import ClientError
from wirebroker.protocol.messages.inspect import InspectRequest

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker groups explain`."""
    add_connection(parser)
    parser.add_argument("group", metavar="GROUP")


def run(args: argparse.Namespace) -> int:
    """Explain a group; the result is the exit code."""
    return run_with(args, _explain)


def _explain(admin: Admin, args: argparse.Namespace) -> int:
    group = describe(admin, args.group)
    if group.group_state == "Dead":
        raise ClientError(f"consumer group '{args.group}' does not exist")
    _, address, coordinator = admin.coordinator(args.group)
    try:
        answer = coordinator.ask_unlisted(InspectRequest(subject="group", name=args.group), 0)
    except ClientError:
        raise ClientError(f"the broker at {address} keeps no history of rebalances; is it a wirebroker?") from None
    if answer.error_code:
        raise ClientError(f"group {args.group}: {answer.error_message or explain(answer.error_code)}")
    rebalances = json.loads(answer.document)
    if args.format == "json":
        print_json({"group": args.group, "state": group.group_state, "rebalances": rebalances})
        return 0
    print(f"{args.group} is {group.group_state} with {len(group.members)} members.")
    if not rebalances:
        print("It has not rebalanced since its coordinator started.")
    for entry in rebalances:
        when = datetime.fromtimestamp(entry["finished_ms"] / 1000, UTC).isoformat(timespec="milliseconds")
        took_ms = entry["finished_ms"] - entry["started_ms"]
        print(f"\n{when}  generation {entry['generation']}, after {took_ms} ms")
        for label in ("reasons", "joined", "left"):
            for line in entry[label]:
                print(f"  {'because' if label == 'reasons' else label:<8} {line}")
    return 0
