"""BrokerRegistration: the ephemeral znode /brokers/ids/N, by which the controller knows that this broker lives.

Its czxid is the broker epoch (KIP-380): requests of a controller that knows an older one are refused.  After the end of
a session the znode is created anew, with a new epoch, and for the controller the broker has been restarted.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import trio

from wirebroker.zookeeper.errors import (
    BadVersion,
    ConnectionLoss,
    CorruptZnode,
    NodeExists,
    NoNode,
    SessionExpired,
)
from wirebroker.zookeeper.operations import Create, CreateMode, SessionState, SetData, Stat
from wirebroker.zookeeper.znodes.brokers import BrokerInfo

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.zookeeper.operations import SessionEvent, Znode
    from wirebroker.zookeeper.session import Session

logger = logging.getLogger(__name__)

NO_EPOCH = -1
_STALE_MARGIN_S = 2.0
"""ZooKeeper looks for expired sessions once per tick, which is 2 s by default."""


class DuplicateBrokerId(Exception):
    """Another broker is registered with the id of this one; the message names its address."""


class BrokerRegistration:
    """This broker's registration in ZooKeeper.

    Args:
        session: connected or not.
        info: what to register.
        on_registered: called with each new broker epoch.
        departure_s: how long the id of an earlier process stays away before it is registered again.  Controllers
            before Apache Kafka 2.2 know no broker epochs: they compare ids, and take a broker that is back before they
            look for one that never left, and send it nothing.
    """

    def __init__(
        self,
        session: Session,
        info: BrokerInfo,
        on_registered: Callable[[int], None] = lambda _: None,
        departure_s: float = 0.0,
    ) -> None:
        self._session, self._on_registered, self._departure_s = session, on_registered, departure_s
        self.info = info
        self.broker_epoch = NO_EPOCH
        """The czxid of the znode, -1 before the first registration."""
        self.is_renewed = False
        """Whether a former session had another registration, after which the controller took this broker for gone."""
        self.registered = trio.Event()
        """Set with the first registration."""
        self._owner = 0
        self._has_new_session = trio.Event()
        session.subscribe(self._on_session)

    async def register(self) -> int:
        """Create the znode, or find that it is this session's; return the broker epoch.

        The znode of a former session of this process is deleted.  One with the addresses of this broker is of an
        earlier process, such as one that was killed: its session is given time to expire.

        Raises:
            DuplicateBrokerId: another broker is registered with this id.
        """
        waited_until = trio.current_time() + self._session.timeout_s + _STALE_MARGIN_S
        while True:
            stat = await self._try_to_create()
            if stat is not None:
                break
            await self._replace_former(waited_until)
        self.is_renewed = self.is_renewed or self.broker_epoch not in (NO_EPOCH, stat.czxid)
        self._owner, self.broker_epoch = stat.ephemeral_owner, stat.czxid
        logger.info("broker %d is registered in ZooKeeper with epoch %d", self.info.broker_id, stat.czxid)
        self.registered.set()
        self._on_registered(stat.czxid)
        return stat.czxid

    async def run(self) -> None:
        """Register again after the end of each session, until cancelled.

        Raises:
            DuplicateBrokerId: another broker has taken this id meanwhile.
        """
        while True:
            await self._has_new_session.wait()
            self._has_new_session = trio.Event()
            if self._session.session_id != self._owner:
                await self.register()

    async def update(self, info: BrokerInfo) -> None:
        """Replace what is registered; the epoch stays."""
        self.info = info
        await self._session.retry(lambda: self._session.client.set(info.path, info.encode()))

    async def is_still_there(self) -> bool:
        """Return whether the znode is there with the epoch that this process knows; waits for a connection."""
        stat = await self._session.retry(lambda: self._session.client.exists(self.info.path))
        return stat is not None and stat.czxid == self.broker_epoch and stat.ephemeral_owner == self._session.session_id

    async def _try_to_create(self) -> Stat | None:
        """Create the znode and return its Stat; None if there is one that is not this session's."""
        client, path, data = self._session.client, self.info.path, self.info.encode()
        await self._session.wait_connected()
        try:
            # the Stat of a creation is only returned from ZooKeeper 3.5 on, that of a write always
            _, stat = await client.multi([Create(path, None, CreateMode.EPHEMERAL), SetData(path, data, 0)])
        except (ConnectionLoss, SessionExpired):
            return None
        except NodeExists:
            stat = None
        if isinstance(stat, Stat):
            return stat
        found = await self._registered()
        if found is not None and found.stat.ephemeral_owner == self._session.session_id:
            return found.stat  # by a request whose answer was lost
        return None

    async def _replace_former(self, waited_until: float) -> None:
        """Delete the znode of a former session, or wait until that of an earlier process is gone."""
        found = await self._registered()
        if found is None or found.stat.ephemeral_owner == self._session.session_id:
            return
        path = self.info.path
        if found.stat.ephemeral_owner in self._session.former_ids:
            try:
                await self._session.client.delete(path, found.stat.version)
            except (NoNode, BadVersion, ConnectionLoss, SessionExpired):
                pass  # the next look tells
            return
        if self._is_of_another_broker(found):
            raise DuplicateBrokerId(
                f"broker.id {self.info.broker_id} is registered by another broker: {_shown(found)};"
                " give each broker an id of its own"
            )
        if trio.current_time() >= waited_until:
            raise DuplicateBrokerId(
                f"broker.id {self.info.broker_id} is registered by a broker with the addresses of this one, whose"
                f" session 0x{found.stat.ephemeral_owner:x} lives: another process of it is running; stop that one"
            )
        logger.info(
            "%s belongs to session 0x%x of an earlier process; waiting up to %.0f s until ZooKeeper ends that session",
            path,
            found.stat.ephemeral_owner,
            waited_until - trio.current_time(),
        )
        await self._wait_gone(waited_until)
        await trio.sleep(self._departure_s)

    async def _wait_gone(self, waited_until: float) -> None:
        """Wait for the end of the znode, a lost connection, or *waited_until*."""
        is_gone = trio.Event()
        self._session.call_once_lost(is_gone.set)
        try:
            with trio.move_on_at(waited_until):
                if await self._session.client.exists(self.info.path, lambda _: is_gone.set()) is not None:
                    await is_gone.wait()
        except (ConnectionLoss, SessionExpired):
            pass
        finally:
            self._session.forget(is_gone.set)

    async def _registered(self) -> Znode | None:
        try:
            return await self._session.retry(lambda: self._session.client.get(self.info.path))
        except NoNode:
            return None

    def _is_of_another_broker(self, found: Znode) -> bool:
        try:
            return set(BrokerInfo.decode(self.info.broker_id, found.data).endpoints) != set(self.info.endpoints)
        except CorruptZnode:
            return True

    def _on_session(self, event: SessionEvent) -> None:
        if event.state is SessionState.CONNECTED and self._owner not in (0, event.session_id):
            self._has_new_session.set()


def _shown(found: Znode) -> str:
    return (found.data or b"").decode(errors="replace")
