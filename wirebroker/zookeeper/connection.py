"""open_zookeeper: the session of a broker, from its first connection to its end.

async with open_zookeeper(ZooKeeperSettings(...)) as session:
    cluster_id = await get_or_create_cluster_id(session, new_cluster_id)
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.cancellation import unless_set
from wirebroker.zookeeper.client import KazooConnection
from wirebroker.zookeeper.cluster_znodes import create_persistent_paths
from wirebroker.zookeeper.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from wirebroker.zookeeper.connect_string import ConnectString

logger = logging.getLogger(__name__)

_CLOSE_S: Final = 5.0
"""How long the end of a session may take; without a server it ends by itself."""


class ZooKeeperSettings(NamedTuple):
    """The settings of the connection, with the names of their keys without `zookeeper.`."""

    connect: ConnectString
    session_timeout_s: float
    connection_timeout_s: float
    max_in_flight_requests: int


class ZooKeeperUnreachable(Exception):
    """No server has granted a session in time; the message says where and why, in one line."""


@asynccontextmanager
async def open_zookeeper(settings: ZooKeeperSettings, stop: trio.Event | None = None) -> AsyncIterator[Session]:
    """Connect, create the chroot and the persistent paths, and keep the session until the end of the block.

    The end of the session deletes the ephemeral znodes: other brokers see this one go.  If *stop* is set before the
    paths are there, the session is returned as it is, perhaps without a connection.

    Raises:
        ZooKeeperUnreachable: there is no session after `zookeeper.connection.timeout.ms`.
        ZooKeeperError: the paths cannot be created.
    """
    client = KazooConnection(*settings.connect, settings.session_timeout_s, settings.max_in_flight_requests)
    session = Session(client, settings.session_timeout_s)
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(session.run)

            async def connect() -> None:
                await wait_first_connection(session, settings)
                await session.retry(client.make_chroot)
                await create_persistent_paths(session)

            await unless_set(trio.Event() if stop is None else stop, connect)
            yield session
            nursery.cancel_scope.cancel()
    finally:
        await _close(session)


async def wait_first_connection(session: Session, settings: ZooKeeperSettings) -> None:
    """Wait for the first session.

    Raises:
        ZooKeeperUnreachable: as for `open_zookeeper`.
    """
    with trio.move_on_after(settings.connection_timeout_s) as waiting:
        await session.wait_connected()
    if waiting.cancelled_caught:
        raise ZooKeeperUnreachable(
            f"no session with ZooKeeper at {settings.connect} after {settings.connection_timeout_s:.1f} s"
            f" ({session.client.last_connect_error}): check zookeeper.connect, raise zookeeper.connection.timeout.ms,"
            " or start with --standalone to join no cluster"
        )


async def _close(session: Session) -> None:
    with trio.move_on_after(_CLOSE_S, shield=True) as closing:
        await session.client.close()
    if closing.cancelled_caught and session.session_id:
        logger.warning(
            "zookeeper: no server has confirmed the end of the session in %.0f s; it expires by itself, and until then"
            " other brokers count this one among the living",
            _CLOSE_S,
        )
