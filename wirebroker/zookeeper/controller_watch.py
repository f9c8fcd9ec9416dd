"""ControllerWatch: the broker that is the active controller, by the ephemeral znode /controller."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.zookeeper.errors import CorruptZnode
from wirebroker.zookeeper.watches import follow_data
from wirebroker.zookeeper.znodes.cluster import CONTROLLER_PATH, Controller

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.zookeeper.operations import Znode
    from wirebroker.zookeeper.session import Session

logger = logging.getLogger(__name__)

NO_CONTROLLER: Final = -1


class ControllerWatch:
    """The id of the active controller, followed.

    Args:
        session: connected or not.
        on_change: called with the id, -1 for none, after each change of the znode: a new one may name the same broker,
            and one whose content was corrupt may be gone.
    """

    def __init__(self, session: Session, on_change: Callable[[int], None] = lambda _: None) -> None:
        self._session, self._on_change = session, on_change
        self.controller_id = NO_CONTROLLER
        """The broker id, -1 while there is no controller; without a connection the last one known."""

        self._seen: tuple[int, int] | None = None
        """The czxid and the version of the znode at the last look."""

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Follow the znode until cancelled; started after the first look."""
        await follow_data(self._session, CONTROLLER_PATH, self._look, task_status)

    async def _look(self, znode: Znode | None) -> None:
        try:
            found = NO_CONTROLLER if znode is None else Controller.decode(znode.data).broker_id
        except CorruptZnode as error:
            logger.error("%s; until the znode is replaced this broker knows no controller", error)
            found = NO_CONTROLLER
        before, self._seen = self._seen, None if znode is None else (znode.stat.czxid, znode.stat.version)
        if found == self.controller_id and before == self._seen:
            return  # the connection was lost meanwhile
        if found != self.controller_id:
            logger.info(
                "the controller of the cluster is broker %d (-1: none); before, it was %d", found, self.controller_id
            )
            self.controller_id = found
        self._on_change(found)
