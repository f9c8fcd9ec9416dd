from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.controller.controller import TopicResult
from wirebroker.controller.topic_rules import NewPartitions, NewTopic
from wirebroker.metadata.changes import ConfigsSet
from wirebroker.metadata.image import BROKER_RESOURCE, TOPIC_RESOURCE
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.tests.controller.fakes import house

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from wirebroker.metadata.image import ClusterImage


def codes(results: Sequence[TopicResult]) -> list[ErrorCode]:
    return [result.error for result in results]


async def test_a_created_topic_is_served_before_the_answer_and_after_a_restart(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        (result,) = await home.controller.create_topics([NewTopic("t", 3, 1, configs={"retention.ms": "5000"})])
        topic = home.image.topics["t"]
        assert result == TopicResult("t", topic=topic, configs={"retention.ms": "5000"})
        assert sorted(home.replicas.served) == [("t", 0), ("t", 1), ("t", 2)]
        assert home.replicas.configs["t"].retention_ms == 5000
        assert home.image.cluster_id == "the-cluster"
    async with house(tmp_path) as home:
        assert home.image.topics["t"] == topic
        assert set(home.replicas.served.values()) == {(topic.topic_id, 0)}
        assert home.replicas.configs["t"].retention_ms == 5000
        assert home.image.controller_id == 0
        assert home.replicas.log == ["open t-0", "open t-1", "open t-2"]


async def test_nobody_sees_a_topic_before_its_logs_are_there(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        heard: list[tuple[list[str], list[str]]] = []
        home.cache.subscribe(lambda before, after, changes: heard.append((sorted(after.topics), home.replicas.log[:])))
        await home.controller.create_topics([NewTopic("t", 2)])
        assert heard == [(["t"], ["make t-0", "make t-1"])]


async def test_topics_of_one_request_are_one_write(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        version = home.store.read()[1]
        results = await home.controller.create_topics([NewTopic("a"), NewTopic("b c"), NewTopic("d")])
        assert codes(results) == [ErrorCode.NONE, ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.NONE]
        assert home.store.read()[1] == version + 1
        assert sorted(home.image.topics) == ["a", "d"]


async def test_validate_only_changes_nothing(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        before = home.store.read()
        (created,) = await home.controller.create_topics([NewTopic("t", 3)], validate_only=True)
        assert created.topic is not None
        assert len(created.topic.partitions) == 3
        assert home.store.read() == before
        assert home.image is before[0]
        await home.controller.create_topics([NewTopic("t", 3)])
        (grown,) = await home.controller.create_partitions([NewPartitions("t", 4)], validate_only=True)
        assert grown.error == ErrorCode.NONE
        assert len(home.image.topics["t"].partitions) == 3


async def test_a_deleted_topic_is_gone_when_the_answer_says_so(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await home.controller.create_topics([NewTopic("t", 2, configs={"retention.ms": "1"}), NewTopic("u")])
        topic_id = home.image.topics["t"].topic_id
        results = await home.controller.delete_topics([topic_id, bytes(16)])
        assert codes(results) == [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_ID]
        assert list(home.replicas.served) == [("u", 0)]
        assert home.replicas.log[-2:] == ["delete t-0", "delete t-1"]
        assert list(home.image.topics) == ["u"]
        assert home.image.configs == {}
        assert codes(await home.controller.delete_topics([topic_id])) == [ErrorCode.UNKNOWN_TOPIC_ID]


async def test_a_name_can_be_used_again_and_gets_another_id(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await home.controller.create_topics([NewTopic("t")])
        first = home.image.topics["t"].topic_id
        await home.controller.delete_topics([first])
        await home.controller.create_topics([NewTopic("t")])
        second = home.image.topics["t"].topic_id
        assert first != second
        assert home.replicas.served == {("t", 0): (second, 0)}


async def test_a_deletion_cut_short_by_a_crash_is_finished_at_the_next_start(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await home.controller.create_topics([NewTopic("t", 2)])
        topic_id = home.image.topics["t"].topic_id
        await home.controller.delete_topics([topic_id])
    # Nothing was written after the deletion, so the journal does not say that the directories were renamed.
    async with house(tmp_path) as home:
        assert home.replicas.discarded == [("t", 0, topic_id), ("t", 1, topic_id)]
        assert home.image.deleting == {}
    async with house(tmp_path) as home:
        assert home.replicas.discarded == []


async def test_a_finished_deletion_is_written_down_with_the_next_change(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await home.controller.create_topics([NewTopic("t"), NewTopic("broken")])
        home.replicas.broken.add(("broken", 0))
        ids = [home.image.topics[name].topic_id for name in ("t", "broken")]
        await home.controller.delete_topics(ids)
        assert set(home.image.deleting) == set(ids)
        await home.controller.create_topics([NewTopic("u")])
        assert set(home.image.deleting) == {ids[1]}  # its directory could not be renamed


async def test_a_topic_whose_logs_cannot_be_made_is_not_there(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        home.replicas.broken.add(("t", 1))
        results = await home.controller.create_topics([NewTopic("t", 2), NewTopic("u")])
        assert codes(results) == [ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NONE]
        assert list(home.image.topics) == ["u"]
        assert list(home.replicas.served) == [("u", 0)]
        home.replicas.broken.clear()
        assert codes(await home.controller.create_topics([NewTopic("t", 2)])) == [ErrorCode.NONE]


async def test_what_is_not_durable_did_not_happen(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await home.controller.create_topics([NewTopic("t")])
        before, log = home.image, home.replicas.log[:]
        home.files.fail = {"write"}
        results = await home.controller.create_topics([NewTopic("u"), NewTopic("b c")])
        assert codes(results) == [ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.INVALID_TOPIC_EXCEPTION]
        assert "No space left" in str(results[0].message)
        assert codes(await home.controller.create_partitions([NewPartitions("t", 2)])) == [
            ErrorCode.KAFKA_STORAGE_ERROR
        ]
        assert codes(await home.controller.delete_topics([before.topics["t"].topic_id])) == [
            ErrorCode.KAFKA_STORAGE_ERROR
        ]
        with pytest.raises(ApiError):
            await home.controller.next_producer_id()
        assert home.image is before
        assert home.replicas.log == log
        home.files.fail = set()
        assert codes(await home.controller.create_topics([NewTopic("u")])) == [ErrorCode.NONE]


async def test_a_topic_grows(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    async with house(tmp_path) as home:
        await home.controller.create_topics([NewTopic("t", 2, configs={"segment.bytes": "1000"})])
        home.replicas.log.clear()
        home.replicas.configs.clear()
        results = await home.controller.create_partitions([NewPartitions("t", 4), NewPartitions("x", 4)])
        assert codes(results) == [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
        assert home.replicas.log == ["make t-2", "make t-3"]
        assert home.replicas.configs["t"].segment_bytes == 1000
        assert len(home.image.topics["t"].partitions) == 4
        assert [text for text in caplog.messages if "added" in text] == ["topic=t: partitions added, 2 -> 4"]
        home.replicas.broken.add(("t", 4))
        assert codes(await home.controller.create_partitions([NewPartitions("t", 5)])) == [
            ErrorCode.KAFKA_STORAGE_ERROR
        ]


def set_to(*changes: ConfigsSet) -> Callable[[ClusterImage], Awaitable[Sequence[ConfigsSet]]]:
    """Changes that do not depend on the image."""

    async def alter(image: ClusterImage) -> Sequence[ConfigsSet]:
        return changes

    return alter


async def test_settings_change_between_one_look_and_one_write(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await home.controller.create_topics([NewTopic("t", configs={"retention.ms": "1"}), NewTopic("u")])

        async def add(key: str, value: str) -> None:
            async def alter(image: ClusterImage) -> list[ConfigsSet]:
                return [ConfigsSet(TOPIC_RESOURCE, "t", {**image.topic_config("t"), key: value})]

            await home.controller.alter_configs(alter)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(add, "segment.bytes", "2000")
            nursery.start_soon(add, "retention.bytes", "3000")
        expected = {"retention.ms": "1", "segment.bytes": "2000", "retention.bytes": "3000"}
        assert home.image.topic_config("t") == expected
        obeyed = home.replicas.configs["t"]
        assert (obeyed.retention_ms, obeyed.segment_bytes, obeyed.retention_bytes) == (1, 2000, 3000)
        version = home.store.read()[1]
        await home.controller.alter_configs(set_to())
        assert home.store.read()[1] == version


async def test_dynamic_broker_settings_reach_every_topic_and_survive(tmp_path: Path) -> None:
    async with house(tmp_path, log_retention_ms=7) as home:
        await home.controller.create_topics([NewTopic("own", configs={"retention.ms": "1"}), NewTopic("plain")])
        assert home.replicas.configs["plain"].retention_ms == 7
        await home.controller.alter_configs(set_to(ConfigsSet(BROKER_RESOURCE, "", {"log.retention.ms": "8"})))
        assert home.replicas.configs["plain"].retention_ms == 8
        await home.controller.alter_configs(set_to(ConfigsSet(BROKER_RESOURCE, "0", {"log.retention.ms": "9"})))
        assert home.replicas.configs["plain"].retention_ms == 9
        assert home.replicas.configs["own"].retention_ms == 1
    async with house(tmp_path, log_retention_ms=7) as home:
        assert home.replicas.configs["plain"].retention_ms == 9
        assert home.controller.config.topic_defaults.retention_ms == 9


async def test_producer_ids_are_never_given_twice_whatever_crashes(tmp_path: Path) -> None:
    given: list[int] = []
    for _ in range(3):
        async with house(tmp_path) as home:
            given += [await home.controller.next_producer_id() for _ in range(1500)]
    assert len(set(given)) == len(given)
    assert given[:1500] == list(range(1500))
    assert given[1500] == 2000


async def test_a_block_of_producer_ids_is_one_write_however_many_wait(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        version = home.store.read()[1]
        given: list[int] = []

        async def ask() -> None:
            given.append(await home.controller.next_producer_id())

        async with trio.open_nursery() as nursery:
            for _ in range(100):
                nursery.start_soon(ask)
        assert sorted(given) == list(range(100))
        assert home.store.read()[1] == version + 1


async def test_a_crash_raises_leader_epochs_and_a_clean_stop_does_not(tmp_path: Path) -> None:
    async with house(tmp_path, clean=False) as home:
        assert home.store.read()[1] == 1  # the cluster id only: no topics, no epochs
        await home.controller.create_topics([NewTopic("t")])
    async with house(tmp_path, clean=True) as home:
        assert home.image.topics["t"].partitions[0].leader_epoch == 0
    async with house(tmp_path, clean=False) as home:
        assert home.image.topics["t"].partitions[0].leader_epoch == 1
        assert home.replicas.served["t", 0][1] == 1


async def test_topics_are_made_on_first_use(tmp_path: Path) -> None:
    async with house(tmp_path, num_partitions=4, offsets_topic_num_partitions=5) as home:
        home.controller.auto_create(["t", "__consumer_offsets"])
        home.controller.auto_create(["t", "u"])
        await home.controller.next_producer_id()  # decided after them
        assert {name: len(topic.partitions) for name, topic in home.image.topics.items()} == {
            "t": 4,
            "__consumer_offsets": 5,
            "u": 4,
        }
        assert home.replicas.configs["__consumer_offsets"].compacts
        version = home.store.read()[1]
        home.controller.auto_create(["t", "u"])
        await wait_all_tasks_blocked()
        assert home.store.read()[1] == version


async def test_a_first_use_that_fails_can_be_tried_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with house(tmp_path, default_replication_factor=3) as home:
        home.controller.auto_create(["t"])
        await home.controller.next_producer_id()  # decided after them
        assert "topic=t: not created on first use" in caplog.text
        caplog.clear()
        home.controller.auto_create(["t"])
        await wait_all_tasks_blocked()
        assert "topic=t: not created on first use" in caplog.text


@pytest.fixture
def shortest_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock ends a turn."""
    monkeypatch.setattr("wirebroker.turns.TURN_S", 0.0)


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


@pytest.mark.usefixtures("shortest_turns")
async def test_many_partitions_let_others_have_the_loop(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        controller = home.controller
        await controller.create_topics([NewTopic("t", 1000)])
        await controller.create_partitions([NewPartitions("t", 2000)])
        topic_id = home.image.topics["t"].topic_id
        assert await turns_of_others(lambda: controller.delete_topics([topic_id])) >= 2000


@pytest.mark.usefixtures("shortest_turns")
async def test_many_topics_let_others_have_the_loop(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        controller = home.controller
        topics = [NewTopic(f"t{number}", 1) for number in range(200)]
        assert await turns_of_others(lambda: controller.create_topics(topics)) >= 400  # planned and served
        change = ConfigsSet(BROKER_RESOURCE, "", {"log.retention.ms": "8"})
        assert await turns_of_others(lambda: controller.alter_configs(set_to(change))) >= 200


async def test_topics_with_the_same_settings_share_their_config(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        settings = {"t": {"retention.ms": "1"}, "u": {"retention.ms": "1"}, "v": {}, "w": {}}
        await home.controller.create_topics([NewTopic(name, configs=configs) for name, configs in settings.items()])
        await home.controller.alter_configs(set_to(ConfigsSet(BROKER_RESOURCE, "", {"log.segment.bytes": "2000"})))
        obeyed = home.replicas.configs
        assert {config.segment_bytes for config in obeyed.values()} == {2000}
        assert obeyed["t"] is obeyed["u"]
        assert obeyed["v"] is obeyed["w"]
        assert (obeyed["t"].retention_ms, obeyed["v"].retention_ms) == (1, 604_800_000)


async def test_a_broker_setting_that_topics_do_not_obey_leaves_them_alone(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await home.controller.create_topics([NewTopic("t")])
        home.replicas.configs.clear()
        await home.controller.alter_configs(set_to(ConfigsSet(BROKER_RESOURCE, "", {"max.connections.per.ip": "10"})))
        assert home.controller.config.max_connections_per_ip == 10
        assert not home.replicas.configs
