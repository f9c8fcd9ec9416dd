"""Topics created, grown and deleted at the active controller: znodes, waits, timeouts and refusals."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.cluster.topic_administration import TopicAdministration
from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.controller.topic_rules import NewPartitions, NewTopic
from wirebroker.handlers.topics import handle_create_partitions, handle_create_topics, handle_delete_topics
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import (
    NO_TOPIC_ID,
    BrokerImage,
    ClusterImage,
    ClusterImageDelta,
    PartitionImage,
    TopicImage,
)
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest, CreateTopicsResponse
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from wirebroker.tests.controller.fakes import broker_config, controller_harness
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.admin_zk_client import AdminZkClient
from wirebroker.zookeeper.znodes.topics import ReplicaAssignment, TopicAssignment, topic_path

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from wirebroker.controller.administration import TopicResult
    from wirebroker.handlers.context import RequestContext

E = ErrorCode


class FakeController:
    """The controller's state, as requests for topics see it."""

    def __init__(self) -> None:
        self.is_active = True
        self.queued: set[str] = set()

    def is_topic_queued_for_deletion(self, topic: str) -> bool:
        return topic in self.queued


class ActiveAdministration(TopicAdministration):
    """The parts of ZooKeeperAdministration that handlers of topics ask."""

    is_active = completes_later = True


class Controlled(NamedTuple):
    """The administration of three brokers, whose metadata a test changes in the controller's place."""

    zookeeper: FakeZooKeeper
    metadata: MetadataCache
    controller: FakeController
    administration: ActiveAdministration

    def publish(self, name: str, *leaders: int, replicas: tuple[int, ...] = (1, 2), topic_id: bytes = b"") -> None:
        """Have UpdateMetadata bring a topic with these leaders; without one it is deleted."""
        delta = ClusterImageDelta(self.metadata.image)
        if name in delta.topics:
            delta.drop_topic(name)
        partitions = tuple(PartitionImage(leader, 0, replicas, replicas) for leader in leaders)
        if leaders:
            delta.add_topic(TopicImage(name, topic_id or name.encode().ljust(16), partitions))
        self.metadata.publish(delta.apply(), [])


@asynccontextmanager
async def controlled(protocol: str = "3.9") -> AsyncIterator[Controlled]:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        brokers = {number: BrokerImage(number, 0, (), f"rack{number % 2}") for number in (1, 2, 3)}
        metadata, controller = MetadataCache(ClusterImage(brokers=brokers)), FakeController()
        config = DynamicConfig(
            broker_config(zookeeper_connect="fake:1", broker_id=1, inter_broker_protocol_version=protocol)
        )
        topics = AdminZkClient(this.session)
        yield Controlled(zookeeper, metadata, controller, ActiveAdministration(config, metadata, topics, controller))


def codes(results: list[TopicResult]) -> list[ErrorCode]:
    return [result.error for result in results]


async def test_topics_are_written_with_replicas_on_different_racks(autojump_clock: trio.abc.Clock) -> None:
    async with controlled() as found:
        new = [NewTopic("a", 3, 2), NewTopic("b", 1, 4), NewTopic("c", 1, 1, configs={"retention.ms": "5"})]
        results = await found.administration.create_topics(new, None, validate_only=False)
        assert codes(results) == [E.NONE, E.INVALID_REPLICATION_FACTOR, E.NONE]
        written = TopicAssignment.decode("a", found.zookeeper.read(topic_path("a")))
        assert all(sum(broker == 2 for broker in each.replicas) == 1 for each in written.partitions.values())
        assert results[0].topic is not None
        assert results[0].topic.topic_id == written.topic_id
        assert b"retention.ms" in (found.zookeeper.read("/config/topics/c") or b"")
        assert "/brokers/topics/b" not in found.zookeeper.nodes
        again = await found.administration.create_topics(new[:1], None, validate_only=False)
        assert codes(again) == [E.TOPIC_ALREADY_EXISTS]


async def test_no_topic_grows_if_only_some_brokers_have_racks(autojump_clock: trio.abc.Clock) -> None:
    async with controlled() as found:
        found.publish("t", 1)
        delta = ClusterImageDelta(found.metadata.image)
        delta.brokers[2] = BrokerImage(2, 0, ())
        found.metadata.publish(delta.apply(), [])
        requests = [NewPartitions("t", 2), NewPartitions("t", 2, [[1, 2]]), NewPartitions("missing", 2)]
        refused = await found.administration.create_partitions(requests, None, validate_only=False)
        assert codes(refused) == [E.UNKNOWN_SERVER_ERROR] * 3


async def test_given_replicas_may_be_on_brokers_that_are_down(autojump_clock: trio.abc.Clock) -> None:
    async with controlled() as found:
        replicas = {0: (1, 7), 1: (8, 7)}
        new = [NewTopic("a", assignments=list(replicas.items())), NewTopic("b", assignments=[(0, (7, 7))])]
        results = await found.administration.create_topics(new, None, validate_only=False)
        assert codes(results) == [E.NONE, E.INVALID_REPLICA_ASSIGNMENT]
        written = TopicAssignment.decode("a", found.zookeeper.read(topic_path("a")))
        assert {number: each.replicas for number, each in written.partitions.items()} == replicas
        assert not results[0].is_complete(found.metadata.image)
        # but not those of partitions that are added
        found.publish("a", 1, 2)
        added = [NewPartitions("a", 3, [(1, 7)])]
        assert codes(await found.administration.create_partitions(added, None, validate_only=False)) == [
            E.INVALID_REPLICA_ASSIGNMENT
        ]


async def test_nothing_is_written_to_validate(autojump_clock: trio.abc.Clock) -> None:
    async with controlled() as found:
        found.publish("t", 1)
        (created,) = await found.administration.create_topics([NewTopic("a")], None, validate_only=True)
        (grown,) = await found.administration.create_partitions([NewPartitions("t", 2)], None, validate_only=True)
        assert codes([created, grown]) == [E.NONE, E.NONE]
        assert created.is_complete(found.metadata.image)
        assert found.zookeeper.children("/brokers/topics") == []


async def test_a_topic_without_ids_below_2_8(autojump_clock: trio.abc.Clock) -> None:
    async with controlled("2.7") as found:
        (result,) = await found.administration.create_topics([NewTopic("a")], None, validate_only=False)
        assert TopicAssignment.decode("a", found.zookeeper.read(topic_path("a"))).topic_id is None
        assert result.topic is not None
        assert result.topic.topic_id == NO_TOPIC_ID


async def test_growth_is_refused_while_a_topic_is_deleted_or_reassigned(autojump_clock: trio.abc.Clock) -> None:
    async with controlled() as found:
        for name, assignment in {
            "grows": ReplicaAssignment((1, 2)),
            "moves": ReplicaAssignment((1, 2, 3), (3,), (1,)),
            "goes": ReplicaAssignment((1, 2)),
        }.items():
            found.zookeeper.put(topic_path(name), TopicAssignment(name, None, {0: assignment}).encode())
            found.publish(name, 1)
        found.controller.queued.add("goes")
        names = ("grows", "moves", "goes", "missing")
        results = await found.administration.create_partitions(
            [NewPartitions(name, 3) for name in names], None, validate_only=False
        )
        assert codes(results) == [
            E.NONE,
            E.REASSIGNMENT_IN_PROGRESS,
            E.INVALID_TOPIC_EXCEPTION,
            E.UNKNOWN_TOPIC_OR_PARTITION,
        ]
        grown = TopicAssignment.decode("grows", found.zookeeper.read(topic_path("grows")))
        assert sorted(grown.partitions) == [0, 1, 2]
        assert not results[0].is_complete(found.metadata.image)
        found.publish("grows", 1, 2, -1)
        assert not results[0].is_complete(found.metadata.image)
        found.publish("grows", 1, 2, 3)
        assert results[0].is_complete(found.metadata.image)


async def test_a_request_without_an_answer_of_zookeeper_times_out(autojump_clock: trio.abc.Clock) -> None:
    async with controlled() as found:
        found.zookeeper.down()
        results = await found.administration.create_topics([NewTopic("a")], None, validate_only=False)
        assert codes(results) == [E.REQUEST_TIMED_OUT]


@asynccontextmanager
async def handled(tmp_path: Path, message: type, version: int) -> AsyncIterator[tuple[Controlled, RequestContext]]:
    """The context of a handler whose broker is the controller."""
    async with controlled() as found, controller_harness(tmp_path) as harness:
        context = harness.context(message, version)
        context.services.administration = found.administration  # type: ignore[assignment]
        context.services.metadata = found.metadata
        yield found, context


async def test_a_created_topic_is_answered_when_it_has_leaders(autojump_clock: trio.abc.Clock, tmp_path: Path) -> None:
    async with handled(tmp_path, CreateTopicsRequest, 5) as (found, context), trio.open_nursery() as nursery:
        responses: list[CreateTopicsResponse] = []

        async def create() -> None:
            topics = [CreatableTopic(name, 2, 2) for name in ("a", "b", "!")]
            responses.append(await handle_create_topics(context, CreateTopicsRequest(topics, 5000)))

        nursery.start_soon(create)
        await wait_all_tasks_blocked()
        found.publish("a", 1, 2)
        found.publish("b", 1, -1)
        await wait_all_tasks_blocked()
        assert not responses
        await trio.sleep(5)
        await wait_all_tasks_blocked()
        # an invalid topic keeps its error, whatever the others wait for
        assert {each.name: each.error_code for each in responses[0].topics} == {
            "a": E.NONE,
            "b": E.REQUEST_TIMED_OUT,
            "!": E.INVALID_TOPIC_EXCEPTION,
        }


async def test_a_change_without_time_is_made_and_answered_at_once(
    autojump_clock: trio.abc.Clock, tmp_path: Path
) -> None:
    async with handled(tmp_path, CreateTopicsRequest, 5) as (found, context):
        created = await handle_create_topics(context, CreateTopicsRequest([CreatableTopic("a", 1, 1)], 0))
        assert [each.error_code for each in created.topics] == [E.REQUEST_TIMED_OUT]
        assert found.zookeeper.children("/brokers/topics") == ["a"]
        found.publish("a", 1)
        grown = await handle_create_partitions(
            context, CreatePartitionsRequest([CreatePartitionsTopic("a", 2, None)], 0)
        )
        assert [each.error_code for each in grown.results] == [E.REQUEST_TIMED_OUT]
        deleted = await handle_delete_topics(context, DeleteTopicsRequest(topic_names=["a"], timeout_ms=0))
        assert [each.error_code for each in deleted.responses] == [E.REQUEST_TIMED_OUT]
        assert found.zookeeper.children("/admin/delete_topics") == ["a"]


async def test_topics_without_ids_are_deleted_and_answered_when_they_are_gone(
    autojump_clock: trio.abc.Clock, tmp_path: Path
) -> None:
    async with handled(tmp_path, DeleteTopicsRequest, 4) as (found, context), trio.open_nursery() as nursery:
        for name in ("a", "b"):
            found.zookeeper.put(topic_path(name), TopicAssignment(name, None, {0: ReplicaAssignment((1,))}).encode())
            found.publish(name, 1, topic_id=NO_TOPIC_ID)
        responses: list[DeleteTopicsResponse] = []

        async def delete() -> None:
            request = DeleteTopicsRequest(topic_names=["a", "b", "missing"], timeout_ms=5000)
            responses.append(await handle_delete_topics(context, request))

        nursery.start_soon(delete)
        await wait_all_tasks_blocked()
        assert found.zookeeper.children("/admin/delete_topics") == ["a", "b"]
        found.publish("a")
        await wait_all_tasks_blocked()
        assert not responses
        found.publish("b")
        await wait_all_tasks_blocked()
        assert {each.name: each.error_code for each in responses[0].responses} == {
            "a": E.NONE,
            "b": E.NONE,
            "missing": E.UNKNOWN_TOPIC_OR_PARTITION,
        }


async def test_another_broker_than_the_controller_refuses() -> None:
    async with controlled() as found:
        found.controller.is_active = False
        for request in (
            found.administration.create_topics([], None, validate_only=False),
            found.administration.create_partitions([], None, validate_only=False),
            found.administration.delete_topics([], None),
        ):
            with pytest.raises(ApiError) as refused:
                await request
            assert refused.value.code is E.NOT_CONTROLLER
