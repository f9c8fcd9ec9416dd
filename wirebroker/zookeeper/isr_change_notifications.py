"""IsrChangeNotifications: tells the controller which ISRs this broker's leaders have changed, many at a time.

The controller reads the states of the partitions, tells all brokers, and deletes the notification.  As in Kafka, one is
written when no ISR has changed for 5 s, or 60 s after the one before, so a burst of changes costs few of them.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.zookeeper.errors import ClientClosed, ZooKeeperError
from wirebroker.zookeeper.operations import CreateMode
from wirebroker.zookeeper.znodes.notifications import ISR_CHANGE_PREFIX, encode_isr_change

if TYPE_CHECKING:
    from wirebroker.model import TopicPartition
    from wirebroker.zookeeper.session import Session

logger = logging.getLogger(__name__)

CHECK_INTERVAL_S: Final = 2.5
LINGER_S: Final = 5.0
MAX_DELAY_S: Final = 60.0
_PARTITIONS_PER_ZNODE: Final = 2000
"""A partition with the longest name takes 300 bytes, and ZooKeeper takes no request above 1 MB."""


class IsrChangeNotifications:
    """The partitions whose ISR has changed and of which the controller was not told yet."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._changed: dict[TopicPartition, None] = {}
        self._last_change = self._last_propagation = trio.current_time()

    def add(self, partition: TopicPartition) -> None:
        """Note that the ISR of *partition* has changed."""
        self._changed[partition] = None
        self._last_change = trio.current_time()

    async def run(self) -> None:
        """Write notifications when they are due, until cancelled."""
        while True:
            await trio.sleep(CHECK_INTERVAL_S)
            now = trio.current_time()
            is_quiet = now - self._last_change > LINGER_S
            if self._changed and (is_quiet or now - self._last_propagation > MAX_DELAY_S):
                await self._propagate()

    async def _propagate(self) -> None:
        partitions = list(self._changed)[:_PARTITIONS_PER_ZNODE]
        for partition in partitions:
            del self._changed[partition]  # before the wait: what changes from now on is told again
        data = encode_isr_change(partitions)
        try:
            # written twice after a lost answer, which makes the controller look twice
            await self._session.retry(
                lambda: self._session.client.create(ISR_CHANGE_PREFIX, data, CreateMode.PERSISTENT_SEQUENTIAL)
            )
        except ClientClosed:
            raise
        except ZooKeeperError as error:
            self._changed.update(dict.fromkeys(partitions))
            logger.error(
                "zookeeper: the controller cannot be told of %d changed ISRs (%s); other brokers show clients old ones."
                " The next attempt is in %.1f s",
                len(partitions),
                error,
                CHECK_INTERVAL_S,
            )
        self._last_propagation = trio.current_time()
