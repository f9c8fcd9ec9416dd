"""ListOffsets for many partitions, sent to their leaders, with the error of each partition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.client.admin import code_name
from wirebroker.client.connection import UnsupportedApi
from wirebroker.model import TopicPartition, partitions_by_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.client.admin import Admin
    from wirebroker.client.connection import Connection

LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED = -1, -2, -3, -4, -5
TIMES: Final = {
    "latest": LATEST,
    "earliest": EARLIEST,
    "max-timestamp": MAX_TIMESTAMP,
    "earliest-local": EARLIEST_LOCAL,
    "latest-tiered": LATEST_TIERED,
}
_SINCE: Final = {MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9}
"""The first version of ListOffsets with a time."""
_BY_TIME: Final = 1
"""The first version that answers with one offset."""


class FoundOffset(NamedTuple):
    """The answer for one partition; an offset of None if no record is as new, or there is an error."""

    at: TopicPartition
    offset: int | None
    timestamp: int | None
    error: str | None


def parse_time(text: str) -> int:
    """Return the time to search for: a name of TIMES, or a number of ms.

    Raises:
        ValueError: *text* is neither, in Kafka's words.
    """
    if text in TIMES:
        return TIMES[text]
    try:
        return int(text)
    except ValueError:
        raise ValueError(
            f"Malformed time argument {text}. Please use -1 or latest / -2 or earliest / -3 or max-timestamp / "
            "-4 or earliest-local / -5 or latest-tiered, or a specified long format timestamp"
        ) from None


def find_offsets(
    admin: Admin, partitions: Iterable[TopicPartition], time_ms: int, *, committed: bool = False
) -> list[FoundOffset]:
    """Return the offset of each partition at a time, sorted by partition.

    A partition whose leader cannot be reached has an error, if `admin.skips_unreachable` is true.

    Args:
        admin: the cluster.
        partitions: to search.
        time_ms: a timestamp, or a number of TIMES.
        committed: whether the records of open transactions count as not written.
    """
    wanted = sorted(set(partitions))
    leaders = admin.leaders(wanted, may_skip=True)
    found = _without_leader(admin, [at for at in wanted if at not in leaders])
    by_leader: dict[Connection, list[TopicPartition]] = {}
    for at, leader in leaders.items():
        by_leader.setdefault(leader, []).append(at)
    for leader, group in by_leader.items():
        found += _ask(leader, group, time_ms, committed=committed)
    return sorted(found)


def _without_leader(admin: Admin, partitions: list[TopicPartition]) -> list[FoundOffset]:
    leader_ids = admin.leader_ids(partitions) if admin.unreachable and partitions else {}
    errors = {broker_id: f"broker {broker_id}, its leader, cannot be reached" for broker_id in admin.unreachable}
    return [
        FoundOffset(at, None, None, errors.get(leader_ids.get(at, -1), code_name(ErrorCode.LEADER_NOT_AVAILABLE)))
        for at in partitions
    ]


def _ask(leader: Connection, partitions: list[TopicPartition], time_ms: int, *, committed: bool) -> list[FoundOffset]:
    if leader.version(ListOffsetsRequest) < _SINCE.get(time_ms, _BY_TIME):
        raise UnsupportedApi(f"the broker at {leader.address} is too old: its ListOffsets does not know this time")
    request = ListOffsetsRequest(
        replica_id=-1,
        isolation_level=int(committed),
        topics=[
            ListOffsetsTopic(
                name, [ListOffsetsPartition(partition_index=index, timestamp=time_ms) for index in indexes]
            )
            for name, indexes in partitions_by_topic(partitions).items()
        ],
    )
    return [
        FoundOffset(
            TopicPartition(topic.name, each.partition_index),
            each.offset if each.offset >= 0 and not each.error_code else None,
            each.timestamp if each.timestamp >= 0 else None,
            code_name(each.error_code) if each.error_code != ErrorCode.NONE else None,
        )
        for topic in leader.send(request).topics
        for each in topic.partitions
    ]
