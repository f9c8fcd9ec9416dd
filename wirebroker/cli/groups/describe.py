"""`wirebroker groups describe`: offsets and lag, members, or state of groups."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from wirebroker.cli.groups.common import (
    add_connection,
    add_groups,
    assignment,
    describe,
    partition_lags,
    print_json,
    print_table,
    run_with,
    wanted_groups,
)

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin
    from wirebroker.protocol.messages.describe_groups import DescribedGroup

_OFFSETS = ("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "LAG-SECONDS")
_OWNER = ("CONSUMER-ID", "HOST", "CLIENT-ID")
_STATE = ("GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker groups describe`."""
    add_connection(parser)
    add_groups(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--offsets", action="store_true", help="offsets and lag of each partition (the default)")
    what.add_argument("--members", action="store_true", help="members and how many partitions they own")
    what.add_argument("--state", action="store_true", help="state, coordinator and assignment strategy")
    parser.add_argument("--verbose", action="store_true", help="with --members: which partitions they own")


def run(args: argparse.Namespace) -> int:
    """Describe groups; the result is the exit code, 1 when one does not exist."""
    return run_with(args, _describe)


def _describe(admin: Admin, args: argparse.Namespace) -> int:
    code = 0
    documents: list[dict[str, Any]] = []
    for group_id in wanted_groups(admin, args):
        group = describe(admin, group_id)
        if group.group_state == "Dead":
            print(f"wirebroker: consumer group '{group_id}' does not exist", file=sys.stderr)
            code = 1
            continue
        if args.format == "text":
            print()
        if args.members:
            documents.append(_members(group, args))
        elif args.state:
            documents.append(_state(admin, group, args))
        else:
            documents.append(_offsets(admin, group, args))
    if args.format == "json":
        print_json(documents)
    return code


def _offsets(admin: Admin, group: DescribedGroup, args: argparse.Namespace) -> dict[str, Any]:
    rows = partition_lags(admin, group)
    if args.format == "text":
        if not group.members:
            print(f"Consumer group '{group.group_id}' has no active members.\n", file=sys.stderr)
        print_table((*_OFFSETS, *_OWNER), [(group.group_id, *row) for row in rows])
    return {"group": group.group_id, "state": group.group_state, "partitions": [row._asdict() for row in rows]}


def _members(group: DescribedGroup, args: argparse.Namespace) -> dict[str, Any]:
    owned = {member.member_id: assignment(bytes(member.member_assignment)) for member in group.members}
    if args.format == "text":
        static = any(member.group_instance_id is not None for member in group.members)
        header = [
            "GROUP",
            "CONSUMER-ID",
            *(["GROUP-INSTANCE-ID"] if static else []),
            "HOST",
            "CLIENT-ID",
            "#PARTITIONS",
        ]
        rows = []
        for member in group.members:
            row = [group.group_id, member.member_id, *([member.group_instance_id] if static else [])]
            row += [member.client_host, member.client_id, str(len(owned[member.member_id]))]
            if args.verbose:
                row.append(", ".join(f"{topic}({parts})" for topic, parts in _by_topic(owned[member.member_id])))
            rows.append(row)
        print_table([*header, *(["ASSIGNMENT"] if args.verbose else [])], rows)
    return {
        "group": group.group_id,
        "members": [
            {
                "consumerId": member.member_id,
                "groupInstanceId": member.group_instance_id,
                "host": member.client_host,
                "clientId": member.client_id,
                "partitions": [str(at) for at in owned[member.member_id]],
            }
            for member in group.members
        ],
    }


def _by_topic(partitions: list[Any]) -> list[tuple[str, str]]:
    topics: dict[str, list[int]] = {}
    for at in sorted(partitions):
        topics.setdefault(at.topic, []).append(at.partition)
    return [(topic, ",".join(map(str, indexes))) for topic, indexes in topics.items()]


def _state(admin: Admin, group: DescribedGroup, args: argparse.Namespace) -> dict[str, Any]:
    node_id, address, _ = admin.coordinator(group.group_id)
    if args.format == "text":
        row = (group.group_id, f"{address} ({node_id})", group.protocol_data, group.group_state, len(group.members))
        print_table(_STATE, [row])
    return {
        "group": group.group_id,
        "coordinator": {"id": node_id, "address": address},
        "assignmentStrategy": group.protocol_data,
        "state": group.group_state,
        "members": len(group.members),
    }
