"""FakeZooKeeper: an ensemble in memory, with sessions, ephemeral and sequential znodes, watches, multi and faults.

    zookeeper = FakeZooKeeper()
    client = zookeeper.client()          # a ZooKeeperClient; start() connects it
    client.faults.append(LostAnswer())   # the next operation takes effect, and its answer is lost
    zookeeper.down(); zookeeper.up()     # nobody answers; every client connects again
    zookeeper.expire(client)             # the session ends, ephemeral znodes go, a new session begins

Answers, watch events and states reach a client in the order of the transactions, each in a turn of the loop of its own,
as with the real one.  Watches are forgotten with the connection, as kazoo does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from wirebroker.tests.zookeeper.fake_client import FakeClient
from wirebroker.zookeeper.errors import (
    BadVersion,
    NodeExists,
    NoNode,
    NotEmpty,
    ZooKeeperError,
)
from wirebroker.zookeeper.operations import (
    ANY_VERSION,
    Create,
    CreateMode,
    Delete,
    EventKind,
    SetData,
    Stat,
    WatchEvent,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wirebroker.zookeeper.operations import Operation, OperationResult

    Watch = Callable[[WatchEvent], None]

NOW_MS: Final = 1_700_000_000_000


@dataclass
class Node:
    """One znode."""

    data: bytes | None
    czxid: int
    owner: int = 0
    mzxid: int = 0
    ctime_ms: int = NOW_MS
    mtime_ms: int = NOW_MS
    version: int = 0
    cversion: int = 0
    pzxid: int = 0
    created_children: int = 0
    children: set[str] = field(default_factory=set)

    @property
    def stat(self) -> Stat:
        return Stat(
            self.czxid,
            self.mzxid,
            self.ctime_ms,
            self.mtime_ms,
            self.version,
            self.cversion,
            self.owner,
            len(self.children),
            self.pzxid,
        )

    def copy(self) -> Node:
        return replace(self, children=set(self.children))


class FakeZooKeeper:
    """The tree and the sessions; tests may look at and change `nodes` through `put` and `read`."""

    def __init__(self) -> None:
        self.zxid = 1
        self.nodes = {"/": Node(None, 1)}
        self.is_down = False
        self.clients: list[FakeClient] = []
        self.now_ms = NOW_MS
        """The time that new znodes get."""
        self.operations: list[tuple[str, str]] = []
        """(name, path below the chroot) of each request that took effect, of all clients; a multi has all its paths."""
        self._next_session = 0x100

    def client(self, chroot: str = "", timeout_s: float = 6.0, max_in_flight: int = 10) -> FakeClient:
        """Return a new client, not started."""
        client = FakeClient(self, chroot, timeout_s, max_in_flight)
        self.clients.append(client)
        return client

    def put(self, path: str, data: bytes | None = None) -> None:
        """Create the znode with its parents, or set its data."""
        for end in [index for index, character in enumerate(path) if character == "/" and index]:
            if path[:end] not in self.nodes:
                self.apply(Create(path[:end]), 0)
        self.apply(SetData(path, data) if path in self.nodes else Create(path, data), 0)

    def remove(self, path: str) -> None:
        """Delete the znode, which has no children."""
        self.apply(Delete(path), 0)

    def read(self, path: str) -> bytes | None:
        """Return the data of a znode; KeyError without it."""
        return self.nodes[path].data

    def children(self, path: str) -> list[str]:
        """Return the sorted names of the children of a znode."""
        return sorted(self.nodes[path].children)

    def down(self) -> None:
        """Lose all connections and answer nobody until `up`."""
        self.is_down = True
        for client in self.clients:
            client.lose()

    def up(self) -> None:
        """Answer again."""
        self.is_down = False
        for client in self.clients:
            client.connect()

    def expire(self, client: FakeClient) -> None:
        """End the session of *client*, which hears of that with its next connection."""
        client.lose()
        self.end_session(client.session_id)
        client.has_expired = True
        client.connect()

    def end_session(self, session_id: int) -> None:
        """Delete the ephemeral znodes of a session."""
        for path in [path for path, node in self.nodes.items() if session_id and node.owner == session_id]:
            self.apply(Delete(path), 0)

    def new_session_id(self) -> int:
        self._next_session += 1
        return self._next_session

    def apply(self, operation: Operation, session_id: int, *, is_part: bool = False) -> OperationResult:
        """Do *operation* and tell the watches; raises the error of a real server.

        A part of a multi belongs to the transaction of the operation before.
        """
        self.check(operation, self.nodes)
        self.zxid += not is_part
        path = operation.path
        match operation:
            case Create(_, data, mode):
                parent_path = _parent(path)
                parent = self.nodes[parent_path]
                if mode is CreateMode.PERSISTENT_SEQUENTIAL:
                    path = f"{path}{parent.created_children:010d}"
                owner = session_id if mode is CreateMode.EPHEMERAL else 0
                self.nodes[path] = Node(data, self.zxid, owner, self.zxid, self.now_ms, self.now_ms, pzxid=self.zxid)
                parent.children.add(path.rpartition("/")[2])
                parent.created_children += 1
                self._children_changed(parent)
                self._fire(path, EventKind.CREATED, "data")
                self._fire(parent_path, EventKind.CHILDREN, "children")
                return path
            case SetData(_, data, _):
                node = self.nodes[path]
                node.data, node.version, node.mzxid, node.mtime_ms = data, node.version + 1, self.zxid, self.now_ms
                self._fire(path, EventKind.CHANGED, "data")
                return node.stat
            case Delete():
                del self.nodes[path]
                parent = self.nodes[_parent(path)]
                parent.children.discard(path.rpartition("/")[2])
                self._children_changed(parent)
                self._fire(path, EventKind.DELETED, "data", "children")
                self._fire(_parent(path), EventKind.CHILDREN, "children")
        return None

    @staticmethod
    def check(operation: Operation, nodes: dict[str, Node]) -> None:
        """Raise the error that *operation* meets in *nodes*."""
        path, node = operation.path, nodes.get(operation.path)
        if isinstance(operation, Create):
            parent = nodes.get(_parent(path))
            if parent is None:
                raise NoNode(path)
            if node is not None and operation.mode is not CreateMode.PERSISTENT_SEQUENTIAL:
                raise NodeExists(path)
            if parent.owner:
                raise ZooKeeperError(path, "NoChildrenForEphemeralsError")
            return
        if node is None:
            raise NoNode(path)
        if operation.version not in (ANY_VERSION, node.version):
            raise BadVersion(path)
        if isinstance(operation, Delete) and node.children:
            raise NotEmpty(path)

    def multi(self, operations: Sequence[Operation], session_id: int) -> list[OperationResult]:
        """Do all *operations* or none."""
        touched = {path for operation in operations for path in (operation.path, _parent(operation.path))}
        before = {path: self.nodes[path].copy() for path in touched if path in self.nodes}
        zxid, clients, self.clients = self.zxid, self.clients, []  # a multi that fails tells no watch
        try:
            for index, operation in enumerate(operations):
                try:
                    touched.add(str(self.apply(operation, session_id)))  # the path of a sequential znode
                except ZooKeeperError as error:
                    raise type(error)(operation.path, operation=index) from None
        finally:
            for path in touched:
                self.nodes.pop(path, None)
            self.nodes.update(before)
            self.zxid, self.clients = zxid, clients
        self.zxid += 1
        return [self.apply(operation, session_id, is_part=True) for operation in operations]

    def _children_changed(self, parent: Node) -> None:
        parent.cversion += 1
        parent.pzxid = self.zxid

    def _fire(self, path: str, kind: EventKind, *tables: str) -> None:
        for client in self.clients:
            for table in tables:
                for watch in client.watches[table].pop(path, ()):
                    client.deliver(partial(watch, WatchEvent(kind, client.below_chroot(path))))


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"
