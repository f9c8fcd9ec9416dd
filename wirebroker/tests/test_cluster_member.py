"""ClusterMode on a fake ZooKeeper: the broker's identity, refusals, and partitions that the controller gives it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from wirebroker.cluster_member.cluster_mode import ClusterMode
from wirebroker.metadata.image import ListenerEndpoint
from wirebroker.metadata.journal import JOURNAL_NAME
from wirebroker.protocol.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from wirebroker.protocol.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from wirebroker.replication.log_dir_executor import open_executors
from wirebroker.startup import StartupError
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.znodes.brokers import BrokerInfo
from wirebroker.zookeeper.znodes.cluster import CLUSTER_ID_PATH, encode_cluster_id
from wirebroker.zookeeper.znodes.configs import TOPICS, ConfigEntity, encode_config
from wirebroker.zookeeper.znodes.topics import ReplicaAssignment, TopicAssignment, topic_path

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from wirebroker.handlers.context import Services

ENDPOINTS = (ListenerEndpoint("PLAINTEXT", "127.0.0.1", 9092),)
TOPIC_ID = bytes([1] * 16)


@asynccontextmanager
async def opened(zookeeper: FakeZooKeeper, directory: Path, **settings: object) -> AsyncIterator[ClusterMode]:
    """A member with its logs loaded."""
    async with member(zookeeper) as found:
        given = {"zookeeper_connect": "fake:1", "log_dirs": directory} | settings
        mode = ClusterMode(broker_config(**given), found.session)
        log_manager = await mode.open_storage(lambda: False)
        assert log_manager is not None
        try:
            yield mode
        finally:
            await trio.to_thread.run_sync(log_manager.close)
            await found.client.close()


@asynccontextmanager
async def joined(
    zookeeper: FakeZooKeeper, directory: Path, **settings: object
) -> AsyncIterator[tuple[ClusterMode, Services]]:
    """A member that is registered, with its tasks."""
    async with opened(zookeeper, directory, **settings) as mode:
        services = await mode.build_services(ENDPOINTS, lambda: None)
        async with open_executors(services.replicas.executors.values()), trio.open_nursery() as background:
            mode.start_tasks(background)
            await mode.join()
            yield mode, services
            background.cancel_scope.cancel()


def meta_properties(directory: Path, broker_id: int, cluster_id: str) -> None:
    directory.mkdir(exist_ok=True)
    (directory / "meta.properties").write_text(f"version=0\nbroker.id={broker_id}\ncluster.id={cluster_id}\n")


async def test_a_new_broker_of_a_new_cluster_makes_both_ids_and_marks_its_directory(tmp_path: Path) -> None:
    zookeeper = FakeZooKeeper()
    async with joined(zookeeper, tmp_path / "d") as (mode, services):
        assert (mode.config.node_id, services.node_id) == (1001, 1001)
        registered = BrokerInfo.decode(1001, zookeeper.read("/brokers/ids/1001"))
        assert [str(each) for each in registered.endpoints] == ["PLAINTEXT://127.0.0.1:9092"]
        assert mode.broker_epoch > 0
        text = (tmp_path / "d" / "meta.properties").read_text()
        assert "broker.id=1001\n" in text
        assert f"cluster.id={services.metadata.image.cluster_id}\n" in text
    async with joined(zookeeper, tmp_path / "d") as (mode, _):
        assert mode.config.node_id == 1001  # of the directory


@pytest.mark.parametrize("is_file_at_start", [True, False])
@pytest.mark.parametrize(("protocol", "fails"), [("0.11.0", True), ("1.0", False)])
async def test_below_protocol_1_0_a_broker_cannot_do_without_one_log_directory(
    tmp_path: Path, protocol: str, fails: bool, is_file_at_start: bool
) -> None:
    """LeaderAndIsr 0 does not tell whether a partition is new, so that it might be made again, empty."""
    one, two = tmp_path / "one", tmp_path / "two"
    if is_file_at_start:
        one.touch()
    failed: list[bool] = []
    settings = {"log_dirs": f"{one},{two}", "broker_id": 1, "inter_broker_protocol_version": protocol}
    async with opened(FakeZooKeeper(), tmp_path, **settings) as mode:
        services = await mode.build_services(ENDPOINTS, lambda: failed.append(True))
        log_dirs = services.replicas.log_manager.log_dirs
        if not is_file_at_start:
            assert log_dirs.can_serve
            log_dirs.mark_offline(one, OSError("broken"))
        assert [each.path for each in log_dirs.online] == [two]
        assert bool(failed) == fails
        assert log_dirs.can_serve is not fails


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"broker_id": 4}, "belongs to broker 3, and broker.id that this is broker 4"),
        ({}, "belongs to cluster of-another-one, but zookeeper.connect=fake:1 is cluster the-cluster"),
    ],
)
async def test_a_directory_of_another_broker_or_cluster_is_refused(
    tmp_path: Path, settings: dict[str, object], error: str
) -> None:
    zookeeper = FakeZooKeeper()
    zookeeper.put("/cluster", None)
    zookeeper.put(CLUSTER_ID_PATH, encode_cluster_id("the-cluster"))
    meta_properties(tmp_path / "d", 3, "the-cluster" if settings else "of-another-one")
    with pytest.RaisesGroup(pytest.RaisesExc(StartupError, match=error), flatten_subgroups=True):
        async with opened(zookeeper, tmp_path / "d", **settings):
            raise AssertionError("opened")


async def test_a_directory_of_a_broker_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_NAME).write_bytes(b"")
    with pytest.RaisesGroup(
        pytest.RaisesExc(StartupError, match="start it without zookeeper.connect, or use another"),
        flatten_subgroups=True,
    ):
        async with opened(FakeZooKeeper(), tmp_path, broker_id=1):
            raise AssertionError("opened")


async def test_a_broker_without_any_id_is_refused_if_none_may_be_generated(tmp_path: Path) -> None:
    with pytest.RaisesGroup(pytest.RaisesExc(StartupError, match="this broker has no id"), flatten_subgroups=True):
        async with opened(FakeZooKeeper(), tmp_path, broker_id_generation_enable="false"):
            raise AssertionError("opened")


async def test_a_second_broker_of_the_same_id_does_not_join(tmp_path: Path, autojump_clock: trio.abc.Clock) -> None:
    zookeeper = FakeZooKeeper()
    async with joined(zookeeper, tmp_path / "a", broker_id=1), opened(zookeeper, tmp_path / "b", broker_id=1) as mode:
        await mode.build_services((ListenerEndpoint("PLAINTEXT", "elsewhere", 1),), lambda: None)
        async with trio.open_nursery() as background:
            mode.start_tasks(background)
            with pytest.raises(StartupError, match=r"broker\.id 1 is registered by another broker"):
                await mode.join()
            background.cancel_scope.cancel()
    assert not (tmp_path / "b" / "meta.properties").exists()


async def test_the_controller_makes_it_serve_partitions_with_the_settings_of_zookeeper(tmp_path: Path) -> None:
    zookeeper = FakeZooKeeper()
    async with joined(zookeeper, tmp_path, broker_id=1) as (mode, services):
        zookeeper.put(ConfigEntity(TOPICS, "t").path, encode_config({"retention.ms": "5"}))
        requests = services.controller_requests
        assert requests is not None
        endpoint = UpdateMetadataEndpoint(9092, "127.0.0.1", "PLAINTEXT", 0)
        await requests.update_metadata(
            UpdateMetadataRequest(1, controller_epoch=1, live_brokers=[UpdateMetadataBroker(1, endpoints=[endpoint])])
        )
        assert list(services.metadata.image.brokers) == [1]
        state = LeaderAndIsrPartitionState(leader=1, isr=[1], replicas=[1], is_new=True)
        asked = LeaderAndIsrRequest(
            controller_id=1,
            controller_epoch=1,
            broker_epoch=mode.broker_epoch,
            topic_states=[LeaderAndIsrTopicState("t", TOPIC_ID, [state])],
        )
        answer = await requests.leader_and_isr(asked, 5)
        assert [each.error_code for each in answer.topics[0].partition_errors] == [0]
        partition = services.replicas.find("t", 0)
        assert partition is not None
        assert partition.log.config.retention_ms == 5
        assert (tmp_path / "t-0" / "partition.metadata").exists()


async def test_a_start_ignores_invalid_settings_and_names_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper = FakeZooKeeper()
    zookeeper.put(ConfigEntity(TOPICS, "t").path, encode_config({"retention.ms": "nonsense", "segment.ms": "9"}))
    async with joined(zookeeper, tmp_path, broker_id=1) as (_, services):
        assert services.metadata.image.topic_config("t") == {"segment.ms": "9"}
    assert [each.getMessage() for each in caplog.records if each.levelname == "ERROR"] == [
        "/config/topics/t: Invalid value nonsense for configuration retention.ms: Not a number of type LONG; "
        "this setting is ignored: set it again with kafka-configs"
    ]


def put_topic(zookeeper: FakeZooKeeper, name: str, partitions: int) -> None:
    assignment = TopicAssignment(name, None, dict.fromkeys(range(partitions), ReplicaAssignment((1,))))
    zookeeper.put(topic_path(name), assignment.encode())


async def tell_of_topic(mode: ClusterMode, services: Services, name: str, *partitions: int) -> None:
    """Have the controller name so many partitions of a topic in an UpdateMetadata."""
    states = [
        UpdateMetadataPartitionState(partition_index=each, leader=1, isr=[1], replicas=[1]) for each in partitions
    ]
    assert services.controller_requests is not None
    await services.controller_requests.update_metadata(
        UpdateMetadataRequest(
            1,
            controller_epoch=1,
            broker_epoch=mode.broker_epoch,
            topic_states=[UpdateMetadataTopicState(name, bytes(16), states)],
        )
    )


async def test_the_partitions_of_coordinators_are_counted_at_the_start_and_when_the_topic_is_created(
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    zookeeper = FakeZooKeeper()
    zookeeper.put("/brokers", None)
    zookeeper.put("/brokers/topics", None)
    put_topic(zookeeper, "__consumer_offsets", 3)
    async with joined(zookeeper, tmp_path, broker_id=1, transaction_state_log_num_partitions=7) as (mode, services):

        def counts() -> tuple[int | None, int | None]:
            return services.groups.partition_count, services.transactions.partition_count

        assert counts() == (3, None)
        # another broker is configured differently, and the controller tells of one partition first
        put_topic(zookeeper, "__transaction_state", 5)
        await tell_of_topic(mode, services, "__transaction_state", 0)
        await trio.testing.wait_all_tasks_blocked(0.1)
        assert counts() == (3, 5)
        # neither follows a topic that is grown: the other brokers do not, either
        put_topic(zookeeper, "__transaction_state", 6)
        await tell_of_topic(mode, services, "__transaction_state", *range(6))
        await trio.testing.wait_all_tasks_blocked(0.1)
        assert counts() == (3, 5)


async def test_a_coordinators_topic_that_is_created_and_deleted_at_once_is_looked_for_again(
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    zookeeper = FakeZooKeeper()
    async with joined(zookeeper, tmp_path, broker_id=1) as (mode, services):
        coordinator = services.transactions
        for is_there, count in ((False, None), (True, 5)):
            if is_there:
                put_topic(zookeeper, "__transaction_state", 5)
            await tell_of_topic(mode, services, "__transaction_state", 0)
            await trio.sleep(2)
            assert coordinator.partition_count == count
