"""The clocks of a cluster's brokers, as far as the Kafka protocol tells them: those that are ahead of this machine's.

No response has the time of a broker.  The records of `__consumer_offsets` and `__transaction_state` have: the broker
that leads a partition of these topics writes its own time into them.  A record from the future was written by a clock
that is ahead; one that is behind cannot be told from a record that is old.  Nothing is written for this check.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from wirebroker.cli.doctor.finding import Finding, Level
from wirebroker.cli.offsets.requests import MAX_TIMESTAMP, find_offsets
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wirebroker.client.admin import Admin
    from wirebroker.protocol.messages.metadata import MetadataResponse

_CHECK: Final = "clocks"
_WRITTEN_BY_BROKERS: Final = ("__consumer_offsets", "__transaction_state")
_AHEAD_MS: Final = 1000
_HERE: Final = "wirebroker doctor on each broker's machine checks its clock"


def check_clocks(admin: Admin, metadata: MetadataResponse) -> Iterator[Finding]:
    """Look for records of the internal topics that are newer than this machine's clock."""
    leaders = {
        TopicPartition(topic.name or "", partition.partition_index): partition.leader_id
        for topic in metadata.topics
        if topic.name in _WRITTEN_BY_BROKERS
        for partition in topic.partitions
        if partition.leader_id >= 0
    }
    try:
        found = find_offsets(admin, leaders, MAX_TIMESTAMP)
    except ClientError as problem:
        yield Finding(Level.NOTE, _CHECK, f"the brokers do not tell them: {problem}", _HERE)
        return
    now_ms = time.time_ns() // 1_000_000
    yield from compare_clocks(
        {each.at: each.timestamp for each in found if each.timestamp is not None}, leaders, now_ms
    )


def compare_clocks(
    newest_ms: Mapping[TopicPartition, int], leaders: Mapping[TopicPartition, int], now_ms: int
) -> Iterator[Finding]:
    """Return a finding for each broker that leads a partition with a record from the future.

    Args:
        newest_ms: The newest timestamp of partitions that brokers write.
        leaders: The broker that leads each of them, and has written its newest records unless it has just begun to.
        now_ms: The time of this machine, taken after the records were read.
    """
    if not newest_ms:
        text = "the protocol does not tell them, and no group has committed yet"
        yield Finding(Level.NOTE, _CHECK, text, _HERE)
        return
    ahead: dict[int, tuple[int, TopicPartition]] = {}
    for at, timestamp_ms in newest_ms.items():
        if timestamp_ms - now_ms > _AHEAD_MS:
            ahead[leaders[at]] = max(ahead.get(leaders[at], (0, at)), (timestamp_ms - now_ms, at))
    for broker_id, (by_ms, at) in sorted(ahead.items()):
        text = f"broker {broker_id} leads {at.topic}-{at.partition} with a record {by_ms / 1000:.1f} s from the future"
        yield Finding(Level.WARNING, _CHECK, text, "sudo timedatectl set-ntp true, there and here")
    if not ahead:
        text = "none is seen ahead of this machine's; one that is behind is not seen by the protocol"
        yield Finding(Level.OK, _CHECK, text, _HERE)
