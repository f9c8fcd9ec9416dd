"""KazooConnection: a ZooKeeperClient over kazoo, which runs in one thread of its own.

Nothing of kazoo leaves this file.  Answers, watch events and state changes are put into one queue in kazoo's thread, in
the order in which the socket brought them, and taken out in the event loop: kazoo's own two worker threads let a watch
event arrive after an answer that already shows the change.

kazoo's pings are off.  The session asks for them from the event loop (`session.py`), so a broker whose loop hangs loses
its session like any process that hangs, and the pings do not depend on kazoo's clock.  kazoo forgets watches with the
connection, while ZooKeeper's Java client sets them again: see `watches.py`.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import trio
from kazoo import exceptions as kazoo_errors
from kazoo.client import KazooClient
from kazoo.handlers.threading import SequentialThreadingHandler
from kazoo.protocol.serialization import CheckVersion, Transaction
from kazoo.protocol.serialization import Create as KazooCreate
from kazoo.protocol.serialization import Delete as KazooDelete
from kazoo.protocol.serialization import SetData as KazooSetData
from kazoo.protocol.states import EventType, KazooState
from kazoo.retry import KazooRetry
from kazoo.security import OPEN_ACL_UNSAFE

from wirebroker.inbox import Future
from wirebroker.zookeeper import errors
from wirebroker.zookeeper.operations import (
    ANY_VERSION,
    NO_ATTEMPT,
    Check,
    Create,
    CreateMode,
    Delete,
    EventKind,
    SessionEvent,
    SessionState,
    SetData,
    Stat,
    WatchEvent,
    Znode,
    ZooKeeperClient,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wirebroker.zookeeper.operations import Operation, OperationResult

T = TypeVar("T")

logger = logging.getLogger(__name__)
_kazoo_logger: Final = logging.getLogger(f"{__name__}.kazoo")
# the session logs each change of its state; kazoo would log each attempt to connect
_kazoo_logger.setLevel(logging.ERROR)

_RETRY: Final = {"max_tries": -1, "delay": 0.1, "backoff": 1.5, "max_delay": 1.0}
"""Reconnections: for ever, and a second apart at most, as a broker without ZooKeeper waits for nothing else."""
_RESTART_S: Final = 1.0
_ERRORS: Final[dict[type[Exception], type[errors.ZooKeeperError]]] = {
    kazoo_errors.ConnectionLoss: errors.ConnectionLoss,
    kazoo_errors.OperationTimeoutError: errors.ConnectionLoss,
    kazoo_errors.SessionExpiredError: errors.SessionExpired,
    kazoo_errors.SessionMovedError: errors.ConnectionLoss,
    kazoo_errors.ConnectionClosedError: errors.ClientClosed,
    kazoo_errors.NoNodeError: errors.NoNode,
    kazoo_errors.NodeExistsError: errors.NodeExists,
    kazoo_errors.BadVersionError: errors.BadVersion,
    kazoo_errors.NotEmptyError: errors.NotEmpty,
    kazoo_errors.NoAuthError: errors.NoAuth,
    kazoo_errors.AuthFailedError: errors.NoAuth,
}
_EVENTS: Final = {
    EventType.CREATED: EventKind.CREATED,
    EventType.DELETED: EventKind.DELETED,
    EventType.CHANGED: EventKind.CHANGED,
    EventType.CHILD: EventKind.CHILDREN,
}
_FLAGS: Final = {CreateMode.PERSISTENT: 0, CreateMode.EPHEMERAL: 1, CreateMode.PERSISTENT_SEQUENTIAL: 2}
_NEGOTIATED_PER_READ_TIMEOUT: Final = 1.5
"""kazoo keeps the negotiated timeout to itself, and returns two thirds of it as its read timeout."""


class _LoopQueue:
    """Calls from kazoo's thread to the event loop, in order; many that are queued cost one wake-up."""

    def __init__(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._calls: deque[Callable[[], None]] = deque()

    def put(self, call: Callable[[], None]) -> None:
        """Have the event loop make *call*; any thread may ask."""
        self._calls.append(call)
        try:
            self._token.run_sync_soon(self._run_all, idempotent=True)
        except trio.RunFinishedError:
            pass  # the broker has ended, and nobody waits

    def _run_all(self) -> None:
        calls = self._calls
        for _ in range(len(calls)):
            call = calls.popleft()
            try:
                call()
            except Exception:
                logger.exception("zookeeper: a callback failed; its event is lost, later ones are handled")


class _Immediate:
    """In the place of kazoo's queue of completions: runs each at once, in kazoo's thread."""

    @staticmethod
    def put(call: Callable[[], None]) -> None:
        call()


class _Handler(SequentialThreadingHandler):  # type: ignore[misc]  # kazoo has no types
    """kazoo's threading handler without its worker threads: completions and watches go to one _LoopQueue."""

    def __init__(self, queue: _LoopQueue) -> None:
        super().__init__()
        self.completion_queue = _Immediate
        self._queue = queue
        self.connect_timeout_s = 0.0
        """For one server; kazoo would spend the whole session on the first that does not answer."""

    def start(self) -> None:
        self._running = True

    def stop(self) -> None:
        self._running = False

    def create_connection(self, *args: Any, **options: Any) -> Any:
        return super().create_connection(*args, **{**options, "timeout": self.connect_timeout_s})

    def dispatch_callback(self, callback: Any) -> None:
        self._queue.put(partial(callback.func, *callback.args))


class KazooConnection(ZooKeeperClient):
    """One client with one session at a time; belongs to the event loop in which it was made.

    Args:
        hosts: `host:port` with commas between.
        chroot: the prefix of all paths, such as `/kafka`, or nothing.
        session_timeout_s: asked for; the server may grant another one.
        max_in_flight: see ZooKeeperClient.
    """

    def __init__(self, hosts: str, chroot: str, session_timeout_s: float, max_in_flight: int) -> None:
        super().__init__()
        self._slots = trio.Semaphore(max_in_flight)
        self._queue = _LoopQueue()
        self._listeners: list[Callable[[SessionEvent], None]] = []
        handler = _Handler(self._queue)
        self._kazoo = KazooClient(
            hosts + chroot,
            timeout=session_timeout_s,
            handler=handler,
            connection_retry=KazooRetry(**_RETRY, sleep_func=handler.sleep_func),
            logger=_kazoo_logger,
        )
        handler.connect_timeout_s = session_timeout_s / len(self._kazoo.hosts)
        self._kazoo.add_listener(self._state_changed)
        connection = self._kazoo._connection
        self._connect, connection._connect = connection._connect, self._connected
        self._resolve, connection._expand_client_hosts = connection._expand_client_hosts, self._resolved
        self._run_kazoo, connection.zk_loop = connection.zk_loop, self._run
        connection._send_ping = lambda _: None

    def start(self) -> None:
        self._kazoo.start_async()

    def subscribe(self, listener: Callable[[SessionEvent], None]) -> None:
        self._listeners.append(listener)

    async def get(self, path: str, watch: Callable[[WatchEvent], None] | None = None) -> Znode:
        data, stat = await self._call(path, partial(self._kazoo.get_async, path, _watcher(watch)))
        return Znode(data, _stat(stat))

    async def exists(self, path: str, watch: Callable[[WatchEvent], None] | None = None) -> Stat | None:
        stat = await self._call(path, partial(self._kazoo.exists_async, path, _watcher(watch)))
        return None if stat is None else _stat(stat)

    async def children(self, path: str, watch: Callable[[WatchEvent], None] | None = None) -> list[str]:
        names: list[str] = await self._call(path, partial(self._kazoo.get_children_async, path, _watcher(watch)))
        return names

    async def create(self, path: str, data: bytes | None = None, mode: CreateMode = CreateMode.PERSISTENT) -> str:
        return await self._request(path, lambda: self._create_request(Create(path, data, mode)), self._kazoo.unchroot)

    async def set(self, path: str, data: bytes | None, version: int = ANY_VERSION) -> Stat:
        return await self._request(path, lambda: KazooSetData(self._absolute(path), data, version), _stat)

    async def delete(self, path: str, version: int = ANY_VERSION) -> None:
        await self._request(path, lambda: KazooDelete(self._absolute(path), version), lambda _: None)

    async def multi(self, operations: Sequence[Operation]) -> list[OperationResult]:
        requests = [self._multi_request(operation) for operation in operations]
        paths = ", ".join(operation.path for operation in operations)
        results = await self._request(paths, lambda: Transaction(requests), list)
        for index, (operation, result) in enumerate(zip(operations, results, strict=True)):
            # the operations beside the failed one are RolledBackError before it, RuntimeInconsistency behind it
            if isinstance(result, Exception) and not isinstance(result, _BESIDE_THE_FAILED_ONE):
                raise _error(result, operation.path, index)
        return [_multi_result(operation, result) for operation, result in zip(operations, results, strict=True)]

    def drop_connection(self) -> None:
        # both directions are shut down, so that kazoo's thread wakes in whatever call it is
        try:
            self._kazoo._connection._socket.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass  # there is no connection

    async def ping(self) -> None:
        await self._call("/", partial(self._kazoo.exists_async, "/"), trio.Semaphore(1))

    async def make_chroot(self) -> None:
        names = self._kazoo.chroot.split("/")[1:]
        for end in range(1, len(names) + 1):
            path = "/" + "/".join(names[:end])
            try:
                await self._request(path, partial(KazooCreate, path, None, OPEN_ACL_UNSAFE, 0), lambda _: None)
            except errors.NodeExists:
                continue

    async def close(self) -> None:
        await trio.to_thread.run_sync(self._stop, abandon_on_cancel=True)

    def _stop(self) -> None:
        self._kazoo.stop()
        self._kazoo.close()

    def _connected(self, *address: object) -> tuple[float, float]:
        """Connect as kazoo does, in its thread, and tell listeners the session's id and negotiated timeout."""
        if self.last_connect_error == NO_ATTEMPT:
            self.last_connect_error = f"{address[1]}:{address[2]} has not answered yet"
        try:
            read_timeout_ms, connect_timeout_ms = self._connect(*address)
        except Exception as error:
            self.last_connect_error = f"{address[1]}:{address[2]}: {error}"
            raise
        self.last_connect_error = NO_ATTEMPT
        timeout_s = read_timeout_ms * _NEGOTIATED_PER_READ_TIMEOUT / 1000
        self._queue.put(partial(self._tell, SessionEvent(SessionState.CONNECTED, self._kazoo._session_id, timeout_s)))
        return read_timeout_ms, connect_timeout_ms

    def _resolved(self) -> list[tuple[str, str, int]]:
        """Return (name, address, port) of all servers, as kazoo does, in its thread."""
        try:
            found: list[tuple[str, str, int]] = self._resolve()
        except OSError as error:  # such as no descriptor being left, which kazoo does not expect
            self.last_connect_error = f"the servers' names cannot be looked up: {error}"
            return []
        if not found:
            self.last_connect_error = "none of the servers' names has an address"
        return found

    def _state_changed(self, state: str) -> None:
        """Tell listeners of a lost connection or session; in kazoo's thread, after the requests have failed."""
        if state == KazooState.SUSPENDED:
            self._queue.put(partial(self._tell, SessionEvent(SessionState.SUSPENDED)))
        elif state == KazooState.LOST:
            is_closed = self._kazoo._stopped.is_set()
            event = SessionEvent(SessionState.CLOSED if is_closed else SessionState.EXPIRED)
            self._queue.put(partial(self._tell, event))

    def _run(self) -> None:
        """Run kazoo's loop, in its thread, and have another thread take its place if an error ends it.

        Such as an answer that kazoo does not understand.  kazoo tells of the end only if it had a connection.
        """
        try:
            self._run_kazoo()
        except Exception as error:
            self.last_connect_error = f"{type(error).__name__}: {error}"
            logger.error("zookeeper: the client has ended (%s); another one is started", self.last_connect_error)
        finally:
            if not self._kazoo._stopped.is_set():
                threading.Thread(target=self._restart, daemon=True).start()

    def _restart(self) -> None:
        time.sleep(_RESTART_S)
        if not self._kazoo._stopped.is_set():
            self._kazoo.start_async()

    def _tell(self, event: SessionEvent) -> None:
        for listener in self._listeners:
            listener(event)

    def _absolute(self, path: str) -> str:
        return f"{self._kazoo.chroot}{path}" if path != "/" else self._kazoo.chroot or "/"

    def _create_request(self, create: Create) -> Any:
        # no create2: ZooKeeper 3.4 does not know it
        return KazooCreate(self._absolute(create.path), create.data, OPEN_ACL_UNSAFE, _FLAGS[create.mode])

    def _multi_request(self, operation: Operation) -> Any:
        path = self._absolute(operation.path)
        match operation:
            case Create():
                return self._create_request(operation)
            case SetData(_, data, version):
                return KazooSetData(path, data, version)
            case Delete(_, version):
                return KazooDelete(path, version)
            case Check(_, version):
                return CheckVersion(path, version)

    async def _request(self, path: str, request: Callable[[], Any], result: Callable[[Any], T]) -> T:
        """Send a request that kazoo's own methods would not build as wanted; return *result* of the answer."""

        def start() -> Any:
            answer = self._kazoo.handler.async_result()
            self._kazoo._call(request(), answer)
            return answer

        return result(await self._call(path, start))

    async def _call(self, path: str, start: Callable[[], Any], slots: trio.Semaphore | None = None) -> Any:
        """Wait for a free slot and start a request; return its answer, or raise its error."""
        slots = slots or self._slots
        await slots.acquire()
        future: Future[Any] = Future()
        began = time.perf_counter()

        def done(answer: Any) -> None:
            self.latency_ms.update(1000 * (time.perf_counter() - began))
            # at the answer, not when the caller goes away: a cancelled request is still under way
            slots.release()
            if answer.exception is None:
                future.set_result(answer.value)
            else:
                future.set_error(_error(answer.exception, path))

        start().rawlink(lambda answer: self._queue.put(partial(done, answer)))
        return await future.wait()


_BESIDE_THE_FAILED_ONE: Final = (kazoo_errors.RolledBackError, kazoo_errors.RuntimeInconsistency)


def _watcher(watch: Callable[[WatchEvent], None] | None) -> Callable[[Any], None] | None:
    """Return *watch* as kazoo calls it; kazoo tells of a lost connection, too, which SessionEvent does."""
    if watch is None:
        return None

    def called(event: Any) -> None:
        if event.type in _EVENTS:
            watch(WatchEvent(_EVENTS[event.type], event.path))

    return called


def _stat(stat: Any) -> Stat:
    """Return kazoo's ZnodeStat as ours."""
    return Stat(
        stat.czxid,
        stat.mzxid,
        stat.ctime,
        stat.mtime,
        stat.version,
        stat.cversion,
        stat.ephemeralOwner,
        stat.numChildren,
        stat.pzxid,
    )


def _multi_result(operation: Operation, result: Any) -> OperationResult:
    match operation:
        case Create():
            return str(result)
        case SetData():
            return _stat(result)
    return None


def _error(error: Exception, path: str, operation: int | None = None) -> errors.ZooKeeperError:
    kind = _ERRORS.get(type(error))
    if kind is None:
        return errors.ZooKeeperError(path, f"{type(error).__name__} {error}".strip(), operation)
    return kind(path, operation=operation)
