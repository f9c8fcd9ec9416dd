"""TxnMarkerChannels: writes the markers of decided transactions, here or through WriteTxnMarkers to other brokers.

Each other broker has one connection, over which the markers of many transactions go together.  `TxnMarkerSender` asks
again for every partition whose code is not final, and each time the leader is looked up anew (Kafka:
TransactionMarkerChannelManager).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

import trio

from wirebroker.client.broker_channel import BrokerChannel, ChannelError, ChannelSettings
from wirebroker.cluster.broker_queues import BrokerQueues
from wirebroker.cluster.error_codes import error_code
from wirebroker.inbox import Future, InboxClosed
from wirebroker.model import TRANSACTION_STATE_TOPIC_NAME, TopicPartition, partitions_by_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.model import BrokerEndpoint
    from wirebroker.protocol.messages.write_txn_markers import WritableTxnMarkerResult, WriteTxnMarkersResponse
    from wirebroker.replication.txn_marker_writer import TxnMarker, TxnMarkerWriter

log = logging.getLogger(__name__)

Codes = dict[TopicPartition, ErrorCode]


class _RemoteMarker(Future[Codes]):
    """A marker for partitions of one broker, and their codes; no codes if the broker was not reached."""

    __slots__ = ("marker", "partitions")

    def __init__(self, marker: TxnMarker, partitions: list[TopicPartition]) -> None:
        super().__init__()
        self.marker = marker
        self.partitions = partitions


class MarkerRequests(NamedTuple):
    """The sender, destination listener, version and timeout of all WriteTxnMarkers requests of this broker."""

    broker_id: int
    listener: str
    """The listener of other brokers that requests go to."""
    version: int
    """By inter.broker.protocol.version."""
    timeout_s: float


class TxnMarkerChannels:
    """Writes markers wherever the partitions are led; await `run` in a task.

    Args:
        local: Writes to partitions that this broker leads.
        metadata: The leader of each partition.
        requests: Sender, listener, version and timeout of requests.
        connect: Returns the connection to a broker.
    """

    def __init__(
        self,
        local: TxnMarkerWriter,
        metadata: MetadataCache,
        requests: MarkerRequests,
        connect: Callable[[BrokerEndpoint, ChannelSettings], BrokerChannel] = BrokerChannel,
    ) -> None:
        self._local = local
        self._metadata = metadata
        self._requests = requests
        settings = ChannelSettings(str(requests.broker_id), requests.timeout_s)
        self._queues: BrokerQueues[_RemoteMarker] = BrokerQueues(
            metadata, requests.listener, settings, self._send, connect
        )

    async def run(self) -> None:
        """Send markers to other brokers until cancelled."""
        await self._queues.run()

    async def write(self, marker: TxnMarker, partitions: Iterable[TopicPartition]) -> Codes:
        """Write *marker* to each partition, and return the code of each that has answered.

        A partition that does not exist has UNKNOWN_TOPIC_OR_PARTITION; one that its leader does not know of yet, or
        that has no leader, NOT_LEADER_OR_FOLLOWER.

        A new controller sends LeaderAndIsr before it tells which partitions there are.  A broker that has started
        shortly before, and loads transactions upon it, must not take their partitions for deleted: the markers would
        never be written, and the end of the next transaction of that producer would decide its records.
        """
        codes: Codes = {}
        knows_partitions = self._metadata.image.topic(TRANSACTION_STATE_TOPIC_NAME) is not None
        missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if knows_partitions else ErrorCode.NOT_LEADER_OR_FOLLOWER
        here: list[TopicPartition] = []
        elsewhere: dict[int, list[TopicPartition]] = {}
        for each in partitions:
            image = self._metadata.image.partition(*each)
            if image is None:
                codes[each] = missing
            elif image.leader == self._requests.broker_id:
                here.append(each)
            else:
                elsewhere.setdefault(image.leader, []).append(each)
        if here:
            codes |= await self._local.write(marker, here)
        waiting = [await self._queue(broker_id, _RemoteMarker(marker, some)) for broker_id, some in elsewhere.items()]
        for queued in waiting:
            try:
                codes |= await queued.wait()
            except InboxClosed:  # the broker has another address now
                continue
        return {at: self._retriable(at, code) for at, code in codes.items()}

    def _retriable(self, at: TopicPartition, code: ErrorCode) -> ErrorCode:
        """Return *code*, but not that a partition does not exist while the controller says that it does."""
        if code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION and self._metadata.image.partition(*at) is not None:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return code

    async def _queue(self, broker_id: int, marker: _RemoteMarker) -> _RemoteMarker:
        """Queue *marker* for a broker; without one, or with too many markers waiting for it, its result is empty."""
        if not self._queues.put_nowait(broker_id, marker):
            marker.set_result({})
        await trio.lowlevel.checkpoint()
        return marker

    async def _send(self, channel: BrokerChannel, group: list[_RemoteMarker]) -> None:
        """Send *group* in as few requests as possible: a request has one marker of a producer at most."""
        while group:
            some = {each.marker.producer_id: each for each in reversed(group)}
            group = [each for each in group if some[each.marker.producer_id] is not each]
            request = WriteTxnMarkersRequest([_writable(each) for each in some.values()])
            try:
                response: WriteTxnMarkersResponse = await channel.send(request, self._requests.version)
                codes = {each.producer_id: _codes(each) for each in response.markers}
            except ChannelError as fault:
                log.warning("markers of %d transactions not sent, trying again: %s", len(some), fault)
                codes = {}
            for producer_id, each in some.items():
                each.set_result(codes.get(producer_id, {}))


def _codes(answer: WritableTxnMarkerResult) -> Codes:
    return {
        TopicPartition(topic.name, result.partition_index): error_code(result.error_code)
        for topic in answer.topics
        for result in topic.partitions
    }


def _writable(remote: _RemoteMarker) -> WritableTxnMarker:
    marker = remote.marker
    topics = [WritableTxnMarkerTopic(name, indexes) for name, indexes in partitions_by_topic(remote.partitions).items()]
    return WritableTxnMarker(
        marker.producer_id, marker.producer_epoch, marker.committed, topics, marker.coordinator_epoch
    )
