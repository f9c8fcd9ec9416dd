"""The benchmark's hand-written frames say what wirebroker's generated codec reads, and the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.bench import wire
from tools.bench.raw_client import BenchError, Prepared
from tools.codegen import codecs
from wirebroker.protocol.headers import read_request_header
from wirebroker.protocol.messages.create_topics import (
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from wirebroker.protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from wirebroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from wirebroker.protocol.messages.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from wirebroker.record.record_batch import RecordBatch

if TYPE_CHECKING:
    from wirebroker.protocol.message import Message

NOW_MS = 1_700_000_000_000


def body(frame: bytes, api_key: int, version: int) -> tuple[bytes, int]:
    """The request without its size prefix, and where its body begins."""
    assert int.from_bytes(frame[:4], "big") == len(frame) - 4
    payload = frame[4:]
    key, got_version, _, client_id, at = read_request_header(memoryview(payload))
    assert (key, got_version, client_id) == (api_key, version, "bench")
    return payload, at


def answer(response: Message, version: int) -> memoryview:
    """A response with header version 0, without its size prefix."""
    out = bytearray(4)
    codecs.write(response, out, version)
    return memoryview(bytes(out))


@pytest.mark.parametrize(("records", "value_bytes"), [(1, 100), (970, 1024), (9000, 100)])
def test_batch_is_valid_and_fits_the_default_limit(records: int, value_bytes: int) -> None:
    data = wire.record_batch(records, value_bytes, NOW_MS)
    batch = RecordBatch.parse(memoryview(data))
    found = list(batch.records())
    assert batch.size_bytes == len(data) <= 1_048_588
    assert batch.record_count == len(found) == records
    assert {len(record.value or b"") for record in found} == {value_bytes}
    assert found[-1].offset == records - 1


def test_produce_request_and_answer() -> None:
    batch = wire.record_batch(2, 10, NOW_MS)
    payload, at = body(wire.produce("numbers", [(0, batch), (7, batch)]), wire.PRODUCE, 7)
    request, end = ProduceRequest.read(memoryview(payload), at, 7)
    assert end == len(payload)
    (topic,) = request.topic_data
    assert topic.name == "numbers"
    assert [(part.index, bytes(part.records or b"")) for part in topic.partition_data] == [(0, batch), (7, batch)]

    prepared = Prepared.of("numbers", [(0, batch), (7, batch)])
    for codes in ((0, 0), (0, 6)):
        parts = [PartitionProduceResponse(index=index, error_code=code) for index, code in enumerate(codes)]
        response = ProduceResponse(responses=[TopicProduceResponse(name="numbers", partition_responses=parts)])
        framed = memoryview(bytes(4) + bytes(answer(response, 7)))
        assert len(framed) == prepared.response_bytes
        if any(codes):
            with pytest.raises(BenchError, match="error 6"):
                prepared.check(framed)
        else:
            prepared.check(framed)


def test_fetch_request_and_answer() -> None:
    payload, at = body(wire.fetch("numbers", [(0, 5), (3, 9)], 1000), wire.FETCH, 4)
    request, end = FetchRequest.read(memoryview(payload), at, 4)
    assert end == len(payload)
    (topic,) = request.topics
    assert [(part.partition, part.fetch_offset) for part in topic.partitions] == [(0, 5), (3, 9)]

    batch = wire.record_batch(3, 10, NOW_MS)
    parts = [
        PartitionData(partition_index=0, records=memoryview(batch + batch[:70]), aborted_transactions=None),
        PartitionData(partition_index=3, error_code=1, records=None, aborted_transactions=[]),
    ]
    response = FetchResponse(responses=[FetchableTopicResponse(topic="numbers", partitions=parts)])
    found = [(number, error, bytes(data)) for number, error, data in wire.fetched(answer(response, 4))]
    assert found == [(0, 0, batch + batch[:70]), (3, 1, b"")]


def test_next_offset_counts_whole_batches_only() -> None:
    batch = wire.record_batch(3, 10, NOW_MS)
    assert wire.next_offset(memoryview(batch), 0) == 3
    assert wire.next_offset(memoryview(batch + batch[:-1]), 0) == 3
    assert wire.next_offset(memoryview(batch[:-1]), 17) == 17


def test_create_topics_request_and_answer() -> None:
    payload, at = body(wire.create_topic("numbers", 12, {"retention.ms": "1"}), wire.CREATE_TOPICS, 2)
    request, end = CreateTopicsRequest.read(payload, at, 2)
    assert end == len(payload)
    (topic,) = request.topics
    assert (topic.name, topic.num_partitions, topic.replication_factor) == ("numbers", 12, 1)
    assert [(config.name, config.value) for config in topic.configs] == [("retention.ms", "1")]
    response = CreateTopicsResponse(topics=[CreatableTopicResult(name="numbers", error_code=36)])
    assert wire.topic_error(answer(response, 2)) == 36


def test_metadata_request_and_answer() -> None:
    payload, at = body(wire.metadata("numbers", auto_create=True), wire.METADATA, 4)
    request, end = MetadataRequest.read(payload, at, 4)
    assert end == len(payload)
    assert [topic.name for topic in request.topics or []] == ["numbers"]
    assert request.allow_auto_topic_creation
    parts = [
        MetadataResponsePartition(partition_index=0, leader_id=1, replica_nodes=[1], isr_nodes=[1]),
        MetadataResponsePartition(partition_index=1, leader_id=-1, error_code=5, replica_nodes=[1], isr_nodes=[]),
    ]
    response = MetadataResponse(
        brokers=[MetadataResponseBroker(node_id=1, host="127.0.0.1", port=9092)],
        cluster_id="a-cluster",
        topics=[MetadataResponseTopic(name="numbers", partitions=parts)],
    )
    assert wire.leaders(answer(response, 4)) == 1


def test_metadata_of_topics_is_asked_without_creating_them() -> None:
    payload, at = body(wire.metadata_of(["t", "u"]), 3, 4)
    request, _ = codecs.read(MetadataRequest, memoryview(payload), at, 4)
    assert [each.name for each in request.topics or ()] == ["t", "u"]
    assert not request.allow_auto_topic_creation


def test_the_metadata_of_a_cluster_is_read() -> None:
    response = MetadataResponse(
        brokers=[
            MetadataResponseBroker(node_id=0, host="one", port=9092, rack="a"),
            MetadataResponseBroker(node_id=2, host="three", port=9094),
        ],
        cluster_id="c",
        controller_id=2,
        topics=[
            MetadataResponseTopic(name="gone", error_code=3),
            MetadataResponseTopic(
                name="t",
                partitions=[
                    MetadataResponsePartition(
                        partition_index=0, leader_id=2, replica_nodes=[2, 0], isr_nodes=[2], offline_replicas=[]
                    ),
                    MetadataResponsePartition(error_code=5, partition_index=1, leader_id=-1, replica_nodes=[1]),
                ],
            ),
        ],
    )
    found = wire.read_metadata(answer(response, 4))
    assert found.brokers == [0, 2]
    assert found.controller == 2
    assert found.partitions == [(("t", 0), 2, [2]), (("t", 1), -1, [])]
