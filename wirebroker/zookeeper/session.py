"""Session: whether there is a connection to ZooKeeper, which session it has, and the pings that keep it.

    async with trio.open_nursery() as nursery:
        await nursery.start(session.run)
        await session.wait_connected()
        value = await session.retry(lambda: client.get(path))

A lost connection (SUSPENDED) says nothing about the session: the server ends it after the negotiated timeout without
a ping.  Only a server can tell that a session has EXPIRED, so without a connection nobody knows.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from wirebroker.zookeeper.errors import ClientClosed, ConnectionLoss, SessionExpired, ZooKeeperError
from wirebroker.zookeeper.operations import SessionEvent, SessionState

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wirebroker.zookeeper.operations import ZooKeeperClient

T = TypeVar("T")

logger = logging.getLogger(__name__)

PINGS_PER_TIMEOUT: Final = 3
"""Two pings may be lost before the session is."""
_REPORT_S: Final = 30.0
"""How often a line says why there is no connection."""


class Session:
    """The state of one client's session, which `run` keeps alive.

    Args:
        client: not started yet.
        timeout_s: until a server has granted one, the timeout that was asked for.
    """

    def __init__(self, client: ZooKeeperClient, timeout_s: float) -> None:
        self.client = client
        self.state = SessionState.SUSPENDED
        self.session_id = 0
        """The id of the newest session, 0 before the first."""
        self.former_ids: set[int] = set()
        """The ids of sessions of this process that have expired."""
        self.timeout_s = timeout_s
        self.events: Counter[str] = Counter()
        """State -> how often it was entered."""
        self._changed = trio.Event()
        self._listeners: list[Callable[[SessionEvent], None]] = []
        self._once_lost: set[Callable[[], None]] = set()
        self._is_ping_due = False
        """Whether a ping has no answer yet, on a connection that is not lost."""
        client.subscribe(self._on_event)

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection with a session."""
        return self.state is SessionState.CONNECTED

    def subscribe(self, listener: Callable[[SessionEvent], None]) -> None:
        """Call *listener* after each change of the state."""
        self._listeners.append(listener)

    def call_once_lost(self, call: Callable[[], None]) -> None:
        """Call *call* when the present connection is lost, unless `forget` comes first; once."""
        self._once_lost.add(call)

    def forget(self, call: Callable[[], None]) -> None:
        """Undo `call_once_lost`."""
        self._once_lost.discard(call)

    async def wait_connected(self) -> None:
        """Wait until there is a connection with a session.

        Raises:
            ClientClosed: there will be none any more.
        """
        while not self.is_connected:
            if self.state is SessionState.CLOSED:
                raise ClientClosed("/", f"the session with ZooKeeper is closed ({self.client.last_connect_error})")
            await self._changed.wait()

    async def retry(self, request: Callable[[], Awaitable[T]]) -> T:
        """Make *request* on a connection that is not lost before the answer; return the answer.

        Only for requests that may be made twice: reads, sets of any version, creations whose NodeExists is fine.
        Waits for as long as there is no connection; other errors are raised.
        """
        while True:
            await self.wait_connected()
            try:
                return await request()
            except (ConnectionLoss, SessionExpired):
                await trio.lowlevel.checkpoint()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Connect, and ping until cancelled, every third of the negotiated timeout of the monotonic clock.

        Raises:
            ClientClosed: the connection has ended for good, though nobody closed it.
        """
        self.client.start()
        task_status.started()
        while True:
            await self._wait_connected_and_report()
            interval_s = self.timeout_s / PINGS_PER_TIMEOUT
            self._is_ping_due = True
            with trio.move_on_after(interval_s):
                await self._ping()
                await trio.sleep_forever()
            if self._is_ping_due:
                line = "zookeeper: session 0x%x: no answer to a ping in %.1f s; giving up the connection"
                logger.warning(line, self.session_id, interval_s)
                self.client.drop_connection()

    async def _wait_connected_and_report(self) -> None:
        """Wait as `wait_connected` does, and log the reason of the last attempt again and again until then."""
        began = trio.current_time()
        while True:
            with trio.move_on_after(_REPORT_S) as waiting:
                await self.wait_connected()
            if not waiting.cancelled_caught:
                return
            line = "zookeeper: session 0x%x: no connection for %.0f s (%s); check that a server runs there"
            logger.warning(line, self.session_id, trio.current_time() - began, self.client.last_connect_error)

    async def _ping(self) -> None:
        try:
            await self.client.ping()
        except ZooKeeperError:
            pass  # the session's state says the same
        self._is_ping_due = False

    def _on_event(self, event: SessionEvent) -> None:
        before = self.state
        self.state = event.state
        self.events[event.state.name] += 1
        if event.state is SessionState.CONNECTED:
            if event.session_id == self.session_id:
                logger.info("zookeeper: session 0x%x: connected again", self.session_id)
            else:
                logger.info("zookeeper: session 0x%x of %.1f s begins", event.session_id, event.timeout_s)
            self.session_id, self.timeout_s = event.session_id, event.timeout_s
        else:
            if event.state is SessionState.EXPIRED:
                self.former_ids.add(self.session_id)
            if event.state is not before:
                logger.log(*_LOST_LINES[event.state], self.session_id)
            self._is_ping_due = False
            lost, self._once_lost = self._once_lost, set()
            for call in lost:
                call()
        changed, self._changed = self._changed, trio.Event()
        changed.set()
        for listener in self._listeners:
            listener(event)


_LOST_LINES: Final = {
    SessionState.SUSPENDED: (
        logging.WARNING,
        "zookeeper: session 0x%x: connection lost; the broker serves on, and connects again",
    ),
    SessionState.EXPIRED: (
        logging.ERROR,
        "zookeeper: session 0x%x has expired: for the controller this broker was away; it registers itself again",
    ),
    SessionState.CLOSED: (logging.INFO, "zookeeper: session 0x%x is closed"),
}
