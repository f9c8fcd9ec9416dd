"""LocalReplicaStates: roles, logs, fetchers and deletions that the controller's requests lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
import trio

from wirebroker.cluster.config_publisher import ConfigPublisher
from wirebroker.cluster.config_store import ConfigStore
from wirebroker.cluster.leader_and_isr import HostedReplica, ReplicaChange
from wirebroker.cluster.replica_states import LocalReplicas, LocalReplicaStates
from wirebroker.cluster.stop_replica import StopPartition
from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.dynamic_config_publisher import follow_broker_configs
from wirebroker.metadata.image import (
    BROKER_RESOURCE,
    NO_TOPIC_ID,
    TOPIC_RESOURCE,
    BrokerImage,
    ClusterImage,
    ListenerEndpoint,
)
from wirebroker.metadata.records import ConfigsRecord, apply
from wirebroker.model import BrokerEndpoint, TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrPartitionState
from wirebroker.replication.fetcher.replica_fetcher_manager import ReplicaFetcherManager
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, batch, manager

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wirebroker.replication.fetcher.replica_fetcher_manager import LeaderAndFetchState
    from wirebroker.storage.log import Log

E = ErrorCode
ME, OTHER, DEAD = 1, 2, 3
TOPIC_ID = bytes([1] * 16)
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


class FakeFetchers:
    """Remembers which partitions are fetched, and from where."""

    def __init__(self) -> None:
        self.fetched: dict[TopicPartition, LeaderAndFetchState] = {}
        self.topic_ids: dict[TopicPartition, bytes] = {}
        self.idle_ends = 0

    def add_fetcher_for_partitions(self, partitions: Mapping[TopicPartition, LeaderAndFetchState]) -> None:
        self.fetched |= partitions

    def remove_fetcher_for_partitions(self, topic_partitions: Iterable[TopicPartition]) -> None:
        for each in topic_partitions:
            self.fetched.pop(each, None)

    def update_topic_ids(self, topic_ids: Mapping[TopicPartition, bytes]) -> None:
        self.topic_ids |= topic_ids

    def shutdown_idle_fetchers(self) -> None:
        self.idle_ends += 1


class FakeConfigs:
    """Remembers for which topics settings were asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def read_topics(self, names: Iterable[str]) -> None:
        await trio.lowlevel.checkpoint()
        self.asked += names


class Harness:
    """The replicas of broker 1 on a disk in memory; broker 2 is alive."""

    def __init__(
        self, high_watermarks: Mapping[TopicPartition, int] | None = None, disk: FakeDisk | None = None
    ) -> None:
        self.disk = FakeDisk() if disk is None else disk
        self.logs = manager(self.disk, SMALL)
        brokers = {each: BrokerImage(each, 0, (ListenerEndpoint("PLAINTEXT", "h", each),)) for each in (ME, OTHER)}
        self.metadata = MetadataCache(ClusterImage(brokers=brokers))
        self.replicas = ReplicaManager(self.logs, self.metadata, lambda: None)
        self.fetchers, self.configs = FakeFetchers(), FakeConfigs()
        self.config = DynamicConfig(broker_config(broker_id=ME))
        self.leader_changes = 0
        local = LocalReplicas(
            self.replicas,
            cast(ReplicaFetcherManager, self.fetchers),
            cast(ConfigPublisher, self.configs),
            self.config,
            self.leaders_changed,
        )
        self.states = LocalReplicaStates(local, high_watermarks or {})

    def set_config(self, topic: str, settings: Mapping[str, str]) -> None:
        """Publish the settings of a topic."""
        record = ConfigsRecord(TOPIC_RESOURCE, topic, settings)
        self.metadata.publish(apply(self.metadata.image, record), [record])

    async def leaders_changed(self) -> None:
        await trio.lowlevel.checkpoint()
        self.leader_changes += 1

    def log(self, at: TopicPartition) -> Log:
        found = self.logs.get(*at)
        assert found is not None
        return found


def change(at: TopicPartition, leader: int, epoch: int, *, topic_id: bytes = TOPIC_ID, **more: Any) -> ReplicaChange:
    state = LeaderAndIsrPartitionState(
        partition_index=at.partition,
        leader=leader,
        leader_epoch=epoch,
        isr=[ME, OTHER],
        replicas=[ME, OTHER],
        is_new=True,
    )
    for name, value in more.items():
        setattr(state, name, value)
    return ReplicaChange(at, topic_id, state)


def test_a_partition_that_was_never_named_is_not_hosted() -> None:
    assert Harness().states.hosted(T0) is None


async def test_leaders_and_followers_get_logs_roles_and_fetchers() -> None:
    harness = Harness()
    codes = await harness.states.make_leaders([change(T0, ME, 4)])
    codes |= await harness.states.make_followers([change(T1, OTHER, 5)])
    assert codes == {T0: E.NONE, T1: E.NONE}
    leader, follower = (harness.replicas.find(*at) for at in (T0, T1))
    assert leader is not None
    assert follower is not None
    assert (leader.leader is not None, leader.follower, leader.leader_epoch) == (True, None, 4)
    assert (follower.leader, follower.follower, follower.leader_epoch) == (None, (OTHER, 5), 5)
    assert list(harness.fetchers.fetched) == [T1]
    assert harness.fetchers.fetched[T1].leader == BrokerEndpoint(OTHER, "h", OTHER)
    assert harness.fetchers.fetched[T1].initial == (TOPIC_ID, 5)
    assert harness.configs.asked == ["t", "t"]
    assert harness.states.hosted(T1) == HostedReplica(5, TOPIC_ID)
    await harness.states.changed_leaders()
    assert (harness.fetchers.idle_ends, harness.leader_changes) == (1, 1)


async def test_a_follower_that_becomes_leader_is_not_fetched_any_more() -> None:
    harness = Harness()
    await harness.states.make_followers([change(T0, OTHER, 1)])
    partition = harness.replicas.find(*T0)
    await harness.states.make_leaders([change(T0, ME, 2)])
    assert harness.replicas.find(*T0) is partition
    assert (harness.fetchers.fetched, harness.configs.asked) == ({}, ["t"])


async def test_settings_are_read_of_new_partitions_and_of_topics_without_known_ones() -> None:
    harness = Harness()
    harness.set_config("t", {"retention.ms": "5"})
    await harness.states.make_followers([change(T0, OTHER, 1, is_new=False)])
    assert harness.configs.asked == []
    assert harness.log(T0).config.retention_ms == 5
    await harness.states.make_leaders([change(T1, ME, 1)])  # perhaps of another topic of that name
    await harness.states.make_leaders([change(TopicPartition("u", 0), ME, 1, is_new=False)])
    assert harness.configs.asked == ["t", "u"]


async def test_settings_that_change_while_a_log_is_made_hold_from_its_first_append(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = Harness()
    get_or_create = harness.logs.get_or_create

    def make_slowly(*arguments: Any, **options: Any) -> Log:
        log = get_or_create(*arguments, **options)
        trio.from_thread.run_sync(harness.set_config, "t", {"retention.ms": "5"})
        return log

    monkeypatch.setattr(harness.logs, "get_or_create", make_slowly)
    await harness.states.make_leaders([change(T0, ME, 1)])
    assert harness.log(T0).config.retention_ms == 5


async def test_settings_that_change_before_the_metadata_have_the_topic_are_in_effect() -> None:
    """UpdateMetadata comes after LeaderAndIsr; clients may have altered the new topic at another broker before."""
    harness = Harness()
    store = cast(ConfigStore, None)  # nothing is read
    publisher = ConfigPublisher(store, harness.metadata, harness.config, harness.replicas)
    follow_broker_configs(harness.metadata, harness.config)
    await harness.states.make_leaders([change(T0, ME, 1)])
    await publisher.publish([ConfigsRecord(TOPIC_RESOURCE, "t", {"retention.ms": "5"})])
    assert harness.log(T0).config.retention_ms == 5
    await publisher.publish([ConfigsRecord(BROKER_RESOURCE, "", {"log.segment.bytes": "100000"})])
    assert harness.log(T0).config.segment_bytes == 100_000
    assert harness.replicas.topics() == ("t",)
    await harness.states.stop([StopPartition(T0, 2, delete=True)])
    assert harness.replicas.topics() == ()


async def test_a_broker_that_shuts_down_fetches_no_new_followers() -> None:
    """The controller makes it a follower of the leaders it elects, and takes it out of their ISRs."""
    harness = Harness()
    await harness.states.make_leaders([change(T0, ME, 1)])
    harness.states.is_shutting_down = True
    assert await harness.states.make_followers([change(T0, OTHER, 2)]) == {T0: E.NONE}
    partition = harness.replicas.find(*T0)
    assert partition is not None
    assert partition.follower == (OTHER, 2)
    assert not harness.fetchers.fetched


async def test_a_replica_begins_at_the_high_watermark_of_the_checkpoint() -> None:
    harness = Harness({T0: 1})
    log = harness.logs.get_or_create(*T0, TOPIC_ID, SMALL, is_new=True)
    for _ in range(2):
        log.append_as_leader(batch(b"x", timestamp=1), 0, 1)
    await harness.states.make_followers([change(T0, OTHER, 1)])
    partition = harness.replicas.find(*T0)
    assert partition is not None
    assert (partition.high_watermark, partition.log.log_end_offset) == (1, 2)


async def test_a_dead_leader_is_not_followed_and_its_epoch_counts_later() -> None:
    harness = Harness()
    assert await harness.states.make_followers([change(T0, DEAD, 3)]) == {T0: E.NONE}
    assert harness.states.hosted(T0) == HostedReplica(-1, TOPIC_ID)
    assert harness.fetchers.fetched == {}
    harness.log(T0)  # it is made all the same, so that the checkpoint of high watermarks has a line for it
    assert await harness.states.make_followers([change(T0, -1, 4)]) == {T0: E.NONE}
    assert harness.states.hosted(T0) == HostedReplica(4, TOPIC_ID)
    assert harness.fetchers.fetched == {}


async def test_topics_get_their_ids_when_the_cluster_has_them() -> None:
    harness = Harness()
    await harness.states.make_followers([change(T0, OTHER, 1, topic_id=NO_TOPIC_ID)])
    assert harness.logs.topic_id(*T0) is None
    assert await harness.states.assign_topic_ids([change(T0, OTHER, 1)]) == {T0: E.NONE}
    assert harness.states.hosted(T0) == HostedReplica(1, TOPIC_ID)
    assert (harness.logs.topic_id(*T0), harness.fetchers.topic_ids) == (TOPIC_ID, {T0: TOPIC_ID})


async def test_a_topic_may_get_its_id_with_a_new_leader() -> None:
    harness = Harness()
    await harness.states.make_followers([change(T0, OTHER, 1, topic_id=NO_TOPIC_ID)])
    await harness.states.make_leaders([change(T0, ME, 2)])
    assert harness.states.hosted(T0) == HostedReplica(2, TOPIC_ID)
    assert harness.logs.topic_id(*T0) == TOPIC_ID


async def test_a_log_that_cannot_be_made_is_offline() -> None:
    harness = Harness()
    harness.logs.log_dirs.mark_offline(DIR, OSError("broken"))
    assert await harness.states.make_leaders([change(T0, ME, 1)]) == {T0: E.KAFKA_STORAGE_ERROR}
    assert harness.states.hosted(T0) == HostedReplica(is_offline=True)


def with_damaged_log() -> tuple[Harness, TopicPartition]:
    """A broker that has lost its power: the log t-0 is refused for zeros before its last batch."""
    disk = FakeDisk()
    log = manager(disk, SMALL).get_or_create(*T0, TOPIC_ID)
    for _ in range(3):
        log.append_as_leader(batch(b"x" * 50, timestamp=1), 0, 1)
    left = disk.restarted()
    content = left.content(log.segments[0].log_file.path)
    size = len(content) // 3
    left.overwrite(log.segments[0].log_file.path, content[:size] + bytes(size) + content[-size:])
    harness = Harness({T0: 3}, left)
    assert list(harness.logs.refused()) == [T0]
    return harness, T0


async def test_a_follower_outside_of_the_isr_truncates_a_damaged_log(caplog: pytest.LogCaptureFixture) -> None:
    harness, at = with_damaged_log()
    assert await harness.states.make_followers([change(at, OTHER, 1, isr=[OTHER])]) == {at: E.NONE}
    partition = harness.replicas.find(*at)
    assert partition is not None
    assert (partition.log.log_end_offset, partition.high_watermark) == (1, 1)
    assert list(harness.fetchers.fetched) == [at]
    warnings = [each for each in caplog.messages if "truncated to offset 1, to be fetched from broker 2" in each]
    assert len(warnings) == 1
    assert harness.logs.refused() == {}


@pytest.mark.parametrize(
    ("leader", "isr"),
    [(OTHER, [OTHER, ME]), (ME, [ME]), (-1, [ME]), (-1, [OTHER]), (DEAD, [DEAD])],
    ids=["in the ISR", "leader", "last of the ISR", "without a leader", "dead leader"],
)
async def test_a_damaged_log_on_which_records_may_depend_stays_offline(leader: int, isr: list[int]) -> None:
    harness, at = with_damaged_log()
    make = harness.states.make_leaders if leader == ME else harness.states.make_followers
    assert await make([change(at, leader, 1, isr=isr, is_new=False)]) == {at: E.KAFKA_STORAGE_ERROR}
    assert harness.states.hosted(at) == HostedReplica(is_offline=True, is_refused=True)
    assert list(harness.logs.refused()) == [at]


async def test_a_damaged_log_is_deleted_with_its_topic() -> None:
    harness, at = with_damaged_log()
    failed = await harness.states.make_followers([change(at, -1, 1, isr=[ME], is_new=False)])
    assert failed == {at: E.KAFKA_STORAGE_ERROR}
    assert await harness.states.stop([StopPartition(at, -2, delete=True)]) == {at: E.NONE}
    assert harness.states.hosted(at) is None
    assert harness.logs.refused() == {}
    assert await harness.states.make_leaders([change(at, ME, 1, is_new=True)]) == {at: E.NONE}
    assert harness.log(at).log_end_offset == 0


async def test_a_damaged_log_in_a_directory_that_has_failed_is_not_deleted() -> None:
    harness, at = with_damaged_log()
    await harness.states.make_followers([change(at, -1, 1, isr=[ME], is_new=False)])
    harness.logs.log_dirs.mark_offline(DIR, OSError("broken"))
    assert harness.states.hosted(at) == HostedReplica(is_offline=True)


async def test_stopped_partitions_keep_their_logs_and_deleted_ones_do_not() -> None:
    harness = Harness()
    await harness.states.make_followers([change(T0, OTHER, 1), change(T1, OTHER, 1)])
    stops = [StopPartition(T0, 1, delete=False), StopPartition(T1, -2, delete=True)]
    assert await harness.states.stop(stops) == {T0: E.NONE, T1: E.NONE}
    assert harness.fetchers.fetched == {}
    assert (harness.states.hosted(T0), harness.states.hosted(T1)) == (HostedReplica(1, TOPIC_ID), None)
    harness.log(T0)
    assert harness.logs.get(*T1) is None
    assert harness.leader_changes == 1


async def test_the_log_of_a_topic_that_was_deleted_while_this_broker_was_down_is_deleted() -> None:
    harness = Harness()
    harness.logs.get_or_create(*T0, TOPIC_ID, SMALL, is_new=True)
    assert harness.states.hosted(T0) is None
    assert await harness.states.stop([StopPartition(T0, -2, delete=True)]) == {T0: E.NONE}
    assert harness.logs.get(*T0) is None
