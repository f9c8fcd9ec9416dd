"""The topic APIs, valid and invalid requests, compared with Apache Kafka 3.9.1 field by field.

Known to differ, and so not asked: an empty name in DescribeTopicPartitions (-1 there, INVALID_TOPIC_EXCEPTION here) and
10,000 new partitions at once (added there, with an error of -1; refused here).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.conftest import unique_name, wait_until
from compat_tests.side_by_side import BrokerPair
from compat_tests.wire import Wire
from wirebroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from wirebroker.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from wirebroker.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from wirebroker.protocol.messages.describe_cluster import DescribeClusterRequest
from wirebroker.protocol.messages.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
)
from wirebroker.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    RequestCursor,
    TopicRequest,
)
from wirebroker.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from wirebroker.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compat_tests.broker import Broker, Wirebroker
    from compat_tests.side_by_side import Ask, Step
    from tools.jvm.kafka import KafkaBroker

IN_TIME = 50_000
ZERO_ID = bytes(16)


@pytest.fixture
def pair(wirebroker: Wirebroker, apache_kafka: KafkaBroker) -> BrokerPair:
    return BrokerPair(wirebroker, apache_kafka)


@pytest.fixture
def topics(pair: BrokerPair) -> Iterator[list[str]]:
    """Three topics on both brokers, with 1, 2 and 3 partitions; names in alphabetical order."""
    names = [f"{unique_name('side')}{letter}" for letter in "abc"]
    made = [new(name, count) for count, name in enumerate(names, 1)]
    assert not pair.differences([("make", CreateTopicsRequest(made, IN_TIME), 7)])
    pair.wait_for_topics(*names)
    yield names
    pair.differences([("clean up", DeleteTopicsRequest(topic_names=names, timeout_ms=IN_TIME), 5)])


def new(
    name: str,
    count: int = 1,
    factor: int = 1,
    replicas: dict[int, list[int]] | None = None,
    configs: dict[str, str | None] | None = None,
) -> CreatableTopic:
    assignments = [CreatableReplicaAssignment(index, nodes) for index, nodes in (replicas or {}).items()]
    if replicas is not None:
        count, factor = (-1, -1) if (count, factor) == (1, 1) else (count, factor)
    settings = [CreatableTopicConfig(key, value) for key, value in (configs or {}).items()]
    return CreatableTopic(name, count, factor, assignments, settings)


def id_of(broker: Broker, name: str) -> bytes:
    """A topic's id, which differs from broker to broker."""
    with Wire(broker.host, broker.port) as wire:
        request = MetadataRequest([MetadataRequestTopic(name=name)], allow_auto_topic_creation=False)
        topic_id: bytes = wire.ask(request, 12).topics[0].topic_id
    return topic_id


def _partition_count(described: DescribeLogDirsResponse) -> int:
    return sum(len(topic.partitions) for result in described.results for topic in result.topics)


def test_create_topics(pair: BrokerPair, topics: list[str]) -> None:
    name = unique_name("create-")
    old = topics[0]
    good = [
        new(name + "1"),
        new(name + "2", 3),
        new(name + "3", -1, -1),
        new(name + "4", replicas={0: [0], 1: [0]}),
        new(name + "5", replicas={1: [0], 0: [0]}),
        new(name + "6", configs={"retention.ms": "1000", "cleanup.policy": "compact"}),
        new(name + ".7"),
        new(name + "_7"),  # collides with the one before, but nothing of this request counts as being there
        new(name + "x" * (249 - len(name))),
    ]
    bad = [
        new(old),
        new(old, 0, 9),
        new(old, configs={"retention.ms": "x"}),
        new(""),
        new("."),
        new(".."),
        new("a b"),
        new("é"),
        new("x" * 250),
        new("__cluster_metadata"),
        new(name + "8", 0),
        new(name + "9", -2),
        new(name + "10", 1, 0),
        new(name + "11", 1, -2),
        new(name + "12", 1, 2),
        new(name + "13", 0, 0),
        new(name + "14", 0, 5),
        new(name + "15", 10_001),
        new(name + "16", 2, 1, replicas={0: [0]}),
        new(name + "17", -1, 1, replicas={0: [0]}),
        new(name + "18", 2, -1, replicas={0: [0]}),
        new(name + "19", replicas={0: [0], 2: [0]}),
        new(name + "20", replicas={-1: [0]}),
        new(name + "21", replicas={0: []}),
        new(name + "22", replicas={0: [9]}),
        new(name + "23", replicas={0: [-1]}),
        new(name + "24", replicas={0: [0, 0]}),
        new(name + "25", replicas={0: [0], 1: [0, 9]}),
        new(name + "26", configs={"no.such.key": "1"}),
        new(name + "27", configs={"log.retention.ms": "1"}),
        new(name + "28", configs={"retention.ms": "abc"}),
        new(name + "29", configs={"segment.bytes": "1"}),
        new(name + "30", configs={"retention.ms": None}),
        new(name + "31", configs={"cleanup.policy": "foo"}),
        new(name + "32", configs={"min.cleanable.dirty.ratio": "7"}),
        new(name + "33", 1, 9, configs={"retention.ms": "abc"}),
        new("a b", 0, 0, configs={"retention.ms": "abc"}),
    ]
    steps: list[Step] = [(f"valid only {topic}", CreateTopicsRequest([topic], IN_TIME, True), 7) for topic in good]
    steps += [(str(topic), CreateTopicsRequest([topic], IN_TIME), 7) for topic in bad]
    steps += [("good", CreateTopicsRequest(good, IN_TIME), 7), ("again", CreateTopicsRequest(good, IN_TIME), 7)]
    steps += [("collision", CreateTopicsRequest([new(name + "-7"), new(name.replace("-", "_") + "-8")], IN_TIME), 7)]
    mixed = [new(name + "m1"), new("a b"), new(name + "m2"), new(name + "m1"), new(old), new(name + "m1")]
    steps += [("named twice", CreateTopicsRequest(mixed, IN_TIME), 7), ("none", CreateTopicsRequest([], IN_TIME), 7)]
    for version in range(7):
        request = CreateTopicsRequest([new(f"{name}v{version}", 2), new("a b"), new(old)], IN_TIME)
        steps.append(("every version", request, version))
    assert pair.differences(steps) == []


def test_create_topics_out_of_time(pair: BrokerPair) -> None:
    name = unique_name("late-")
    steps: list[Step] = [
        ("no time", CreateTopicsRequest([new(name + "1"), new("a b")], 0), 7),
        ("less than none", CreateTopicsRequest([new(name + "2")], -1), 7),
        ("no time to validate", CreateTopicsRequest([new(name + "3")], 0, True), 7),
    ]
    assert pair.differences(steps) == []
    with Wire(pair.ours.host, pair.ours.port) as wire:
        names = [MetadataRequestTopic(name=f"{name}{number}") for number in (1, 2, 3)]
        answer = wire.ask(MetadataRequest(names, allow_auto_topic_creation=False), 12)
    assert [topic.error_code for topic in answer.topics] == [3, 3, 3]


def test_create_partitions(pair: BrokerPair, topics: list[str]) -> None:
    one, two, three = topics

    def grow(name: str, count: int, replicas: list[list[int]] | None = None) -> CreatePartitionsTopic:
        assignments = None if replicas is None else [CreatePartitionsAssignment(nodes) for nodes in replicas]
        return CreatePartitionsTopic(name, count, assignments)

    requested = [
        grow(three, 3),
        grow(three, 2),
        grow(three, 0),
        grow(three, -1),
        grow("gone", 4),
        grow("a b", 4),
        grow(three, 6, [[0]]),
        grow(three, 4, [[0], [0]]),
        grow(three, 4, []),
        grow(three, 4, [[]]),
        grow(three, 4, [[9]]),
        grow(three, 4, [[-1]]),
        grow(three, 4, [[0, 0]]),
        grow(three, 4, [[0, 2]]),
        grow(three, 2, [[0]]),
        grow(three, 3, []),
    ]
    steps: list[Step] = [(str(each), CreatePartitionsRequest([each], IN_TIME), 3) for each in requested]
    steps += [
        ("valid only", CreatePartitionsRequest([grow(three, 9)], IN_TIME, True), 3),
        ("no time", CreatePartitionsRequest([grow(three, 9)], 0), 3),
        ("less than none", CreatePartitionsRequest([grow(three, 9)], -1), 3),
        ("no time to validate", CreatePartitionsRequest([grow(three, 9)], 0, True), 3),
        ("none", CreatePartitionsRequest([], IN_TIME), 3),
        ("named twice", CreatePartitionsRequest([grow(one, 4), grow(two, 4), grow(one, 5)], IN_TIME), 3),
        ("given replicas", CreatePartitionsRequest([grow(three, 5, [[0], [0]])], IN_TIME), 3),
    ]
    for version in range(4):
        steps.append(
            ("every version", CreatePartitionsRequest([grow(three, 6 + version), grow("gone", 3)], IN_TIME), version)
        )
    assert pair.differences(steps) == []


def test_delete_topics(pair: BrokerPair) -> None:
    names = [unique_name("delete") for _ in range(14)]
    made: list[Step] = [("make", CreateTopicsRequest([new(name) for name in names], IN_TIME), 7)]
    assert pair.differences(made) == []
    pair.wait_for_topics(*names)
    ids = {(broker.port, name): id_of(broker, name) for broker in pair for name in names}

    def delete(*wanted: tuple[str | None, str | bytes | None]) -> Ask:
        """(name, name of the topic whose id to give, or an id) for each topic."""

        def request(broker: Broker) -> DeleteTopicsRequest:
            states = []
            for name, by_id in wanted:
                topic_id = by_id if isinstance(by_id, bytes) else ids.get((broker.port, by_id or ""), ZERO_ID)
                states.append(DeleteTopicState(name, topic_id))
            return DeleteTopicsRequest(states, timeout_ms=IN_TIME)

        return request

    unknown_broker = b"\7" * 16
    steps: list[Step] = [
        (f"every version {name}", DeleteTopicsRequest(topic_names=[name, "gone"], timeout_ms=IN_TIME), version)
        for version, name in enumerate(names[:6])
    ]
    late = [("no time", 0), ("less than none", -1)]
    steps += [(label, DeleteTopicsRequest(topic_names=[names[6]], timeout_ms=time), 5) for label, time in late]
    steps += [
        ("twice, old", DeleteTopicsRequest(topic_names=[names[6], names[6], names[7]], timeout_ms=IN_TIME), 5),
        ("illegal, old", DeleteTopicsRequest(topic_names=["a b", ""], timeout_ms=IN_TIME), 5),
        ("none, old", DeleteTopicsRequest(timeout_ms=IN_TIME), 1),
        ("none", delete(), 6),
        ("by name", delete((names[8], None)), 6),
        ("by id", delete((None, names[9])), 6),
        ("unknown name", delete(("gone", None), ("a b", None), ("__cluster_metadata", None)), 6),
        ("unknown id", delete((None, unknown_broker)), 6),
        ("unknown id twice", delete((None, unknown_broker), (None, unknown_broker)), 6),
        ("both", delete((names[10], names[10])), 6),
        ("neither", delete((None, None), (None, None)), 6),
        ("name twice", delete((names[10], None), (names[10], None), (names[10], None)), 6),
        ("id twice", delete((None, names[10]), (None, names[10])), 6),
        ("name and its id", delete((names[10], None), (None, names[10]), (names[11], None)), 6),
        ("mixed", delete(("gone", None), (names[12], None), (None, unknown_broker), (None, names[13])), 6),
    ]
    assert pair.differences(steps) == []
    gone = [names[number] for number in (*range(6), 7, 8, 9, 11, 12, 13)]
    pair.wait_for_topics(*gone, exist=False)
    pair.wait_for_topics(names[6], names[10])


def test_metadata(pair: BrokerPair, topics: list[str]) -> None:
    one, two, three = topics

    def ask(*names: str | None, **flags: bool) -> MetadataRequest:
        return MetadataRequest(
            [MetadataRequestTopic(name=name) for name in names], **{"allow_auto_topic_creation": False, **flags}
        )

    def by_id(*wanted: tuple[str | None, str | bytes]) -> Ask:
        """(name, name of the topic whose id to give, or an id) for each topic."""

        def request(broker: Broker) -> MetadataRequest:
            return MetadataRequest(
                [
                    MetadataRequestTopic(each if isinstance(each, bytes) else id_of(broker, each), name)
                    for name, each in wanted
                ]
            )

        return request

    unknown_broker = b"\7" * 16
    steps: list[Step] = []
    for version in range(13):
        steps.append(("found", MetadataRequest([MetadataRequestTopic(name=name) for name in topics]), version))
        if version >= 1:
            steps.append(("none", MetadataRequest([]), version))
        if version >= 4:
            steps.append(("missing", ask(one, unique_name("missing"), "a b", "", ".", "x" * 250, one), version))
            # Not the internal topics: whether they exist depends on what other tests did to these brokers.
        if version >= 8:
            steps.append(("operations", ask(one, "gone", include_topic_authorized_operations=True), version))
        if 8 <= version <= 10:
            steps.append(("operations", ask(one, include_cluster_authorized_operations=True), version))
    steps += [
        ("by id", by_id((None, one), (None, three)), 12),
        ("by id and name", by_id((two, one), (two, ZERO_ID)), 12),
        ("unknown id", by_id((None, unknown_broker), (None, unknown_broker), (None, one)), 12),
        ("neither", by_id((None, ZERO_ID)), 12),
        ("name and neither", by_id((one, ZERO_ID), (None, ZERO_ID)), 12),
        ("id too early", by_id((one, one)), 11),
        ("only an id too early", by_id((None, one)), 10),
        ("neither too early", by_id((None, ZERO_ID)), 11),
    ]
    assert pair.differences(steps) == []


def test_first_use(pair: BrokerPair) -> None:
    name, other = unique_name("first"), unique_name("first")
    steps: list[Step] = [
        ("before", MetadataRequest([MetadataRequestTopic(name=name)]), 1),
        ("before", MetadataRequest([MetadataRequestTopic(name=other)]), 12),
        ("reserved", MetadataRequest([MetadataRequestTopic(name="__cluster_metadata")]), 12),
    ]
    assert pair.differences(steps) == []
    pair.wait_for_topics(name, other)
    assert pair.differences([("after", steps[0][1], 1), ("after", steps[1][1], 12)]) == []


def test_describe_topic_partitions(pair: BrokerPair, topics: list[str]) -> None:
    one, two, three = topics

    def ask(*names: str, limit: int = 2000, cursor: tuple[str, int] | None = None) -> DescribeTopicPartitionsRequest:
        at = None if cursor is None else RequestCursor(*cursor)
        return DescribeTopicPartitionsRequest([TopicRequest(name) for name in names], limit, at)

    requests = [
        ask(one),
        ask(three, one, two, one),
        ask("gone"),
        ask("a b"),
        ask(three, two, limit=2),
        ask(three, two, limit=3),
        ask(three, two, limit=0),
        ask(three, two, limit=-1),
        ask(three, two, limit=5),
        ask(one, "zzz-gone", limit=1),
        ask("!", one, limit=1),
        ask(three, two, cursor=(two, 1)),
        ask(three, two, limit=2, cursor=(two, 1)),
        ask(three, two, cursor=(two, 9)),
        ask(three, two, cursor=(one, 0)),
        ask(three, two, cursor=(two + "x", 0)),
        ask(three, two, cursor=(two, -1)),
        ask("gone", three, cursor=("gone", 1)),
    ]
    assert pair.differences([(str(each), each, 0) for each in requests]) == []


def test_the_cluster_and_its_directories(pair: BrokerPair, topics: list[str]) -> None:
    three = topics[2]
    steps: list[Step] = [
        ("cluster", DescribeClusterRequest(operations, endpoint_type), version)
        for version, endpoint_type in ((0, 1), (1, 1), (1, 2), (1, 3), (1, 0))
        for operations in (False, True)
    ]
    asked = [DescribableLogDirTopic(three, [0, 2, 2, 7]), DescribableLogDirTopic("gone", [0])]
    for version in range(5):
        steps.append(("log dirs", DescribeLogDirsRequest(asked), version))
        steps.append(("no log dirs", DescribeLogDirsRequest([]), version))
    with Wire(pair.theirs.host, pair.theirs.port) as wire:  # Kafka shows a topic before it has made its logs
        wait_until(lambda: _partition_count(wire.ask(DescribeLogDirsRequest(asked), 0)) == 2)
    assert pair.differences(steps) == []


def test_elections_and_reassignments(pair: BrokerPair, topics: list[str]) -> None:
    three = topics[2]
    asked = [TopicPartitions(three, [0, 1, 9, -1]), TopicPartitions("gone", [0])]
    steps: list[Step] = [("elect", ElectLeadersRequest(0, asked), version) for version in range(3)]
    steps += [
        ("elect uncleanly", ElectLeadersRequest(1, [TopicPartitions(three, [0, 0])]), 2),
        ("elect how?", ElectLeadersRequest(5, asked), 2),
        ("elect nobody", ElectLeadersRequest(0, []), 2),
        ("list", ListPartitionReassignmentsRequest(topics=None), 0),
        ("list some", ListPartitionReassignmentsRequest(topics=[ListPartitionReassignmentsTopics(three, [0, 9])]), 0),
    ]
    for index, replicas in [(0, [0]), (0, None), (0, [9]), (0, []), (0, [0, 0]), (9, [0])]:
        topic = ReassignableTopic(three, [ReassignablePartition(index, replicas)])
        steps.append((f"move {index} to {replicas}", AlterPartitionReassignmentsRequest(topics=[topic]), 0))
    # a KRaft controller drops a request without time; we answer as 3.9.1 does with ZooKeeper
    in_no_time = pair.differences([("elect", ElectLeadersRequest(0, [TopicPartitions(three, [0])], 0), 2)])
    assert in_no_time
    gone = ReassignableTopic("gone", [ReassignablePartition(0, [0])])
    steps.append(("move what is not there", AlterPartitionReassignmentsRequest(topics=[gone]), 0))
    assert pair.differences(steps) == []
