"""ControlledShutdown: asks the controller to move leaders away before this broker stops (KIP-380: with its epoch)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.client.broker_channel import BrokerChannel, ChannelError, ChannelSettings
from wirebroker.cluster.error_codes import error_code
from wirebroker.config.section import Section
from wirebroker.protocol.messages.controlled_shutdown import ControlledShutdownRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.model import BrokerEndpoint
    from wirebroker.protocol.messages.controlled_shutdown import ControlledShutdownResponse

log = logging.getLogger(__name__)

_LEADERS_ARE_FOUND_S: Final = 0.3
"""How long the broker serves on when its leaders have moved: librdkafka asks for new ones every 0.1 s, often the broker
that it has produced to.  If a response of Metadata takes a broker away together with its leaders, librdkafka 2.x may
leave the partitions without a broker for half a second."""


class ControlledShutdownConfig(Section):
    """The config keys of a controlled shutdown."""

    controlled_shutdown_enable: bool
    controlled_shutdown_max_retries: int
    controlled_shutdown_retry_backoff_ms: int
    controller_socket_timeout_ms: int

    FIELDS = __slots__ = tuple(__annotations__)


class StoppingBroker(NamedTuple):
    """The broker that stops."""

    broker_id: int
    broker_epoch: Callable[[], int]
    """Returns the czxid of its registration."""
    version: int
    """The version of the request, by inter.broker.protocol.version."""


class ControlledShutdown:
    """The controlled shutdown of one broker.

    Args:
        config: The settings.
        broker: This broker.
        find_controller: Returns the address of the controller for other brokers, None if there is none now.
        leads_any: Returns whether this broker leads a partition.
        connect: Returns the connection to a broker.
    """

    def __init__(
        self,
        config: ControlledShutdownConfig,
        broker: StoppingBroker,
        find_controller: Callable[[], BrokerEndpoint | None],
        leads_any: Callable[[], bool],
        connect: Callable[[BrokerEndpoint, ChannelSettings], BrokerChannel] = BrokerChannel,
    ) -> None:
        self._config = config
        self._broker = broker
        self._find_controller = find_controller
        self._leads_any = leads_any
        self._connect = connect

    async def run(self) -> bool:
        """Ask the controller until it has moved all leaders, as often as is configured; return whether it has.

        The broker still serves meanwhile, and stops in either case: without success clients wait until the controller
        notices that the broker is gone.
        """
        if not self._config.controlled_shutdown_enable:
            return False
        led_any = self._leads_any()
        tries = self._config.controlled_shutdown_max_retries
        timeout_s = self._config.controller_socket_timeout_ms / 1000
        for attempt in range(1, tries + 1):
            with trio.move_on_after(timeout_s):
                if await self._try(f"{attempt}/{tries}"):
                    log.info("controlled shutdown: the controller has moved all leaders to other brokers")
                    break
            if attempt < tries:
                await trio.sleep(self._config.controlled_shutdown_retry_backoff_ms / 1000)
        else:
            log.warning(
                "controlled shutdown: no success in %d attempts; clients wait until new leaders are elected", tries
            )
            return False
        if led_any:
            await trio.sleep(_LEADERS_ARE_FOUND_S)
        return True

    async def _try(self, attempt: str) -> bool:
        controller = self._find_controller()
        if controller is None:
            log.warning("controlled shutdown: attempt %s failed: there is no controller", attempt)
            return False
        broker_id, broker_epoch, version = self._broker
        settings = ChannelSettings(str(broker_id), self._config.controller_socket_timeout_ms / 1000)
        channel = self._connect(controller, settings)
        try:
            request = ControlledShutdownRequest(broker_id, broker_epoch())
            response: ControlledShutdownResponse = await channel.send(request, version)
        except ChannelError as fault:
            log.warning("controlled shutdown: attempt %s failed: %s", attempt, fault)
            return False
        finally:
            channel.close()
        if response.error_code:
            reason = error_code(response.error_code).name
            log.warning("controlled shutdown: attempt %s: broker %d answers %s", attempt, controller.node_id, reason)
            return False
        remaining = len(response.remaining_partitions)
        if remaining:
            log.info("controlled shutdown: attempt %s: %d partitions are still led here", attempt, remaining)
        return not remaining
