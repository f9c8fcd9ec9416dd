"""Requests of brokers as events of a whole controller: AlterPartition and AllocateProducerIds, and at a standby."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
from wirebroker.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    BrokerState,
    RequestPartitionData,
    RequestTopicData,
)
from wirebroker.tests.kafka_controller.controller_harness import SimulatedCluster, topic_id

if TYPE_CHECKING:
    import pytest

VERSION = 3


def alter(broker_epoch: int, *isr: int) -> AlterPartitionRequest:
    states = [BrokerState(each) for each in isr]
    partition = RequestPartitionData(0, 0, [], states, 0, 0)
    return AlterPartitionRequest(1, broker_epoch, [RequestTopicData("", topic_id("t"), [partition])])


async def test_requests_are_served_by_the_active_controller_only(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = SimulatedCluster(monkeypatch, 1, 2, 3)
    async with cluster.controller(1) as active:
        await cluster.settle()
        async with cluster.controller(2) as standby:
            cluster.create_topic("t", {0: (1, 2, 3)})
            await cluster.settle()
            epoch = active.context.broker_epoch(1)
            refused = await standby.assembled.apis.alter_partition(alter(epoch, 1, 2), VERSION)
            assert refused.error_code == ErrorCode.NOT_CONTROLLER
            ids = AllocateProducerIdsRequest(1, epoch)
            assert (await standby.assembled.apis.allocate_producer_ids(ids)).error_code == ErrorCode.NOT_CONTROLLER
            response = await active.assembled.apis.alter_partition(alter(epoch, 1, 2), VERSION)
            assert [each.isr for each in response.topics[0].partitions] == [[1, 2]]
            assert cluster.state("t", 0).isr == (1, 2)
            stale = await active.assembled.apis.alter_partition(alter(epoch - 1, 1), VERSION)
            assert stale.error_code == ErrorCode.STALE_BROKER_EPOCH


async def test_blocks_of_producer_ids_are_different(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = SimulatedCluster(monkeypatch, 1, 2)
    async with cluster.controller(1) as running:
        await cluster.settle()
        apis, context = running.assembled.apis, running.context
        found: set[int] = set()
        for broker_id in (1, 2, 1):
            request = AllocateProducerIdsRequest(broker_id, context.broker_epoch(broker_id))
            response = await apis.allocate_producer_ids(request)
            assert response.error_code == ErrorCode.NONE
            found.update(range(response.producer_id_start, response.producer_id_start + response.producer_id_len))
        assert found == set(range(3000))
        for broker_id, epoch, code in (
            (2, context.broker_epoch(2) + 1, ErrorCode.STALE_BROKER_EPOCH),
            (9, 1, ErrorCode.BROKER_ID_NOT_REGISTERED),
        ):
            assert (await apis.allocate_producer_ids(AllocateProducerIdsRequest(broker_id, epoch))).error_code == code
