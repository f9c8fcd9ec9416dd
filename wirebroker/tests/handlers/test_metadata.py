"""Metadata: topics by name and by id, created on request, listeners, leaders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.controller.topic_rules import NewTopic
from wirebroker.handlers.describe_topic_partitions import handle_describe_topic_partitions
from wirebroker.handlers.metadata import handle_metadata
from wirebroker.handlers.routes import RouteTable
from wirebroker.metadata.image import (
    UNKNOWN_PARTITION,
    BrokerImage,
    ClusterImageDelta,
    ListenerEndpoint,
    PartitionImage,
    TopicImage,
)
from wirebroker.metadata.records import LeaderEpochBumpRecord, apply
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    RequestCursor,
    ResponseCursor,
    TopicRequest,
)
from wirebroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.releases.versions import RELEASES
from wirebroker.tests.controller.fakes import ControllerHarness, controller_harness
from wirebroker.tests.metadata.fakes import topic_id

if TYPE_CHECKING:
    from pathlib import Path

ALL_VERSIONS = list(MetadataRequest.VERSIONS)
NO_OPERATIONS = -2147483648
E = ErrorCode


def named(*names: str) -> list[MetadataRequestTopic]:
    return [MetadataRequestTopic(name=name) for name in names]


async def ask(
    harness: ControllerHarness,
    version: int,
    topics: list[MetadataRequestTopic] | None,
    *,
    auto: bool = False,
    release: str | None = None,
    **fields: bool,
) -> MetadataResponse:
    """Ask, and send question and answer through their wire forms."""
    request = MetadataRequest(topics, allow_auto_topic_creation=auto, **fields)
    if version < 4:
        request.allow_auto_topic_creation = True
    response = await handle_metadata(
        harness.context(MetadataRequest, version, routes=RouteTable(ReleaseProfile(release))), request
    )
    out = bytearray()
    response.write(out, version)
    return MetadataResponse.read(bytes(out), 0, version)[0]


def errors(response: MetadataResponse) -> dict[str | None, int]:
    return {topic.name: topic.error_code for topic in response.topics}


@pytest.mark.parametrize("version", ALL_VERSIONS)
async def test_a_topic_in_every_version(tmp_path: Path, version: int) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t", 2), NewTopic("other")])
        response = await ask(harness, version, named("t"))
        (broker,) = response.brokers
        assert (broker.node_id, broker.host, broker.port, broker.rack) == (0, "127.0.0.1", 9092, None)
        if version >= 1:
            assert response.controller_id == 0
        if version >= 2:
            assert response.cluster_id == "the-cluster"
        (topic,) = response.topics
        assert (topic.error_code, topic.name, topic.is_internal) == (0, "t", False)
        if version >= 10:
            assert topic.topic_id == harness.image.topics["t"].topic_id
        epoch = 0 if version >= 7 else -1
        assert topic.partitions == [MetadataResponsePartition(0, index, 0, epoch, [0], [0], []) for index in range(2)]


@pytest.mark.parametrize("version", ALL_VERSIONS)
async def test_all_topics_and_none(tmp_path: Path, version: int) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t"), NewTopic("__consumer_offsets")])
        response = await ask(harness, version, [])
        assert len(response.topics) == (2 if version == 0 else 0)
        if version >= 1:
            response = await ask(harness, version, None)
            assert {topic.name: topic.is_internal for topic in response.topics} == {
                "t": False,
                "__consumer_offsets": True,
            }


@pytest.mark.parametrize("version", ALL_VERSIONS)
async def test_missing_and_invalid_topics(tmp_path: Path, version: int) -> None:
    async with controller_harness(tmp_path) as harness:
        response = await ask(harness, version, named("t", "a b", "", "t"))
        assert errors(response) == {
            "t": E.UNKNOWN_TOPIC_OR_PARTITION,
            "a b": E.INVALID_TOPIC_EXCEPTION,
            "": E.INVALID_TOPIC_EXCEPTION,
        }
        assert len(response.topics) == 3
        assert all(topic.partitions == [] for topic in response.topics)
        await harness.controller.allocate_producer_ids()
        # Before v4 there is no flag, and the broker's setting alone decides.
        assert list(harness.image.topics) == (["t"] if version < 4 else [])


async def test_a_missing_topic_is_created_if_client_and_config_allow_it(tmp_path: Path) -> None:
    async with controller_harness(tmp_path / "yes", num_partitions=2) as harness:
        await ask(harness, 12, named("flag off"), auto=False)
        assert errors(await ask(harness, 12, named("t"), auto=True)) == {"t": E.UNKNOWN_TOPIC_OR_PARTITION}
        await harness.controller.allocate_producer_ids()
        assert errors(await ask(harness, 12, named("t"), auto=True)) == {"t": E.NONE}
        assert {name: len(topic.partitions) for name, topic in harness.image.topics.items()} == {"t": 2}
    async with controller_harness(tmp_path / "no", auto_create_topics_enable=False) as harness:
        for version in (1, 12):
            assert errors(await ask(harness, version, named("t"), auto=True)) == {"t": E.UNKNOWN_TOPIC_OR_PARTITION}
        await harness.controller.allocate_producer_ids()
        assert harness.image.topics == {}


@pytest.mark.parametrize("release", [*RELEASES, None])
async def test_a_topic_being_created_has_the_error_of_the_release(tmp_path: Path, release: str | None) -> None:
    with_zookeeper = release is not None and RELEASES.index(release) < RELEASES.index("3.3")
    being_made = E.LEADER_NOT_AVAILABLE if with_zookeeper else E.UNKNOWN_TOPIC_OR_PARTITION
    async with controller_harness(tmp_path) as harness:
        assert errors(await ask(harness, 4, named("t", "a b"), auto=True, release=release)) == {
            "t": being_made,
            "a b": E.INVALID_TOPIC_EXCEPTION,
        }
        assert errors(await ask(harness, 4, named("u"), release=release)) == {"u": E.UNKNOWN_TOPIC_OR_PARTITION}


async def test_a_topic_that_the_controller_refuses_at_once_has_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with controller_harness(tmp_path) as harness:

        async def auto_create(names: list[str], _: object) -> dict[str, E]:
            assert names == ["t", "u"]
            return {"u": E.INVALID_REPLICATION_FACTOR}

        monkeypatch.setattr(harness.controller, "auto_create", auto_create)
        response = await ask(harness, 4, named("t", "u", "a b"), auto=True, release="2.8")
        assert errors(response) == {
            "t": E.LEADER_NOT_AVAILABLE,
            "u": E.INVALID_REPLICATION_FACTOR,
            "a b": E.INVALID_TOPIC_EXCEPTION,
        }


async def test_by_id(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        known, unknown = harness.image.topics["t"].topic_id, topic_id(999)
        by_id = [MetadataRequestTopic(each, None) for each in (known, unknown, unknown)]
        response = await ask(harness, 12, by_id)
        assert [(topic.error_code, topic.name, topic.topic_id) for topic in response.topics] == [
            (E.NONE, "t", known),
            (E.UNKNOWN_TOPIC_ID, None, unknown),
        ]
        # A name beside an id does not count, and neither do topics named beside one given by id.
        response = await ask(harness, 12, [MetadataRequestTopic(known, "other"), *named("t", "u")], auto=True)
        assert errors(response) == {"t": E.NONE}
        await harness.controller.allocate_producer_ids()
        assert list(harness.image.topics) == ["t"]


@pytest.mark.parametrize(
    ("version", "topic", "code"),
    [
        (10, MetadataRequestTopic(topic_id(1), "t"), E.INVALID_REQUEST),
        (11, MetadataRequestTopic(topic_id(1), None), E.INVALID_REQUEST),
        (11, MetadataRequestTopic(name=None), E.INVALID_REQUEST),
        (12, MetadataRequestTopic(name=None), E.UNKNOWN_SERVER_ERROR),
    ],
)
async def test_invalid_requests(tmp_path: Path, version: int, topic: MetadataRequestTopic, code: ErrorCode) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        response = await ask(harness, version, [*named("t"), topic])
        assert response == MetadataResponse(
            topics=[MetadataResponseTopic(code, "t"), MetadataResponseTopic(code, topic.name or "", topic.topic_id)]
        )


@pytest.mark.parametrize("version", range(8, 14))
async def test_authorized_operations(tmp_path: Path, version: int) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        response = await ask(harness, version, named("t", "u"), include_topic_authorized_operations=True)
        assert [topic.topic_authorized_operations for topic in response.topics] == [3576, 3576]
        assert response.cluster_authorized_operations == NO_OPERATIONS
        if version <= 10:
            response = await ask(harness, version, named("t"), include_cluster_authorized_operations=True)
            assert response.topics[0].topic_authorized_operations == NO_OPERATIONS
            assert response.cluster_authorized_operations == 8096


async def test_clients_get_the_address_that_they_connected_to_or_the_advertised_one(tmp_path: Path) -> None:
    async with controller_harness(tmp_path / "a") as harness:
        context = harness.context(MetadataRequest, 12, local_host="10.1.2.3", local_port=4567)
        (broker,) = (await handle_metadata(context, MetadataRequest([]))).brokers
        assert (broker.host, broker.port) == ("10.1.2.3", 4567)
    async with controller_harness(tmp_path / "b", advertised_listeners="PLAINTEXT://broker.example:9999") as harness:
        context = harness.context(MetadataRequest, 12, local_host="10.1.2.3", local_port=4567)
        (broker,) = (await handle_metadata(context, MetadataRequest([]))).brokers
        assert (broker.host, broker.port) == ("broker.example", 9999)


@pytest.mark.parametrize("version", ALL_VERSIONS)
async def test_partitions_without_a_leader_stay_in_the_list(tmp_path: Path, version: int) -> None:
    other_listener = BrokerImage(2, 1, (ListenerEndpoint("INTERNAL", "h", 1),))
    async with controller_harness(tmp_path) as harness:
        partitions = (
            PartitionImage(1, 4, (1, 0), (1, 0)),  # its leader is not there
            PartitionImage(-1, 5, (1,), (1,)),
            PartitionImage(2, 6, (2, 0), (2, 0)),  # its leader has another listener
            PartitionImage(0, 7, (0, 1, 2), (0, 2)),  # a replica is not there
        )
        delta = ClusterImageDelta(harness.image)
        delta.brokers[2] = other_listener
        delta.add_topic(TopicImage("t", topic_id(1), partitions))
        harness.cache.publish(delta.apply(), [])
        response = await ask(harness, version, named("t"))
        assert [broker.node_id for broker in response.brokers] == [0]
        (topic,) = response.topics
        assert topic.error_code == E.NONE
        no_listener = E.LISTENER_NOT_FOUND if version >= 6 else E.LEADER_NOT_AVAILABLE
        healthy = E.REPLICA_NOT_AVAILABLE if version == 0 else E.NONE
        assert [(each.error_code, each.leader_id) for each in topic.partitions] == [
            (E.LEADER_NOT_AVAILABLE, -1),
            (E.LEADER_NOT_AVAILABLE, -1),
            (no_listener, -1),
            (healthy, 0),
        ]
        assert [each.replica_nodes for each in topic.partitions] == [
            [1, 0],
            [1],
            [2, 0],
            [0] if version == 0 else [0, 1, 2],
        ]
        assert [each.isr_nodes for each in topic.partitions] == [[0], [], [2, 0], [0] if version == 0 else [0, 2]]
        if version >= 5:
            assert [each.offline_replicas for each in topic.partitions] == [[1], [1], [], [1]]


async def test_offline_replicas_are_those_that_the_controller_names(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        partitions = (
            PartitionImage(0, 4, (0, 1), (0, 1), offline_replicas=(1,)),
            UNKNOWN_PARTITION,
            PartitionImage(-1, 5, (0, 1), (1,), offline_replicas=(0, 1)),
            PartitionImage(0, 6, (0, 1), (0,), offline_replicas=()),  # broker 1 is not there, which is old news
        )
        delta = ClusterImageDelta(harness.image)
        delta.add_topic(TopicImage("t", topic_id(1), partitions))
        harness.cache.publish(delta.apply(), [])
        (topic,) = (await ask(harness, 12, named("t"))).topics
        assert topic.partitions == [
            MetadataResponsePartition(0, 0, 0, 4, [0, 1], [0, 1], [1]),
            MetadataResponsePartition(E.LEADER_NOT_AVAILABLE, 2, -1, 5, [0, 1], [1], [0, 1]),
            MetadataResponsePartition(0, 3, 0, 6, [0, 1], [0], []),
        ]


async def test_a_log_that_cannot_be_served_has_no_leader(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t", 2)])
        harness.replicas.offline.add(("t", 1))
        (topic,) = (await ask(harness, 12, named("t"))).topics
        assert topic.partitions == [
            MetadataResponsePartition(0, 0, 0, 0, [0], [0], []),
            MetadataResponsePartition(E.LEADER_NOT_AVAILABLE, 1, -1, 0, [0], [], [0]),
        ]


async def test_a_controller_that_clients_cannot_reach_is_not_named(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        context = harness.context(MetadataRequest, 12, listener="EXTERNAL")
        response = await handle_metadata(context, MetadataRequest([]))
        assert (response.brokers, response.controller_id) == ([], -1)


async def describe(
    harness: ControllerHarness, names: list[str], limit: int = 2000, cursor: tuple[str, int] | None = None
) -> DescribeTopicPartitionsResponse:
    request = DescribeTopicPartitionsRequest(
        [TopicRequest(name) for name in names], limit, None if cursor is None else RequestCursor(*cursor)
    )
    response = await handle_describe_topic_partitions(harness.context(DescribeTopicPartitionsRequest, 0), request)
    response.write(bytearray(), 0)
    return response


def pages(response: DescribeTopicPartitionsResponse) -> list[tuple[str | None, int, list[int]]]:
    return [
        (topic.name, topic.error_code, [each.partition_index for each in topic.partitions]) for topic in response.topics
    ]


async def test_a_bad_cursor_is_answered_with_the_topics_as_they_are_named(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        refused = await describe(harness, ["c", "a", "c"], cursor=("b", 0))
        assert pages(refused) == [(name, E.INVALID_REQUEST, []) for name in "cac"]


async def test_described_topics_come_in_order_and_in_pages(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("c", 3), NewTopic("a", 2), NewTopic("b", 1)])
        whole = await describe(harness, ["c", "a", "c"])
        assert pages(whole) == [("a", 0, [0, 1]), ("c", 0, [0, 1, 2])]
        assert whole.next_cursor is None
        (first, _) = whole.topics
        assert first.topic_id == harness.image.topics["a"].topic_id
        assert first.topic_authorized_operations == 3576
        partition = first.partitions[0]
        assert (partition.leader_id, partition.leader_epoch, partition.isr_nodes) == (0, 0, [0])
        assert (partition.eligible_leader_replicas, partition.last_known_elr) == ([], [])

        page = await describe(harness, [], 4)
        assert pages(page) == [("a", 0, [0, 1]), ("b", 0, [0]), ("c", 0, [0])]
        assert page.next_cursor == ResponseCursor("c", 1)
        page = await describe(harness, [], 4, ("c", 1))
        assert pages(page) == [("c", 0, [1, 2])]
        assert page.next_cursor is None
        page = await describe(harness, ["a", "b"], 2)
        assert pages(page) == [("a", 0, [0, 1])]
        assert page.next_cursor == ResponseCursor("b", 0)
        for limit in (0, -1):
            page = await describe(harness, ["a"], limit)
            assert pages(page) == [("a", 0, [0])]
            assert page.next_cursor == ResponseCursor("a", 1)


async def test_missing_topics_and_invalid_cursors(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("a", 2), NewTopic("c", 1)])
        unknown, invalid = E.UNKNOWN_TOPIC_OR_PARTITION, E.INVALID_REQUEST
        assert pages(await describe(harness, ["b", "c", "x y"])) == [
            ("b", unknown, []),
            ("c", 0, [0]),
            ("x y", E.INVALID_TOPIC_EXCEPTION, []),
        ]
        assert pages(await describe(harness, ["b", "c"], cursor=("b", 1))) == [("b", unknown, []), ("c", 0, [0])]
        assert pages(await describe(harness, ["a", "c"], cursor=("a", 9))) == [("a", 0, []), ("c", 0, [0])]
        assert pages(await describe(harness, [], cursor=("b", 1))) == [("c", 0, [0])]
        assert pages(await describe(harness, ["a", "c"], cursor=("b", 0))) == [("a", invalid, []), ("c", invalid, [])]
        assert pages(await describe(harness, ["a"], cursor=("a", -1))) == [("a", invalid, [])]


async def test_a_new_leader_epoch_is_answered_at_once(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        record = LeaderEpochBumpRecord(0)
        for _ in range(3):
            harness.cache.publish(apply(harness.image, record), [record])
        (topic,) = (await ask(harness, 12, named("t"))).topics
        assert topic.partitions[0].leader_epoch == 3
