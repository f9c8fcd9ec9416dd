"""AddPartitionsToTxnManager: which coordinator is asked, and the codes that come back."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

import trio
import trio.testing

from wirebroker.client.broker_channel import BrokerChannel, ChannelError, ChannelSettings, UnsupportedVersionError
from wirebroker.cluster.add_partitions_to_txn_manager import AddPartitionsToTxnManager
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import BrokerImage, ClusterImage, ListenerEndpoint, PartitionImage
from wirebroker.metadata.records import TopicRecord, apply
from wirebroker.model import TRANSACTION_STATE_TOPIC_NAME, BrokerEndpoint, TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

E = ErrorCode
ME, OTHER, DOWN = 1, 2, 3
IDS = {"mine": 0, "theirs": 1, "down": 2, "leaderless": 3, "also-theirs": 1}
"""Transactional id -> the partition of the internal topic that owns it."""
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


class Cluster:
    """The local coordinator, and the other brokers by address."""

    def __init__(self) -> None:
        partitions = tuple(PartitionImage(leader, 0, (ME,), (ME,)) for leader in (ME, OTHER, DOWN, -1))
        image = apply(ClusterImage(), TopicRecord(TRANSACTION_STATE_TOPIC_NAME, bytes([1] * 16), partitions))
        brokers = {each: BrokerImage(each, 0, (ListenerEndpoint("PLAINTEXT", "h", each),)) for each in (ME, OTHER)}
        self.metadata = MetadataCache(image._replace(brokers=brokers))
        self.asked_here: list[str] = []
        self.requests: list[AddPartitionsToTxnRequest] = []
        self.codes: dict[TopicPartition, ErrorCode] = {T0: E.NONE, T1: E.TRANSACTION_ABORTABLE}
        self.top_level_code = E.NONE
        self.fault: ChannelError | None = None
        self.held: trio.Event | None = None

    def partition_for(self, key: str) -> int:
        if key not in IDS:
            raise ApiError(E.NOT_COORDINATOR)
        return IDS[key]

    async def verify_partitions(self, transactional_id: str, *_: object, add: bool) -> dict[TopicPartition, ErrorCode]:
        await trio.lowlevel.checkpoint()
        self.asked_here.append(transactional_id)
        assert not add
        return self.codes

    def connect(self, endpoint: BrokerEndpoint, _: ChannelSettings) -> BrokerChannel:
        assert endpoint == BrokerEndpoint(OTHER, "h", OTHER)
        return cast(BrokerChannel, self)

    async def send_negotiated(self, request: AddPartitionsToTxnRequest, *, lowest: int) -> AddPartitionsToTxnResponse:
        assert lowest == 4
        await trio.lowlevel.checkpoint()
        self.requests.append(request)
        if self.held is not None:
            await self.held.wait()
        if self.fault is not None:
            raise self.fault
        return AddPartitionsToTxnResponse(
            error_code=self.top_level_code,
            results_by_transaction=[
                AddPartitionsToTxnResult(
                    transaction.transactional_id,
                    [
                        AddPartitionsToTxnTopicResult(
                            topic.name,
                            [
                                AddPartitionsToTxnPartitionResult(index, self.codes[TopicPartition(topic.name, index)])
                                for index in topic.partitions
                            ],
                        )
                        for topic in transaction.topics
                    ],
                )
                for transaction in request.transactions
            ],
        )

    def close(self) -> None:
        """Nothing is open."""


@asynccontextmanager
async def running() -> AsyncIterator[tuple[Cluster, AddPartitionsToTxnManager]]:
    cluster = Cluster()
    manager = AddPartitionsToTxnManager(
        ME, cluster, cluster.metadata, "PLAINTEXT", ChannelSettings("1", 30.0), cluster.connect
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(manager.run)
        await trio.testing.wait_all_tasks_blocked()
        yield cluster, manager
        nursery.cancel_scope.cancel()


async def verify(manager: AddPartitionsToTxnManager, transactional_id: str) -> dict[TopicPartition, ErrorCode]:
    return await manager.verify_partitions(transactional_id, 7, 2, [T0, T1], add=False)


async def test_the_coordinator_of_the_transaction_is_asked() -> None:
    async with running() as (cluster, manager):
        assert await verify(manager, "mine") == cluster.codes
        assert (cluster.asked_here, cluster.requests) == (["mine"], [])
        assert await verify(manager, "theirs") == cluster.codes
        assert cluster.asked_here == ["mine"]
        ((transaction,),) = (each.transactions for each in cluster.requests)
        assert (transaction.transactional_id, transaction.producer_id, transaction.producer_epoch) == ("theirs", 7, 2)
        assert transaction.verify_only
        assert [(each.name, each.partitions) for each in transaction.topics] == [("t", [0, 1])]


async def test_partitions_are_added_for_clients_that_leave_that_to_the_broker() -> None:
    async with running() as (cluster, manager):
        await manager.verify_partitions("theirs", 7, 2, [T0], add=True)
        assert not cluster.requests[0].transactions[0].verify_only


async def test_without_a_coordinator_producers_try_again() -> None:
    async with running() as (cluster, manager):
        nobody = {T0: E.COORDINATOR_NOT_AVAILABLE, T1: E.COORDINATOR_NOT_AVAILABLE}
        assert await verify(manager, "leaderless") == nobody
        assert await verify(manager, "no topic yet") == nobody
        assert await verify(manager, "down") == {T0: E.NETWORK_EXCEPTION, T1: E.NETWORK_EXCEPTION}
        cluster.fault = ChannelError("broker 2 is down")
        assert await verify(manager, "theirs") == {T0: E.NETWORK_EXCEPTION, T1: E.NETWORK_EXCEPTION}


async def test_a_coordinator_of_an_old_release_is_not_asked() -> None:
    async with running() as (cluster, manager):
        cluster.fault = UnsupportedVersionError("broker 2 does not serve version 4")
        assert await verify(manager, "theirs") == {}


async def test_a_request_that_is_refused_verifies_nothing() -> None:
    async with running() as (cluster, manager):
        cluster.top_level_code = E.CLUSTER_AUTHORIZATION_FAILED
        assert await verify(manager, "theirs") == {T0: E.INVALID_TXN_STATE, T1: E.INVALID_TXN_STATE}


async def test_transactions_that_wait_go_together_and_each_once() -> None:
    async with running() as (cluster, manager), trio.open_nursery() as nursery:
        cluster.held = trio.Event()
        for transactional_id in ("theirs", "theirs", "also-theirs", "theirs"):
            nursery.start_soon(verify, manager, transactional_id)
            await trio.testing.wait_all_tasks_blocked()
        cluster.held.set()
        await trio.testing.wait_all_tasks_blocked()
        sent = [[each.transactional_id for each in request.transactions] for request in cluster.requests]
        assert sent[0] == ["theirs"]
        assert sorted(sent[1]) == ["also-theirs", "theirs"]
        assert sent[2] == ["theirs"]


async def test_a_code_of_a_later_release_is_an_unknown_error() -> None:
    async with running() as (cluster, manager):
        cluster.codes[T1] = cast(ErrorCode, 30_000)
        assert await verify(manager, "theirs") == {T0: E.NONE, T1: E.UNKNOWN_SERVER_ERROR}
        cluster.codes[T1] = E.NONE
        assert await verify(manager, "theirs") == cluster.codes, "the task of the connection has gone on"
