"""DefaultAlterPartitionManager: changes ISRs by AlterPartition, from inter-broker protocol 2.7 on (KIP-497).

It implements the AlterPartitionManager of `replication/alter_partition_manager.py`.  As in Kafka one request is in
flight, and what is submitted meanwhile goes with the next one.  The version follows ApiVersions: v2 names topics by id,
if all have one; v3 is not sent, as leaders of a ZooKeeper cluster know no broker epochs of their followers (KIP-903).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.client.broker_channel import BrokerChannel, ChannelError, ChannelSettings
from wirebroker.cluster.error_codes import error_code
from wirebroker.loop_budget import LoopBudget
from wirebroker.model import LeaderRecoveryState
from wirebroker.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    RequestPartitionData,
    RequestTopicData,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wirebroker.model import BrokerEndpoint, LeaderAndIsr, TopicPartition
    from wirebroker.protocol.errors import ErrorCode
    from wirebroker.protocol.messages.alter_partition import AlterPartitionResponse, ResponsePartitionData
    from wirebroker.replication.alter_partition_manager import AlterPartitionItem

    _Key = tuple[str | bytes, int]

logger = logging.getLogger(__name__)

_BY_NAME: Final = 1
"""The newest version that names topics."""
_BY_ID: Final = 2
_NO_ID: Final = bytes(16)
RECOVERED, RECOVERING = LeaderRecoveryState.RECOVERED, LeaderRecoveryState.RECOVERING
_RETRY_S: Final = 0.1
_PARTITIONS_PER_REQUEST: Final = 2000


class DefaultAlterPartitionManager:
    """Submits ISR changes to the controller; `run` does the work.

    Args:
        broker_id: This broker.
        broker_epoch: Returns the czxid of its registration.
        find_controller: Returns the address of the controller for other brokers, None if there is none now.
        request_timeout_s: ``controller.socket.timeout.ms``.
        connect: Returns the connection to a broker.
    """

    def __init__(
        self,
        broker_id: int,
        broker_epoch: Callable[[], int],
        find_controller: Callable[[], BrokerEndpoint | None],
        request_timeout_s: float,
        connect: Callable[[BrokerEndpoint, ChannelSettings], BrokerChannel] = BrokerChannel,
    ) -> None:
        self._broker_id, self._broker_epoch = broker_id, broker_epoch
        self._find_controller, self._connect = find_controller, connect
        self._settings = ChannelSettings(str(broker_id), request_timeout_s)
        self._submitted: dict[TopicPartition, AlterPartitionItem] = {}
        """Not sent yet, or to be sent again.  A newer item of a partition is that of another leader epoch, and replaces
        the older one, whose outcome nobody waits for."""
        self._has_items = trio.Event()
        self._is_refused = False
        """Whether a part of the newest request has failed: leaders submit again at once, so there is a pause first."""
        self._channel: BrokerChannel | None = None

    def submit(self, item: AlterPartitionItem) -> None:
        """Queue *item*; see AlterPartitionManager."""
        self._submitted.pop(item.topic_partition, None)
        self._submitted[item.topic_partition] = item
        self._has_items.set()

    async def run(self) -> None:
        """Send what is submitted, until cancelled."""
        try:
            while True:
                await self._has_items.wait()
                batch = list(self._submitted.values())[:_PARTITIONS_PER_REQUEST]
                for item in batch:
                    del self._submitted[item.topic_partition]
                if not self._submitted:
                    self._has_items = trio.Event()
                self._is_refused = False
                for item in await self._send(batch):
                    self._is_refused = True
                    if item.topic_partition not in self._submitted:
                        self.submit(item)
                if self._is_refused:
                    await trio.sleep(_RETRY_S)
        finally:
            self._close()

    async def _send(self, batch: list[AlterPartitionItem]) -> list[AlterPartitionItem]:
        """Send one request, complete the items that are answered, and return those to be sent again."""
        controller = self._find_controller()
        if controller is None:
            return batch
        if self._channel is None or self._channel.endpoint != controller:
            self._close()
            self._channel = self._connect(controller, self._settings)
        has_ids = all(item.topic_id != _NO_ID for item in batch)
        request = AlterPartitionRequest(self._broker_id, self._broker_epoch(), _topics(batch))
        try:
            response: AlterPartitionResponse = await self._channel.send_negotiated(
                request, _BY_ID if has_ids else _BY_NAME
            )
        except ChannelError as error:
            logger.warning("AlterPartition of %d partitions: %s; trying again", len(batch), error)
            return batch
        if response.error_code:
            # NOT_CONTROLLER until this broker hears of the new one, STALE_BROKER_EPOCH until the controller does
            code = error_code(response.error_code).name
            logger.warning("AlterPartition of %d partitions: %s answers %s; trying again", len(batch), controller, code)
            return batch
        answers = {
            (topic.topic_name or topic.topic_id, answer.partition_index): answer
            for topic in response.topics
            for answer in topic.partitions
        }
        budget, left = LoopBudget(), []
        for item in batch:
            if not self._complete(item, answers):
                left.append(item)
            await budget.yield_if_due()
        return left

    def _complete(self, item: AlterPartitionItem, answers: Mapping[_Key, ResponsePartitionData]) -> bool:
        """Complete *item* if *answers* have it, and return whether they have."""
        name, number = item.topic_partition
        answer = answers.get((name, number)) or answers.get((item.topic_id, number))
        if answer is None:
            return False
        self._is_refused |= bool(answer.error_code)
        item.completed(_outcome(item.leader_and_isr, answer))
        return True

    def _close(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None


def _topics(batch: list[AlterPartitionItem]) -> list[RequestTopicData]:
    topics: dict[str, RequestTopicData] = {}
    for item in batch:
        name, number = item.topic_partition
        proposed = item.leader_and_isr
        topic = topics.get(name)
        if topic is None:
            topic = topics[name] = RequestTopicData(name, item.topic_id, [])
        topic.partitions.append(
            RequestPartitionData(
                partition_index=number,
                leader_epoch=proposed.leader_epoch,
                new_isr=list(proposed.isr),
                leader_recovery_state=int(proposed.leader_recovery_state),
                partition_epoch=proposed.partition_epoch,
            )
        )
    return list(topics.values())


def _outcome(proposed: LeaderAndIsr, answer: ResponsePartitionData) -> LeaderAndIsr | ErrorCode:
    if answer.error_code:
        return error_code(answer.error_code)
    return proposed._replace(
        leader=answer.leader_id,
        leader_epoch=answer.leader_epoch,
        isr=tuple(answer.isr),
        leader_recovery_state=RECOVERING if answer.leader_recovery_state == RECOVERING else RECOVERED,
        partition_epoch=answer.partition_epoch,
    )
