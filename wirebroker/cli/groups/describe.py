"""`wirebroker groups describe`: offsets and lag, members, or state of groups."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.groups.requests import add_groups, assignment, describe, partition_lags, wanted_groups
from wirebroker.cli.output import Column, as_objects, print_json, print_lines, table_lines, text_lines
from wirebroker.cli.standard_streams import print_error
from wirebroker.model import partitions_by_topic

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from wirebroker.client.admin import Admin
    from wirebroker.model import TopicPartition
    from wirebroker.protocol.messages.describe_groups import DescribedGroup

_GROUP = Column("GROUP", "group")
_OFFSETS = (
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition"),
    Column("CURRENT-OFFSET", "current_offset"),
    Column("LOG-END-OFFSET", "log_end_offset"),
    Column("LAG", "lag"),
    Column("LAG-SECONDS", "lag_s"),
    Column("CONSUMER-ID", "consumer_id"),
    Column("HOST", "host"),
    Column("CLIENT-ID", "client_id"),
)
_CONSUMER_ID = Column("CONSUMER-ID", "consumer_id")
_INSTANCE_ID = Column("GROUP-INSTANCE-ID", "group_instance_id")
_MEMBER = (Column("HOST", "host"), Column("CLIENT-ID", "client_id"), Column("#PARTITIONS", "partition_count"))
_ASSIGNMENT = Column("ASSIGNMENT", "partitions")
_STATE = (
    Column("COORDINATOR (ID)", "coordinator"),
    Column("ASSIGNMENT-STRATEGY", "assignment_strategy"),
    Column("STATE", "state"),
    Column("#MEMBERS", "members"),
)


class Section(NamedTuple):
    """One group as a table and as a JSON object."""

    columns: tuple[Column, ...]
    rows: list[tuple[Any, ...]]
    document: dict[str, Any]
    remark: str | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker groups describe`."""
    add_connection(parser)
    add_groups(parser)
    view = parser.add_mutually_exclusive_group()
    view.add_argument("--offsets", action="store_true", help="offsets and lag of each partition (the default)")
    view.add_argument("--members", action="store_true", help="members and how many partitions they own")
    view.add_argument("--state", action="store_true", help="state, coordinator and assignment strategy")
    parser.add_argument("--verbose", action="store_true", help="with --members: which partitions they own")


def run(args: argparse.Namespace) -> int:
    """Describe groups; return the exit code, 1 if one does not exist."""
    return run_with(args, _describe)


def _describe(admin: Admin, args: argparse.Namespace) -> int:
    """Print each group as soon as it is described, but JSON as one document at the end."""
    section: Callable[[Admin, DescribedGroup, argparse.Namespace], Section] = _offsets
    if args.members:
        section = _members
    elif args.state:
        section = _state
    code = 0
    documents: list[dict[str, Any]] = []
    for group_id in wanted_groups(admin, args):
        group = describe(admin, group_id)
        if group.group_state == "Dead":
            print_error(f"consumer group '{group_id}' does not exist")
            code = 1
            continue
        found = section(admin, group, args)
        documents.append({"group": group_id, **found.document})
        _print_section(group_id, found, args.format)
    if args.format == "json":
        print_json(documents)
    return code


def _print_section(group_id: str, found: Section, form: str) -> None:
    rows = [(group_id, *row) for row in found.rows]
    if form == "text":
        print_lines(text_lines(rows))
    elif form == "table":
        print()
        if found.remark is not None:
            print(f"{found.remark}\n", file=sys.stderr)
        print_lines(table_lines((_GROUP, *found.columns), rows))


def _offsets(admin: Admin, group: DescribedGroup, _: argparse.Namespace) -> Section:
    rows = [tuple(row) for row in partition_lags(admin, group)]
    remark = None if group.members else f"Consumer group '{group.group_id}' has no active members."
    return Section(_OFFSETS, rows, {"state": group.group_state, "partitions": as_objects(_OFFSETS, rows)}, remark)


def _members(_: Admin, group: DescribedGroup, args: argparse.Namespace) -> Section:
    """The members table, with a column of instance ids if a member is static, as in the original."""
    is_static = any(member.group_instance_id is not None for member in group.members)
    columns = (
        _CONSUMER_ID,
        *([_INSTANCE_ID] if is_static else []),
        *_MEMBER,
        *([_ASSIGNMENT] if args.verbose else []),
    )
    rows: list[tuple[Any, ...]] = []
    members: list[dict[str, Any]] = []
    for member in group.members:
        owned = assignment(bytes(member.member_assignment))
        instance = member.group_instance_id
        row = (member.member_id, *([instance] if is_static else []), member.client_host, member.client_id, len(owned))
        rows.append((*row, _assignment_text(owned)) if args.verbose else row)
        members.append(
            {
                "consumer_id": member.member_id,
                "group_instance_id": instance,
                "host": member.client_host,
                "client_id": member.client_id,
                "partitions": [str(at) for at in owned],
            }
        )
    return Section(columns, rows, {"members": members})


def _assignment_text(partitions: list[TopicPartition]) -> str:
    """The partitions as kafka-consumer-groups.sh has them: `t(0,1), u(0)`."""
    topics = partitions_by_topic(sorted(partitions))
    return ", ".join(f"{topic}({','.join(map(str, indexes))})" for topic, indexes in topics.items())


def _state(admin: Admin, group: DescribedGroup, _: argparse.Namespace) -> Section:
    node_id, address, _connection = admin.retry(lambda: admin.coordinator(group.group_id))
    row = (f"{address} ({node_id})", group.protocol_data, group.group_state, len(group.members))
    document = {
        "coordinator": {"id": node_id, "address": address},
        "assignment_strategy": group.protocol_data,
        "state": group.group_state,
        "members": len(group.members),
    }
    return Section(_STATE, [row], document)
