"""ControllerZkClient: the znodes that the controller reads and writes, by the names of Kafka's KafkaZkClient.

Reads are in `cluster_reads.py`.  Writes check the controller's epoch (`epoch_checked_writes.py`) and raise
ControllerMoved; they wait for as long as there is no connection, and are made again after a lost answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.clock import now_ms
from wirebroker.kafka_controller.cluster_reads import ClusterReads
from wirebroker.kafka_controller.epoch_checked_writes import EpochCheckedWrites
from wirebroker.kafka_controller.errors import ControllerMoved
from wirebroker.kafka_controller.partition_state_writes import PartitionStateWrites
from wirebroker.kafka_controller.pipelined import chunks, pipelined
from wirebroker.zookeeper.cluster_znodes import create_with_parents
from wirebroker.zookeeper.errors import BadVersion, ConnectionLoss, NodeExists, NoNode, NotEmpty, SessionExpired
from wirebroker.zookeeper.operations import Create, CreateMode, SetData
from wirebroker.zookeeper.znodes.admin import (
    PREFERRED_ELECTION_PATH,
    REASSIGN_PARTITIONS_PATH,
    delete_topic_path,
    encode_reassignment,
)
from wirebroker.zookeeper.znodes.cluster import (
    CONTROLLER_EPOCH_PATH,
    CONTROLLER_PATH,
    FEATURE_PATH,
    Controller,
    decode_controller_epoch,
    encode_controller_epoch,
)
from wirebroker.zookeeper.znodes.configs import TOPICS, ConfigEntity
from wirebroker.zookeeper.znodes.notifications import ISR_CHANGES_PATH, LOG_DIR_EVENTS_PATH
from wirebroker.zookeeper.znodes.topics import topic_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wirebroker.kafka_controller.partition_state_writes import UpdateLeaderAndIsrResult
    from wirebroker.model import TopicPartition
    from wirebroker.zookeeper.operations import Operation
    from wirebroker.zookeeper.session import Session
    from wirebroker.zookeeper.znodes.cluster import FinalizedFeatures
    from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, TopicAssignment

_INITIAL_EPOCH: Final = 0
"""Of a cluster that never had a controller; the first one has epoch 1."""


class ControllerRegistration(NamedTuple):
    """The result of an election that this broker has won."""

    epoch: int
    epoch_zk_version: int
    """The version of /controller_epoch, which every write of this controller checks."""


class ControllerZkClient(ClusterReads):
    """Elects this broker, and writes what the controller decides.

    Args:
        session: the broker's session.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._writes = EpochCheckedWrites(session)
        self._states = PartitionStateWrites(session, self._writes)

    # -- election

    async def register_controller_and_increment_epoch(self, controller_id: int) -> ControllerRegistration:
        """Make this broker the controller: create /controller and raise /controller_epoch, in one transaction.

        Controllers before Kafka 2.1 take two steps, so /controller may be there with the epoch still to be raised.

        Raises:
            ControllerMoved: another broker is the controller, or was elected meanwhile.
        """
        client = self._session.client
        while True:
            before = await self._controller_epoch()
            epoch = before.epoch + 1
            controller = Controller(controller_id, now_ms()).encode()
            operations: list[Operation] = [
                Create(CONTROLLER_PATH, controller, CreateMode.EPHEMERAL),
                SetData(CONTROLLER_EPOCH_PATH, encode_controller_epoch(epoch), before.epoch_zk_version),
            ]
            await self._session.wait_connected()
            try:
                await client.multi(operations)
            except SessionExpired:
                continue
            except ConnectionLoss:
                found = await self._outcome(epoch)
                if found is None:
                    continue
            except (NodeExists, BadVersion, NoNode) as error:
                raise ControllerMoved(f"another broker was elected as the controller: {error}") from error
            else:
                found = ControllerRegistration(epoch, before.epoch_zk_version + 1)
            self._writes.elected_session_id = self._session.session_id
            return found

    async def _controller_epoch(self) -> ControllerRegistration:
        """Return epoch and version of /controller_epoch, which is created if there never was a controller."""
        while True:
            znode = await self._get(CONTROLLER_EPOCH_PATH)
            if znode is not None:
                return ControllerRegistration(decode_controller_epoch(znode.data), znode.stat.version)
            await create_with_parents(self._session, CONTROLLER_EPOCH_PATH, encode_controller_epoch(_INITIAL_EPOCH))

    async def _outcome(self, epoch: int) -> ControllerRegistration | None:
        """Return the registration whose answer was lost, None if it took no effect and nobody was elected.

        Raises:
            ControllerMoved: another broker was elected.
        """
        znode = await self._get(CONTROLLER_PATH)
        if znode is None:
            return None
        found = await self._controller_epoch()
        if znode.stat.ephemeral_owner == self._session.session_id and found.epoch == epoch:
            return found
        raise ControllerMoved("another broker was elected as the controller while the connection was lost")

    async def delete_controller(self, epoch_zk_version: int) -> None:
        """Delete /controller, so that the brokers elect another controller."""
        await self._writes.delete_all([CONTROLLER_PATH], epoch_zk_version)

    # -- partitions

    async def update_leader_and_isr(
        self, states: Mapping[TopicPartition, LeaderIsrAndControllerEpoch], epoch_zk_version: int
    ) -> UpdateLeaderAndIsrResult:
        """Write leaders and ISRs of partitions whose znodes still have the partition epochs in *states*."""
        return await self._states.update(states, epoch_zk_version)

    async def create_topic_partition_states(
        self, states: Mapping[TopicPartition, LeaderIsrAndControllerEpoch], epoch_zk_version: int
    ) -> UpdateLeaderAndIsrResult:
        """Create the state znodes of new partitions, with their parents; NodeExists is a failure of one partition."""
        return await self._states.create(states, epoch_zk_version)

    # -- topics

    async def set_topic_assignment(self, assignment: TopicAssignment, epoch_zk_version: int) -> None:
        """Replace the assignment of a topic that exists.  Raises NoNode."""
        await self._writes.set(topic_path(assignment.topic), assignment.encode(), epoch_zk_version)

    async def create_topic_assignment(self, assignment: TopicAssignment, epoch_zk_version: int) -> bool:
        """Create a topic's znode; False if the topic exists."""
        return await self._writes.create(topic_path(assignment.topic), assignment.encode(), epoch_zk_version)

    async def delete_topic_znode(self, topic: str, epoch_zk_version: int) -> None:
        """Delete /brokers/topics/T with everything below it; no error if it does not exist."""
        await self._delete_recursively(topic_path(topic), epoch_zk_version)

    async def delete_topic_configs(self, topics: Iterable[str], epoch_zk_version: int) -> None:
        """Delete the settings of topics."""
        await self._delete([ConfigEntity(TOPICS, topic).path for topic in topics], epoch_zk_version)

    # -- requests to the controller

    async def create_delete_topic_path(self, topic: str, epoch_zk_version: int) -> bool:
        """Ask for the deletion of a topic; False if that was asked for before."""
        return await self._writes.create(delete_topic_path(topic), None, epoch_zk_version)

    async def delete_topic_deletions(self, topics: Iterable[str], epoch_zk_version: int) -> None:
        """Delete the requests to delete these topics."""
        await self._delete([delete_topic_path(topic) for topic in topics], epoch_zk_version)

    async def set_or_create_partition_reassignment(
        self, replicas: Mapping[TopicPartition, tuple[int, ...]], epoch_zk_version: int
    ) -> None:
        """Have /admin/reassign_partitions ask for these *replicas*, and for nothing else."""
        await self._set_or_create(REASSIGN_PARTITIONS_PATH, encode_reassignment(replicas), epoch_zk_version)

    async def set_or_create_finalized_features(self, features: FinalizedFeatures, epoch_zk_version: int) -> None:
        """Have /feature say *features*."""
        await self._set_or_create(FEATURE_PATH, features.encode(), epoch_zk_version)

    async def _set_or_create(self, path: str, data: bytes, epoch_zk_version: int) -> None:
        while True:
            try:
                await self._writes.set(path, data, epoch_zk_version)
                return
            except NoNode:
                if await self._writes.create(path, data, epoch_zk_version):
                    return

    async def replace_partition_reassignment(
        self,
        before: Mapping[TopicPartition, tuple[int, ...]],
        wanted: Mapping[TopicPartition, tuple[int, ...]],
        epoch_zk_version: int,
    ) -> None:
        """Have /admin/reassign_partitions, which asks for *before*, ask for *wanted*; delete it if that is nothing."""
        if wanted == before:
            return
        if wanted:
            await self.set_or_create_partition_reassignment(wanted, epoch_zk_version)
        else:
            await self._delete([REASSIGN_PARTITIONS_PATH], epoch_zk_version)

    async def delete_preferred_replica_election(self, epoch_zk_version: int) -> None:
        """Delete /admin/preferred_replica_election: the elections are done."""
        await self._delete([PREFERRED_ELECTION_PATH], epoch_zk_version)

    async def delete_isr_change_notifications(self, names: Iterable[str], epoch_zk_version: int) -> None:
        """Delete notifications of changed ISRs."""
        await self._delete([f"{ISR_CHANGES_PATH}/{name}" for name in names], epoch_zk_version)

    async def delete_log_dir_event_notifications(self, names: Iterable[str], epoch_zk_version: int) -> None:
        """Delete notifications of failed log directories."""
        await self._delete([f"{LOG_DIR_EVENTS_PATH}/{name}" for name in names], epoch_zk_version)

    async def _delete(self, paths: Sequence[str], epoch_zk_version: int) -> None:
        """Delete znodes without children, as far as they exist."""
        await pipelined(list(chunks(paths)), lambda chunk: self._writes.delete_all(chunk, epoch_zk_version))

    async def _delete_recursively(self, path: str, epoch_zk_version: int) -> None:
        while True:
            levels = [[path]]
            while levels[-1]:
                below = await pipelined(levels[-1], self._child_paths)
                levels.append([child for children in below for child in children])
            try:
                for level in reversed(levels):
                    await self._delete(level, epoch_zk_version)
                return
            except NotEmpty:
                continue  # a client has created a child meanwhile

    async def _child_paths(self, path: str) -> list[str]:
        return [f"{path}/{name}" for name in await self._children(path)]
