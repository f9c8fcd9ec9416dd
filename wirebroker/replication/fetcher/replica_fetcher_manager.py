"""ReplicaFetcherManager: which partitions are fetched from which broker, by which fetcher.

Each leader has up to ``num.replica.fetchers`` fetchers, which share its partitions by a hash of topic and number, so a
partition that comes back is fetched by the same one.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.client.broker_channel import BrokerChannel, ChannelSettings
from wirebroker.metadata.partitioning import java_hash
from wirebroker.replication.fetcher.fetcher_partitions import InitialFetchState
from wirebroker.replication.fetcher.follower_config import FollowerSettings
from wirebroker.replication.fetcher.leader_endpoint import FetchLimits, LeaderEndpoint
from wirebroker.replication.fetcher.replica_fetcher import ReplicaFetcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
    from wirebroker.model import BrokerEndpoint, TopicPartition
    from wirebroker.quota.replication_quota import ReplicationQuota
    from wirebroker.replication.fetcher.fetcher_stats import FetcherStats
    from wirebroker.replication.fetcher.followed_partition import FollowerReplicas
    from wirebroker.replication.fetcher.follower_config import FollowerConfig
    from wirebroker.replication.fetcher.leader_endpoint import Channel
    from wirebroker.replication.fetcher.watched_exchange import SocketWatcher

logger = logging.getLogger(__name__)

_NO_BROKER_EPOCH: Final = -1


class Follower(NamedTuple):
    """This broker, as it names itself to leaders."""

    broker_id: int
    protocol: InterBrokerProtocol
    broker_epoch: Callable[[], int] = lambda: _NO_BROKER_EPOCH
    """Returns the czxid of the broker's registration; -1 without one."""


class LeaderAndFetchState(NamedTuple):
    """The leader of a partition, and how to begin to fetch the partition from it."""

    leader: BrokerEndpoint
    initial: InitialFetchState


class FetcherFigures(NamedTuple):
    """The figures of one fetcher."""

    name: str
    """As Kafka names its thread."""
    leader: BrokerEndpoint
    stats: FetcherStats
    lags: list[tuple[TopicPartition, int]]
    """The records that its partitions lag behind the leader, of those that it has answered for."""


class _FetcherKey(NamedTuple):
    broker_id: int
    fetcher_id: int


class ReplicaFetcherManager:
    """The fetchers of this broker.  All methods but `run` are synchronous, and take effect at once."""

    def __init__(
        self,
        follower: Follower,
        replicas: FollowerReplicas,
        config: FollowerConfig,
        quota: ReplicationQuota,
        connect: Callable[[BrokerEndpoint, ChannelSettings], Channel] = BrokerChannel,
    ) -> None:
        """Follow no partition yet; `run` is to be started before the first.

        Args:
            follower: This broker.
            replicas: Where partitions are found.
            config: The settings at the start; see `resize`.
            quota: The limit of this broker as a follower.
            connect: Returns the connection to a leader.
        """
        self._follower = follower
        self._replicas = replicas
        self._config = config
        self._quota = quota
        self._connect = connect
        self._fetchers_per_leader = config.num_replica_fetchers
        self._fetchers: dict[_FetcherKey, ReplicaFetcher] = {}
        self._leaders: dict[_FetcherKey, BrokerEndpoint] = {}
        self._fetcher_of: dict[TopicPartition, _FetcherKey] = {}
        self._nursery: trio.Nursery | None = None
        self.failed: set[TopicPartition] = set()
        """Partitions that are not fetched after an error, until the next LeaderAndIsr names them."""
        self.sockets: SocketWatcher | None = None
        """The sockets that the processor polls, as soon as there is one."""

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Run the fetchers until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started()
            try:
                await trio.sleep_forever()
            finally:
                self._nursery = None

    def __len__(self) -> int:
        return len(self._fetchers)

    def figures(self) -> list[FetcherFigures]:
        """Return the figures of all fetchers."""
        return [
            FetcherFigures(
                f"ReplicaFetcherThread-{key.fetcher_id}-{key.broker_id}",
                self._leaders[key],
                fetcher.stats,
                list(fetcher.lags()),
            )
            for key, fetcher in self._fetchers.items()
        ]

    @property
    def dead(self) -> int:
        """The number of fetchers that have ended although they have partitions."""
        return sum(fetcher.has_ended and len(fetcher) > 0 for fetcher in self._fetchers.values())

    def fetcher(self, topic_partition: TopicPartition) -> ReplicaFetcher | None:
        """Return the fetcher of a partition, None if it is not followed or has failed."""
        key = self._fetcher_of.get(topic_partition)
        fetcher = None if key is None else self._fetchers.get(key)
        return None if fetcher is None or fetcher.state(topic_partition) is None else fetcher

    def add_fetcher_for_partitions(self, partitions: Mapping[TopicPartition, LeaderAndFetchState]) -> None:
        """Follow partitions, which this broker has become a follower of.

        A partition that is followed in the same leader epoch already goes on as it is.
        """
        by_fetcher: dict[_FetcherKey, dict[TopicPartition, LeaderAndFetchState]] = {}
        for each, fetched in partitions.items():
            key = _FetcherKey(fetched.leader.node_id, self._fetcher_id(each))
            former = self._fetcher_of.get(each)
            if former is not None and former != key:
                self._fetchers[former].remove_partitions([each])
            self._fetcher_of[each] = key
            self.failed.discard(each)
            by_fetcher.setdefault(key, {})[each] = fetched
        for key, added in by_fetcher.items():
            leader = next(iter(added.values())).leader
            fetcher = self._fetcher(key, leader)
            fetcher.add_partitions({each: fetched.initial for each, fetched in added.items()})

    def remove_fetcher_for_partitions(self, topic_partitions: Iterable[TopicPartition]) -> None:
        """Follow partitions no more; those that are not followed are ignored."""
        for each in topic_partitions:
            self.failed.discard(each)
            key = self._fetcher_of.pop(each, None)
            if key is not None:
                self._fetchers[key].remove_partitions([each])

    def remove_fetcher_for_unserved_partitions(self) -> None:
        """Follow no partition whose log is not served any more, after a log directory has failed."""
        self.remove_fetcher_for_partitions(
            [each for each in self._fetcher_of if self._replicas.find(*each) is None],
        )

    def update_topic_ids(self, topic_ids: Mapping[TopicPartition, bytes]) -> None:
        """Set the ids of topics that had none (the cluster was upgraded to a protocol with topic ids)."""
        for each, topic_id in topic_ids.items():
            key = self._fetcher_of.get(each)
            if key is not None:
                self._fetchers[key].update_topic_id(each, topic_id)

    def shutdown_idle_fetchers(self) -> None:
        """Stop the fetchers without partitions, and close their connections."""
        for key, fetcher in list(self._fetchers.items()):
            if not len(fetcher):
                fetcher.stop()
                del self._fetchers[key], self._leaders[key]
        self._fetcher_of = {each: key for each, key in self._fetcher_of.items() if key in self._fetchers}

    def resize(self, fetchers_per_leader: int) -> None:
        """Share the partitions of each leader among another number of fetchers."""
        if fetchers_per_leader == self._fetchers_per_leader:
            return
        logger.info("fetchers per leader: %d in place of %d", fetchers_per_leader, self._fetchers_per_leader)
        self._fetchers_per_leader = fetchers_per_leader
        moved: dict[TopicPartition, LeaderAndFetchState] = {}
        for key, fetcher in self._fetchers.items():
            for each, state in fetcher.remove_all_partitions().items():
                initial = InitialFetchState(state.topic_id, state.leader_epoch)
                moved[each] = LeaderAndFetchState(self._leaders[key], initial)
        self._fetcher_of.clear()
        self.add_fetcher_for_partitions(moved)
        self.shutdown_idle_fetchers()

    def _fetcher_id(self, topic_partition: TopicPartition) -> int:
        topic, partition = topic_partition
        return (31 * java_hash(topic) + partition) % self._fetchers_per_leader

    def _fetcher(self, key: _FetcherKey, leader: BrokerEndpoint) -> ReplicaFetcher:
        """Return the fetcher for *leader*; one for a former address of that broker hands its partitions over."""
        known = self._fetchers.get(key)
        if known is not None and self._leaders[key] == leader:
            return known
        fetcher = self._start(key, leader)
        if known is not None:
            states = known.remove_all_partitions()
            fetcher.add_partitions(
                {each: InitialFetchState(state.topic_id, state.leader_epoch) for each, state in states.items()}
            )
            known.stop()
        self._fetchers[key] = fetcher
        self._leaders[key] = leader
        return fetcher

    def _start(self, key: _FetcherKey, leader: BrokerEndpoint) -> ReplicaFetcher:
        assert self._nursery is not None, "partitions are added while `run` runs"
        config, follower = self._config, self._follower
        settings = ChannelSettings(
            f"broker-{follower.broker_id}-fetcher-{key.fetcher_id}",
            config.replica_socket_timeout_ms / 1000,
            config.replica_socket_receive_buffer_bytes,
        )
        limits = FetchLimits(
            config.replica_fetch_wait_max_ms, config.replica_fetch_min_bytes, config.replica_fetch_response_max_bytes
        )
        endpoint = LeaderEndpoint(
            self._connect(leader, settings), follower.protocol, follower.broker_id, follower.broker_epoch, limits
        )
        fetcher = ReplicaFetcher(
            endpoint,
            self._replicas,
            self.failed,
            self._quota,
            FollowerSettings(config.replica_fetch_backoff_ms / 1000, config.replica_fetch_max_bytes),
            lambda: self.sockets,
        )
        self._nursery.start_soon(fetcher.run)
        return fetcher
