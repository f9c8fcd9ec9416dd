"""TxnMarkerChannels: where markers go, and the codes that come back."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

import trio
import trio.testing

from wirebroker.client.broker_channel import BrokerChannel, ChannelError
from wirebroker.cluster.txn_marker_channels import MarkerRequests, TxnMarkerChannels
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import BrokerImage, ClusterImage, ListenerEndpoint, PartitionImage
from wirebroker.metadata.records import TopicRecord, apply
from wirebroker.model import TRANSACTION_STATE_TOPIC_NAME, BrokerEndpoint, TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.write_txn_markers import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from wirebroker.replication.txn_marker_writer import TxnMarker, TxnMarkerWriter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from wirebroker.client.broker_channel import ChannelSettings
    from wirebroker.protocol.messages.write_txn_markers import WritableTxnMarker

E = ErrorCode
ME, OTHER, DOWN = 1, 2, 3
MARKER = TxnMarker(producer_id=7, producer_epoch=0, coordinator_epoch=4, committed=True)
REQUESTS = MarkerRequests(ME, "PLAINTEXT", 1, 30.0)


class Cluster:
    """The local writer, and the other brokers by address."""

    def __init__(self) -> None:
        partitions = tuple(PartitionImage(leader, 0, (leader,), (leader,)) for leader in (ME, OTHER, DOWN))
        image = apply(ClusterImage(), TopicRecord("t", bytes([1] * 16), partitions))
        brokers = {each: BrokerImage(each, 0, (ListenerEndpoint("PLAINTEXT", "h", each),)) for each in (ME, OTHER)}
        coordinated = TopicRecord(TRANSACTION_STATE_TOPIC_NAME, bytes([2] * 16), partitions[:1])
        self.metadata = MetadataCache(apply(image._replace(brokers=brokers), coordinated))
        self.written: list[TopicPartition] = []
        self.requests: list[WriteTxnMarkersRequest] = []
        self.code = E.NONE
        self.is_reachable = True
        self.held: trio.Event | None = None

    async def write(self, _: TxnMarker, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, ErrorCode]:
        await trio.lowlevel.checkpoint()
        self.written += partitions
        return dict.fromkeys(partitions, E.NONE)

    def connect(self, endpoint: BrokerEndpoint, _: ChannelSettings) -> BrokerChannel:
        assert endpoint == BrokerEndpoint(OTHER, "h", OTHER)
        return cast(BrokerChannel, self)

    async def send(self, request: WriteTxnMarkersRequest, version: int) -> WriteTxnMarkersResponse:
        await trio.lowlevel.checkpoint()
        self.requests.append(request)
        if self.held is not None:
            await self.held.wait()
        if not self.is_reachable:
            raise ChannelError("broker 2 is down")
        assert version == REQUESTS.version
        return WriteTxnMarkersResponse([self._answer(marker) for marker in request.markers])

    def _answer(self, marker: WritableTxnMarker) -> WritableTxnMarkerResult:
        topics = [
            WritableTxnMarkerTopicResult(
                topic.name, [WritableTxnMarkerPartitionResult(index, self.code) for index in topic.partition_indexes]
            )
            for topic in marker.topics
        ]
        return WritableTxnMarkerResult(marker.producer_id, topics)

    def close(self) -> None:
        """Nothing is open."""


@asynccontextmanager
async def running() -> AsyncIterator[tuple[Cluster, TxnMarkerChannels]]:
    cluster = Cluster()
    channels = TxnMarkerChannels(cast(TxnMarkerWriter, cluster), cluster.metadata, REQUESTS, cluster.connect)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(channels.run)
        await trio.testing.wait_all_tasks_blocked()
        yield cluster, channels
        nursery.cancel_scope.cancel()


MINE, THEIRS, LEADERLESS, GONE = (TopicPartition("t", index) for index in range(4))


async def test_each_marker_goes_to_the_leader_of_its_partition() -> None:
    async with running() as (cluster, channels):
        codes = await channels.write(MARKER, [MINE, THEIRS, LEADERLESS, GONE])
        assert codes == {MINE: E.NONE, THEIRS: E.NONE, GONE: E.UNKNOWN_TOPIC_OR_PARTITION}
        assert cluster.written == [MINE]
        (request,) = cluster.requests
        (marker,) = request.markers
        assert (marker.producer_id, marker.producer_epoch, marker.transaction_result) == (7, 0, True)
        assert marker.coordinator_epoch == 4
        assert [(each.name, each.partition_indexes) for each in marker.topics] == [("t", [1])]


async def test_a_leader_that_does_not_know_the_partition_yet_is_asked_again() -> None:
    async with running() as (cluster, channels):
        cluster.code = E.UNKNOWN_TOPIC_OR_PARTITION
        assert await channels.write(MARKER, [THEIRS]) == {THEIRS: E.NOT_LEADER_OR_FOLLOWER}


async def test_no_partition_counts_as_deleted_before_the_controller_has_told_which_there_are() -> None:
    async with running() as (cluster, channels):
        told = cluster.metadata.image
        cluster.metadata.publish(ClusterImage(brokers=told.brokers), ())
        unknown = await channels.write(MARKER, [MINE, THEIRS, GONE])
        assert unknown == dict.fromkeys([MINE, THEIRS, GONE], E.NOT_LEADER_OR_FOLLOWER)
        assert (cluster.written, cluster.requests) == ([], [])
        cluster.metadata.publish(told, ())
        codes = await channels.write(MARKER, [MINE, THEIRS, GONE])
        assert codes == {MINE: E.NONE, THEIRS: E.NONE, GONE: E.UNKNOWN_TOPIC_OR_PARTITION}


async def test_a_broker_that_is_not_reached_answers_for_no_partition() -> None:
    async with running() as (cluster, channels):
        cluster.is_reachable = False
        assert await channels.write(MARKER, [MINE, THEIRS]) == {MINE: E.NONE}
        cluster.is_reachable = True
        assert await channels.write(MARKER, [THEIRS]) == {THEIRS: E.NONE}


async def test_markers_that_wait_for_a_broker_share_a_request_but_not_those_of_one_producer() -> None:
    async with running() as (cluster, channels):
        cluster.held = trio.Event()
        results: list[dict[TopicPartition, ErrorCode]] = []

        async def write(producer_id: int, epoch: int) -> None:
            marker = MARKER._replace(producer_id=producer_id, producer_epoch=epoch)
            results.append(await channels.write(marker, [THEIRS]))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write, 1, 0)
            await trio.testing.wait_all_tasks_blocked()
            for producer_id, epoch in ((2, 0), (3, 0), (2, 1)):
                nursery.start_soon(write, producer_id, epoch)
                await trio.testing.wait_all_tasks_blocked()
            cluster.held.set()
        sent = [[(each.producer_id, each.producer_epoch) for each in request.markers] for request in cluster.requests]
        assert [sorted(each) for each in sent] == [[(1, 0)], [(2, 0), (3, 0)], [(2, 1)]]
        assert results == [{THEIRS: E.NONE}] * 4
