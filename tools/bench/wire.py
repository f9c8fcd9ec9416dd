"""Ready-made Kafka frames, so that the sender spends its time in the kernel and nowhere else.

Written by hand for the few fixed versions a benchmark needs (Produce v7, Fetch v4, Metadata v4, CreateTopics v2,
DeleteTopics v1) rather than with wirebroker's own codec: the measuring stick must not change with what it measures.
Layouts: the Kafka protocol guide; record batch v2: KIP-98.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import crc32c

PRODUCE, FETCH, METADATA, CREATE_TOPICS, DELETE_TOPICS = 0, 1, 3, 19, 20
CLIENT_ID = "bench"
CRC_AT = 17  # in a batch: base offset 8, length 4, leader epoch 4, magic 1
ATTRIBUTES_AT = 21  # the checksum covers everything from here
BATCH_OVERHEAD = 12  # base offset and length, which the length does not count


def string(text: str) -> bytes:
    """An int16 length and UTF-8."""
    data = text.encode()
    return struct.pack(">h", len(data)) + data


def frame(api_key: int, version: int, body: bytes, correlation_id: int = 0) -> bytes:
    """A whole request with its size and a version 1 header."""
    payload = struct.pack(">hhi", api_key, version, correlation_id) + string(CLIENT_ID) + body
    return struct.pack(">i", len(payload)) + payload


def varint(value: int) -> bytes:
    """A zigzag varint as records use it."""
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def record_batch(count: int, value_bytes: int, timestamp_ms: int) -> bytes:
    """An uncompressed, non-idempotent v2 batch of *count* records without key, each *value_bytes* long."""
    value = (b"wirebroker measures the same bytes twice. " * (value_bytes // 42 + 1))[:value_bytes]
    return keyed_batch([(None, value)] * count, timestamp_ms)


def keyed_batch(records: Sequence[tuple[bytes | None, bytes]], timestamp_ms: int) -> bytes:
    """An uncompressed, non-idempotent v2 batch of records with these keys and values."""
    area = bytearray()
    for delta, (key, value) in enumerate(records):
        named = varint(-1) if key is None else varint(len(key)) + key
        body = b"\0" + varint(0) + varint(delta) + named + varint(len(value)) + value + varint(0)
        area += varint(len(body)) + body
    count = len(records)
    tail = struct.pack(">hiqqqhii", 0, count - 1, timestamp_ms, timestamp_ms, -1, -1, -1, count) + area
    head = struct.pack(">qiibI", 0, 9 + len(tail), -1, 2, crc32c.crc32c(tail))
    return head + tail


def produce(topic: str, batches: Sequence[tuple[int, bytes]], acks: int = 1) -> bytes:
    """A Produce v7 request carrying (partition, batch) pairs of one topic."""
    body = bytearray(struct.pack(">hhi", -1, acks, 30_000))
    body += struct.pack(">i", 1) + string(topic) + struct.pack(">i", len(batches))
    for partition, batch in batches:
        body += struct.pack(">ii", partition, len(batch)) + batch
    return frame(PRODUCE, 7, bytes(body))


def produce_response_bytes(topic: str, partitions: int) -> int:
    """How long the answer to :func:`produce` is, size prefix included."""
    return 4 + 4 + 4 + 2 + len(topic) + 4 + 30 * partitions + 4


def produce_error_at(topic: str) -> int:
    """Where the answer to :func:`produce` holds the first partition's error code (int16)."""
    return 4 + 4 + 4 + 2 + len(topic) + 4 + 4


def fetch(
    topic: str,
    partitions: Sequence[tuple[int, int]],
    max_bytes: int,
    max_wait_ms: int = 500,
    *,
    committed: bool = False,
) -> bytes:
    """A Fetch v4 request for (partition, offset) pairs of one topic; *committed* reads read_committed."""
    body = bytearray(struct.pack(">iiiib", -1, max_wait_ms, 1, max_bytes, committed))
    body += struct.pack(">i", 1) + string(topic) + struct.pack(">i", len(partitions))
    for partition, offset in partitions:
        body += struct.pack(">iqi", partition, offset, max_bytes)
    return frame(FETCH, 4, bytes(body))


def fetched(response: memoryview) -> Iterator[tuple[int, int, memoryview]]:
    """(partition, error code, records) of a Fetch v4 answer for one topic, given without its size prefix."""
    at = 4 + 4 + 4
    at += 2 + int.from_bytes(response[at : at + 2], "big")
    (count,) = struct.unpack_from(">i", response, at)
    at += 4
    for _ in range(count):
        partition, error, _, _, aborted = struct.unpack_from(">ihqqi", response, at)
        at += 26 + 16 * max(aborted, 0)
        (size,) = struct.unpack_from(">i", response, at)
        at += 4
        size = max(size, 0)
        yield partition, error, response[at : at + size]
        at += size


def next_offset(records: memoryview, offset: int) -> int:
    """The offset after the last whole batch in *records*; *offset* when there is none."""
    at = 0
    while at + 61 <= len(records):
        base, length = struct.unpack_from(">qi", records, at)
        if at + BATCH_OVERHEAD + length > len(records):
            break
        offset = base + struct.unpack_from(">i", records, at + 23)[0] + 1
        at += BATCH_OVERHEAD + length
    return offset


def create_topic(topic: str, partitions: int, configs: dict[str, str]) -> bytes:
    """A CreateTopics v2 request with one replica per partition."""
    body = bytearray(struct.pack(">i", 1) + string(topic) + struct.pack(">ihi", partitions, 1, 0))
    body += struct.pack(">i", len(configs))
    for key, value in configs.items():
        body += string(key) + string(value)
    return frame(CREATE_TOPICS, 2, bytes(body + struct.pack(">ib", 60_000, 0)))


def delete_topic(topic: str) -> bytes:
    """A DeleteTopics v1 request."""
    return frame(DELETE_TOPICS, 1, struct.pack(">i", 1) + string(topic) + struct.pack(">i", 60_000))


def topic_error(response: memoryview) -> int:
    """The first topic's error code in a CreateTopics v2 or DeleteTopics v1 answer (without size prefix)."""
    at = 4 + 4 + 4
    at += 2 + int.from_bytes(response[at : at + 2], "big")
    return int.from_bytes(response[at : at + 2], "big", signed=True)


def metadata(topic: str, auto_create: bool = False) -> bytes:
    """A Metadata v4 request for one topic."""
    return frame(METADATA, 4, struct.pack(">i", 1) + string(topic) + struct.pack(">b", auto_create))


def metadata_of(topics: Sequence[str]) -> bytes:
    """A Metadata v4 request for these topics, none of which is created."""
    body = struct.pack(">i", len(topics)) + b"".join(map(string, topics)) + b"\0"
    return frame(METADATA, 4, body)


class MetadataAnswer(NamedTuple):
    """The content of a Metadata v4 answer."""

    brokers: list[int]
    controller: int
    partitions: list[tuple[tuple[str, int], int, list[int]]]
    """((topic, number), leader, ISR)."""


def read_metadata(response: memoryview) -> MetadataAnswer:
    """Read a Metadata v4 answer (without size prefix); partitions with an error have the leader -1."""
    at = 4 + 4

    def number(size: int) -> int:
        nonlocal at
        at += size
        return int.from_bytes(response[at - size : at], "big", signed=True)

    def text() -> str:
        nonlocal at
        size = max(number(2), 0)
        at += size
        return str(response[at - size : at], "utf-8")

    def numbers() -> list[int]:
        return [number(4) for _ in range(number(4))]

    brokers = []
    for _ in range(number(4)):
        brokers.append(number(4))
        text(), number(4), text()
    text()
    found = MetadataAnswer(brokers, number(4), [])
    for _ in range(number(4)):
        number(2)
        topic = text()
        number(1)
        for _ in range(number(4)):
            error, partition, leader = number(2), number(4), number(4)
            numbers()
            found.partitions.append(((topic, partition), -1 if error else leader, numbers()))
    return found


def leaders(response: memoryview) -> int:
    """How many partitions of the one topic in a Metadata v4 answer (without size prefix) have a leader."""
    at = 4 + 4
    (brokers,) = struct.unpack_from(">i", response, at)
    at += 4
    for _ in range(brokers):
        at += 4
        at += 2 + int.from_bytes(response[at : at + 2], "big") + 4
        at += 2 + max(0, int.from_bytes(response[at : at + 2], "big", signed=True))
    at += 2 + max(0, int.from_bytes(response[at : at + 2], "big", signed=True)) + 4
    at += 4 + 2
    at += 2 + int.from_bytes(response[at : at + 2], "big") + 1
    (partitions,) = struct.unpack_from(">i", response, at)
    at += 4
    ready = 0
    for _ in range(partitions):
        error, _, leader, replicas = struct.unpack_from(">hiii", response, at)
        at += 14 + 4 * replicas
        at += 4 + 4 * struct.unpack_from(">i", response, at)[0]
        ready += error == 0 and leader >= 0
    return ready
