"""ClusterReads: brokers, topics, states and requests as the controller reads them from ZooKeeper.

Reads are pipelined, and wait for as long as there is no connection.  A znode that is not what Kafka writes is logged
and left out, so that it does not keep the rest of the cluster without a controller.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from wirebroker.kafka_controller.context import LiveBroker
from wirebroker.kafka_controller.pipelined import pipelined
from wirebroker.zookeeper.errors import CorruptZnode, NoNode
from wirebroker.zookeeper.znodes.admin import (
    DELETE_TOPICS_PATH,
    PREFERRED_ELECTION_PATH,
    REASSIGN_PARTITIONS_PATH,
    decode_preferred_election,
    decode_reassignment,
)
from wirebroker.zookeeper.znodes.brokers import BROKER_IDS_PATH, BrokerInfo, broker_path
from wirebroker.zookeeper.znodes.cluster import CONTROLLER_PATH, FEATURE_PATH, Controller, FinalizedFeatures
from wirebroker.zookeeper.znodes.configs import TOPICS, ConfigEntity, decode_config
from wirebroker.zookeeper.znodes.notifications import (
    ISR_CHANGES_PATH,
    LOG_DIR_EVENTS_PATH,
    decode_isr_change,
    decode_log_dir_failure,
)
from wirebroker.zookeeper.znodes.topics import (
    TOPICS_PATH,
    LeaderIsrAndControllerEpoch,
    TopicAssignment,
    partition_state_path,
    topic_path,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from wirebroker.model import TopicPartition
    from wirebroker.zookeeper.operations import Znode
    from wirebroker.zookeeper.session import Session

T = TypeVar("T")

log = logging.getLogger(__name__)


class ClusterReads:
    """Reads of brokers, topics, partition states and requests to the controller."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def get_finalized_features(self) -> FinalizedFeatures | None:
        """Return what /feature says, None if it does not exist.  Raises CorruptZnode."""
        znode = await self._get(FEATURE_PATH)
        return None if znode is None else FinalizedFeatures.decode(znode.data)

    # -- brokers

    async def get_controller_id(self) -> int | None:
        """Return the id of the active controller, None without one."""
        znode = await self._get(CONTROLLER_PATH)
        return None if znode is None else _decoded(lambda: Controller.decode(znode.data).broker_id)

    async def get_all_brokers_and_epochs_in_cluster(self) -> list[LiveBroker]:
        """Return all brokers that are registered, each with its epoch."""
        names = [name for name in await self._children(BROKER_IDS_PATH) if name.isdecimal()]
        found = await pipelined([int(name) for name in names], self.get_broker)
        return [each for each in found if each is not None]

    async def get_broker(self, broker_id: int) -> LiveBroker | None:
        """Return the registration of a broker, None if it is not registered."""
        znode = await self._get(broker_path(broker_id))
        if znode is None:
            return None
        info = _decoded(lambda: BrokerInfo.decode(broker_id, znode.data))
        return None if info is None else LiveBroker(info, znode.stat.czxid)

    # -- topics

    async def get_all_topics_in_cluster(self) -> set[str]:
        """Return the names of all topics, those that are being deleted among them."""
        return set(await self._children(TOPICS_PATH))

    async def get_replica_assignment_and_topic_ids_for_topics(
        self, topics: Iterable[str]
    ) -> dict[str, TopicAssignment]:
        """Return topic -> its assignment and id; topics that do not exist are left out."""

        async def read(topic: str) -> TopicAssignment | None:
            znode = await self._get(topic_path(topic))
            return None if znode is None else _decoded(lambda: TopicAssignment.decode(topic, znode.data))

        found = await pipelined(sorted(topics), read)
        return {each.topic: each for each in found if each is not None}

    async def get_topic_partition_states(
        self, partitions: Sequence[TopicPartition]
    ) -> dict[TopicPartition, LeaderIsrAndControllerEpoch]:
        """Return partition -> its leader, ISR and partition epoch; partitions without a state are left out."""

        async def read(partition: TopicPartition) -> LeaderIsrAndControllerEpoch | None:
            znode = await self._get(partition_state_path(partition))
            if znode is None:
                return None
            return _decoded(lambda: LeaderIsrAndControllerEpoch.decode(partition, znode.data, znode.stat.version))

        found = await pipelined(partitions, read)
        return {partition: state for partition, state in zip(partitions, found, strict=True) if state is not None}

    async def get_topic_configs(self, topics: Iterable[str]) -> dict[str, dict[str, str]]:
        """Return topic -> the settings that override those of the brokers."""

        async def read(topic: str) -> dict[str, str]:
            path = ConfigEntity(TOPICS, topic).path
            znode = await self._get(path)
            return {} if znode is None else _decoded(lambda: decode_config(path, znode.data)) or {}

        ordered = sorted(topics)
        return dict(zip(ordered, await pipelined(ordered, read), strict=True))

    # -- requests to the controller

    async def get_topic_deletions(self) -> set[str]:
        """Return the topics whose deletion was asked for."""
        return set(await self._children(DELETE_TOPICS_PATH))

    async def get_partition_reassignment(self) -> dict[TopicPartition, tuple[int, ...]]:
        """Return partition -> the replicas that /admin/reassign_partitions asks for; empty without that znode."""
        znode = await self._get(REASSIGN_PARTITIONS_PATH)
        return {} if znode is None else _decoded(lambda: decode_reassignment(znode.data)) or {}

    async def get_preferred_replica_election(self) -> set[TopicPartition]:
        """Return the partitions that /admin/preferred_replica_election names; empty without that znode."""
        znode = await self._get(PREFERRED_ELECTION_PATH)
        return set() if znode is None else set(_decoded(lambda: decode_preferred_election(znode.data)) or ())

    async def get_all_isr_change_notifications(self) -> list[str]:
        """Return the names of the notifications of changed ISRs, oldest first."""
        return sorted(await self._children(ISR_CHANGES_PATH))

    async def get_partitions_from_isr_change_notifications(self, names: Sequence[str]) -> set[TopicPartition]:
        """Return the partitions that these notifications name."""

        async def read(name: str) -> list[TopicPartition]:
            path = f"{ISR_CHANGES_PATH}/{name}"
            znode = await self._get(path)
            return [] if znode is None else _decoded(lambda: decode_isr_change(path, znode.data)) or []

        return {partition for each in await pipelined(names, read) for partition in each}

    async def get_all_log_dir_event_notifications(self) -> list[str]:
        """Return the names of the notifications of failed log directories, oldest first."""
        return sorted(await self._children(LOG_DIR_EVENTS_PATH))

    async def get_broker_ids_from_log_dir_events(self, names: Sequence[str]) -> set[int]:
        """Return the brokers that these notifications name."""

        async def read(name: str) -> int | None:
            path = f"{LOG_DIR_EVENTS_PATH}/{name}"
            znode = await self._get(path)
            return None if znode is None else _decoded(lambda: decode_log_dir_failure(path, znode.data))

        return {each for each in await pipelined(names, read) if each is not None}

    async def _get(self, path: str) -> Znode | None:
        try:
            return await self._session.retry(lambda: self._session.client.get(path))
        except NoNode:
            return None

    async def _children(self, path: str) -> list[str]:
        try:
            return await self._session.retry(lambda: self._session.client.children(path))
        except NoNode:
            return []


def _decoded(decode: Callable[[], T]) -> T | None:
    """Return what *decode* returns, None if the znode is corrupt."""
    try:
        return decode()
    except CorruptZnode as error:
        log.error("controller: %s; it is left out until it is replaced and the next controller reads it", error)
        return None
