"""Bytes as Apache Kafka 4.3's own classes write them, for the messages that every client sends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.codegen.codecs import encode, read
from wirebroker.protocol.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from wirebroker.protocol.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    PartitionData,
    ReplicaState,
)
from wirebroker.protocol.messages.fetch import NodeEndpoint as FetchNodeEndpoint
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from wirebroker.protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)

if TYPE_CHECKING:
    from wirebroker.protocol.message import Message

TOPIC_ID = bytes(range(16))
RECORDS = memoryview(b"\1\2\3\4\5")


def produce_request(transactional_id: str | None = None, **topic: object) -> ProduceRequest:
    data = TopicProduceData(partition_data=[PartitionProduceData(3, RECORDS)], **topic)  # type: ignore[arg-type]
    return ProduceRequest(transactional_id, acks=-1, timeout_ms=30000, topic_data=[data])


def produce_response(version: int) -> ProduceResponse:
    partition = PartitionProduceResponse(3, 6, 77)
    if version >= 5:
        partition.log_start_offset = 7
    if version >= 8:
        partition.error_message = "no"
        partition.record_errors = [BatchIndexAndErrorMessage(1, "bad")]
    if version >= 10:
        partition.current_leader = LeaderIdAndEpoch(2, 9)
    topic = TopicProduceResponse(partition_responses=[partition])
    if version >= 13:
        topic.topic_id = TOPIC_ID
    else:
        topic.name = "flights"
    nodes = [NodeEndpoint(2, "b", 9092)] if version >= 10 else []
    return ProduceResponse([topic], throttle_time_ms=11, node_endpoints=nodes)


def fetch_request(version: int) -> FetchRequest:
    partition = FetchPartition(1, fetch_offset=5, partition_max_bytes=1 << 20)
    if version >= 9:
        partition.current_leader_epoch = 4
    if version >= 17:
        partition.replica_directory_id = TOPIC_ID
    topic, forgotten = FetchTopic(partitions=[partition]), ForgottenTopic(partitions=[0, 1])
    if version >= 13:
        topic.topic_id = forgotten.topic_id = TOPIC_ID
    else:
        topic.topic, forgotten.topic = "flights", "old"
    request = FetchRequest(max_wait_ms=500, min_bytes=1, max_bytes=52428800, topics=[topic])
    if version >= 7:
        request.session_id, request.session_epoch, request.forgotten_topics_data = 9, 2, [forgotten]
    if version >= 11:
        request.rack_id = "r1"
    if version == 12:
        request.cluster_id = "c"
    if version >= 15:
        request.replica_state = ReplicaState(3, 8)
    return request


def fetch_response(version: int) -> FetchResponse:
    partition = PartitionData(1, 0, 50, 40, aborted_transactions=[AbortedTransaction(1000, 30)], records=RECORDS)
    if version >= 5:
        partition.log_start_offset = 2
    if version >= 11:
        partition.preferred_read_replica = 4
    if version >= 12:
        partition.diverging_epoch = EpochEndOffset(3, 33)
    topic = FetchableTopicResponse(partitions=[partition])
    if version >= 13:
        topic.topic_id = TOPIC_ID
    else:
        topic.topic = "flights"
    nodes = [FetchNodeEndpoint(2, "b", 9092, "r")] if version >= 16 else []
    return FetchResponse(session_id=9 if version >= 7 else 0, responses=[topic], node_endpoints=nodes)


def api_versions(version: int) -> ApiVersionsResponse:
    response = ApiVersionsResponse(api_keys=[ApiVersion(18, 0, 4)])
    if version >= 3:
        response.throttle_time_ms, response.finalized_features_epoch = 1, 5
    return response


FLIGHTS = [MetadataRequestTopic(name="flights")]
GOLDEN: list[tuple[int, Message, str]] = [
    (3, produce_request("tx", name="flights"), """0002 7478 ffff 00007530 00000001 0007 666c6967687473
        00000001 00000003 00000005 0102030405"""),
    (9, produce_request(name="flights"), "00 ffff 00007530 02 08 666c6967687473 02 00000003 06 0102030405 00 00 00"),
    (13, produce_request(topic_id=TOPIC_ID), """00 ffff 00007530 02 000102030405060708090a0b0c0d0e0f
        02 00000003 06 0102030405 00 00 00"""),
    (3, produce_response(3), """00000001 0007 666c6967687473 00000001 00000003 0006 000000000000004d ffffffffffffffff
        0000000b"""),
    (5, produce_response(5), """00000001 0007 666c6967687473 00000001 00000003 0006 000000000000004d ffffffffffffffff
        0000000000000007 0000000b"""),
    (8, produce_response(8), """00000001 0007 666c6967687473 00000001 00000003 0006 000000000000004d ffffffffffffffff
        0000000000000007 00000001 00000001 0003 626164 0002 6e6f 0000000b"""),
    (10, produce_response(10), """02 08 666c6967687473 02 00000003 0006 000000000000004d ffffffffffffffff
        0000000000000007 02 00000001 04 626164 00 03 6e6f 01 00 09 00000002 00000009 00 00 0000000b
        01 00 0d 02 00000002 02 62 00002384 00 00"""),
    (13, produce_response(13), """02 000102030405060708090a0b0c0d0e0f 02 00000003 0006 000000000000004d ffffffffffffffff
        0000000000000007 02 00000001 04 626164 00 03 6e6f 01 00 09 00000002 00000009 00 00 0000000b
        01 00 0d 02 00000002 02 62 00002384 00 00"""),
    (4, fetch_request(4), """ffffffff 000001f4 00000001 03200000 00 00000001 0007 666c6967687473
        00000001 00000001 0000000000000005 00100000"""),
    (7, fetch_request(7), """ffffffff 000001f4 00000001 03200000 00 00000009 00000002 00000001 0007 666c6967687473
        00000001 00000001 0000000000000005 ffffffffffffffff 00100000
        00000001 0003 6f6c64 00000002 00000000 00000001"""),
    (11, fetch_request(11), """ffffffff 000001f4 00000001 03200000 00 00000009 00000002 00000001 0007 666c6967687473
        00000001 00000001 00000004 0000000000000005 ffffffffffffffff 00100000
        00000001 0003 6f6c64 00000002 00000000 00000001 0002 7231"""),
    (12, fetch_request(12), """ffffffff 000001f4 00000001 03200000 00 00000009 00000002 02 08 666c6967687473
        02 00000001 00000004 0000000000000005 ffffffff ffffffffffffffff 00100000 00 00
        02 04 6f6c64 03 00000000 00000001 00 03 7231 01 00 02 02 63"""),
    (17, fetch_request(17), """000001f4 00000001 03200000 00 00000009 00000002 02 000102030405060708090a0b0c0d0e0f
        02 00000001 00000004 0000000000000005 ffffffff ffffffffffffffff 00100000
        01 00 10 000102030405060708090a0b0c0d0e0f 00
        02 000102030405060708090a0b0c0d0e0f 03 00000000 00000001 00 03 7231 01 01 0d 00000003 0000000000000008 00"""),
    (4, fetch_response(4), """00000000 00000001 0007 666c6967687473 00000001 00000001 0000 0000000000000032
        0000000000000028 00000001 00000000000003e8 000000000000001e 00000005 0102030405"""),
    (11, fetch_response(11), """00000000 0000 00000009 00000001 0007 666c6967687473 00000001 00000001 0000
        0000000000000032 0000000000000028 0000000000000002 00000001 00000000000003e8 000000000000001e 00000004
        00000005 0102030405"""),
    (12, fetch_response(12), """00000000 0000 00000009 02 08 666c6967687473 02 00000001 0000
        0000000000000032 0000000000000028 0000000000000002 02 00000000000003e8 000000000000001e 00 00000004
        06 0102030405 01 00 0d 00000003 0000000000000021 00 00 00"""),
    (16, fetch_response(16), """00000000 0000 00000009 02 000102030405060708090a0b0c0d0e0f 02 00000001 0000
        0000000000000032 0000000000000028 0000000000000002 02 00000000000003e8 000000000000001e 00 00000004
        06 0102030405 01 00 0d 00000003 0000000000000021 00 00 01 00 0e 02 00000002 02 62 00002384 02 72 00"""),
    (0, api_versions(0), "0000 00000001 0012 0000 0004"),
    (3, api_versions(3), "0000 02 0012 0000 0004 00 00000001 01 01 08 0000000000000005"),
    (4, api_versions(4), "0000 02 0012 0000 0004 00 00000001 01 01 08 0000000000000005"),
    (3, ApiVersionsRequest("librdkafka", "2.15"), "0b 6c696272646b61666b61 05 322e3135 00"),
    (0, MetadataRequest(FLIGHTS), "00000001 0007 666c6967687473"),
    (1, MetadataRequest(None), "ffffffff"),
    (9, MetadataRequest(FLIGHTS), "02 08 666c6967687473 00 01 00 00 00"),
    (12, MetadataRequest(FLIGHTS), "02 00000000000000000000000000000000 08 666c6967687473 00 01 00 00"),
]  # fmt: skip


@pytest.mark.parametrize(("version", "message", "data"), GOLDEN)
def test_bytes(version: int, message: Message, data: str) -> None:
    wire = bytes.fromhex(data)
    assert encode(message, version).hex() == wire.hex()
    assert read(type(message), wire, 0, version) == (message, len(wire))
