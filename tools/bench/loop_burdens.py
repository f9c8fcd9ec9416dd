"""Requests that have held the event loop, or might: each burden is prepared first and then run under the probe."""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from tools.bench import raw_client
from tools.bench.broker_session import now_ms
from tools.bench.raw_client import BenchError
from tools.codegen import codecs
from wirebroker.protocol.api import API
from wirebroker.protocol.headers import request_header_version, response_header_version
from wirebroker.protocol.message import Message
from wirebroker.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.delete_records import DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest
from wirebroker.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from wirebroker.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from wirebroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from wirebroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from wirebroker.protocol.messages.metadata import MetadataRequest
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.record_batch import BatchProducer, Record

TIMEOUT_S = 300
TIMEOUT_MS = 120_000
TOPICS, TOPICS_PER_REQUEST, PARTITIONS = 3_000, 150, 2
TOPIC, BROKER = 2, 4
PRODUCERS = 100_000
Run = Callable[[], object]


class Client:
    """One connection that asks requests of wirebroker's own classes, several at once if need be."""

    def __init__(self, address: raw_client.Address) -> None:
        self._socket = raw_client.connect(address, TIMEOUT_S)

    def ask(self, request: Message, version: int) -> Any:
        return self.ask_all([request], version)[0]

    def ask_all(self, requests: list[Any], version: int) -> list[Any]:
        """Send all of *requests* before reading the first answer."""
        self._socket.sendall(b"".join(frame(each, version) for each in requests))
        return [self._answer(each.API_KEY, version) for each in requests]

    def _answer(self, key: int, version: int) -> Any:
        body = raw_client.receive(self._socket, int.from_bytes(raw_client.receive(self._socket, 4), "big"))
        at = 5 if response_header_version(key, version) >= 1 else 4
        return codecs.read(API[key].load()[1], memoryview(body), at, version)[0]

    def create(self, name: str, partitions: int = 1, **configs: str) -> str:
        """Create a topic; it may be there already."""
        self.create_all([topic(name, partitions, **configs)])
        return name

    def create_all(self, topics: list[CreatableTopic]) -> None:
        for result in self.ask(CreateTopicsRequest(topics=topics, timeout_ms=TIMEOUT_MS), 4).topics:
            if result.error_code not in (0, 36):
                raise BenchError(f"CreateTopics answered error {result.error_code} for {result.name}")

    def produce(self, name: str, batch: bytes, partition: int = 0) -> None:
        data = PartitionProduceData(index=partition, records=memoryview(bytearray(batch)))
        request = ProduceRequest(
            acks=1, timeout_ms=TIMEOUT_MS, topic_data=[TopicProduceData(name=name, partition_data=[data])]
        )
        code = self.ask(request, 7).responses[0].partition_responses[0].error_code
        if code:
            raise BenchError(f"Produce answered error {code}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


def frame(request: Message, version: int) -> bytes:
    """One request with its size prefix; the correlation id is always 1, answers come in order."""
    out = WireBuffer(struct.pack(">ihhih", 0, request.API_KEY, version, 1, 5) + b"bench")
    if request_header_version(request.API_KEY, version) >= 2:
        out += b"\0"
    codecs.write(request, out, version)
    struct.pack_into(">i", out, 0, len(out) - 4)
    return bytes(out)


def topic(name: str, partitions: int = 1, **configs: str) -> CreatableTopic:
    settings = [CreatableTopicConfig(key.replace("_", "."), value) for key, value in configs.items()]
    return CreatableTopic(name, partitions, 1, [], settings)


@dataclass(frozen=True, slots=True)
class Burden:
    """*prepare* makes what is needed and returns what is to be run under the probe."""

    name: str
    what: str
    prepare: Callable[[Client], Run]


def nothing(client: Client) -> Run:
    return lambda: None


def by_time(name: str, partitions: int, timestamp: int) -> ListOffsetsRequest:
    asked = [ListOffsetsPartition(partition_index=each, timestamp=timestamp) for each in range(partitions)]
    return ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsTopic(name, asked)])


def list_offsets_by_time(client: Client) -> Run:
    name, now = client.create("by-time"), now_ms()
    records = [Record(i, now + i, b"k%d" % (i % 50), b"v" * 20, []) for i in range(30_000)]
    client.produce(name, build_batch(records, compression=Compression(Codec.ZSTD)))
    request = by_time(name, 1, now + 29_999)
    return lambda: client.ask_all([request] * 200, 1)


def list_offsets_many_partitions(client: Client) -> Run:
    name, now = client.create("by-time-50", 50), now_ms()
    batch = build_batch([Record(i, now + i // 10, b"k", b"v" * 90, []) for i in range(10_000)])
    for each in range(50):
        client.produce(name, batch, each)
    request = by_time(name, 50, now + 999)
    return lambda: client.ask(request, 4)


def big_batch(client: Client, name: str) -> Run:
    now = now_ms()
    batch = build_batch([Record(i, now, b"", b"", []) for i in range(1_000_000)], compression=Compression(Codec.ZSTD))
    return lambda: client.produce(name, batch)


def big_batch_plain(client: Client) -> Run:
    return big_batch(client, client.create("big-batch"))


def big_batch_compacted(client: Client) -> Run:
    return big_batch(client, client.create("big-batch-compacted", cleanup_policy="compact"))


def recompressed(client: Client) -> Run:
    name, now = client.create("recompressed", compression_type="gzip", max_message_bytes="20000000"), now_ms()
    records = [Record(i, now, b"%d" % (i * 7919), b"%d" % (i * 104729) * 10, []) for i in range(50_000)]
    batch = build_batch(records, compression=Compression(Codec.NONE))

    def run() -> None:
        for _ in range(5):
            client.produce(name, batch)

    return run


def many_partitions(client: Client) -> Run:
    """One Produce of a record to each of 5,000 partitions."""
    name = client.create("many-partitions", 5_000)
    batch = build_batch([Record(0, now_ms(), b"k", b"v", [])])
    data = [PartitionProduceData(index=each, records=memoryview(bytearray(batch))) for each in range(5_000)]
    request = ProduceRequest(
        acks=1, timeout_ms=TIMEOUT_MS, topic_data=[TopicProduceData(name=name, partition_data=data)]
    )
    return lambda: client.ask(request, 7)


def rolls(client: Client) -> Run:
    """Segments of one batch each, in 20 partitions."""
    name = client.create("rolls", 20, segment_bytes="200000")
    batch = build_batch([Record(each, now_ms(), b"k", b"v" * 1000, []) for each in range(150)])

    def run() -> None:
        for number in range(200):
            client.produce(name, batch, number % 20)

    return run


def delete_records(client: Client) -> Run:
    name = client.create("delete-records", 100)
    batch = build_batch([Record(0, now_ms(), b"k", b"v", [])])
    for each in range(100):
        client.produce(name, batch, each)
    asked = [DeleteRecordsPartition(each, -1) for each in range(100)]
    request = DeleteRecordsRequest(topics=[DeleteRecordsTopic(name, asked)], timeout_ms=TIMEOUT_MS)
    return lambda: client.ask(request, 1)


def many_producers(client: Client) -> Run:
    """One record of each of so many producers, and then the question who they are."""
    name, now = client.create("many-producers"), now_ms()
    partition_data = []
    for first in range(0, PRODUCERS, 1_000):
        requests = []
        for producer_id in range(first, first + 1_000):
            batch = build_batch([Record(0, now, b"", b"", [])], producer=BatchProducer(10_000_000 + producer_id, 0, 0))
            data = PartitionProduceData(index=0, records=memoryview(bytearray(batch)))
            requests.append(
                ProduceRequest(acks=1, timeout_ms=1000, topic_data=[TopicProduceData(name=name, partition_data=[data])])
            )
        partition_data += client.ask_all(requests, 7)
    request = DescribeProducersRequest(topics=[TopicRequest(name, [0])])
    return lambda: client.ask(request, 0)


def create_wide_topic(client: Client) -> Run:
    return lambda: client.create("wide", 2_000)


def grow_topic(client: Client) -> Run:
    name = client.create("grown")
    request = CreatePartitionsRequest(topics=[CreatePartitionsTopic(name, 2_000, None)], timeout_ms=TIMEOUT_MS)
    return lambda: client.ask(request, 1)


def create_topics(client: Client) -> Run:
    def run() -> None:
        names = [f"many-{number}" for number in range(TOPICS)]
        for first in range(0, TOPICS, TOPICS_PER_REQUEST):
            client.create_all([topic(name, PARTITIONS) for name in names[first : first + TOPICS_PER_REQUEST]])

    return run


def make_topics(client: Client) -> list[str]:
    """The names of the topics that *create_topics* makes, which are there afterwards."""
    names = [each.name for each in client.ask(MetadataRequest(topics=None), 4).topics if each.name.startswith("many-")]
    if len(names) < TOPICS:
        create_topics(client)()
    return [f"many-{number}" for number in range(TOPICS)]


def alter(resource_type: int, name: str, key: str, value: str) -> IncrementalAlterConfigsRequest:
    return IncrementalAlterConfigsRequest(
        resources=[AlterConfigsResource(resource_type, name, [AlterableConfig(key, 0, value)])]
    )


def broker_setting(client: Client) -> Run:
    make_topics(client)
    requests = [alter(BROKER, "", "log.retention.ms", str(value)) for value in (10_000_000, 20_000_000)]
    return lambda: [client.ask(each, 0) for each in requests]


def topic_setting(client: Client) -> Run:
    name = make_topics(client)[0]
    requests = [alter(TOPIC, name, "retention.ms", str(value)) for value in range(10_000_000, 10_000_100)]
    return lambda: [client.ask(each, 0) for each in requests]


def topic_settings(client: Client) -> Run:
    names = make_topics(client)
    resources = [AlterConfigsResource(TOPIC, name, [AlterableConfig("retention.ms", 0, "777777")]) for name in names]
    request = IncrementalAlterConfigsRequest(resources=resources)
    return lambda: client.ask(request, 0)


def metadata_of_all(client: Client) -> Run:
    make_topics(client)
    return lambda: client.ask_all([MetadataRequest(topics=None)] * 10, 4)


def describe_configs(client: Client) -> Run:
    resources = [DescribeConfigsResource(TOPIC, name, None) for name in make_topics(client)]
    request = DescribeConfigsRequest(resources=resources, include_synonyms=True)
    return lambda: client.ask(request, 1)


def describe_log_dirs(client: Client) -> Run:
    make_topics(client)
    return lambda: client.ask(DescribeLogDirsRequest(topics=None), 1)


def list_offsets_of_all(client: Client) -> Run:
    names = make_topics(client)

    def request(timestamp: int) -> ListOffsetsRequest:
        asked = [ListOffsetsPartition(partition_index=each, timestamp=timestamp) for each in range(PARTITIONS)]
        return ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsTopic(name, asked) for name in names])

    return lambda: [client.ask(request(timestamp), 4) for timestamp in (-1, -2, now_ms() - 60_000)]


def delete_topics(client: Client) -> Run:
    request = DeleteTopicsRequest(topic_names=make_topics(client), timeout_ms=TIMEOUT_MS)
    return lambda: client.ask(request, 1)


BURDENS = (
    Burden("nothing", "no other client", nothing),
    Burden("list-offsets", "200 pipelined ListOffsets by time, one batch of 30,000 zstd records", list_offsets_by_time),
    Burden(
        "list-offsets-50", "ListOffsets by time of 50 partitions, 10,000 records each", list_offsets_many_partitions
    ),
    Burden("big-batch", "a batch of 1,000,000 records to a plain topic", big_batch_plain),
    Burden("big-batch-compacted", "a batch of 1,000,000 records to a compacted topic", big_batch_compacted),
    Burden("recompressed", "5 batches of 50,000 records to a topic with compression.type=gzip", recompressed),
    Burden("many-partitions", "one Produce to 5,000 partitions", many_partitions),
    Burden("rolls", "200 batches, each of which rolls a segment, to 20 partitions", rolls),
    Burden("delete-records", "DeleteRecords of 100 partitions", delete_records),
    Burden("many-producers", f"DescribeProducers of a partition with {PRODUCERS:,} producers", many_producers),
    Burden("wide-topic", "CreateTopics of one topic with 2,000 partitions", create_wide_topic),
    Burden("grow-topic", "CreatePartitions from 1 to 2,000", grow_topic),
    Burden("create-topics", f"CreateTopics of {TOPICS:,} topics with {PARTITIONS} partitions", create_topics),
    Burden("broker-setting", f"two changes of a broker setting with {TOPICS:,} topics", broker_setting),
    Burden("topic-setting", "100 changes of a topic's setting", topic_setting),
    Burden("topic-settings", f"a setting of {TOPICS:,} topics changed in one request", topic_settings),
    Burden("metadata", f"10 pipelined Metadata of all {TOPICS:,} topics", metadata_of_all),
    Burden("describe-configs", f"DescribeConfigs of {TOPICS:,} topics with synonyms", describe_configs),
    Burden("describe-log-dirs", "DescribeLogDirs of everything", describe_log_dirs),
    Burden(
        "list-offsets-all",
        f"ListOffsets of {TOPICS * PARTITIONS:,} partitions: latest, earliest, by time",
        list_offsets_of_all,
    ),
    Burden("delete-topics", f"DeleteTopics of {TOPICS:,} topics", delete_topics),
)
