"""A follower: a ReplicaManager on a fake disk, and a ReplicaFetcherManager that is connected to leader harnesses."""

from __future__ import annotations

from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio

from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
from wirebroker.model import BrokerEndpoint, LeaderAndIsr, TopicPartition
from wirebroker.quota.rate import QuotaWindow
from wirebroker.quota.replication_quota import ReplicationQuota
from wirebroker.replication.fetcher.fetcher_partitions import InitialFetchState
from wirebroker.replication.fetcher.follower_config import FollowerConfig
from wirebroker.replication.fetcher.replica_fetcher_manager import Follower, LeaderAndFetchState, ReplicaFetcherManager
from wirebroker.replication.fetcher.single_partition_follower import SinglePartitionFollower
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.replication.leader import NO_TOPICS
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import LARGE, Clock, batch, manager

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    import pytest

    from wirebroker.replication.partition import Partition
    from wirebroker.storage.log import Log
    from wirebroker.tests.replication.fetcher.leader_harness import LeaderHarness

BROKER_ID = 1
T0 = TopicPartition("t", 0)
T1 = TopicPartition("t", 1)


class FollowerHarness:
    """Broker 1, which follows partitions of other brokers."""

    def __init__(self, leaders: Mapping[int, LeaderHarness], protocol: str = "3.9", **settings: object) -> None:
        self.leaders = leaders
        self.disk = FakeDisk()
        self.broker_epoch = 77
        self.replicas = ReplicaManager(manager(self.disk, LARGE, Clock()), NO_TOPICS, lambda: None)
        self.quota = ReplicationQuota(BROKER_ID, QuotaWindow())
        self.fetchers = ReplicaFetcherManager(
            Follower(BROKER_ID, InterBrokerProtocol(protocol), lambda: self.broker_epoch),
            self.replicas,
            FollowerConfig(broker_config(**settings).value),
            self.quota,
            lambda endpoint, settings: self.leaders[endpoint.node_id].connect(endpoint, settings),
        )
        self.topic_ids: dict[str, bytes] = {}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the fetchers."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self.fetchers.run)
            yield
            nursery.cancel_scope.cancel()

    def partition(self, at: TopicPartition = T0) -> Partition:
        """Return a partition, which is hosted if it is not yet."""
        partition = self.replicas.find(*at)
        if partition is None:
            log = self.replicas.log_manager.get_or_create(*at)
            partition = self.replicas.host(at, bytes(16), log, 0)
        return partition

    def log(self, at: TopicPartition = T0) -> Log:
        return self.partition(at).log

    def follow(self, leader_epoch: int, *partitions: TopicPartition, leader: int = 2, port: int = 9092) -> None:
        """Become a follower of partitions, as after a LeaderAndIsr request."""
        endpoint = BrokerEndpoint(leader, "leader", port)
        added: dict[TopicPartition, LeaderAndFetchState] = {}
        for at in partitions or (T0,):
            self.partition(at).make_follower(LeaderAndIsr(leader, leader_epoch, (leader,), 0, (leader, BROKER_ID)))
            topic_id = self.topic_ids.get(at.topic, bytes(16))
            added[at] = LeaderAndFetchState(endpoint, InitialFetchState(topic_id, leader_epoch))
        self.fetchers.add_fetcher_for_partitions(added)

    def state(self, at: TopicPartition = T0) -> Any:
        """Return the fetch state of a partition."""
        fetcher = self.fetchers.fetcher(at)
        return None if fetcher is None else fetcher.state(at)


def contents(log: Log) -> bytes:
    """Return the bytes of the whole log."""
    end = log.log_end_offset
    at, found = log.log_start_offset, b""
    while at < end:
        piece = log.read(at, 1 << 20, end, True, True)
        found += piece.tobytes()
        at = end if not piece.size_bytes else _next_offset(piece.tobytes())
    return found


def _next_offset(data: bytes) -> int:
    from wirebroker.record.legacy import any_batches

    return max(each.last_offset for each in any_batches(memoryview(data))) + 1


async def settle(seconds: float = 0.01) -> None:
    """Let everybody do what there is to do, while so much time passes."""
    await trio.sleep(seconds)


def write(log: Log, *epochs: int) -> None:
    """Append one record of each epoch."""
    for epoch in epochs:
        log.append_as_leader(batch(b"epoch %d" % epoch), epoch, 0)


def count_few_partitions(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return a counter whose "taken" is the number of responses that `SinglePartitionFollower._take_few` takes."""
    counter: Counter[str] = Counter()
    take_few = SinglePartitionFollower._take_few

    def count(follower: SinglePartitionFollower, body: memoryview, at: int) -> bytearray | None:
        following = take_few(follower, body, at)
        counter["taken"] += follower._untaken is None
        return following

    monkeypatch.setattr(SinglePartitionFollower, "_take_few", count)
    return counter
