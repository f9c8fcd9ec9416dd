"""CreateTopics, DeleteTopics, CreatePartitions and DeleteRecords."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.controller.topic_rules import NewTopic
from wirebroker.handlers.routes import RouteTable
from wirebroker.handlers.topics import handle_create_partitions, handle_create_topics, handle_delete_topics
from wirebroker.protocol.errors import ErrorCode
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
    CreateTopicsResponse,
)
from wirebroker.protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from wirebroker.protocol.primitives import ZERO_UUID
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.tests.controller.fakes import ControllerHarness, OtherController, controller_harness
from wirebroker.tests.metadata.fakes import topic_id

if TYPE_CHECKING:
    from pathlib import Path

    from trio.testing import MockClock

E = ErrorCode
IN_TIME = 5000


async def create(
    harness: ControllerHarness,
    version: int,
    *topics: CreatableTopic,
    timeout_ms: int = IN_TIME,
    validate_only: bool = False,
) -> CreateTopicsResponse:
    request = CreateTopicsRequest(list(topics), timeout_ms, validate_only)
    response = await handle_create_topics(harness.context(CreateTopicsRequest, version), request)
    response.write(bytearray(), version)
    return response


def created_codes(response: CreateTopicsResponse) -> dict[str, int]:
    return {topic.name: topic.error_code for topic in response.topics}


@pytest.mark.parametrize("version", CreateTopicsRequest.VERSIONS)
async def test_create_in_every_version(tmp_path: Path, version: int) -> None:
    async with controller_harness(tmp_path) as harness:
        config = CreatableTopicConfig("retention.ms", "1234")
        response = await create(harness, version, CreatableTopic("t", 3, 1, [], [config]), CreatableTopic("a b", 1, 1))
        good, bad = response.topics
        topic = harness.image.topics["t"]
        assert (good.name, good.error_code, good.error_message, good.topic_id) == ("t", 0, None, topic.topic_id)
        assert (good.num_partitions, good.replication_factor) == (3, 1)
        assert len(topic.partitions) == 3
        assert harness.image.topic_config("t") == {"retention.ms": "1234"}
        assert (bad.name, bad.error_code) == ("a b", E.INVALID_TOPIC_EXCEPTION)
        assert bad.error_message
        assert (bad.num_partitions, bad.replication_factor, bad.configs, bad.topic_id) == (-1, -1, [], ZERO_UUID)


async def test_the_settings_of_a_new_topic_come_with_their_sources(tmp_path: Path) -> None:
    async with controller_harness(tmp_path, log_segment_bytes=5000) as harness:
        response = await create(
            harness, 7, CreatableTopic("t", 1, 1, [], [CreatableTopicConfig("retention.ms", " 1234")])
        )
        configs = {each.name: each for each in response.topics[0].configs or ()}
        assert len(configs) == 36
        chosen = ("retention.ms", "segment.bytes", "cleanup.policy")
        assert [(configs[name].value, configs[name].config_source) for name in chosen] == [
            (" 1234", 1),
            ("5000", 4),
            ("delete", 5),
        ]
        assert not any(each.read_only or each.is_sensitive for each in configs.values())


async def test_settings_of_a_new_topic_are_answered_as_sent_but_with_zookeeper(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        for name, text, release, answered in (
            ("a", " 5 ", "3.9", " 5 "),
            ("b", "5", "3.9", "5"),
            ("c", " 5 ", "2.8", "5"),
        ):
            topic = CreatableTopic(name, 1, 1, [], [CreatableTopicConfig("retention.ms", text)])
            context = harness.context(CreateTopicsRequest, 5)
            context.routes = RouteTable(ReleaseProfile(release))
            response = await handle_create_topics(context, CreateTopicsRequest([topic], 1000))
            values = {each.name: each.value for each in response.topics[0].configs or ()}
            assert values["retention.ms"] == answered
            assert harness.image.topic_config(name) == {"retention.ms": "5"}


async def test_validate_only(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        response = await create(harness, 7, CreatableTopic("t", 3, -1), validate_only=True)
        (topic,) = response.topics
        assert (topic.error_code, topic.num_partitions, topic.replication_factor) == (0, 3, 1)
        assert harness.image.topics == {}


async def test_given_replicas(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        replicas = [CreatableReplicaAssignment(1, [0]), CreatableReplicaAssignment(0, [0])]
        unknown_brokers = [CreatableReplicaAssignment(0, [7])]
        response = await create(
            harness, 7, CreatableTopic("t", -1, -1, replicas), CreatableTopic("u", -1, -1, unknown_brokers)
        )
        assert created_codes(response) == {"t": E.NONE, "u": E.INVALID_REPLICA_ASSIGNMENT}
        assert len(harness.image.topics["t"].partitions) == 2


async def test_a_name_given_twice_is_not_created(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        response = await create(
            harness, 7, CreatableTopic("t", 1, 1), CreatableTopic("u", 1, 1), CreatableTopic("t", 2, 1)
        )
        assert created_codes(response) == {"u": E.NONE, "t": E.INVALID_REQUEST}
        assert len(response.topics) == 2
        assert list(harness.image.topics) == ["u"]


@pytest.mark.parametrize(("release", "names"), [("2.8", ["u", "t", "t"]), ("3.9", ["u", "t"])])
async def test_a_controller_with_zookeeper_answers_a_name_as_often_as_it_is_given(
    tmp_path: Path, release: str, names: list[str]
) -> None:
    async with controller_harness(tmp_path) as harness:
        context = harness.context(CreateTopicsRequest, 5)
        context.routes = RouteTable(ReleaseProfile(release))
        request = CreateTopicsRequest([CreatableTopic(name, 1, 1) for name in ("t", "u", "t")], 1000)
        response = await handle_create_topics(context, request)
        assert [topic.name for topic in response.topics] == names


@pytest.mark.parametrize("timeout_ms", [0, -1])
async def test_a_timeout_of_zero_changes_nothing(tmp_path: Path, timeout_ms: int) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("old")])
        before = harness.image
        response = await create(harness, 7, CreatableTopic("t", 1, 1), timeout_ms=timeout_ms)
        assert created_codes(response) == {"t": E.REQUEST_TIMED_OUT}
        assert response.topics[0].error_message is None
        grow = CreatePartitionsRequest([CreatePartitionsTopic("old", 2, None)], timeout_ms)
        grown = await handle_create_partitions(harness.context(CreatePartitionsRequest, 3), grow)
        assert [each.error_code for each in grown.results] == [E.REQUEST_TIMED_OUT]
        deleted = await delete(harness, 6, DeleteTopicState("old"), timeout_ms=timeout_ms)
        assert deleted.responses == [DeletableTopicResult("old", ZERO_UUID, E.REQUEST_TIMED_OUT)]
        await harness.controller.allocate_producer_ids()
        assert harness.image.topics is before.topics


async def test_a_request_that_times_out_is_finished(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with controller_harness(tmp_path) as harness:
        blocked = trio.Event()

        async def hold_up() -> None:
            await harness.controller._queue.run_and_wait(blocked.wait)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(hold_up)
            await wait_all_tasks_blocked()
            started = trio.current_time()
            response = await create(harness, 7, CreatableTopic("t", 1, 1), timeout_ms=3000)
            assert trio.current_time() - started == pytest.approx(3)
            assert created_codes(response) == {"t": E.REQUEST_TIMED_OUT}
            assert harness.image.topics == {}
            blocked.set()
        await harness.controller.allocate_producer_ids()
        assert list(harness.image.topics) == ["t"]


async def delete(
    harness: ControllerHarness, version: int, *topics: DeleteTopicState, timeout_ms: int = IN_TIME
) -> DeleteTopicsResponse:
    names = [topic.name or "" for topic in topics] if version < 6 else []
    request = DeleteTopicsRequest(list(topics) if version >= 6 else [], names, timeout_ms)
    response = await handle_delete_topics(harness.context(DeleteTopicsRequest, version), request)
    response.write(bytearray(), version)
    return response


def deleted_codes(response: DeleteTopicsResponse) -> list[tuple[str | None, bytes, int]]:
    return sorted(
        ((each.name, each.topic_id, each.error_code) for each in response.responses),
        key=lambda each: (each[0] or "", each[1]),
    )


@pytest.mark.parametrize("version", DeleteTopicsRequest.VERSIONS)
async def test_delete_in_every_version(tmp_path: Path, version: int) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t", 2), NewTopic("u")])
        known = harness.image.topics["t"].topic_id
        response = await delete(harness, version, DeleteTopicState("t"), DeleteTopicState("gone"))
        assert deleted_codes(response) == [("gone", ZERO_UUID, E.UNKNOWN_TOPIC_OR_PARTITION), ("t", known, E.NONE)]
        assert list(harness.image.topics) == ["u"]
        assert list(harness.replicas.served) == [("u", 0)]


async def test_delete_by_id(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        known, unknown = harness.image.topics["t"].topic_id, topic_id(999)
        response = await delete(harness, 6, DeleteTopicState(None, known), DeleteTopicState(None, unknown))
        assert deleted_codes(response) == [(None, unknown, E.UNKNOWN_TOPIC_ID), ("t", known, E.NONE)]
        assert harness.image.topics == {}


async def test_contradicting_delete_requests(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic(name) for name in "abcde"])
        ids = {name: topic.topic_id for name, topic in harness.image.topics.items()}
        response = await delete(
            harness,
            6,
            DeleteTopicState("a"),
            DeleteTopicState("a"),
            DeleteTopicState(None, ids["b"]),
            DeleteTopicState(None, ids["b"]),
            DeleteTopicState("c"),
            DeleteTopicState(None, ids["c"]),
            DeleteTopicState("d", ids["d"]),
            DeleteTopicState(None),
            DeleteTopicState("e"),
        )
        bad = E.INVALID_REQUEST
        assert deleted_codes(response) == [
            (None, ZERO_UUID, bad),
            (None, ids["b"], bad),
            ("a", ZERO_UUID, bad),
            ("c", ids["c"], bad),
            ("d", ids["d"], bad),
            ("e", ids["e"], E.NONE),
        ]
        assert all(each.error_message for each in response.responses if each.error_code)
        assert sorted(harness.image.topics) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(("version", "code"), [(2, E.INVALID_REQUEST), (3, E.TOPIC_DELETION_DISABLED)])
async def test_deletion_can_be_forbidden(tmp_path: Path, version: int, code: ErrorCode) -> None:
    async with controller_harness(tmp_path, delete_topic_enable=False) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        assert deleted_codes(await delete(harness, version, DeleteTopicState("t"))) == [("t", ZERO_UUID, code)]
        assert list(harness.image.topics) == ["t"]


async def test_two_concurrent_deletions_of_a_topic(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        known = harness.image.topics["t"].topic_id
        answers: list[tuple[str | None, bytes, int]] = []

        async def one(state: DeleteTopicState) -> None:
            answers.extend(deleted_codes(await delete(harness, 6, state)))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(one, DeleteTopicState("t"))
            nursery.start_soon(one, DeleteTopicState("t"))
        assert sorted(answers, key=lambda each: each[2]) == [
            ("t", known, E.NONE),
            ("t", ZERO_UUID, E.UNKNOWN_TOPIC_OR_PARTITION),
        ]


@pytest.mark.parametrize("version", CreatePartitionsRequest.VERSIONS)
async def test_create_partitions_in_every_version(tmp_path: Path, version: int) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("a", 2), NewTopic("b", 1), NewTopic("c", 1)])
        request = CreatePartitionsRequest(
            [
                CreatePartitionsTopic("a", 4, None),
                CreatePartitionsTopic("b", 2, [CreatePartitionsAssignment([0])]),
                CreatePartitionsTopic("c", 2, []),
                CreatePartitionsTopic("gone", 2, None),
                CreatePartitionsTopic("twice", 2, None),
                CreatePartitionsTopic("twice", 3, None),
            ],
            IN_TIME,
        )
        response = await handle_create_partitions(harness.context(CreatePartitionsRequest, version), request)
        response.write(bytearray(), version)
        assert {each.name: each.error_code for each in response.results} == {
            "a": E.NONE,
            "b": E.NONE,
            "c": E.INVALID_REPLICA_ASSIGNMENT,
            "gone": E.UNKNOWN_TOPIC_OR_PARTITION,
            "twice": E.INVALID_REQUEST,
        }
        assert len(response.results) == 5
        assert {name: len(topic.partitions) for name, topic in harness.image.topics.items()} == {"a": 4, "b": 2, "c": 1}
        assert ("a", 3) in harness.replicas.served


async def test_partitions_are_only_validated(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        request = CreatePartitionsRequest([CreatePartitionsTopic("t", 9, None)], IN_TIME, True)
        response = await handle_create_partitions(harness.context(CreatePartitionsRequest, 3), request)
        assert [each.error_code for each in response.results] == [E.NONE]
        assert len(harness.image.topics["t"].partitions) == 1


async def test_a_broker_that_is_not_the_controller_refuses_every_change_of_topics(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        context = harness.context(CreateTopicsRequest, 7)
        context.services.administration = OtherController()
        created = await handle_create_topics(context, CreateTopicsRequest([CreatableTopic("t")], IN_TIME))
        assert created_codes(created) == {"t": E.NOT_CONTROLLER}
        deleted = await handle_delete_topics(
            context, DeleteTopicsRequest(topics=[DeleteTopicState("t")], topic_names=["t"], timeout_ms=IN_TIME)
        )
        assert [each.error_code for each in deleted.responses] == [E.NOT_CONTROLLER]
        grown = await handle_create_partitions(
            context, CreatePartitionsRequest([CreatePartitionsTopic("t", 2)], timeout_ms=IN_TIME)
        )
        assert [(each.name, each.error_code) for each in grown.results] == [("t", E.NOT_CONTROLLER)]
