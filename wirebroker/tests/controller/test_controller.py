"""The controller: topics, partitions and configs, durable before they are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.controller.administration import TopicResult
from wirebroker.controller.topic_rules import NewPartitions, NewTopic
from wirebroker.metadata.image import BROKER_RESOURCE, TOPIC_RESOURCE, TopicImage
from wirebroker.metadata.records import ConfigsRecord
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.controller.fakes import controller_harness

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from wirebroker.metadata.image import ClusterImage


def named(*topic_ids: bytes) -> list[TopicImage]:
    return [TopicImage("t", topic_id, ()) for topic_id in topic_ids]


def codes(results: Sequence[TopicResult]) -> list[ErrorCode]:
    return [result.error for result in results]


async def test_a_created_topic_is_served_before_the_answer_and_after_a_restart(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        (result,) = await harness.controller.create_topics([NewTopic("t", 3, 1, configs={"retention.ms": "5000"})])
        topic = harness.image.topics["t"]
        assert result == TopicResult("t", topic=topic, configs={"retention.ms": "5000"})
        assert sorted(harness.replicas.served) == [("t", 0), ("t", 1), ("t", 2)]
        assert harness.replicas.configs["t"].retention_ms == 5000
        assert harness.image.cluster_id == "the-cluster"
    async with controller_harness(tmp_path) as harness:
        assert harness.image.topics["t"] == topic
        assert set(harness.replicas.served.values()) == {(topic.topic_id, 0)}
        assert harness.replicas.configs["t"].retention_ms == 5000
        assert harness.image.controller_id == 0
        assert harness.replicas.log == ["open t-0", "open t-1", "open t-2"]


async def test_a_topic_is_published_after_its_logs_are_created(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        heard: list[tuple[list[str], list[str]]] = []
        harness.cache.subscribe(
            lambda before, after, changes: heard.append((sorted(after.topics), harness.replicas.log[:]))
        )
        await harness.controller.create_topics([NewTopic("t", 2)])
        assert heard == [(["t"], ["make t-0", "make t-1"])]


async def test_topics_of_one_request_are_one_write(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        version = harness.store.version
        results = await harness.controller.create_topics([NewTopic("a"), NewTopic("b c"), NewTopic("d")])
        assert codes(results) == [ErrorCode.NONE, ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.NONE]
        assert harness.store.version == version + 1
        assert sorted(harness.image.topics) == ["a", "d"]


async def test_topics_of_one_request_are_created_one_after_the_other_with_zookeeper(tmp_path: Path) -> None:
    names = [NewTopic("q.1"), NewTopic("q_1"), NewTopic("r", assignments=[(0, [9])])]
    collides, timed_out = ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.REQUEST_TIMED_OUT
    async with controller_harness(tmp_path, wirebroker_as_version="2.8.2") as harness:
        assert codes(await harness.controller.create_topics(names, validate_only=True)) == [ErrorCode.NONE] * 3
        assert codes(await harness.controller.create_topics(names)) == [ErrorCode.NONE, collides, timed_out]
        assert sorted(harness.image.topics) == ["q.1"]
    async with controller_harness(tmp_path / "newer", wirebroker_as_version="3.9") as harness:
        results = await harness.controller.create_topics(names)
        assert codes(results) == [ErrorCode.NONE, ErrorCode.NONE, ErrorCode.INVALID_REPLICA_ASSIGNMENT]


async def test_validate_only_changes_nothing(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        before = harness.store.image, harness.store.version
        (created,) = await harness.controller.create_topics([NewTopic("t", 3)], validate_only=True)
        assert created.topic is not None
        assert len(created.topic.partitions) == 3
        assert (harness.store.image, harness.store.version) == before
        assert harness.image is before[0]
        await harness.controller.create_topics([NewTopic("t", 3)])
        (grown,) = await harness.controller.create_partitions([NewPartitions("t", 4)], validate_only=True)
        assert grown.error == ErrorCode.NONE
        assert len(harness.image.topics["t"].partitions) == 3


async def test_a_topic_is_deleted_before_the_answer(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t", 2, configs={"retention.ms": "1"}), NewTopic("u")])
        topic_id = harness.image.topics["t"].topic_id
        results = await harness.controller.delete_topics(named(topic_id, bytes(16)))
        assert codes(results) == [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_ID]
        assert list(harness.replicas.served) == [("u", 0)]
        assert harness.replicas.log[-2:] == ["delete t-0", "delete t-1"]
        assert list(harness.image.topics) == ["u"]
        assert harness.image.configs == {}
        assert codes(await harness.controller.delete_topics(named(topic_id))) == [ErrorCode.UNKNOWN_TOPIC_ID]


async def test_a_name_can_be_used_again_and_gets_another_id(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        first = harness.image.topics["t"].topic_id
        await harness.controller.delete_topics(named(first))
        await harness.controller.create_topics([NewTopic("t")])
        second = harness.image.topics["t"].topic_id
        assert first != second
        assert harness.replicas.served == {("t", 0): (second, 0)}


async def test_a_deletion_cut_short_by_a_crash_is_finished_at_the_next_start(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t", 2)])
        topic_id = harness.image.topics["t"].topic_id
        await harness.controller.delete_topics(named(topic_id))
    # Nothing was written after the deletion, so the journal does not say that the directories were renamed.
    async with controller_harness(tmp_path) as harness:
        assert harness.replicas.discarded == [("t", 0, topic_id), ("t", 1, topic_id)]
        assert harness.image.deleting == {}
    async with controller_harness(tmp_path) as harness:
        assert harness.replicas.discarded == []


async def test_a_completed_deletion_is_recorded_with_the_next_write(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t"), NewTopic("broken")])
        harness.replicas.broken.add(("broken", 0))
        ids = [harness.image.topics[name].topic_id for name in ("t", "broken")]
        await harness.controller.delete_topics(named(*ids))
        assert set(harness.image.deleting) == set(ids)
        await harness.controller.create_topics([NewTopic("u")])
        assert set(harness.image.deleting) == {ids[1]}  # its directory could not be renamed


async def test_a_topic_whose_logs_cannot_be_made_is_not_there(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        harness.replicas.broken.add(("t", 1))
        results = await harness.controller.create_topics([NewTopic("t", 2), NewTopic("u")])
        assert codes(results) == [ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NONE]
        assert list(harness.image.topics) == ["u"]
        assert list(harness.replicas.served) == [("u", 0)]
        harness.replicas.broken.clear()
        assert codes(await harness.controller.create_topics([NewTopic("t", 2)])) == [ErrorCode.NONE]


async def test_a_failed_write_changes_nothing(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        before, log = harness.image, harness.replicas.log[:]
        harness.files.fail = {"write"}
        results = await harness.controller.create_topics([NewTopic("u"), NewTopic("b c")])
        assert codes(results) == [ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.INVALID_TOPIC_EXCEPTION]
        assert "No space left" in str(results[0].message)
        assert codes(await harness.controller.create_partitions([NewPartitions("t", 2)])) == [
            ErrorCode.KAFKA_STORAGE_ERROR
        ]
        assert codes(await harness.controller.delete_topics(named(before.topics["t"].topic_id))) == [
            ErrorCode.KAFKA_STORAGE_ERROR
        ]
        with pytest.raises(ApiError):
            await harness.controller.allocate_producer_ids()
        assert harness.image is before
        assert harness.replicas.log == log
        harness.files.fail = set()
        assert codes(await harness.controller.create_topics([NewTopic("u")])) == [ErrorCode.NONE]


async def test_a_topic_grows(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t", 2, configs={"segment.bytes": "1000"})])
        harness.replicas.log.clear()
        harness.replicas.configs.clear()
        results = await harness.controller.create_partitions([NewPartitions("t", 4), NewPartitions("x", 4)])
        assert codes(results) == [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
        assert harness.replicas.log == ["make t-2", "make t-3"]
        assert harness.replicas.configs["t"].segment_bytes == 1000
        assert len(harness.image.topics["t"].partitions) == 4
        assert [text for text in caplog.messages if "added" in text] == ["topic=t: partitions added, 2 -> 4"]
        harness.replicas.broken.add(("t", 4))
        assert codes(await harness.controller.create_partitions([NewPartitions("t", 5)])) == [
            ErrorCode.KAFKA_STORAGE_ERROR
        ]


def set_to(*changes: ConfigsRecord) -> Callable[[ClusterImage], Awaitable[Sequence[ConfigsRecord]]]:
    """Changes that do not depend on the image."""

    async def alter(image: ClusterImage) -> Sequence[ConfigsRecord]:
        return changes

    return alter


async def test_no_other_event_runs_between_reading_and_writing_configs(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t", configs={"retention.ms": "1"}), NewTopic("u")])

        async def add(key: str, value: str) -> None:
            async def alter(image: ClusterImage) -> list[ConfigsRecord]:
                return [ConfigsRecord(TOPIC_RESOURCE, "t", {**image.topic_config("t"), key: value})]

            await harness.controller.alter_configs((), alter)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(add, "segment.bytes", "2000")
            nursery.start_soon(add, "retention.bytes", "3000")
        expected = {"retention.ms": "1", "segment.bytes": "2000", "retention.bytes": "3000"}
        assert harness.image.topic_config("t") == expected
        obeyed = harness.replicas.configs["t"]
        assert (obeyed.retention_ms, obeyed.segment_bytes, obeyed.retention_bytes) == (1, 2000, 3000)
        version = harness.store.version
        await harness.controller.alter_configs((), set_to())
        assert harness.store.version == version


async def test_dynamic_broker_settings_reach_every_topic_and_survive(tmp_path: Path) -> None:
    async with controller_harness(tmp_path, log_retention_ms=7) as harness:
        await harness.controller.create_topics([NewTopic("own", configs={"retention.ms": "1"}), NewTopic("plain")])
        assert harness.replicas.configs["plain"].retention_ms == 7
        await harness.controller.alter_configs(
            (), set_to(ConfigsRecord(BROKER_RESOURCE, "", {"log.retention.ms": "8"}))
        )
        assert harness.replicas.configs["plain"].retention_ms == 8
        await harness.controller.alter_configs(
            (), set_to(ConfigsRecord(BROKER_RESOURCE, "0", {"log.retention.ms": "9"}))
        )
        assert harness.replicas.configs["plain"].retention_ms == 9
        assert harness.replicas.configs["own"].retention_ms == 1
    async with controller_harness(tmp_path, log_retention_ms=7) as harness:
        assert harness.replicas.configs["plain"].retention_ms == 9
        assert harness.config.current.topic_defaults.retention_ms == 9


async def test_producer_ids_are_never_given_twice_whatever_crashes(tmp_path: Path) -> None:
    blocks: list[range] = []
    for _ in range(3):
        async with controller_harness(tmp_path) as harness:
            version = harness.store.version
            blocks += [await harness.controller.allocate_producer_ids() for _ in range(2)]
            assert harness.store.version == version + 2
    assert blocks == [range(first, first + 1000) for first in range(0, 6000, 1000)]


async def test_a_crash_raises_leader_epochs_and_a_clean_stop_does_not(tmp_path: Path) -> None:
    async with controller_harness(tmp_path, clean=False) as harness:
        assert harness.store.version == 1  # the cluster id only: no topics, no epochs
        await harness.controller.create_topics([NewTopic("t")])
    async with controller_harness(tmp_path, clean=True) as harness:
        assert harness.image.topics["t"].partitions[0].leader_epoch == 0
    async with controller_harness(tmp_path, clean=False) as harness:
        assert harness.image.topics["t"].partitions[0].leader_epoch == 1
        assert harness.replicas.served["t", 0][1] == 1


async def test_topics_are_created_automatically(tmp_path: Path) -> None:
    async with controller_harness(tmp_path, num_partitions=4, offsets_topic_num_partitions=5) as harness:
        await harness.controller.auto_create(["t", "__consumer_offsets"])
        await harness.controller.auto_create(["t", "u"])
        await harness.controller.allocate_producer_ids()  # decided after them
        assert {name: len(topic.partitions) for name, topic in harness.image.topics.items()} == {
            "t": 4,
            "__consumer_offsets": 5,
            "u": 4,
        }
        assert harness.replicas.configs["__consumer_offsets"].compacts
        version = harness.store.version
        await harness.controller.auto_create(["t", "u"])
        await wait_all_tasks_blocked()
        assert harness.store.version == version


async def test_a_failed_automatic_creation_can_be_tried_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with controller_harness(tmp_path, default_replication_factor=3) as harness:
        await harness.controller.auto_create(["t"])
        await harness.controller.allocate_producer_ids()  # decided after them
        assert "topic=t: automatic creation failed" in caplog.text
        caplog.clear()
        await harness.controller.auto_create(["t"])
        await wait_all_tasks_blocked()
        assert "topic=t: automatic creation failed" in caplog.text


@pytest.fixture
def no_loop_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call of `LoopBudget.yield_if_due` yields."""
    monkeypatch.setattr("wirebroker.loop_budget.BUDGET_S", 0.0)


async def turns_of_others(work: Callable[[], Awaitable[object]]) -> int:
    """How often another task had the loop while *work* ran."""
    turns = 0
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def count_turns() -> None:
            nonlocal turns
            while True:
                await trio.lowlevel.checkpoint()
                turns += 1

        await work()
        nursery.cancel_scope.cancel()
    return turns


@pytest.mark.usefixtures("no_loop_budget")
async def test_serving_many_partitions_yields_to_other_tasks(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        controller = harness.controller
        await controller.create_topics([NewTopic("t", 1000)])
        await controller.create_partitions([NewPartitions("t", 2000)])
        topic_id = harness.image.topics["t"].topic_id
        assert await turns_of_others(lambda: controller.delete_topics(named(topic_id))) >= 2000


@pytest.mark.usefixtures("no_loop_budget")
async def test_creating_many_topics_yields_to_other_tasks(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        controller = harness.controller
        topics = [NewTopic(f"t{number}", 1) for number in range(200)]
        assert await turns_of_others(lambda: controller.create_topics(topics)) >= 600  # planned, served and logged
        change = ConfigsRecord(BROKER_RESOURCE, "", {"log.retention.ms": "8"})
        assert await turns_of_others(lambda: controller.alter_configs((), set_to(change))) >= 200
        grown = [NewPartitions(f"t{number}", 2) for number in range(200)]
        assert await turns_of_others(lambda: controller.create_partitions(grown)) >= 600
        ids = named(*(harness.image.topics[topic.name].topic_id for topic in topics))
        assert await turns_of_others(lambda: controller.delete_topics(ids)) >= 600  # planned, and two partitions each


async def test_topics_with_the_same_settings_share_their_config(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        settings = {"t": {"retention.ms": "1"}, "u": {"retention.ms": "1"}, "v": {}, "w": {}}
        await harness.controller.create_topics([NewTopic(name, configs=configs) for name, configs in settings.items()])
        await harness.controller.alter_configs(
            (), set_to(ConfigsRecord(BROKER_RESOURCE, "", {"log.segment.bytes": "2000"}))
        )
        obeyed = harness.replicas.configs
        assert {config.segment_bytes for config in obeyed.values()} == {2000}
        assert obeyed["t"] is obeyed["u"]
        assert obeyed["v"] is obeyed["w"]
        assert (obeyed["t"].retention_ms, obeyed["v"].retention_ms) == (1, 604_800_000)


async def test_a_broker_setting_without_a_topic_key_reconfigures_no_topic(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t")])
        harness.replicas.configs.clear()
        await harness.controller.alter_configs(
            (), set_to(ConfigsRecord(BROKER_RESOURCE, "", {"max.connections.per.ip": "10"}))
        )
        assert harness.config.current.max_connections_per_ip == 10
        assert not harness.replicas.configs
