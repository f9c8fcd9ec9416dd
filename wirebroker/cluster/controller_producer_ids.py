"""ControllerProducerIds: producer ids that the controller allocates, from inter-broker protocol 3.0 on (KIP-730)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.client.broker_channel import BrokerChannel, ChannelError, ChannelSettings
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.model import BrokerEndpoint
    from wirebroker.protocol.messages.allocate_producer_ids import AllocateProducerIdsResponse

log = logging.getLogger(__name__)

_RETRY_S: Final = 0.1
_WAIT_S: Final = 10.0
"""How long a producer waits for an id while no controller answers, before it is told to try again."""


class ControllerProducerIds:
    """Blocks of producer ids for one broker (Kafka: RPCProducerIdManager).

    Args:
        broker_id: This broker.
        broker_epoch: Returns the czxid of its registration.
        find_controller: Returns the address of the controller, None if there is none now.
        connect: Returns the connection to a broker.
    """

    def __init__(
        self,
        broker_id: int,
        broker_epoch: Callable[[], int],
        find_controller: Callable[[], BrokerEndpoint | None],
        connect: Callable[[BrokerEndpoint, ChannelSettings], BrokerChannel] = BrokerChannel,
    ) -> None:
        self._broker_id, self._broker_epoch = broker_id, broker_epoch
        self._find_controller, self._connect = find_controller, connect

    async def allocate(self) -> range:
        """Return a block of ids that no broker was given before.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS if no controller has allocated one in time, as in Kafka.
        """
        with trio.move_on_after(_WAIT_S):
            while True:
                controller = self._find_controller()
                block = None if controller is None else await self._ask(controller)
                if block is not None:
                    return block
                await trio.sleep(_RETRY_S)
        raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, "the controller has allocated no producer ids in time")

    async def _ask(self, controller: BrokerEndpoint) -> range | None:
        """Return what *controller* allocates, None if it refuses or does not answer."""
        channel = self._connect(controller, ChannelSettings(str(self._broker_id), _WAIT_S))
        try:
            request = AllocateProducerIdsRequest(self._broker_id, self._broker_epoch())
            response: AllocateProducerIdsResponse = await channel.send_negotiated(request)
        except ChannelError as fault:
            log.warning("no producer ids, trying again: %s", fault)
            return None
        finally:
            channel.close()
        if response.error_code:
            # NOT_CONTROLLER until this broker hears of the new one, STALE_BROKER_EPOCH until the controller does
            log.warning("no producer ids, trying again: %s answers error code %d", channel.name, response.error_code)
            return None
        return range(response.producer_id_start, response.producer_id_start + response.producer_id_len)
