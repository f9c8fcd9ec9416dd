"""PartitionStateWrites: leaders and ISRs that the controller has chosen, written for many partitions at a time.

Each multi has the check of the controller's epoch and the states of up to 50 partitions.  A partition whose znode is
not as expected fails alone: it is taken out, and the others are written again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.kafka_controller.pipelined import chunks, pipelined
from wirebroker.zookeeper.errors import BadVersion, ConnectionLoss, NodeExists, NoNode, ZooKeeperError
from wirebroker.zookeeper.operations import Create, SetData
from wirebroker.zookeeper.znodes.topics import partition_state_path, topic_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wirebroker.kafka_controller.epoch_checked_writes import EpochCheckedWrites
    from wirebroker.model import TopicPartition
    from wirebroker.zookeeper.operations import Operation
    from wirebroker.zookeeper.session import Session
    from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch


class UpdateLeaderAndIsrResult(NamedTuple):
    """The outcome of writes of leader and ISR, for each partition."""

    finished: dict[TopicPartition, LeaderIsrAndControllerEpoch]
    """The states that were written, with the new partition epochs."""
    partitions_to_retry: list[TopicPartition]
    """The znode has another version: its leader has changed the ISR; read it, and choose again."""
    failed: dict[TopicPartition, ZooKeeperError]


class PartitionStateWrites:
    """Conditional writes of state znodes; every method raises ControllerMoved."""

    def __init__(self, session: Session, writes: EpochCheckedWrites) -> None:
        self._session, self._writes = session, writes

    async def update(
        self, states: Mapping[TopicPartition, LeaderIsrAndControllerEpoch], epoch_zk_version: int
    ) -> UpdateLeaderAndIsrResult:
        """Replace the states of partitions whose znodes still have the partition epochs in *states*."""
        result = UpdateLeaderAndIsrResult({}, [], {})

        async def write(chunk: Sequence[tuple[TopicPartition, LeaderIsrAndControllerEpoch]]) -> None:
            await self._update_chunk(dict(chunk), epoch_zk_version, result)

        await pipelined(list(chunks(list(states.items()))), write)
        return result

    async def _update_chunk(
        self,
        pending: dict[TopicPartition, LeaderIsrAndControllerEpoch],
        epoch_zk_version: int,
        result: UpdateLeaderAndIsrResult,
    ) -> None:
        is_repeated = False
        while pending:
            partitions = list(pending)
            operations = [
                SetData(partition_state_path(partition), state.encode(), state.partition_epoch)
                for partition, state in pending.items()
            ]
            try:
                await self._writes.multi(operations, epoch_zk_version)
            except ConnectionLoss:
                is_repeated = True
                continue
            except ZooKeeperError as error:
                if error.operation is None:
                    result.failed.update(dict.fromkeys(partitions, error))
                    return
                failed = partitions[error.operation]
                if not is_repeated or not await self._was_written(failed, pending[failed]):
                    del pending[failed]
                    if isinstance(error, BadVersion):
                        result.partitions_to_retry.append(failed)
                    else:
                        result.failed[failed] = error
                    continue
            for partition, state in pending.items():
                # a multi changes each znode once
                result.finished[partition] = state._replace(partition_epoch=state.partition_epoch + 1)
            return

    async def create(
        self, states: Mapping[TopicPartition, LeaderIsrAndControllerEpoch], epoch_zk_version: int
    ) -> UpdateLeaderAndIsrResult:
        """Create the state znodes of new partitions, with their parents; one that exists is `failed`: NodeExists."""
        states = {partition: state._replace(partition_epoch=-1) for partition, state in states.items()}
        result = UpdateLeaderAndIsrResult({}, [], {})

        async def create_parent(topic: str) -> None:
            try:
                await self._writes.create(f"{topic_path(topic)}/partitions", None, epoch_zk_version)
            except NoNode:
                pass  # the topic is gone, and so each of its partitions fails

        async def write(chunk: Sequence[tuple[TopicPartition, LeaderIsrAndControllerEpoch]]) -> None:
            await self._create_chunk(dict(chunk), epoch_zk_version, result)

        await pipelined(list(dict.fromkeys(each.topic for each in states)), create_parent)
        await pipelined(list(chunks(list(states.items()), _NEW_PARTITIONS_PER_MULTI)), write)
        return result

    async def _create_chunk(
        self,
        pending: dict[TopicPartition, LeaderIsrAndControllerEpoch],
        epoch_zk_version: int,
        result: UpdateLeaderAndIsrResult,
    ) -> None:
        is_repeated = False
        have_parent: set[TopicPartition] = set()
        while pending:
            operations: list[Operation] = []
            owners: list[TopicPartition] = []
            for partition, state in pending.items():
                path = partition_state_path(partition)
                if partition not in have_parent:
                    operations.append(Create(path.rpartition("/")[0]))
                    owners.append(partition)
                operations.append(Create(path, state.encode()))
                owners.append(partition)
            try:
                await self._writes.multi(operations, epoch_zk_version)
            except ConnectionLoss:
                is_repeated = True
                continue
            except ZooKeeperError as error:
                if error.operation is None:
                    result.failed.update(dict.fromkeys(pending, error))
                    return
                failed = owners[error.operation]
                if not is_repeated or not await self._was_written(failed, pending[failed]):
                    if isinstance(error, NodeExists) and failed not in have_parent:
                        # an earlier controller has ended between the two: the state may be missing
                        have_parent.add(failed)
                    else:
                        del pending[failed]
                        result.failed[failed] = error
                    continue
            result.finished.update({each: state._replace(partition_epoch=0) for each, state in pending.items()})
            return

    async def _was_written(self, partition: TopicPartition, written: LeaderIsrAndControllerEpoch) -> bool:
        """Whether the znode is as a request for *written*, whose answer was lost, has left it.

        A multi takes effect as a whole, so what holds for one partition holds for all beside it.
        """
        path = partition_state_path(partition)
        try:
            znode = await self._session.retry(lambda: self._session.client.get(path))
        except NoNode:
            return False
        return znode.data == written.encode() and znode.stat.version == written.partition_epoch + 1


_NEW_PARTITIONS_PER_MULTI: Final = 25
"""Each has two znodes."""
