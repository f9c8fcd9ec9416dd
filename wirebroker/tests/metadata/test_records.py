"""Records of the metadata journal, and the images that they change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.metadata.image import (
    BROKER_RESOURCE,
    NO_LEADER,
    TOPIC_RESOURCE,
    BrokerImage,
    ClusterImage,
    DeletedTopic,
    ListenerEndpoint,
    PartitionImage,
    TopicImage,
)
from wirebroker.metadata.records import (
    KINDS,
    ClientQuotaRecord,
    ClusterIdRecord,
    ConfigsRecord,
    DeletionsCompleteRecord,
    LeaderEpochBumpRecord,
    MetadataRecord,
    PartitionsRecord,
    ProducerIdsRecord,
    RemoveTopicRecord,
    TopicRecord,
    UnknownRecordType,
    apply,
    decode,
    encode,
    snapshot,
)
from wirebroker.tests.metadata.fakes import partitions, topic_id

BROKER = BrokerImage(0, 7, (ListenerEndpoint("PLAINTEXT", "h", 9092), ListenerEndpoint("IN", "i", 1, "SSL")), "r1")
CREATED = TopicRecord("t", topic_id(1), partitions(3))
EVERY_KIND: list[MetadataRecord] = [
    ClusterIdRecord("c"),
    CREATED,
    PartitionsRecord("t", (PartitionImage(1, 2, (1, 0), (1,), 5), PartitionImage(NO_LEADER, 2, (1, 0), ()))),
    ConfigsRecord(TOPIC_RESOURCE, "t", {"retention.ms": "1", "x": "ü\0"}),
    ConfigsRecord(BROKER_RESOURCE, "", None),
    ProducerIdsRecord(1000),
    LeaderEpochBumpRecord(0),
    RemoveTopicRecord("t", topic_id(1), 3),
    DeletionsCompleteRecord((topic_id(1),)),
    ClientQuotaRecord(
        (("user", "ü"), ("client-id", None)), {"producer_byte_rate": 1048576.0, "request_percentage": 0.5}
    ),
    ClientQuotaRecord((("ip", "127.0.0.1"),), None),
]


GOLDEN = (
    rb'[["ClusterIdSet","c"],'
    rb'["TopicCreated","t","00000000000000000000000000000001",[[3,0,0,[0],[0],0]]],'
    rb'["PartitionsAdded","t",[[1,1,2,[1,0],[1],5],[1,-1,2,[1,0],[],0]]],'
    rb'["ConfigsSet",2,"t",{"retention.ms":"1","x":"\u00fc\u0000"}],["ConfigsSet",4,"",null],'
    rb'["ProducerIdsAllocated",1000],["EpochsBumped",0],'
    rb'["TopicDeleted","t","00000000000000000000000000000001",3],'
    rb'["DeletionsFinished",["00000000000000000000000000000001"]],'
    rb'["ClientQuotasSet",[["user","\u00fc"],["client-id",null]],'
    rb'{"producer_byte_rate":1048576.0,"request_percentage":0.5}],'
    rb'["ClientQuotasSet",[["ip","127.0.0.1"]],null]]'
)
"""The journal entry of EVERY_KIND, as wirebroker has written it since its first release: never to be changed."""


def test_the_bytes_of_every_kind_of_record() -> None:
    assert {type(record) for record in EVERY_KIND} == set(KINDS.values())
    assert encode(EVERY_KIND) == GOLDEN
    assert GOLDEN.endswith(b"]")
    assert b"\0" not in GOLDEN


def test_every_kind_of_record_is_read_back() -> None:
    records = decode(GOLDEN)
    assert records == EVERY_KIND
    assert [type(record) for record in records] == [type(record) for record in EVERY_KIND]


def test_fields_of_a_newer_version_are_ignored() -> None:
    assert decode(b'[["ProducerIdsAllocated",7,"new"]]') == [ProducerIdsRecord(7)]


def test_a_thousand_equal_partitions_take_one_row_and_one_object() -> None:
    payload = encode([TopicRecord("t", topic_id(1), partitions(1000))])
    assert len(payload) < 120
    (created,) = decode(payload)
    assert isinstance(created, TopicRecord)
    assert created.partitions == partitions(1000)
    assert len({id(partition) for partition in created.partitions}) == 1


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(UnknownRecordType, match="Teleported"):
        decode(b'[["Teleported",1]]')


def test_lookups_in_an_image() -> None:
    image = apply(ClusterImage(controller_id=0, brokers={0: BROKER}), ClusterIdRecord("c"), CREATED)
    assert (image.cluster_id, image.controller_id) == ("c", 0)
    assert image.topic("t") == image.topic_by_id(topic_id(1)) == TopicImage("t", topic_id(1), partitions(3))
    assert image.partition("t", 2) == PartitionImage(0, 0, (0,), (0,))
    assert image.partition("t", 3) is image.partition("t", -1) is image.partition("u", 0) is None
    assert image.leader("t", 0) == 0
    assert image.leader("t", 9) == NO_LEADER
    assert image.topic("u") is image.topic_by_id(topic_id(2)) is None
    assert image.live_brokers() == [BROKER]
    assert BROKER.endpoint("IN") == ListenerEndpoint("IN", "i", 1, "SSL")
    assert BROKER.endpoint("OUT") is None


def test_a_leader_that_is_not_live_is_no_leader() -> None:
    image = apply(ClusterImage(), TopicRecord("t", topic_id(1), partitions(1, broker=5)))
    assert image.leader("t", 0) == NO_LEADER


def test_the_old_image_stays_and_untouched_maps_are_shared() -> None:
    before = apply(ClusterImage(), CREATED, ConfigsRecord(TOPIC_RESOURCE, "t", {"a": "b"}))
    after = apply(before, TopicRecord("u", topic_id(2), partitions(1)))
    assert set(before.topics) == {"t"}
    assert set(after.topics) == {"t", "u"}
    assert after.configs is before.configs
    assert after.brokers is before.brokers
    assert after.topics["t"] is before.topics["t"]


def test_partitions_are_added_at_the_end() -> None:
    added = PartitionImage(1, 0, (1,), (1,))
    image = apply(ClusterImage(), CREATED, PartitionsRecord("t", (added,)))
    assert image.topics["t"].partitions == (*partitions(3), added)


def test_deleting_removes_the_configs_and_is_pending_until_finished() -> None:
    image = apply(
        ClusterImage(), CREATED, ConfigsRecord(TOPIC_RESOURCE, "t", {"a": "b"}), RemoveTopicRecord("t", topic_id(1), 3)
    )
    assert (image.topics, image.topic_ids, image.configs) == ({}, {}, {})
    assert image.deleting == {topic_id(1): DeletedTopic("t", 3)}
    assert apply(image, DeletionsCompleteRecord((topic_id(1),))) == ClusterImage()


def test_deleting_an_old_topic_does_not_touch_a_new_one_of_that_name() -> None:
    image = apply(ClusterImage(), TopicRecord("t", topic_id(2), partitions(1)), RemoveTopicRecord("t", topic_id(1), 3))
    assert image.topics["t"].topic_id == topic_id(2)


def test_configs_are_replaced_whole_and_removed() -> None:
    one = apply(ClusterImage(), ConfigsRecord(BROKER_RESOURCE, "0", {"a": "1", "b": "2"}))
    two = apply(one, ConfigsRecord(BROKER_RESOURCE, "0", {"b": "3"}))
    assert two.config(BROKER_RESOURCE, "0") == {"b": "3"}
    assert apply(two, ConfigsRecord(BROKER_RESOURCE, "0", None)) == ClusterImage()
    assert apply(two, ConfigsRecord(BROKER_RESOURCE, "0", {})) == ClusterImage()
    assert two.topic_config("nobody") == {}


def test_epochs_are_bumped_only_for_what_the_broker_leads() -> None:
    other = PartitionImage(1, 4, (1,), (1,))
    image = apply(ClusterImage(), TopicRecord("t", topic_id(1), (*partitions(1), other)), LeaderEpochBumpRecord(0))
    assert image.topics["t"].partitions == (PartitionImage(0, 1, (0,), (0,), 1), other)


def test_names_that_collide_as_metrics() -> None:
    image = ClusterImage()
    for number, name in enumerate(["a.b", "a_b", "ab", "x.y"]):
        image = apply(image, TopicRecord(name, topic_id(number), partitions(1)))
    assert image.topics_colliding_with("a_b") == ("a.b",)
    assert set(image.topics_colliding_with("a.b")) == {"a_b"}
    assert image.topics_colliding_with("x_y") == ("x.y",)
    assert image.topics_colliding_with("ab") == image.topics_colliding_with("a-b") == ()
    image = apply(image, RemoveTopicRecord("a.b", topic_id(0), 1), RemoveTopicRecord("a_b", topic_id(1), 1))
    assert image.topics_colliding_with("a_b") == ()


NAMES = st.sampled_from(["a", "b", "c.d", "c_d"])


@given(st.lists(st.tuples(st.integers(0, 6), NAMES, st.integers(1, 4)), max_size=30))
def test_a_snapshot_rebuilds_any_image(steps: list[tuple[int, str, int]]) -> None:
    image = apply(ClusterImage(), ClusterIdRecord("c"))
    for number, (step, name, count) in enumerate(steps):
        exists = name in image.topics
        change: MetadataRecord
        if step == 0 and not exists:
            change = TopicRecord(name, topic_id(number), partitions(count))
        elif step == 1 and exists:
            change = RemoveTopicRecord(name, image.topics[name].topic_id, len(image.topics[name].partitions))
        elif step == 2 and exists:
            change = PartitionsRecord(name, partitions(count, broker=number))
        elif step == 3 and exists:
            change = ConfigsRecord(TOPIC_RESOURCE, name, {"k": str(count)} if count > 1 else None)
        elif step == 6:
            change = ClientQuotaRecord((("user", name),), {"k": float(count)} if count > 1 else None)
        elif step == 4:
            change = ProducerIdsRecord(number * 1000)
        else:
            change = LeaderEpochBumpRecord(0)
        image = apply(image, change)
    assert apply(ClusterImage(), *decode(encode(snapshot(image)))) == image
