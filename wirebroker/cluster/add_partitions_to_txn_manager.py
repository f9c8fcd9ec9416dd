"""AddPartitionsToTxnManager: asks the coordinator of a transaction whether partitions were added to it (KIP-890).

A leader asks before the first batch of a transaction in a partition, so that no transaction is left open there when its
end was written before.  The coordinator is this broker, or another one that gets AddPartitionsToTxn v4 or later; each
other broker has one connection, over which the questions of many producers go together.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, Protocol

from wirebroker.client.broker_channel import BrokerChannel, ChannelError, UnsupportedVersionError
from wirebroker.cluster.broker_queues import BrokerQueues
from wirebroker.cluster.error_codes import error_code
from wirebroker.inbox import Future, InboxClosed
from wirebroker.metadata.image import NO_LEADER
from wirebroker.model import TRANSACTION_STATE_TOPIC_NAME, TopicPartition, partitions_by_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.client.broker_channel import ChannelSettings
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.model import BrokerEndpoint
    from wirebroker.protocol.messages.add_partitions_to_txn import (
        AddPartitionsToTxnResponse,
        AddPartitionsToTxnResult,
    )

log = logging.getLogger(__name__)

_BATCHED_SINCE: Final = 4
"""The lowest version that brokers send."""

Codes = dict[TopicPartition, ErrorCode]


class LocalTransactions(Protocol):
    """The transaction coordinator of this broker."""

    def partition_for(self, key: str) -> int:
        """Return the partition of `__transaction_state` that owns *key*."""
        ...

    async def verify_partitions(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: list[TopicPartition],
        *,
        add: bool,
    ) -> Codes:
        """Return the code of each partition; see `TransactionCoordinator`."""
        ...


class _Question(Future[Codes]):
    """The partitions of one producer to verify or to add, and their codes."""

    __slots__ = ("transaction",)

    def __init__(self, transaction: AddPartitionsToTxnTransaction) -> None:
        super().__init__()
        self.transaction = transaction

    def answer_all(self, code: ErrorCode) -> None:
        """Give each partition *code*."""
        topics = self.transaction.topics
        self.set_result({TopicPartition(each.name, index): code for each in topics for index in each.partitions})


class AddPartitionsToTxnManager:
    """Verifies partitions of transactions wherever they are coordinated; await `run` in a task.

    Args:
        broker_id: This broker.
        local: The coordinator of the transactions of this broker.
        metadata: The leaders of `__transaction_state`, and the addresses of brokers.
        listener: The listener of other brokers that requests go to.
        settings: Those of the connections.
        connect: Returns the connection to a broker.
    """

    def __init__(
        self,
        broker_id: int,
        local: LocalTransactions,
        metadata: MetadataCache,
        listener: str,
        settings: ChannelSettings,
        connect: Callable[[BrokerEndpoint, ChannelSettings], BrokerChannel] = BrokerChannel,
    ) -> None:
        self._broker_id = broker_id
        self._local = local
        self._metadata = metadata
        self._queues: BrokerQueues[_Question] = BrokerQueues(metadata, listener, settings, self._send, connect)

    async def run(self) -> None:
        """Send requests until cancelled."""
        await self._queues.run()

    async def verify_partitions(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: list[TopicPartition],
        *,
        add: bool,
    ) -> Codes:
        """Return for each of *partitions* whether the producer may write to it; see `TransactionCoordinator`.

        COORDINATOR_NOT_AVAILABLE without a coordinator; NETWORK_EXCEPTION if it was not reached.  A coordinator of a
        release before 3.6 cannot be asked, and everything counts as verified.
        """
        coordinator = self._coordinator(transactional_id)
        if coordinator == self._broker_id:
            return await self._local.verify_partitions(
                transactional_id, producer_id, producer_epoch, partitions, add=add
            )
        topics = [AddPartitionsToTxnTopic(name, indexes) for name, indexes in partitions_by_topic(partitions).items()]
        question = _Question(
            AddPartitionsToTxnTransaction(transactional_id, producer_id, producer_epoch, not add, topics)
        )
        if coordinator is None:
            question.answer_all(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        elif not self._queues.put_nowait(coordinator, question):
            question.answer_all(ErrorCode.NETWORK_EXCEPTION)
        try:
            return await question.wait()
        except InboxClosed:  # the coordinator has another address now
            return dict.fromkeys(partitions, ErrorCode.NETWORK_EXCEPTION)

    def _coordinator(self, transactional_id: str) -> int | None:
        """Return the broker that leads the partition of *transactional_id*, None if nobody does."""
        try:
            index = self._local.partition_for(transactional_id)
        except ApiError:
            return None
        partition = self._metadata.image.partition(TRANSACTION_STATE_TOPIC_NAME, index)
        return None if partition is None or partition.leader == NO_LEADER else partition.leader

    async def _send(self, channel: BrokerChannel, group: list[_Question]) -> None:
        """Send *group* in as few requests as possible: a request has each transactional id once."""
        while group:
            some = {each.transaction.transactional_id: each for each in reversed(group)}
            group = [each for each in group if some[each.transaction.transactional_id] is not each]
            request = AddPartitionsToTxnRequest([each.transaction for each in some.values()])
            try:
                response: AddPartitionsToTxnResponse = await channel.send_negotiated(request, lowest=_BATCHED_SINCE)
            except UnsupportedVersionError:
                for each in some.values():
                    each.set_result({})
                continue
            except ChannelError as fault:
                log.warning("%d transactions not verified: %s", len(some), fault)
                for each in some.values():
                    each.answer_all(ErrorCode.NETWORK_EXCEPTION)
                continue
            answers = {each.transactional_id: each for each in response.results_by_transaction}
            for transactional_id, each in some.items():
                answer = answers.get(transactional_id)
                if response.error_code or answer is None:
                    each.answer_all(ErrorCode.INVALID_TXN_STATE)
                else:
                    each.set_result(_codes(answer))


def _codes(answer: AddPartitionsToTxnResult) -> Codes:
    return {
        TopicPartition(topic.name, result.partition_index): error_code(result.partition_error_code)
        for topic in answer.topic_results
        for result in topic.results_by_partition
    }
