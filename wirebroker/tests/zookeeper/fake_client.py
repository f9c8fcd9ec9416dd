"""FakeClient: a client of a FakeZooKeeper, and the faults of its requests."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.inbox import Future
from wirebroker.zookeeper.errors import (
    ClientClosed,
    ConnectionLoss,
    NoNode,
    SessionExpired,
    ZooKeeperError,
)
from wirebroker.zookeeper.operations import (
    ANY_VERSION,
    Create,
    CreateMode,
    Delete,
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

    from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper, Node
    from wirebroker.zookeeper.operations import Operation, OperationResult

    Watch = Callable[[WatchEvent], None]

_PATHS: Final = ", "
"""Between the paths of a multi."""
_WRITES: Final = ("create", "set", "delete", "multi")


@dataclass(frozen=True)
class LostRequest:
    """A fault: the connection is lost before the operation takes effect."""

    path: str = ""
    """The operation that meets the fault: the next one on this path, or multi with it, on any if empty."""
    name: str = ""
    """The method of the operation, such as "create"; any if empty."""

    def fits(self, name: str, paths: Sequence[str]) -> bool:
        return (not self.path or self.path in paths) and self.name in ("", name) and name != "ping"


@dataclass(frozen=True)
class LostAnswer(LostRequest):
    """A fault: the operation takes effect, and the connection is lost before the answer."""


class FakeClient(ZooKeeperClient):
    """A client of a FakeZooKeeper."""

    def __init__(self, zookeeper: FakeZooKeeper, chroot: str, timeout_s: float, max_in_flight: int) -> None:
        super().__init__()
        self.zookeeper, self.chroot, self.timeout_s = zookeeper, chroot, timeout_s
        self.faults: deque[LostRequest] = deque()
        self.session_id = 0
        self.has_expired = False
        self.is_connected = self.is_closed = self.is_silent = False
        """is_silent: requests get no answer until the connection is dropped."""
        self.dies_after_writes: int | None = None
        """So many more writes take effect; with the last one the session ends, and nothing is answered any more."""
        self.interruptions: dict[int, Callable[[], None]] = {}
        """Number of a write -> what happens when it has taken effect, in place of its answer."""
        self._writes = 0
        self.in_flight_max = 0
        self.died = trio.Event()
        self.pings: list[float] = []
        """The times of all pings."""
        self.watches: dict[str, dict[str, list[Watch]]] = {"data": {}, "children": {}}
        self._slots = trio.Semaphore(max_in_flight)
        self._max_in_flight = max_in_flight
        self._listeners: list[Callable[[SessionEvent], None]] = []
        self._waiting: list[tuple[str, str, Callable[[], Any], Future[Any]]] = []
        """Requests without an answer: not sent yet, or sent to a silent server."""
        self._deliveries: deque[Callable[[], None]] = deque()
        self._is_started = False

    def start(self) -> None:
        self._is_started = True
        self.connect()

    def subscribe(self, listener: Callable[[SessionEvent], None]) -> None:
        self._listeners.append(listener)

    def connect(self) -> None:
        """Connect if the ensemble answers; a session that has expired is replaced."""
        if not self._is_started or self.is_closed or self.is_connected or self.zookeeper.is_down:
            return
        if self.has_expired:
            self._tell(SessionState.EXPIRED)
            self._fail_waiting(SessionExpired)
            self.session_id, self.has_expired = 0, False
        self.session_id = self.session_id or self.zookeeper.new_session_id()
        self.is_connected = True
        self._tell(SessionState.CONNECTED)
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            self._send(*request)

    def lose(self) -> None:
        """Lose the connection: answers and watches do not come any more."""
        if not self.is_connected:
            return
        self.is_connected = self.is_silent = False
        self._fail_waiting(ConnectionLoss)
        self.watches = {"data": {}, "children": {}}
        self._tell(SessionState.SUSPENDED)

    def drop_connection(self) -> None:
        self.lose()
        self.connect()

    async def close(self) -> None:
        await trio.lowlevel.checkpoint()
        self.lose()
        self.is_closed = True
        self.zookeeper.end_session(self.session_id)
        self._tell(SessionState.CLOSED)
        self._fail_waiting(ClientClosed)

    async def make_chroot(self) -> None:
        if self.chroot and self.chroot not in self.zookeeper.nodes:
            self.zookeeper.put(self.chroot)

    async def ping(self) -> None:
        self.pings.append(trio.current_time())
        await self._request("ping", "/", lambda: None, trio.Semaphore(1))

    async def get(self, path: str, watch: Watch | None = None) -> Znode:
        def read() -> Znode:
            node = self._node(path)
            self._watch("data", path, watch)
            return Znode(node.data, node.stat)

        znode: Znode = await self._request("get", path, read)
        return znode

    async def exists(self, path: str, watch: Watch | None = None) -> Stat | None:
        def look() -> Stat | None:
            self._watch("data", path, watch)
            node = self.zookeeper.nodes.get(self._absolute(path))
            return None if node is None else node.stat

        stat: Stat | None = await self._request("exists", path, look)
        return stat

    async def children(self, path: str, watch: Watch | None = None) -> list[str]:
        def read() -> list[str]:
            node = self._node(path)
            self._watch("children", path, watch)
            return list(node.children)

        names: list[str] = await self._request("children", path, read)
        return names

    async def create(self, path: str, data: bytes | None = None, mode: CreateMode = CreateMode.PERSISTENT) -> str:
        created = await self._apply("create", Create(path, data, mode))
        return self.below_chroot(str(created))

    async def set(self, path: str, data: bytes | None, version: int = ANY_VERSION) -> Stat:
        stat = await self._apply("set", SetData(path, data, version))
        assert isinstance(stat, Stat)
        return stat

    async def delete(self, path: str, version: int = ANY_VERSION) -> None:
        await self._apply("delete", Delete(path, version))

    async def multi(self, operations: Sequence[Operation]) -> list[OperationResult]:
        absolute = [operation._replace(path=self._absolute(operation.path)) for operation in operations]
        paths = _PATHS.join(each.path for each in operations)
        results = await self._request("multi", paths, lambda: self.zookeeper.multi(absolute, self.session_id))
        return [self.below_chroot(result) if isinstance(result, str) else result for result in results]

    def below_chroot(self, path: str) -> str:
        return path.removeprefix(self.chroot) or "/"

    def deliver(self, call: Callable[[], None]) -> None:
        """Have the loop make *call* behind all earlier ones."""
        self._deliveries.append(call)
        trio.lowlevel.current_trio_token().run_sync_soon(lambda: self._deliveries and self._deliveries.popleft()())

    async def _apply(self, name: str, operation: Operation) -> OperationResult:
        absolute = operation._replace(path=self._absolute(operation.path))
        perform = partial(self.zookeeper.apply, absolute, self.session_id)
        result: OperationResult = await self._request(name, operation.path, perform)
        return result

    async def _request(
        self, name: str, path: str, perform: Callable[[], Any], slots: trio.Semaphore | None = None
    ) -> Any:
        slots = slots or self._slots
        await slots.acquire()
        self.in_flight_max = max(self.in_flight_max, self._max_in_flight - self._slots.value)
        future: _Answer = _Answer(slots)
        if self.is_closed or not self._is_started:
            slots.release()
            raise ClientClosed(path)
        if self.is_connected:
            self._send(name, path, perform, future)
        else:
            self._waiting.append((name, path, perform, future))
        return await future.wait()

    def _send(self, name: str, path: str, perform: Callable[[], Any], future: Future[Any]) -> None:
        if self.is_silent or self.dies_after_writes == 0:
            self._waiting.append((name, path, perform, future))
            return
        fault = next((each for each in self.faults if each.fits(name, path.split(_PATHS))), None)
        if fault is not None:
            self.faults.remove(fault)
            self._waiting.append((name, path, perform, future))
            if isinstance(fault, LostAnswer):
                try:
                    perform()
                except ZooKeeperError:
                    pass
                self.zookeeper.operations.append((name, path))
            self.drop_connection()
            return
        try:
            result = perform()
        except ZooKeeperError as error:
            failed = path if error.operation is None else self.below_chroot(error.path)
            self.deliver(partial(future.set_error, type(error)(failed, str(error), error.operation)))
        else:
            self.zookeeper.operations.append((name, path))
            if name in _WRITES and self.dies_after_writes is not None:
                self.dies_after_writes -= 1
                if not self.dies_after_writes:
                    self._die()
                    return
            self._writes += name in _WRITES
            if name in _WRITES and self._writes in self.interruptions:
                self.deliver(partial(future.set_error, ConnectionLoss(path)))
                self.interruptions.pop(self._writes)()
                return
            self.deliver(partial(future.set_result, result))

    def _die(self) -> None:
        """End as by kill -9: nobody here hears of it."""
        self.watches = {"data": {}, "children": {}}
        self._deliveries.clear()
        self.zookeeper.end_session(self.session_id)
        self.died.set()

    def _fail_waiting(self, error: type[ZooKeeperError]) -> None:
        waiting, self._waiting = self._waiting, []
        for _, path, _, future in waiting:
            self.deliver(partial(future.set_error, error(path)))

    def _tell(self, state: SessionState) -> None:
        event = SessionEvent(state, self.session_id, self.timeout_s)
        self.deliver(lambda: [listener(event) for listener in self._listeners].clear())

    def _node(self, path: str) -> Node:
        node = self.zookeeper.nodes.get(self._absolute(path))
        if node is None:
            raise NoNode(path)
        return node

    def _watch(self, table: str, path: str, watch: Watch | None) -> None:
        if watch is not None:
            self.watches[table].setdefault(self._absolute(path), []).append(watch)

    def _absolute(self, path: str) -> str:
        return f"{self.chroot}{path}" if path != "/" else self.chroot or "/"


class _Answer(Future[Any]):
    """The answer of one request, which frees its slot when it comes."""

    def __init__(self, slots: trio.Semaphore) -> None:
        super().__init__()
        self._held = slots

    def set_result(self, result: Any) -> None:
        super().set_result(result)
        self._held.release()

    def set_error(self, error: BaseException) -> None:
        super().set_error(error)
        self._held.release()
