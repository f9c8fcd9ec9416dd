"""ZkAlterPartitionManager: changes ISRs in ZooKeeper, below inter-broker protocol 2.7.

It implements the AlterPartitionManager of `replication/alter_partition_manager.py`: a leader writes the state znode of
its partition itself, and the controller hears of that later.  Kafka's name for it is ZkIsrManager.
"""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.model import LeaderRecoveryState
from wirebroker.protocol.errors import ErrorCode
from wirebroker.zookeeper.errors import ClientClosed, CorruptZnode, NoNode, ZooKeeperError
from wirebroker.zookeeper.isr_change_notifications import IsrChangeNotifications
from wirebroker.zookeeper.partition_states import LeaderChanged, change_partition_state
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch

if TYPE_CHECKING:
    from wirebroker.model import LeaderAndIsr
    from wirebroker.replication.alter_partition_manager import AlterPartitionItem
    from wirebroker.zookeeper.session import Session

logger = logging.getLogger(__name__)

_RETRY_S: Final = 1.0


class ZkAlterPartitionManager:
    """Submits ISR changes as conditional writes of state znodes; `run` does the work."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._notifications = IsrChangeNotifications(session)
        # partitions of this broker bound the queue: each has one item in flight
        self._send, self._receive = trio.open_memory_channel["AlterPartitionItem"](math.inf)

    def submit(self, item: AlterPartitionItem) -> None:
        """Queue *item*; see AlterPartitionManager."""
        self._send.send_nowait(item)

    async def run(self) -> None:
        """Write what is submitted, and the notifications for the controller, until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._notifications.run)
            async for item in self._receive:
                nursery.start_soon(self._complete, item)

    async def _complete(self, item: AlterPartitionItem) -> None:
        while True:
            try:
                answer = await self._change(item)
            except ClientClosed:
                return  # the broker stops
            except ZooKeeperError as error:
                logger.error(
                    "%s: ZooKeeper refuses the change of the ISR to %s (%s); until it takes it, the ISR stays as it"
                    " was. Trying again every %.0f s",
                    item.topic_partition,
                    list(item.leader_and_isr.isr),
                    error,
                    _RETRY_S,
                )
                await trio.sleep(_RETRY_S)
            else:
                item.completed(answer)
                return

    async def _change(self, item: AlterPartitionItem) -> LeaderAndIsr | ErrorCode:
        """Return the state that is in effect, or why the change is void."""
        proposed, partition = item.leader_and_isr, item.topic_partition
        state = LeaderIsrAndControllerEpoch(
            proposed.leader,
            proposed.leader_epoch,
            proposed.isr,
            proposed.controller_epoch,
            proposed.leader_recovery_state is LeaderRecoveryState.RECOVERING,
        )
        try:
            found, version = await change_partition_state(self._session, partition, state, proposed.partition_epoch)
        except LeaderChanged as changed:
            newer = changed.found.state
            logger.info(
                "%s: the ISR is not changed to %s: in ZooKeeper broker %d leads in epoch %d by now",
                partition,
                list(proposed.isr),
                newer.leader,
                newer.leader_epoch,
            )
            return ErrorCode.FENCED_LEADER_EPOCH
        except NoNode:
            logger.info("%s: the ISR is not changed: the partition does not exist any more", partition)
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        except CorruptZnode as error:
            logger.error("%s; the ISR of %s cannot change until its controller writes it anew", error, partition)
            return ErrorCode.INVALID_REQUEST
        self._notifications.add(partition)
        recovery = LeaderRecoveryState.RECOVERING if found.is_recovering else LeaderRecoveryState.RECOVERED
        return proposed._replace(isr=found.isr, partition_epoch=version, leader_recovery_state=recovery)
