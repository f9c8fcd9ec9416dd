"""ControllerChannelManager: the connections of the active controller to all brokers, itself included.

Each broker has a queue and one request in flight; a request is repeated every 100 ms until the broker answers or is
removed, so every live broker gets every request, in order.  `shutdown` drops all queues at once: a controller that has
resigned sends nothing more.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import trio

from wirebroker.client.broker_channel import BrokerChannel, ChannelError, ChannelSettings, open_socket
from wirebroker.kafka_controller.state_change_log import STATE_CHANGE_LOGGER
from wirebroker.model import BrokerEndpoint
from wirebroker.protocol.api import API

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from wirebroker.protocol.message import WritableMessage
    from wirebroker.zookeeper.znodes.brokers import BrokerInfo

logger = logging.getLogger(__name__)

RETRY_S: Final = 0.1
"""The pause before a request is sent again."""
_LARGE_REQUEST: Final = 500
"""Partitions; each takes 3 us or more to encode."""


class _QueuedRequest(NamedTuple):
    """A request that waits for its turn."""

    request: WritableMessage
    version: int
    on_response: Callable[[Any], None] | None


class _Channel:
    """The queue of one broker, and the task that sends what it has."""

    def __init__(self, channel: BrokerChannel) -> None:
        self._channel = channel
        self._queue: deque[_QueuedRequest] = deque()
        self._is_queued = trio.Event()
        self.scope = trio.CancelScope()

    def put(self, request: _QueuedRequest) -> None:
        self._queue.append(request)
        self._is_queued.set()

    def close(self) -> None:
        """Drop the queue; the request in flight is given up."""
        self._queue.clear()
        self.scope.cancel()
        self._channel.close()

    @property
    def queued(self) -> int:
        return len(self._queue)

    async def run(self) -> None:
        with self.scope:
            while True:
                while not self._queue:
                    self._is_queued = trio.Event()
                    await self._is_queued.wait()
                await self._deliver(self._queue.popleft())

    async def _deliver(self, queued: _QueuedRequest) -> None:
        is_reached = True
        while True:
            try:
                response = await self._channel.send(queued.request, queued.version, is_large=_is_large(queued.request))
                break
            except ChannelError as error:
                logger.log(logging.WARNING if is_reached else logging.DEBUG, "controller: %s; it is sent again", error)
                is_reached = False
                await trio.sleep(RETRY_S)
        STATE_CHANGE_LOGGER.debug(
            "Received response %r for %s sent to %s", response, API[queued.request.API_KEY].name, self._channel.name
        )
        if queued.on_response is not None and not self.scope.cancel_called:
            queued.on_response(response)


def _is_large(request: WritableMessage) -> bool:
    """Return whether the encoding of a request would hold the event loop for more than some milliseconds."""
    topics = getattr(request, "topic_states", ())
    ungrouped = getattr(request, "ungrouped_partition_states", ())
    return len(ungrouped) + sum(len(topic.partition_states) for topic in topics) > _LARGE_REQUEST


class ControllerChannelManager:
    """The channels of the active controller; a BrokerRequestSender.

    Args:
        controller_id: The id of this broker.
        listener_name: The listener that requests of the controller go to.
        request_timeout_s: `controller.socket.timeout.ms`: how long a broker may take for an answer.
        connect: Returns a connected socket.
    """

    def __init__(
        self,
        controller_id: int,
        listener_name: str,
        request_timeout_s: float,
        connect: Callable[[BrokerEndpoint], Awaitable[trio.socket.SocketType]] = open_socket,
    ) -> None:
        self._listener_name, self._connect = listener_name, connect
        self._settings = ChannelSettings(f"controller-{controller_id}", request_timeout_s, longest_backoff_s=RETRY_S)
        self._channels: dict[int, _Channel] = {}
        self._nursery: trio.Nursery | None = None

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Run the channels until cancelled."""
        async with trio.open_nursery() as self._nursery:
            task_status.started()
            await trio.sleep_forever()

    def startup(self, brokers: Iterable[BrokerInfo]) -> None:
        """Open the channels of a new controller."""
        for broker in brokers:
            self.add_broker(broker)

    def add_broker(self, broker: BrokerInfo) -> None:
        """Open the channel of a broker; no effect if there is one."""
        if broker.broker_id in self._channels:
            return
        endpoint = next((each for each in broker.endpoints if each.name == self._listener_name), None)
        if endpoint is None:
            logger.error(
                "controller: broker %d has no listener %s, so it is told nothing: give it that listener and start it"
                " again",
                broker.broker_id,
                self._listener_name,
            )
            return
        assert self._nursery is not None
        address = BrokerEndpoint(broker.broker_id, endpoint.host, endpoint.port)
        channel = self._channels[broker.broker_id] = _Channel(BrokerChannel(address, self._settings, self._connect))
        self._nursery.start_soon(channel.run)

    def remove_broker(self, broker_id: int) -> None:
        """Close the channel of a broker, with all that is queued for it."""
        channel = self._channels.pop(broker_id, None)
        if channel is not None:
            channel.close()

    def shutdown(self) -> None:
        """Close all channels."""
        for broker_id in list(self._channels):
            self.remove_broker(broker_id)

    def send_request(
        self,
        broker_id: int,
        request: WritableMessage,
        version: int,
        on_response: Callable[[Any], None] | None = None,
    ) -> None:
        """Queue a request behind the earlier ones to that broker; no effect for a broker without a channel."""
        channel = self._channels.get(broker_id)
        if channel is not None:
            channel.put(_QueuedRequest(request, version, on_response))

    @property
    def total_queue_size(self) -> int:
        """The number of requests that wait for a broker; Kafka's TotalQueueSize."""
        return sum(channel.queued for channel in self._channels.values())
