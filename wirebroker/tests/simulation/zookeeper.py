"""SimulatedZooKeeper: the fake ZooKeeper behind a network, with sessions that expire when nothing is heard of them.

Requests and answers take time and keep their order.  A request that is under way when its connection is lost takes
effect or not, and its client cannot know; none takes effect after the client has connected again.
"""

from __future__ import annotations

import random
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import trio

from wirebroker.tests.simulation.virtual_time import wall_clock_ms
from wirebroker.tests.zookeeper.fake_client import FakeClient
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.zookeeper.errors import ClientClosed, ConnectionLoss, SessionExpired, ZooKeeperError
from wirebroker.zookeeper.operations import SessionEvent, SessionState

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.inbox import Future
    from wirebroker.tests.simulation.trace import Trace
    from wirebroker.tests.simulation.virtual_clock import VirtualClock

ZOOKEEPER: Final = "zookeeper"
"""The name of its process, for the trace."""
_TICK_S: Final = 0.5
_PATHS: Final = ", "
_WRITES: Final = ("create", "set", "delete", "multi")


class Written(NamedTuple):
    """A request that has changed znodes."""

    client: str
    session_id: int
    paths: tuple[str, ...]


class SimulatedZooKeeper(FakeZooKeeper):
    """The ensemble, as one server that never fails; clients may be cut off from it."""

    def __init__(self, clock: VirtualClock, trace: Trace, seed: int) -> None:
        super().__init__()
        self.clock, self.trace = clock, trace
        self.random = random.Random(f"zookeeper {seed}")
        self.last_heard: dict[int, float] = {}
        """Session that lives -> when its client was heard of."""
        self.cut_off: set[str] = set()
        """The processes that do not reach it; what is under way to and from them arrives later."""
        self._held: list[tuple[str, Callable[[], None]]] = []
        self.after_write: dict[str, Callable[[], None]] = {}
        """Process -> what happens, once, when its next write has taken effect and is not answered yet."""
        self.on_written: Callable[[Written], None] = lambda _: None
        """Called after each request that has changed znodes."""

    def delay_s(self) -> float:
        """Return how long a request or an answer takes."""
        return self.random.uniform(0.0003, 0.003) if self.random.random() > 0.01 else self.random.uniform(0.01, 0.3)

    def client_of(self, process: str, timeout_s: float) -> SimulatedClient:
        """Return a new client, not started; its `run` is to be started in that process."""
        client = SimulatedClient(self, process, timeout_s)
        self.clients.append(client)
        return client

    async def run(self) -> None:
        """Expire sessions, until cancelled."""
        while True:
            await trio.sleep(_TICK_S)
            for client in [each for each in self.clients if isinstance(each, SimulatedClient)]:
                heard = self.last_heard.get(client.server_session_id)
                if heard is not None and trio.current_time() - heard > client.timeout_s:
                    self.expire(client)

    def arrive(self, process: str, call: Callable[[], None]) -> None:
        """Make *call*, the arrival of a message to or from *process*, now or when the two reach each other."""
        if process in self.cut_off:
            self._held.append((process, call))
        else:
            call()

    def mend(self, process: str) -> None:
        """Let *process* reach the ensemble again."""
        self.cut_off.discard(process)
        held = [call for name, call in self._held if name == process]
        self._held = [each for each in self._held if each[0] != process]
        for call in held:
            call()

    def expire(self, client: FakeClient) -> None:
        """End the session of *client*, which hears of it with its next connection."""
        assert isinstance(client, SimulatedClient)
        session_id = client.server_session_id
        if self.last_heard.pop(session_id, None) is not None:
            self.trace.note(f"session 0x{session_id:x} of {client.process} expires", ZOOKEEPER)
            self.end_session(session_id)
            self.on_written(Written(ZOOKEEPER, session_id, ()))
            client.server_closed()
        if client.is_dead:
            self.clients.remove(client)


class SimulatedClient(FakeClient):
    """The client of one process."""

    zookeeper: SimulatedZooKeeper

    def __init__(self, zookeeper: SimulatedZooKeeper, process: str, timeout_s: float) -> None:
        super().__init__(zookeeper, "", timeout_s, 10)
        self.process = process
        self.is_dead = False
        self.server_session_id = 0
        """The session by what the server knows, who is first to know of its beginning and end."""
        self._connection = self._server_connection = 0
        """The number of the newest connection, as the client and the server know it."""
        self._is_connecting = False
        self._inbox: deque[Callable[[], None]] = deque()
        self._has_mail = trio.Event()
        self._to_server_at = self._to_client_at = 0.0

    async def run(self) -> None:
        """Hand answers, watch events and states to the process, until cancelled."""
        while True:
            while self._inbox:
                self._inbox.popleft()()
                await trio.lowlevel.checkpoint()
            self._has_mail = trio.Event()
            await self._has_mail.wait()

    def kill(self) -> None:
        """End as by kill -9: what was sent may still arrive, and the session lives on until it expires."""
        self.is_dead, self.is_connected = True, False
        self._forget_watches()

    # -- the connection

    def connect(self) -> None:
        if self._is_started and not self._is_connecting and not (self.is_closed or self.is_connected or self.is_dead):
            self._is_connecting = True
            self._connection += 1
            self._later(self._accept)

    def _accept(self) -> None:
        """At the server: begin a connection, with the session that the client had or a new one."""
        zookeeper = self.zookeeper
        if self.is_dead or self.is_closed:
            return
        self._server_connection = self._connection
        former = self.server_session_id
        has_expired = former not in (0, *zookeeper.last_heard)
        if has_expired or not former:
            self.server_session_id = zookeeper.new_session_id()
        zookeeper.last_heard[self.server_session_id] = trio.current_time()
        self.deliver(partial(self._connected, self.server_session_id, has_expired))

    def _connected(self, session_id: int, has_expired: bool) -> None:
        self._is_connecting = False
        if has_expired:
            self._tell(SessionState.EXPIRED)
            self._fail_waiting(SessionExpired)
        self.session_id, self.is_connected = session_id, True
        self._tell(SessionState.CONNECTED)
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            self._send(*request)

    def lose(self) -> None:
        if not self.is_connected:
            return
        self.is_connected = False
        self._connection += 1
        self._forget_watches()
        self._fail_waiting(ConnectionLoss)
        self._tell(SessionState.SUSPENDED)

    def server_closed(self) -> None:
        """The server gives up the connection; the client connects again when it notices."""
        self._server_connection = -1
        self._forget_watches()
        self.deliver(self.drop_connection)

    async def close(self) -> None:
        await trio.lowlevel.checkpoint()
        self.lose()
        self.is_closed = True
        if self.process not in self.zookeeper.cut_off and not self.is_dead:
            self.zookeeper.expire(self)
        self._tell(SessionState.CLOSED)
        self._fail_waiting(ClientClosed)

    # -- requests

    def _send(self, name: str, path: str, perform: Callable[[], Any], future: Future[Any]) -> None:
        request = (name, path, perform, future)
        self._waiting.append(request)
        self._later(partial(self._perform, self._connection, request))

    def _perform(self, connection: int, request: tuple[str, str, Callable[[], Any], Future[Any]]) -> None:
        """At the server: take a request of *connection*, and answer it."""
        zookeeper, session_id = self.zookeeper, self.server_session_id
        if connection != self._server_connection:
            return
        zookeeper.last_heard[session_id] = trio.current_time()
        zookeeper.now_ms = wall_clock_ms()
        name, path, perform, future = request
        try:
            result = perform()
        except ZooKeeperError as error:
            failed = error.path if error.operation is not None else path
            answer = partial(future.set_error, type(error)(failed, str(error), error.operation))
            outcome = type(error).__name__
        else:
            answer = partial(future.set_result, result)
            outcome = "ok"
            if name in _WRITES:
                zookeeper.operations.append((name, path))
                zookeeper.on_written(Written(self.process, session_id, tuple(path.split(_PATHS))))
                zookeeper.after_write.pop(self.process, lambda: None)()
        if name in _WRITES:
            zookeeper.trace.note(f"{self.process}: {name} {path}: {outcome}", ZOOKEEPER)
        self.deliver(partial(self._answered, request, answer))

    def _answered(self, request: tuple[str, str, Callable[[], Any], Future[Any]], answer: Callable[[], None]) -> None:
        if request in self._waiting:
            self._waiting.remove(request)
            answer()

    # -- ways to the server and back

    def _later(self, call: Callable[[], None]) -> None:
        """Make *call* at the server, behind all earlier ones."""
        zookeeper = self.zookeeper
        self._to_server_at = max(self._to_server_at, trio.current_time() + zookeeper.delay_s())
        zookeeper.clock.call_at(self._to_server_at, partial(zookeeper.arrive, self.process, call))

    def deliver(self, call: Callable[[], None]) -> None:
        """Have the process make *call*, which the server has sent, if this connection lasts."""
        zookeeper = self.zookeeper
        self._to_client_at = max(self._to_client_at, trio.current_time() + zookeeper.delay_s())
        arrive = partial(self._arrive, self._connection, call)
        zookeeper.clock.call_at(self._to_client_at, partial(zookeeper.arrive, self.process, arrive))

    def _arrive(self, connection: int, call: Callable[[], None]) -> None:
        if connection == self._connection:
            self._call_soon(call)

    def _call_soon(self, call: Callable[[], None]) -> None:
        if not self.is_dead:
            self._inbox.append(call)
            self._has_mail.set()

    def _tell(self, state: SessionState) -> None:
        event = SessionEvent(state, self.session_id, self.timeout_s)
        self._call_soon(lambda: [listener(event) for listener in self._listeners].clear())

    def _fail_waiting(self, error: type[ZooKeeperError]) -> None:
        waiting, self._waiting = self._waiting, []
        for _, path, _, future in waiting:
            self._call_soon(partial(future.set_error, error(path)))

    def _forget_watches(self) -> None:
        self.watches = {"data": {}, "children": {}}
