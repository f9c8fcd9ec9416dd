"""The options that name groups, and the requests about a group that several commands send."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.cli.groups.timestamps import timestamp_at
from wirebroker.client.admin import LATEST, response_error
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal.consumer_protocol import ConsumerProtocolAssignment
from wirebroker.protocol.message import record_version
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.list_groups import ListGroupsRequest
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from wirebroker.client.admin import Admin
    from wirebroker.client.connection import Connection
    from wirebroker.protocol.messages.describe_groups import DescribedGroup
    from wirebroker.protocol.messages.list_groups import ListedGroup
    from wirebroker.protocol.messages.offset_fetch import OffsetFetchResponse

_OFFSET_FETCH_ONE_GROUP = 7


class PartitionLag(NamedTuple):
    """One partition of a group: committed offset, lag and owner; None where one is not known."""

    topic: str
    partition: int
    current_offset: int | None
    log_end_offset: int | None
    lag: int | None
    lag_s: float | None
    """Age of the record at the committed offset, in seconds."""
    consumer_id: str
    host: str
    client_id: str


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Add --group and --all-groups."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--group", action="append", metavar="GROUP", help="group id; may be given several times")
    which.add_argument("--all-groups", action="store_true", help="every group of the cluster")


def wanted_groups(admin: Admin, args: argparse.Namespace) -> list[str]:
    """The ids of the groups that the options name, sorted for --all-groups."""
    return sorted(group.group_id for group in list_groups(admin)) if args.all_groups else args.group


def list_groups(admin: Admin, states: Iterable[str] = (), types: Iterable[str] = ()) -> list[ListedGroup]:
    """The groups of all brokers, sorted by id.

    Raises:
        ClientError: a broker refuses.
    """
    request = ListGroupsRequest(states_filter=list(states), types_filter=list(types))

    def ask(node_id: int, broker: Connection) -> list[ListedGroup]:
        answer = broker.send(request)
        if answer.error_code:
            raise response_error(f"broker {node_id}", answer.error_code)
        groups: list[ListedGroup] = answer.groups
        return groups

    found = admin.retry(lambda: admin.ask_brokers(ask))
    return sorted((each for groups in found.values() for each in groups), key=lambda group: group.group_id)


def describe(admin: Admin, group_id: str) -> DescribedGroup:
    """State and members of a group; the state of a group that does not exist is Dead.

    Raises:
        ClientError: its coordinator refuses.
    """

    def send() -> DescribedGroup:
        _, _, coordinator = admin.coordinator(group_id)
        group: DescribedGroup = coordinator.send(DescribeGroupsRequest(groups=[group_id])).groups[0]
        if group.error_code and group.error_code != ErrorCode.GROUP_ID_NOT_FOUND:
            raise response_error(f"group {group_id}", group.error_code)
        return group

    return admin.retry(send)


def committed_offsets(admin: Admin, group_id: str) -> dict[TopicPartition, int]:
    """The offsets that a group has committed.

    Raises:
        ClientError: its coordinator refuses.
    """
    request = OffsetFetchRequest(group_id=group_id, topics=None)

    def send() -> OffsetFetchResponse:
        _, _, coordinator = admin.coordinator(group_id)
        answer: OffsetFetchResponse = coordinator.send(request, _OFFSET_FETCH_ONE_GROUP)
        if answer.error_code:
            raise response_error(f"group {group_id}", answer.error_code)
        return answer

    return {
        TopicPartition(topic.name, each.partition_index): each.committed_offset
        for topic in admin.retry(send).topics
        for each in topic.partitions
        if not each.error_code and each.committed_offset >= 0
    }


def assignment(data: bytes) -> list[TopicPartition]:
    """The partitions in a consumer's assignment; empty if the bytes are of another protocol."""
    if len(data) < 2:
        return []
    try:
        version = min(record_version(data), ConsumerProtocolAssignment.VERSIONS[-1])
        decoded, _ = ConsumerProtocolAssignment.read(data, 2, version)
    except ProtocolError:
        return []
    return [TopicPartition(topic.topic, index) for topic in decoded.assigned_partitions for index in topic.partitions]


def partition_lags(admin: Admin, group: DescribedGroup) -> list[PartitionLag]:
    """Committed offset, log end and lag of every partition that the group has committed or is assigned.

    A partition has no log end if its leader cannot be reached and `admin.skips_unreachable` is true.
    """
    committed = committed_offsets(admin, group.group_id)
    owners = {at: member for member in group.members for at in assignment(bytes(member.member_assignment))}
    partitions = sorted({*committed, *owners})
    ends = admin.list_offsets(dict.fromkeys(partitions, LATEST), may_skip=True)
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
    """Age of the record at *offset* in seconds; 0.0 without a lag, None if the record cannot be read."""
    if lag is None or offset is None:
        return None
    if lag == 0:
        return 0.0
    timestamp_ms = timestamp_at(admin, at, offset)
    return None if timestamp_ms is None else max(0.0, round(time.time() - timestamp_ms / 1000, 3))
