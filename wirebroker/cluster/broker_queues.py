"""BrokerQueues: one bounded queue and one connection for each other broker that requests of one kind go to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

import trio

from wirebroker.client.broker_channel import BrokerChannel
from wirebroker.inbox import Future, Inbox
from wirebroker.model import BrokerEndpoint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wirebroker.client.broker_channel import ChannelSettings
    from wirebroker.metadata.cache import MetadataCache

_QUEUED: Final = 1000
_ITEMS_PER_REQUEST: Final = 256

F = TypeVar("F", bound="Future[Any]")


class _Queue(NamedTuple, Generic[F]):
    """The items that wait for one broker, and the end of its task."""

    endpoint: BrokerEndpoint
    inbox: Inbox[F]
    scope: trio.CancelScope


class BrokerQueues(Generic[F]):
    """Sends items to brokers, those of one broker in groups and in order; await `run` in a task.

    Args:
        metadata: The addresses of the brokers.
        listener: The listener of other brokers that requests go to.
        settings: Those of the connections.
        send: Sends a group of items over the connection to their broker, and gives each of them an outcome.
        connect: Returns the connection to a broker.
    """

    def __init__(
        self,
        metadata: MetadataCache,
        listener: str,
        settings: ChannelSettings,
        send: Callable[[BrokerChannel, list[F]], Awaitable[None]],
        connect: Callable[[BrokerEndpoint, ChannelSettings], BrokerChannel] = BrokerChannel,
    ) -> None:
        self._metadata = metadata
        self._listener, self._settings = listener, settings
        self._send, self._connect = send, connect
        self._queues: dict[int, _Queue[F]] = {}
        self._nursery: trio.Nursery | None = None

    async def run(self) -> None:
        """Send what is queued until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            try:
                await trio.sleep_forever()
            finally:
                self._nursery = None
                self._queues.clear()

    def put_nowait(self, broker_id: int, item: F) -> bool:
        """Queue *item* for a broker; return False if it is not alive, or too many items wait for it.

        An item that was queued fails with InboxClosed when its broker gets another address.
        """
        queue = self._queue(broker_id)
        return queue is not None and queue.inbox.put_nowait(item)

    def _queue(self, broker_id: int) -> _Queue[F] | None:
        """Return the queue of a broker at its present address, None if it is not alive."""
        broker = self._metadata.image.brokers.get(broker_id)
        found = None if broker is None else broker.endpoint(self._listener)
        if found is None or self._nursery is None:
            return None
        endpoint = BrokerEndpoint(broker_id, found.host, found.port)
        known = self._queues.get(broker_id)
        if known is not None and known.endpoint == endpoint:
            return known
        if known is not None:
            known.scope.cancel()
        made: _Queue[F] = _Queue(endpoint, Inbox(_QUEUED), trio.CancelScope())
        self._queues[broker_id] = made
        self._nursery.start_soon(self._run_queue, made)
        return made

    async def _run_queue(self, queue: _Queue[F]) -> None:
        channel = self._connect(queue.endpoint, self._settings)

        async def send(group: list[F]) -> None:
            await self._send(channel, group)

        with queue.scope:
            try:
                await queue.inbox.run(send, max_group=_ITEMS_PER_REQUEST)
            finally:
                channel.close()
