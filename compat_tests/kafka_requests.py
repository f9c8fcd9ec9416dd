"""Short ways to write the requests of the scripts, and batches good and bad."""

from __future__ import annotations

import struct
import time
from typing import TYPE_CHECKING, Any

from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.crc32c import crc32c
from wirebroker.record.record_batch import CONTROL, TRANSACTIONAL, BatchProducer, Record

if TYPE_CHECKING:
    from collections.abc import Mapping

NOW = int(time.time() * 1000) - 600_000
"""The timestamp of the scripts' records: recent, but far enough from the present not to be taken for "now"."""


def batch(
    *values: bytes,
    key: bytes | None = b"k",
    timestamp: int = NOW,
    codec: int = 0,
    transactional: bool = False,
    control: bool = False,
    **producer: int,
) -> bytes:
    """A good batch: one record per value, a millisecond apart; *producer* has fields of a BatchProducer."""
    records = [Record(number, timestamp + number, key, value, []) for number, value in enumerate(values or (b"v",))]
    return build_batch(
        records,
        compression=Compression(Codec(codec)),
        producer=BatchProducer(**producer),
        attributes=(TRANSACTIONAL if transactional else 0) | (CONTROL if control else 0),
    )


def patched(data: bytes, at: int, layout: str, *values: int, crc: bool = True) -> bytes:
    """*data* with a header field overwritten, and its checksum made right again."""
    out = bytearray(data)
    struct.pack_into(f">{layout}", out, at, *values)
    if crc:
        struct.pack_into(">I", out, 17, crc32c(memoryview(out)[21:]))
    return bytes(out)


def produce(
    topic: str, records: bytes | None, *, partition: int = 0, acks: int = -1, transactional_id: str | None = None
) -> ProduceRequest:
    data = None if records is None else memoryview(records)
    topics = [TopicProduceData(name=topic, partition_data=[PartitionProduceData(partition, data)])]
    return ProduceRequest(transactional_id, acks, 5000, topics)


def fetch(version: int, partitions: Mapping[tuple[str, bytes, int], int | FetchPartition], **more: Any) -> FetchRequest:
    """Fetch {(topic, its id, partition): offset}; names before version 13, ids from there on."""
    topics: list[FetchTopic] = []
    for (name, topic_id, partition), what in partitions.items():
        wanted = what if isinstance(what, FetchPartition) else FetchPartition(fetch_offset=what)
        wanted.partition = partition
        if not wanted.partition_max_bytes:
            wanted.partition_max_bytes = 1 << 20
        if not topics or topics[-1].topic != name:
            topics.append(FetchTopic(name, topic_id, []))
        topics[-1].partitions.append(wanted)
    request = FetchRequest(max_wait_ms=0, min_bytes=0, max_bytes=1 << 24, topics=topics)
    for key, value in more.items():
        setattr(request, key, value)
    return request


def list_offsets(topic: str, *timestamps: int, partition: int = 0, epoch: int = -1, **more: Any) -> ListOffsetsRequest:
    """One partition asked for one timestamp, or the same partition for several."""
    wanted = [ListOffsetsPartition(partition, epoch, timestamp) for timestamp in timestamps]
    given: dict[str, Any] = {"replica_id": -1, "topics": [ListOffsetsTopic(topic, wanted)]} | more
    return ListOffsetsRequest(**given)


def init_producer_id(**more: Any) -> InitProducerIdRequest:
    return InitProducerIdRequest(**({"transactional_id": None, "transaction_timeout_ms": 60_000} | more))
