"""Rules for new topics and partitions: names, counts, replicas, configs."""

from __future__ import annotations

import pytest

from wirebroker.controller.internal_topics import auto_created
from wirebroker.controller.topic_rules import NewPartitions, NewTopic, plan_partitions, plan_topic
from wirebroker.metadata.image import BrokerImage, ClusterImage, PartitionImage
from wirebroker.metadata.records import TopicRecord, apply
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.metadata.fakes import partitions, topic_id

CONFIG = broker_config(num_partitions=6, default_replication_factor=2)
IMAGE = apply(
    ClusterImage(brokers={node_id: BrokerImage(node_id, 1, ()) for node_id in (1, 2, 3)}),
    TopicRecord("here", topic_id(1), partitions(2, broker=1)),
    TopicRecord("a.b", topic_id(2), partitions(1, broker=1)),
    TopicRecord("x.y", topic_id(4), partitions(1, broker=1)),
    TopicRecord("x_y", topic_id(5), partitions(1, broker=1)),
    TopicRecord("three", topic_id(3), (PartitionImage(2, 0, (2, 1, 3), (2, 1)),)),
)

E = ErrorCode


@pytest.mark.parametrize(
    ("new", "code"),
    [
        (NewTopic(""), E.INVALID_TOPIC_EXCEPTION),
        (NewTopic("."), E.INVALID_TOPIC_EXCEPTION),
        (NewTopic(".."), E.INVALID_TOPIC_EXCEPTION),
        (NewTopic("a b"), E.INVALID_TOPIC_EXCEPTION),
        (NewTopic("a/b"), E.INVALID_TOPIC_EXCEPTION),
        (NewTopic("é"), E.INVALID_TOPIC_EXCEPTION),
        (NewTopic("a\n"), E.INVALID_TOPIC_EXCEPTION),
        (NewTopic("x" * 250), E.INVALID_TOPIC_EXCEPTION),
        (NewTopic("a_b"), E.INVALID_TOPIC_EXCEPTION),
        (NewTopic("x_y"), E.TOPIC_ALREADY_EXISTS),
        (NewTopic("__cluster_metadata"), E.INVALID_REQUEST),
        (NewTopic("here", 0, 9, configs={"retention.ms": "x"}), E.TOPIC_ALREADY_EXISTS),
        (NewTopic("t", configs={"retention.ms": "x"}), E.INVALID_CONFIG),
        (NewTopic("t", configs={"retention.ms": None}), E.INVALID_CONFIG),
        (NewTopic("t", configs={"no.such": "1"}), E.INVALID_CONFIG),
        (NewTopic("t", 1, 9, configs={"segment.bytes": "1"}), E.INVALID_CONFIG),
        (NewTopic("t", 0), E.INVALID_PARTITIONS),
        (NewTopic("t", -2), E.INVALID_PARTITIONS),
        (NewTopic("t", 0, 9), E.INVALID_PARTITIONS),
        (NewTopic("t", 0, 0), E.INVALID_REPLICATION_FACTOR),
        (NewTopic("t", 1, 0), E.INVALID_REPLICATION_FACTOR),
        (NewTopic("t", 1, -2), E.INVALID_REPLICATION_FACTOR),
        (NewTopic("t", 1, 4), E.INVALID_REPLICATION_FACTOR),
        (NewTopic("t", 10_001, 1), E.POLICY_VIOLATION),
        (NewTopic("t", 1, -1, [(0, [1])]), E.INVALID_REQUEST),
        (NewTopic("t", -1, 1, [(0, [1])]), E.INVALID_REQUEST),
        (NewTopic("t", assignments=[(0, [1]), (2, [1])]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewTopic("t", assignments=[(1, [1])]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewTopic("t", assignments=[(-1, [1])]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewTopic("t", assignments=[(0, [1]), (0, [1])]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewTopic("t", assignments=[(0, [])]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewTopic("t", assignments=[(0, [9])]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewTopic("t", assignments=[(0, [1, 1])]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewTopic("t", assignments=[(0, [1]), (1, [1, 2])]), E.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_invalid_topics_are_refused(new: NewTopic, code: ErrorCode) -> None:
    with pytest.raises(ApiError) as caught:
        plan_topic(new, IMAGE, CONFIG)
    assert caught.value.code == code
    assert caught.value.detail


@pytest.mark.parametrize(
    ("new", "release", "code"),
    [
        (NewTopic("t", configs={"retention.ms": None}), "2.0.1", E.UNKNOWN_SERVER_ERROR),
        (NewTopic("t", configs={"retention.ms": None}), "2.8.2", E.INVALID_REQUEST),
        (NewTopic("t", configs={"retention.ms": None}), "3.2", E.INVALID_REQUEST),
        (NewTopic("t", configs={"retention.ms": None}), "3.3", E.INVALID_CONFIG),
        (NewTopic("t", 1, 9, configs={"retention.ms": "x"}), "2.8.2", E.INVALID_REPLICATION_FACTOR),
        (NewTopic("t", 1, 9, configs={"retention.ms": "x"}), "3.3", E.INVALID_CONFIG),
        (NewTopic("t", assignments=[(0, [9])]), "3.3", E.INVALID_REPLICA_ASSIGNMENT),
        (NewTopic("__cluster_metadata"), "3.4", E.INVALID_REQUEST),
    ],
)
def test_topics_are_refused_as_by_the_release(new: NewTopic, release: str, code: ErrorCode) -> None:
    with pytest.raises(ApiError) as caught:
        plan_topic(new, IMAGE, broker_config(wirebroker_as_version=release))
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("new", "release"), [(NewTopic("t", assignments=[(0, [9])]), "2.8.2"), (NewTopic("__cluster_metadata", 1), "3.3")]
)
def test_topics_that_later_releases_refuse(new: NewTopic, release: str) -> None:
    assert len(plan_topic(new, IMAGE, broker_config(wirebroker_as_version=release)).partitions) == 1


@pytest.mark.parametrize("name", ["t", "x" * 249, "A-z_0.9", "a-b", "...", "__consumer_offsets"])
def test_valid_names(name: str) -> None:
    assert len(plan_topic(NewTopic(name), IMAGE, CONFIG).partitions) == 6


def test_defaults_and_counts() -> None:
    plan = plan_topic(NewTopic("t", configs={"retention.ms": " 5 "}), IMAGE, CONFIG)
    assert [len(partition.replicas) for partition in plan.partitions] == [2] * 6
    assert plan.configs == {"retention.ms": "5"}
    plan = plan_topic(NewTopic("t", 4, 3), IMAGE, CONFIG)
    assert [len(partition.isr) for partition in plan.partitions] == [3] * 4
    assert sorted({partition.leader for partition in plan.partitions}) == [1, 2, 3]


def test_given_replicas_are_taken_in_order_of_partition() -> None:
    plan = plan_topic(NewTopic("t", assignments=[(1, [3, 2]), (0, [2, 1])]), IMAGE, CONFIG)
    assert plan.partitions == (PartitionImage(2, 0, (2, 1), (2, 1)), PartitionImage(3, 0, (3, 2), (3, 2)))


@pytest.mark.parametrize(
    ("new", "code"),
    [
        (NewPartitions("missing", 3), E.UNKNOWN_TOPIC_OR_PARTITION),
        (NewPartitions("a b", 3), E.UNKNOWN_TOPIC_OR_PARTITION),
        (NewPartitions("here", 2), E.INVALID_PARTITIONS),
        (NewPartitions("here", 1, [[1]]), E.INVALID_PARTITIONS),
        (NewPartitions("here", -1), E.INVALID_PARTITIONS),
        (NewPartitions("here", 10_003), E.POLICY_VIOLATION),
        (NewPartitions("here", 4, [[1]]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewPartitions("here", 3, [[1], [1]]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewPartitions("here", 3, []), E.INVALID_REPLICA_ASSIGNMENT),
        (NewPartitions("here", 3, [[]]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewPartitions("here", 3, [[9]]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewPartitions("here", 3, [[1, 2]]), E.INVALID_REPLICA_ASSIGNMENT),
        (NewPartitions("three", 2, [[1, 2, 2]]), E.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_invalid_partitions_are_refused(new: NewPartitions, code: ErrorCode) -> None:
    with pytest.raises(ApiError) as caught:
        plan_partitions(new, IMAGE)
    assert caught.value.code == code


def test_partitions_are_added() -> None:
    assert plan_partitions(NewPartitions("here", 4, [[2], [3]]), IMAGE) == (
        PartitionImage(2, 0, (2,), (2,)),
        PartitionImage(3, 0, (3,), (3,)),
    )
    added = plan_partitions(NewPartitions("three", 3), IMAGE)
    assert [len(partition.replicas) for partition in added] == [3, 3]
    assert [partition.leader for partition in added] == [3, 1]  # the first one's leader is 2


def test_a_topic_grows_from_the_broker_after_its_first_leader() -> None:
    """The first leader is down: the next broker by id is taken for it."""
    image = apply(
        ClusterImage(brokers={each: BrokerImage(each, 1, ()) for each in (1, 3, 4)}),
        TopicRecord("t", topic_id(1), (PartitionImage(1, 0, (2, 1), (1,)),)),
    )
    added = plan_partitions(NewPartitions("t", 4), image)
    assert [partition.replicas for partition in added] == [(4, 3), (1, 4), (3, 4)]


def test_replicas_are_not_assigned_if_only_some_brokers_have_racks() -> None:
    brokers = {1: BrokerImage(1, 1, (), "a"), 2: BrokerImage(2, 1, ()), 3: BrokerImage(3, 1, ())}
    image = ClusterImage(brokers=brokers)
    with pytest.raises(ApiError, match=r"brokers 2, 3 have no broker\.rack") as caught:
        plan_topic(NewTopic("t", 1, 1), image, CONFIG)
    assert caught.value.code == E.UNKNOWN_SERVER_ERROR
    assert plan_topic(NewTopic("t", assignments=[(0, [1])]), image, CONFIG).partitions[0].replicas == (1,)


def test_new_partitions_need_as_many_brokers_as_replicas() -> None:
    image = apply(
        ClusterImage(brokers={1: BrokerImage(1, 1, ())}),
        TopicRecord("t", topic_id(1), (PartitionImage(1, 0, (1, 2), (1,)),)),
    )
    with pytest.raises(ApiError, match="2 replicas") as caught:
        plan_partitions(NewPartitions("t", 2), image)
    assert caught.value.code == E.INVALID_REPLICATION_FACTOR


@pytest.mark.parametrize("factor", [0, -1])
def test_a_default_replication_factor_that_gives_no_replica_is_refused(factor: int) -> None:
    with pytest.raises(ApiError, match=f"default.replication.factor={factor}: ") as caught:
        plan_topic(NewTopic("t"), IMAGE, broker_config(default_replication_factor=factor))
    assert caught.value.code == E.INVALID_REPLICATION_FACTOR


def test_internal_topics_get_their_own_settings() -> None:
    config = broker_config(offsets_topic_replication_factor=3, transaction_state_log_num_partitions=7)
    offsets = auto_created("__consumer_offsets", config, 1)
    assert (offsets.partition_count, offsets.replication_factor) == (50, 1)
    transactions = auto_created("__transaction_state", config, 1)
    assert (transactions.partition_count, transactions.replication_factor) == (7, 1)
    for new in (offsets, transactions):
        assert plan_topic(new, IMAGE, config).configs["cleanup.policy"] == "compact"
    assert auto_created("t", config, 1) == NewTopic("t")
