"""LogDirEvents: tells the controller that a log directory of this broker has failed.

The controller answers with a LeaderAndIsr of all replicas, and takes those that are offline out of leadership and ISR.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import trio

from wirebroker.zookeeper.errors import ClientClosed, ZooKeeperError
from wirebroker.zookeeper.operations import CreateMode
from wirebroker.zookeeper.znodes.notifications import LOG_DIR_EVENT_PREFIX, encode_log_dir_failure

if TYPE_CHECKING:
    from wirebroker.zookeeper.session import Session

logger = logging.getLogger(__name__)

_RETRY_S = 1.0


class LogDirEvents:
    """Writes notifications of failed directories of one broker; `run` does the work."""

    def __init__(self, session: Session, broker_id: int) -> None:
        self._session, self._broker_id = session, broker_id
        self._has_failed = trio.Event()

    def log_dir_failed(self) -> None:
        """Note that a directory has failed; directories that fail together need one notification."""
        self._has_failed.set()

    async def run(self) -> None:
        """Write notifications as soon as there is a connection, until cancelled."""
        while True:
            await self._has_failed.wait()
            self._has_failed = trio.Event()
            try:
                # written twice after a lost answer, which makes the controller look twice
                await self._session.retry(self._propagate)
            except ClientClosed:
                raise
            except ZooKeeperError as error:
                logger.error(
                    "zookeeper: the controller cannot be told of the failed log directory (%s), and leaves partitions"
                    " there with this broker. The next attempt is in %.0f s",
                    error,
                    _RETRY_S,
                )
                self._has_failed.set()
                await trio.sleep(_RETRY_S)

    async def _propagate(self) -> None:
        data = encode_log_dir_failure(self._broker_id)
        await self._session.client.create(LOG_DIR_EVENT_PREFIX, data, CreateMode.PERSISTENT_SEQUENTIAL)
