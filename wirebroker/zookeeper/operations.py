"""ZooKeeperClient: what the room asks of a connection to ZooKeeper, and the values of requests, answers and watches.

`client.py` implements it with kazoo; the fake of the unit tests implements it in memory.  All methods belong to one
event loop.  Answers, watch events and changes of the session's state reach the loop in the order in which the server
and the connection produced them, so a watch event is never seen after an answer that already shows the change.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.metrics.histogram import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ANY_VERSION: Final = -1
"""Expected version of an operation that takes any."""


class Stat(NamedTuple):
    """The metadata of a znode; zxids are transaction ids of the ensemble, which only grow."""

    czxid: int
    """The transaction that created it: the broker epoch, for /brokers/ids/N (KIP-380)."""
    mzxid: int
    ctime_ms: int
    mtime_ms: int
    version: int
    """The number of changes of its data since its creation."""
    cversion: int
    ephemeral_owner: int
    """The id of the session that owns an ephemeral znode, else 0."""
    num_children: int
    pzxid: int


class Znode(NamedTuple):
    """The data and the metadata of a znode; data are None where none were given, which is not the empty bytes."""

    data: bytes | None
    stat: Stat


class CreateMode(Enum):
    """The kinds of znodes that a broker creates."""

    PERSISTENT = "persistent"
    EPHEMERAL = "ephemeral"
    """Deleted by the server when the session ends."""
    PERSISTENT_SEQUENTIAL = "persistent sequential"
    """The server appends ten digits to the name, which count up under one parent."""


class Create(NamedTuple):
    """Create a znode; its parent must exist."""

    path: str
    data: bytes | None = None
    mode: CreateMode = CreateMode.PERSISTENT


class SetData(NamedTuple):
    """Replace the data of a znode that has the expected version."""

    path: str
    data: bytes | None
    version: int = ANY_VERSION


class Delete(NamedTuple):
    """Delete a znode without children that has the expected version."""

    path: str
    version: int = ANY_VERSION


class Check(NamedTuple):
    """Fail the multi unless the znode exists with that version."""

    path: str
    version: int


Operation = Create | SetData | Delete | Check
OperationResult = str | Stat | None
"""The path of a Create (with its number), the Stat of a SetData, None of the others."""


class EventKind(Enum):
    """The change of which a watch tells."""

    CREATED = "created"
    DELETED = "deleted"
    CHANGED = "changed"
    CHILDREN = "children"


class WatchEvent(NamedTuple):
    """One change of a watched znode."""

    kind: EventKind
    path: str


class SessionState(Enum):
    """The state of the connection and its session."""

    SUSPENDED = "suspended"
    """There is no connection (not yet, or not any more); the session, if there was one, may still live."""
    CONNECTED = "connected"
    EXPIRED = "expired"
    """The server has ended the session, its ephemeral znodes are gone; a new one will be CONNECTED."""
    CLOSED = "closed"


class SessionEvent(NamedTuple):
    """A change of the state; id and timeout are those of the newest session."""

    state: SessionState
    session_id: int = 0
    timeout_s: float = 0.0
    """As the server has granted it, which may differ from the one that was asked for."""


NO_ATTEMPT: Final = "no attempt yet"


class ZooKeeperClient(ABC):
    """Operations on znodes, below the chroot; each raises a ZooKeeperError.

    A task that is cancelled while it waits gives up the answer only: the operation may still take effect.  At most
    `max_in_flight` requests are under way, later ones wait for their turn in order.
    """

    last_connect_error: str = NO_ATTEMPT
    """Why the newest attempt to connect failed, with the address; before one has, which server has not answered yet."""

    def __init__(self) -> None:
        self.latency_ms = Histogram()
        """The times of requests until their answers."""

    @abstractmethod
    def start(self) -> None:
        """Begin to connect; listeners are told when there is a session, and until then operations fail."""

    @abstractmethod
    async def make_chroot(self) -> None:
        """Create the chroot with all its parents, as far as they do not exist, without data."""

    @abstractmethod
    async def ping(self) -> None:
        """Tell the server that this session lives; not counted among the requests in flight."""

    @abstractmethod
    async def get(self, path: str, watch: Callable[[WatchEvent], None] | None = None) -> Znode:
        """Return data and metadata; NoNode sets no watch."""

    @abstractmethod
    async def exists(self, path: str, watch: Callable[[WatchEvent], None] | None = None) -> Stat | None:
        """Return the metadata, None without such a znode; *watch* tells of its creation, too."""

    @abstractmethod
    async def children(self, path: str, watch: Callable[[WatchEvent], None] | None = None) -> list[str]:
        """Return the names of the children, without their path, in no order."""

    @abstractmethod
    async def create(self, path: str, data: bytes | None = None, mode: CreateMode = CreateMode.PERSISTENT) -> str:
        """Create a znode and return its path, with the number of a sequential one."""

    @abstractmethod
    async def set(self, path: str, data: bytes | None, version: int = ANY_VERSION) -> Stat:
        """Replace the data and return the new metadata."""

    @abstractmethod
    async def delete(self, path: str, version: int = ANY_VERSION) -> None:
        """Delete a znode without children."""

    @abstractmethod
    async def multi(self, operations: Sequence[Operation]) -> list[OperationResult]:
        """Do all *operations* or none; the error of the first one that fails is raised, with its index."""

    @abstractmethod
    def subscribe(self, listener: Callable[[SessionEvent], None]) -> None:
        """Call *listener* with each change of the session's state, in the event loop."""

    @abstractmethod
    def drop_connection(self) -> None:
        """Give up the connection, not the session; another one is made at once."""

    @abstractmethod
    async def close(self) -> None:
        """End the session and the connection: ephemeral znodes are deleted by the server before this returns."""
