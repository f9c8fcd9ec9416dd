"""What the group commands share: options, a group's partitions with their lag, and tables."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from wirebroker.client.admin import LATEST, Admin, explain
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.internal.consumer_protocol import ConsumerProtocolAssignment
from wirebroker.protocol.message import record_version
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.list_groups import ListGroupsRequest
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from wirebroker.protocol.messages.describe_groups import DescribedGroup
    from wirebroker.protocol.messages.list_groups import ListedGroup

_OFFSET_FETCH_ONE_GROUP = 7
DEFAULT_BOOTSTRAP = "127.0.0.1:9092"


class PartitionLag(NamedTuple):
    """One partition of a group; None where it is not known, -1 where nothing is committed."""

    topic: str
    partition: int
    current_offset: int | None
    log_end_offset: int | None
    lag: int | None
    lag_s: float | None
    """How old the first unread record is."""
    consumer_id: str
    host: str
    client_id: str


def add_connection(parser: argparse.ArgumentParser) -> None:
    """--bootstrap-server, --timeout, --format."""
    parser.add_argument(
        "--bootstrap-server", default=DEFAULT_BOOTSTRAP, metavar="HOST:PORT", help=f"default: {DEFAULT_BOOTSTRAP}"
    )
    parser.add_argument("--timeout", type=int, default=5000, metavar="MS", help="how long to wait for a broker")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="a table, or JSON for machines")


def add_groups(parser: argparse.ArgumentParser) -> None:
    """--group and --all-groups."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--group", action="append", metavar="GROUP", help="may be given several times")
    which.add_argument("--all-groups", action="store_true", help="every group of the cluster")


def run_with(args: argparse.Namespace, work: Callable[[Admin, argparse.Namespace], int]) -> int:
    """Connect, work, and turn what cannot be done into one line and exit code 1."""
    try:
        with Admin(args.bootstrap_server, args.timeout / 1000) as admin:
            return work(admin, args)
    except (ClientError, ProtocolError) as problem:
        print(f"wirebroker: {problem}", file=sys.stderr)
        return 1


def wanted_groups(admin: Admin, args: argparse.Namespace) -> list[str]:
    """The groups that the options name."""
    return sorted(group.group_id for group in list_groups(admin)) if args.all_groups else args.group


def list_groups(admin: Admin, states: Iterable[str] = (), types: Iterable[str] = ()) -> list[ListedGroup]:
    """The groups of all brokers.

    Raises:
        ClientError: a broker refuses.
    """
    found: list[ListedGroup] = []
    for node_id, broker in admin.brokers():
        answer = broker.ask(ListGroupsRequest(states_filter=list(states), types_filter=list(types)))
        if answer.error_code:
            raise ClientError(f"broker {node_id}: {explain(answer.error_code)}")
        found += answer.groups
    return sorted(found, key=lambda group: group.group_id)


def describe(admin: Admin, group_id: str) -> DescribedGroup:
    """State and members of a group; a group that is not there is Dead.

    Raises:
        ClientError: its coordinator refuses.
    """
    _, _, coordinator = admin.coordinator(group_id)
    group: DescribedGroup = coordinator.ask(DescribeGroupsRequest(groups=[group_id])).groups[0]
    if group.error_code and group.error_code != ErrorCode.GROUP_ID_NOT_FOUND:
        raise ClientError(f"group {group_id}: {explain(group.error_code)}")
    return group


def committed_offsets(admin: Admin, group_id: str) -> dict[TopicPartition, int]:
    """Everything that a group has committed.

    Raises:
        ClientError: its coordinator refuses.
    """
    _, _, coordinator = admin.coordinator(group_id)
    answer = coordinator.ask(OffsetFetchRequest(group_id=group_id, topics=None), _OFFSET_FETCH_ONE_GROUP)
    if answer.error_code:
        raise ClientError(f"group {group_id}: {explain(answer.error_code)}")
    return {
        TopicPartition(topic.name, each.partition_index): each.committed_offset
        for topic in answer.topics
        for each in topic.partitions
        if not each.error_code and each.committed_offset >= 0
    }


def assignment(data: bytes) -> list[TopicPartition]:
    """The partitions in a consumer's assignment; nothing when it is no such thing."""
    if len(data) < 2:
        return []
    try:
        version = min(record_version(data), ConsumerProtocolAssignment.VERSIONS[-1])
        decoded, _ = ConsumerProtocolAssignment.read(data, 2, version)
    except ProtocolError:
        return []
    return [TopicPartition(topic.topic, index) for topic in decoded.assigned_partitions for index in topic.partitions]


def partition_lags(admin: Admin, group: DescribedGroup) -> list[PartitionLag]:
    """Committed offset, log end and lag of every partition that the group has committed or is assigned."""
    committed = committed_offsets(admin, group.group_id)
    owners = {at: member for member in group.members for at in assignment(bytes(member.member_assignment))}
    partitions = sorted({*committed, *owners})
    ends = admin.list_offsets(dict.fromkeys(partitions, LATEST))
    rows: list[PartitionLag] = []
    for at in partitions:
        offset, end, owner = committed.get(at), ends.get(at), owners.get(at)
        lag = max(end - offset, 0) if offset is not None and end is not None else None
        rows.append(
            PartitionLag(
                at.topic,
                at.partition,
                offset,
                end,
                lag,
                _lag_s(admin, at, offset, lag),
                owner.member_id if owner is not None else "-",
                owner.client_host if owner is not None else "-",
                owner.client_id if owner is not None else "-",
            )
        )
    return rows


def _lag_s(admin: Admin, at: TopicPartition, offset: int | None, lag: int | None) -> float | None:
    if lag is None or offset is None:
        return None
    if lag == 0:
        return 0.0
    timestamp_ms = admin.timestamp_at(at, offset)
    return None if timestamp_ms is None else max(0.0, round(time.time() - timestamp_ms / 1000, 3))


def print_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Columns as wide as their widest cell; None is a dash."""
    cells = [list(header), *([("-" if cell is None else str(cell)) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    for row in cells:
        print(" ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def print_json(document: Mapping[str, Any] | Sequence[Any]) -> None:
    """One JSON document."""
    print(json.dumps(document, indent=2))
