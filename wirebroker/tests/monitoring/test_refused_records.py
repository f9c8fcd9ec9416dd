"""Records that are refused are counted by reason, and requests whose time is over by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from wirebroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec
from wirebroker.record.crc32c import crc32c
from wirebroker.record.record_batch import ATTRIBUTES_AT, CRC_AT, Record
from wirebroker.tests.monitoring.test_dashboards import find, get, measured_broker, parse
from wirebroker.tests.record.legacy_message_sets import message_set

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from wirebroker.tests.traced_broker import TracedBroker

TOPIC = "kafka_server_brokertopicmetrics_"
LARGEST = 500
LAST_OFFSET_DELTA_AT = 23


async def refused(broker: TracedBroker, topic: str, records: bytes, version: int = 9) -> int:
    """Produce *records*; return the error code, which is not 0."""
    data = PartitionProduceData(index=0, records=memoryview(bytearray(records)))
    request = ProduceRequest(acks=1, timeout_ms=1000, topic_data=[TopicProduceData(topic, partition_data=[data])])
    response = await broker.request(request, version, ProduceResponse)
    code = response.responses[0].partition_responses[0].error_code
    assert code
    return code


async def test_refused_records_are_counted_by_reason(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with measured_broker(tmp_path, caplog) as (broker, port):
        configs = [
            CreatableTopicConfig("cleanup.policy", "compact"),
            CreatableTopicConfig("max.message.bytes", str(LARGEST)),
        ]
        topic = CreatableTopic(name="t", num_partitions=1, replication_factor=1, configs=configs)
        create = CreateTopicsRequest(topics=[topic], timeout_ms=30_000)
        await broker.request(create, 7, CreateTopicsResponse)
        good = build_batch([Record(0, 1, b"k", b"v", [])])
        await refused(broker, "t", good[:-1] + bytes([good[-1] ^ 1]))
        wrong_count = bytearray(good)
        wrong_count[LAST_OFFSET_DELTA_AT + 3] = 9
        await refused(broker, "t", with_checksum(wrong_count))
        await refused(broker, "t", build_batch([Record(offset, 1, None, b"v", []) for offset in range(3)]))
        large = build_batch([Record(0, 1, b"k", bytes(LARGEST), [])])
        await refused(broker, "t", large)
        await refused(broker, "t", message_set(0) + message_set(1), version=2)
        samples = parse(await get(port, "/metrics"))
    assert find(samples, f"{TOPIC}invalidmessagecrcrecords_total") == [1]
    assert find(samples, f"{TOPIC}invalidoffsetorsequencerecords_total") == [1]
    assert find(samples, f"{TOPIC}nokeycompactedtopicrecords_total") == [3]
    assert find(samples, f"{TOPIC}invalidmagicnumberrecords_total") == [1]
    assert find(samples, f"{TOPIC}bytesrejected_total", topic="t") == [len(large)]


async def test_badly_framed_records_are_no_produce_request(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with measured_broker(tmp_path, caplog) as (broker, port):
        topic = CreatableTopic(name="t", num_partitions=1, replication_factor=1)
        await broker.request(CreateTopicsRequest(topics=[topic], timeout_ms=30_000), 7, CreateTopicsResponse)
        good = build_batch([Record(0, 1, b"k", b"v", [])])
        zstd = bytearray(good)
        zstd[ATTRIBUTES_AT + 1] |= Codec.ZSTD
        for records, version in ((good + good, 9), (good[:-1], 9), (b"", 9), (message_set(1), 9), (bytes(zstd), 6)):
            await refused(broker, "t", records, version)
        before = find(parse(await get(port, "/metrics")), f"{TOPIC}totalproducerequests_total", topic="t")
        await refused(broker, "t", good[:-1] + bytes([good[-1] ^ 1]))
        await refused(broker, "t", good[:-1], version=2)
        after = find(parse(await get(port, "/metrics")), f"{TOPIC}totalproducerequests_total", topic="t")
    assert (before, after) == ([0], [2])


async def test_a_fetch_whose_time_is_over_is_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with measured_broker(tmp_path, caplog) as (broker, port):
        topic = CreatableTopic(name="t", num_partitions=1, replication_factor=1)
        await broker.request(CreateTopicsRequest(topics=[topic], timeout_ms=30_000), 7, CreateTopicsResponse)
        partition = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
        topics = [FetchTopic(topic="t", partitions=[partition])]
        # a busy machine may take longer to read than a millisecond: then the request is answered, and does not wait
        fetch = FetchRequest(max_wait_ms=200, min_bytes=1, max_bytes=1 << 20, topics=topics)
        await broker.request(fetch, 12, FetchResponse)
        samples = parse(await get(port, "/metrics"))
    name = "kafka_server_delayedfetchmetrics_expires_total"
    assert find(samples, name, fetcherType="consumer") == [1]
    assert find(samples, name, fetcherType="follower") == [0]


def with_checksum(batch: bytearray) -> bytes:
    """Return *batch* with the checksum of what it has become."""
    batch[CRC_AT:ATTRIBUTES_AT] = crc32c(batch[ATTRIBUTES_AT:]).to_bytes(4, "big")
    return bytes(batch)
