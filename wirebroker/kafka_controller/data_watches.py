"""DataWatches: watches the data of many znodes at once, such as the assignments of all topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.kafka_controller.pipelined import pipelined
from wirebroker.zookeeper.errors import ConnectionLoss, SessionExpired

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wirebroker.zookeeper.operations import WatchEvent
    from wirebroker.zookeeper.session import Session

_UNKNOWN: Final = -2
_ABSENT: Final = -1


class DataWatches:
    """Tells of each change of the data of znodes, and of changes that a lost connection has hidden.

    Args:
        session: The broker's session.
        path_of: The path of a name.
        on_change: Called with the name after its znode has changed; reads it if that matters.
    """

    def __init__(self, session: Session, path_of: Callable[[str], str], on_change: Callable[[str], None]) -> None:
        self._session, self._path_of, self._on_change = session, path_of, on_change
        self._versions: dict[str, int] = {}
        """Name -> the version that was seen last."""
        self._stale: set[str] = set()
        """Names whose watch has fired, or was lost."""
        self._is_stale = trio.Event()

    async def add(self, names: Iterable[str]) -> None:
        """Watch more znodes; changes after this returns are told."""
        added = [name for name in names if name not in self._versions]
        self._versions.update(dict.fromkeys(added, _UNKNOWN))
        await pipelined(added, self._look)

    def forget(self, names: Iterable[str]) -> None:
        """Tell no more of these znodes."""
        for name in names:
            self._versions.pop(name, None)

    def clear(self) -> None:
        """Tell of no znode any more."""
        self._versions.clear()
        self._stale.clear()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Set watches again after each change and each lost connection, until cancelled."""
        self._session.call_once_lost(self._connection_lost)
        task_status.started()
        try:
            while True:
                await self._is_stale.wait()
                self._is_stale = trio.Event()
                stale, self._stale = self._stale, set()
                await pipelined(sorted(stale & self._versions.keys()), self._look)
        finally:
            self._session.forget(self._connection_lost)

    async def _look(self, name: str) -> None:
        """Set the watch of a znode, and tell of it if its version is not the one seen before."""

        def fired(_: WatchEvent) -> None:
            if name in self._versions:
                self._mark_stale((name,))

        while True:
            await self._session.wait_connected()
            try:
                stat = await self._session.client.exists(self._path_of(name), fired)
                break
            except (ConnectionLoss, SessionExpired):
                await trio.lowlevel.checkpoint()
        before = self._versions.get(name)
        if before is None:
            return
        found = self._versions[name] = _ABSENT if stat is None else stat.version
        if before not in (_UNKNOWN, found):
            self._on_change(name)

    def _connection_lost(self) -> None:
        self._session.call_once_lost(self._connection_lost)
        self._mark_stale(self._versions)

    def _mark_stale(self, names: Iterable[str]) -> None:
        self._stale.update(names)
        self._is_stale.set()
