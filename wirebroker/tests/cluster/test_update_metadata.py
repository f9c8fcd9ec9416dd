"""The image after UpdateMetadata requests."""

from __future__ import annotations

import pytest

from wirebroker.cluster.update_metadata import LEADER_DURING_DELETE, topic_updates, updated_image, updated_topic
from wirebroker.metadata.image import (
    NO_TOPIC_ID,
    TOPIC_RESOURCE,
    UNKNOWN_PARTITION,
    BrokerImage,
    ClusterImage,
    ListenerEndpoint,
    PartitionImage,
)
from wirebroker.metadata.records import ConfigsRecord, RemoveTopicRecord, apply
from wirebroker.protocol.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)

A, B = bytes([1] * 16), bytes([2] * 16)


def state(index: int, leader: int = 1, epoch: int = 0, offline: tuple[int, ...] = ()) -> UpdateMetadataPartitionState:
    return UpdateMetadataPartitionState(
        "t",
        index,
        leader=leader,
        leader_epoch=epoch,
        isr=[1],
        zk_version=5,
        replicas=[1, 2],
        offline_replicas=[*offline],
    )


def partition(leader: int = 1, epoch: int = 0, offline: tuple[int, ...] = ()) -> PartitionImage:
    return PartitionImage(leader, epoch, (1, 2), (1,), 5, offline)


def request(*states: UpdateMetadataPartitionState, topic_id: bytes = A, version: int = 7) -> UpdateMetadataRequest:
    brokers = [
        UpdateMetadataBroker(1, endpoints=[UpdateMetadataEndpoint(9092, "h", "PLAINTEXT", 0)], rack="r"),
        UpdateMetadataBroker(
            2,
            endpoints=[UpdateMetadataEndpoint(1, "a", "IN", 0), UpdateMetadataEndpoint(2, "b", "OUT", 3)],
            rack=None,
        ),
    ]
    made = UpdateMetadataRequest(controller_id=2, controller_epoch=9, live_brokers=brokers)
    if version < 5:
        made.ungrouped_partition_states = list(states)
    elif states:
        made.topic_states = [UpdateMetadataTopicState("t", topic_id, list(states))]
    return made


def updated(before: ClusterImage, asked: UpdateMetadataRequest) -> tuple[ClusterImage, list[RemoveTopicRecord]]:
    topics = {each.name: updated_topic(before.topic(each.name), each) for each in topic_updates(asked)}
    image, removed = updated_image(before, asked, topics)
    return image, list(removed)


@pytest.mark.parametrize("version", UpdateMetadataRequest.VERSIONS)
def test_brokers_controller_and_partitions(version: int) -> None:
    asked = request(
        state(0, offline=(2,)),
        state(1, leader=2, epoch=4),
        topic_id=A if version >= 7 else NO_TOPIC_ID,
        version=version,
    )
    image, removed = updated(ClusterImage(cluster_id="c"), asked)
    assert (image.cluster_id, image.controller_id, removed) == ("c", 2, [])
    assert image.brokers == {
        1: BrokerImage(1, 0, (ListenerEndpoint("PLAINTEXT", "h", 9092),), "r"),
        2: BrokerImage(2, 0, (ListenerEndpoint("IN", "a", 1), ListenerEndpoint("OUT", "b", 2, "SASL_SSL"))),
    }
    topic = image.topic("t")
    assert topic is not None
    assert topic.partitions == (partition(offline=(2,)), partition(2, 4))
    assert image.topic_ids == ({A: "t"} if version >= 7 else {})


def test_listeners_without_names_are_called_like_their_protocol_and_v0_has_one_address() -> None:
    asked = UpdateMetadataRequest(
        live_brokers=[
            UpdateMetadataBroker(1, "old", 7, rack=""),
            UpdateMetadataBroker(2, endpoints=[UpdateMetadataEndpoint(8, "h", "", 1)], rack=""),
        ]
    )
    image, _ = updated(ClusterImage(), asked)
    assert [broker.endpoints for broker in image.live_brokers()] == [
        (ListenerEndpoint("PLAINTEXT", "old", 7),),
        (ListenerEndpoint("SSL", "h", 8, "SSL"),),
    ]
    assert image.brokers[1].rack is None


def test_a_later_request_changes_only_the_partitions_that_it_names() -> None:
    image, _ = updated(ClusterImage(), request(state(0), state(1)))
    image, _ = updated(image, request(state(1, leader=2, epoch=1)))
    topic = image.topic("t")
    assert topic is not None
    assert topic.partitions == (partition(), partition(2, 1))
    image, _ = updated(image, request())
    assert image.topic("t") is topic


def test_a_partition_may_come_before_those_below_it() -> None:
    image, _ = updated(ClusterImage(), request(state(2)))
    topic = image.topic("t")
    assert topic is not None
    assert topic.partitions == (UNKNOWN_PARTITION, UNKNOWN_PARTITION, partition())
    assert image.partition("t", 0) is None
    assert image.partition("t", 2) == partition()
    image, _ = updated(image, request(state(0), state(1)))
    assert [image.partition("t", index) for index in range(3)] == [partition()] * 3


def test_a_topic_goes_with_its_last_partition_and_its_settings() -> None:
    image, _ = updated(ClusterImage(), request(state(0), state(1)))
    image = apply(image, ConfigsRecord(TOPIC_RESOURCE, "t", {"retention.ms": "1"}))
    image, removed = updated(image, request(state(0, leader=LEADER_DURING_DELETE)))
    assert (image.partition("t", 0), image.partition("t", 1), removed) == (None, partition(), [])
    image, removed = updated(image, request(state(1, leader=LEADER_DURING_DELETE)))
    assert (image.topics, image.topic_ids, image.topic_config("t")) == ({}, {}, {})
    assert removed == [RemoveTopicRecord("t", A, 2)]
    image, removed = updated(image, request(state(0, leader=LEADER_DURING_DELETE)))
    assert (image.topics, removed) == ({}, [])


def test_another_topic_id_makes_a_new_topic_of_the_name() -> None:
    image, _ = updated(ClusterImage(), request(state(0), state(1)))
    image, removed = updated(image, request(state(0, epoch=0), topic_id=B))
    topic = image.topic("t")
    assert topic is not None
    assert (topic.topic_id, topic.partitions) == (B, (partition(),))
    assert (image.topic_ids, removed) == ({B: "t"}, [RemoveTopicRecord("t", A, 2)])


def test_a_cluster_that_gets_topic_ids_keeps_its_topics_and_may_lose_the_ids_again() -> None:
    image, _ = updated(ClusterImage(), request(state(0), state(1), topic_id=NO_TOPIC_ID))
    image, removed = updated(image, request(state(1)))
    assert (image.topic_ids, removed) == ({A: "t"}, [])
    topic = image.topic("t")
    assert topic is not None
    assert (topic.topic_id, len(topic.partitions)) == (A, 2)
    image, removed = updated(image, request(state(1), topic_id=NO_TOPIC_ID))
    assert (image.topic_ids, removed) == ({}, [])
    assert image.topic("t") is not None
