"""Level-triggered watches: a handler gets the content of a path, again after each change and each lost connection.

ZooKeeper's watches fire once, kazoo forgets them with the connection, and changes that happen close together fire only
one of them.  So an event is no more than a reason to look again, and what counts is what a look finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import trio

from wirebroker.zookeeper.errors import ConnectionLoss, NoNode, SessionExpired

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wirebroker.zookeeper.operations import WatchEvent, Znode
    from wirebroker.zookeeper.session import Session

    Watch = Callable[[WatchEvent], None]

T = TypeVar("T")


async def follow_data(
    session: Session,
    path: str,
    handle: Callable[[Znode | None], Awaitable[None]],
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Call *handle* with the znode at *path*, None if there is none, after each change until cancelled.

    Contents between two looks are skipped; the same content may be handed out twice.  `task_status.started` comes after
    the first call.
    """

    async def look(watch: Watch) -> Znode | None:
        while True:
            try:
                return await session.client.get(path, watch)
            except NoNode:
                if await session.client.exists(path, watch) is None:
                    return None

    await _follow(session, look, handle, task_status)


async def follow_children(
    session: Session,
    path: str,
    handle: Callable[[list[str]], Awaitable[None]],
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Call *handle* with the names of the children of *path*, sorted, after each change until cancelled.

    A path that does not exist has no children; otherwise as `follow_data`.
    """

    async def look(watch: Watch) -> list[str]:
        while True:
            try:
                return sorted(await session.client.children(path, watch))
            except NoNode:
                if await session.client.exists(path, watch) is None:
                    return []

    await _follow(session, look, handle, task_status)


async def _follow(
    session: Session,
    look: Callable[[Watch], Awaitable[T]],
    handle: Callable[[T], Awaitable[None]],
    task_status: trio.TaskStatus[None],
) -> None:
    is_first = True
    while True:
        await session.wait_connected()
        is_stale = trio.Event()
        session.call_once_lost(is_stale.set)
        try:
            try:
                content = await look(lambda _, stale=is_stale: stale.set())  # type: ignore[misc]  # bound per look
            except (ConnectionLoss, SessionExpired):
                await trio.lowlevel.checkpoint()
                continue
            await handle(content)
            if is_first:
                task_status.started()
                is_first = False
            await is_stale.wait()
        finally:
            session.forget(is_stale.set)
