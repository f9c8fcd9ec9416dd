"""ControllerApis: the requests of brokers to the active controller that change what it knows, each one an event.

AlterPartition and AllocateProducerIds; at another broker they fail with NOT_CONTROLLER, and the sender looks for the
controller anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from wirebroker.kafka_controller.alter_partition import alter_partitions
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.allocate_producer_ids import AllocateProducerIdsResponse
from wirebroker.protocol.messages.alter_partition import AlterPartitionResponse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.kafka_controller.controller_broker_request_batch import ControllerBrokerRequestBatch
    from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
    from wirebroker.model import TopicPartition
    from wirebroker.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
    from wirebroker.protocol.messages.alter_partition import AlterPartitionRequest

T = TypeVar("T")


class EventManager(Protocol):
    """The controller's event queue."""

    async def run_and_wait(self, name: str, run: Callable[[], Awaitable[T]]) -> T:
        """Return the result of an event; raises ApiError NOT_CONTROLLER, if this broker is not the controller."""

    def put(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """Queue an event."""


class ControllerApis:
    """Requests of brokers.

    Args:
        events: the controller's queue.
        context: brokers, leaders and ISRs.
        zk_client: writes ISRs.
        batch: the requests to brokers.
        isr_changed: called in an event behind the one that has changed ISRs.
        allocate: returns a block of producer ids for a broker, which no other has; raises ApiError.
    """

    def __init__(
        self,
        events: EventManager,
        context: ControllerContext,
        zk_client: ControllerZkClient,
        batch: ControllerBrokerRequestBatch,
        isr_changed: Callable[[Iterable[TopicPartition]], Awaitable[None]],
        allocate: Callable[[int], Awaitable[range]],
    ) -> None:
        self._events, self._context, self._zk_client, self._batch = events, context, zk_client, batch
        self._isr_changed, self._allocate = isr_changed, allocate

    async def alter_partition(self, request: AlterPartitionRequest, version: int) -> AlterPartitionResponse:
        """Change the ISRs of partitions as their leader asks (KIP-497)."""

        async def alter() -> AlterPartitionResponse:
            result = await alter_partitions(self._context, self._zk_client, self._batch, request, version)
            if result.altered:
                # an event of its own, as the leader waits for the response
                self._events.put("IsrChanged", lambda: self._isr_changed(result.altered))
            return result.response

        try:
            return await self._events.run_and_wait("AlterPartition", alter)
        except ApiError as error:
            return AlterPartitionResponse(error_code=error.code)

    async def allocate_producer_ids(self, request: AllocateProducerIdsRequest) -> AllocateProducerIdsResponse:
        """Allocate a block of producer ids to a broker (KIP-730)."""

        async def allocate() -> AllocateProducerIdsResponse:
            broker = self._context.brokers.get(request.broker_id)
            if broker is None:
                raise ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED)
            if broker.epoch != request.broker_epoch:
                raise ApiError(ErrorCode.STALE_BROKER_EPOCH)
            block = await self._allocate(request.broker_id)
            return AllocateProducerIdsResponse(producer_id_start=block.start, producer_id_len=len(block))

        try:
            return await self._events.run_and_wait("AllocateProducerIds", allocate)
        except ApiError as error:
            return AllocateProducerIdsResponse(error_code=error.code)
