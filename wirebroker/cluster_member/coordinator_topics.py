"""CoordinatorTopics: by how many partitions of their topics groups and transactional ids are spread."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.zookeeper.admin_zk_client import AdminZkClient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.coordinator.service import CoordinatorService
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.zookeeper.session import Session

logger = logging.getLogger(__name__)

_PAUSE_S: Final = 1.0
"""Between looks for a topic that the metadata has and ZooKeeper has not, as while it is being deleted."""


class CoordinatorTopics:
    """Gives each coordinator the number of partitions that its topic has at the start, or once it is created.

    From then on the number stays, as in Apache Kafka: every broker has to name the same coordinator, also while a topic
    is grown.  Of a topic that is created later Apache Kafka takes the configured number, whatever it is created with.

    Args:
        session: Where the topics are read.
        metadata: Which topics there are.
        coordinators: Of groups and of transactions.
    """

    def __init__(self, session: Session, metadata: MetadataCache, coordinators: Sequence[CoordinatorService]) -> None:
        self._znodes, self._metadata, self._coordinators = AdminZkClient(session), metadata, coordinators

    async def fix_partition_counts(self) -> None:
        """Fix the number of partitions of each topic that is there.

        Raises:
            CorruptZnode, ZooKeeperError: the topics cannot be read.
        """
        for coordinator in self._unknown():
            found = await self._znodes.assignment(coordinator.topic)
            if found is not None:
                coordinator.partition_count = len(found.assignment.partitions)
                logger.info("%s has %d partitions", coordinator.topic, coordinator.partition_count)

    async def run(self) -> None:
        """Fix the numbers of topics that are created while this broker runs."""
        while self._unknown():
            await self._metadata.wait_for(self._has_unknown)
            await self.fix_partition_counts()
            if self._has_unknown(self._metadata.image):
                await trio.sleep(_PAUSE_S)

    def _unknown(self) -> list[CoordinatorService]:
        return [each for each in self._coordinators if each.partition_count is None]

    def _has_unknown(self, image: ClusterImage) -> bool:
        return any(image.topic(each.topic) is not None for each in self._unknown())
