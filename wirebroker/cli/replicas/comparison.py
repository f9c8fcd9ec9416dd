"""Comparison of the replicas of a partition, batch by batch up to the high watermark.

The checksum of a batch is computed over the bytes that a replica has sent: the checksum in the header proves nothing
about them, as a broker sends records without reading them.

Every replica is read by Fetch as the debugging consumer (replica id -2), which followers answer, too.  Replicas of a
delete topic are equal; those of a compacted one may be cleaned at different times, and differ until then.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.client.admin import response_error
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import batches

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

    from wirebroker.client.admin import Admin
    from wirebroker.client.connection import Connection

_DEBUGGING_REPLICA: Final = -2
_FETCH_BY_NAME: Final = 12
"""The newest version of Fetch that names topics; later ones have topic ids."""
_FETCH_WITH_BATCHES: Final = 4


class BatchSummary(NamedTuple):
    """The fields that are compared of one batch."""

    last_offset: int
    crc: int
    """As in the header of the batch."""
    leader_epoch: int
    """Which the checksum does not cover."""
    is_valid: bool = True
    """Whether the bytes of the batch have this checksum."""


class ReplicaBatches(NamedTuple):
    """The batches of one replica from an offset on."""

    high_watermark: int
    batches: list[BatchSummary]


class Comparison(NamedTuple):
    """The outcome of comparing what replicas have from an offset on."""

    offset: int
    """The replicas are equal below it."""
    mismatches: tuple[str, ...] = ()
    """Lines about what differs there."""
    corruptions: tuple[str, ...] = ()
    """Lines about replicas whose bytes there are damaged."""


class Verification(NamedTuple):
    """The outcome for one partition."""

    offset: int
    """The replicas are equal below it."""
    high_watermark: int
    """The highest of the replicas."""
    mismatches: tuple[str, ...] = ()
    corruptions: tuple[str, ...] = ()

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
        compared = compare(at, found, offset)
        if compared.mismatches or compared.corruptions or compared.offset == offset:
            return Verification(compared.offset, high_watermark, compared.mismatches, compared.corruptions)
        offset = compared.offset


def compare(at: TopicPartition, found: Mapping[int, ReplicaBatches], offset: int) -> Comparison:
    """Return what the comparison of the batches that replicas have from *offset* on has found.

    The lines about differences are those of Kafka's tool.  Only batches below the high watermark of every replica are
    compared.
    """
    limit = min(each.high_watermark for each in found.values())
    for index in range(max(len(each.batches) for each in found.values())):
        replicas = {broker_id: each.batches[index] for broker_id, each in found.items() if index < len(each.batches)}
        if corruptions := _corruptions(at, replicas):
            return Comparison(offset, corruptions=corruptions)
        if min(each.last_offset for each in replicas.values()) >= limit:
            break
        if len(replicas) < len(found):
            missing = [broker_id for broker_id, each in found.items() if not each.batches]
            lines = tuple(f"partition {at}: replica {each} has no batch at offset {offset}" for each in missing)
            return Comparison(offset, lines)
        (first_id, first), *others = replicas.items()
        for broker_id, other in others:
            if line := _difference(at, first_id, first, broker_id, other):
                return Comparison(offset, (line,))
        offset = first.last_offset + 1
    return Comparison(offset)


def _difference(at: TopicPartition, first_id: int, first: BatchSummary, other_id: int, other: BatchSummary) -> str:
    """Return a line about the difference between batches of two replicas, "" if there is none."""
    if other.last_offset != first.last_offset:
        return (
            f"partition {at}: replica {first_id}'s offset {first.last_offset} doesn't match replica {other_id}'s offset"
            f" {other.last_offset}"
        )
    if other.crc != first.crc:
        return (
            f"partition {at} has unmatched checksum at offset {first.last_offset}; replica {first_id}'s checksum"
            f" {first.crc}; replica {other_id}'s checksum {other.crc}"
        )
    if other.leader_epoch != first.leader_epoch:
        return (
            f"partition {at} has unmatched leader epoch at offset {first.last_offset}; replica {first_id}'s"
            f" leader epoch {first.leader_epoch}; replica {other_id}'s leader epoch {other.leader_epoch}"
        )
    return ""


def _corruptions(at: TopicPartition, replicas: Mapping[int, BatchSummary]) -> tuple[str, ...]:
    """Return a line about each of *replicas*, broker id -> the batch compared, whose checksum is wrong."""
    return tuple(
        f"partition {at}: replica {broker_id} is corrupt at offset {batch.last_offset}: {batch.crc} is not the checksum"
        f" of the batch's bytes; check the log directories of broker {broker_id} with `wirebroker log verify`"
        for broker_id, batch in replicas.items()
        if not batch.is_valid
    )


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
            found = [each for each in _summaries(entry.records or b"") if each.last_offset >= offset]
            return ReplicaBatches(entry.high_watermark, found)
    raise ClientError(f"broker {broker_id} does not answer for {at}")


def _summaries(records: memoryview | bytes) -> Iterator[BatchSummary]:
    """Yield the batches of *records* before the first that is cut off, or whose header is damaged.

    The next read begins there, and finds none.
    """
    with suppress(RecordError):
        for each in batches(records):
            yield BatchSummary(each.last_offset, each.crc, each.partition_leader_epoch, each.is_valid())
