"""Comparison of the replicas of a partition, batch by batch up to the high watermark.

Every replica is read by Fetch as the debugging consumer (replica id -2), which followers answer, too.  Replicas of a
delete topic are equal; those of a compacted one may be cleaned at different times, and differ until then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.client.admin import response_error
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.record.record_batch import batches

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from wirebroker.client.admin import Admin
    from wirebroker.client.connection import Connection

_DEBUGGING_REPLICA: Final = -2
_FETCH_BY_NAME: Final = 12
"""The newest version of Fetch that names topics; later ones have topic ids."""
_FETCH_WITH_BATCHES: Final = 4


class BatchSummary(NamedTuple):
    """The end and the checksum of one batch."""

    last_offset: int
    crc: int


class ReplicaBatches(NamedTuple):
    """The batches of one replica from an offset on."""

    high_watermark: int
    batches: list[BatchSummary]


class Verification(NamedTuple):
    """The outcome for one partition."""

    offset: int
    """The replicas are equal below it."""
    high_watermark: int
    """The highest of the replicas."""
    mismatches: list[str]

    @property
    def lag(self) -> int:
        """How many offsets below the high watermark could not be compared."""
        return max(0, self.high_watermark - self.offset)


def replicas_of_topics(admin: Admin, pattern: re.Pattern[str]) -> dict[TopicPartition, list[int]]:
    """Return the broker ids of the replicas of each partition whose topic's whole name matches *pattern*."""
    return {
        TopicPartition(topic.name or "", each.partition_index): list(each.replica_nodes)
        for topic in admin.metadata().topics
        if pattern.fullmatch(topic.name or "")
        for each in topic.partitions
    }


def verify_partition(
    at: TopicPartition, replicas: Mapping[int, Connection], start: int, fetch_size: int
) -> Verification:
    """Compare *replicas*, broker id -> connection, from offset *start* to the high watermark.

    Raises:
        ClientError: a replica cannot be read.
    """
    offset, high_watermark = start, start
    while True:
        found = {
            broker_id: fetch_replica(connection, broker_id, at, offset, fetch_size)
            for broker_id, connection in replicas.items()
        }
        high_watermark = max(high_watermark, *(each.high_watermark for each in found.values()))
        next_offset, mismatches = compare(at, found, offset)
        if mismatches or next_offset == offset:
            return Verification(next_offset, high_watermark, mismatches)
        offset = next_offset


def compare(at: TopicPartition, found: Mapping[int, ReplicaBatches], offset: int) -> tuple[int, list[str]]:
    """Compare what replicas have from *offset* on; return the offset up to which all do, and lines about differences.

    The lines are those of Kafka's tool.  Only batches below the high watermark of every replica are compared.
    """
    (first_id, first), *others = found.items()
    limit = min(each.high_watermark for each in found.values())
    for index, batch in enumerate(first.batches):
        if batch.last_offset >= limit:
            break
        for broker_id, other in others:
            if index >= len(other.batches):
                return offset, []
            mine = other.batches[index]
            if mine.last_offset != batch.last_offset:
                return offset, [
                    f"partition {at}: replica {first_id}'s offset {batch.last_offset} doesn't match replica "
                    f"{broker_id}'s offset {mine.last_offset}"
                ]
            if mine.crc != batch.crc:
                return offset, [
                    f"partition {at} has unmatched checksum at offset {batch.last_offset}; replica {first_id}'s "
                    f"checksum {batch.crc}; replica {broker_id}'s checksum {mine.crc}"
                ]
        offset = batch.last_offset + 1
    return offset, []


def fetch_replica(
    connection: Connection, broker_id: int, at: TopicPartition, offset: int, fetch_size: int
) -> ReplicaBatches:
    """Return what the replica on a broker has from *offset* on, about *fetch_size* bytes of it.

    Raises:
        ClientError: the broker refuses.
    """
    request = FetchRequest(
        replica_id=_DEBUGGING_REPLICA,
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=fetch_size,
        topics=[
            FetchTopic(
                topic=at.topic,
                partitions=[
                    FetchPartition(partition=at.partition, fetch_offset=offset, partition_max_bytes=fetch_size)
                ],
            )
        ],
    )
    if connection.version(FetchRequest, _FETCH_BY_NAME) < _FETCH_WITH_BATCHES:
        raise ClientError(f"broker {broker_id} is older than Kafka 0.11, whose records this command does not compare")
    for topic in connection.send(request, _FETCH_BY_NAME).responses:
        for entry in topic.partitions:
            if entry.error_code:
                raise response_error(f"replica {broker_id} of {at}", entry.error_code)
            # the batch with the asked offset may begin before it
            found = [BatchSummary(each.last_offset, each.crc) for each in batches(entry.records or b"")]
            return ReplicaBatches(entry.high_watermark, [each for each in found if each.last_offset >= offset])
    raise ClientError(f"broker {broker_id} does not answer for {at}")
