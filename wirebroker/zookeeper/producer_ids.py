"""ZkProducerIdBlocks: producer ids from /latest_producer_id_block, below inter-broker protocol 3.0.

The znode has the newest block that any broker took.  The next one begins behind it and replaces it by compare-and-set,
so two brokers never get the same ids.  From protocol 3.0 on the controller allocates them (AllocateProducerIds).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.zookeeper.cluster_znodes import create_with_parents
from wirebroker.zookeeper.errors import BadVersion, ConnectionLoss, CorruptZnode, NoNode, SessionExpired
from wirebroker.zookeeper.znodes.cluster import PRODUCER_ID_BLOCK_PATH, ProducerIdBlock

if TYPE_CHECKING:
    from wirebroker.zookeeper.session import Session

BLOCK_SIZE: Final = 1000
_LARGEST_ID: Final = 2**63 - 1
_WAIT_S: Final = 10.0
"""How long a producer waits for an id while ZooKeeper does not answer, before it is told to try again."""


class ZkProducerIdBlocks:
    """Blocks of producer ids for one broker."""

    def __init__(self, session: Session, broker_id: int) -> None:
        self._session, self._broker_id = session, broker_id

    async def allocate(self) -> range:
        """Return a block of ids that no broker was given before.

        Raises:
            ApiError: COORDINATOR_NOT_AVAILABLE without an answer of ZooKeeper; UNKNOWN_SERVER_ERROR if the ids are used
                up, or the znode is corrupt.
        """
        with trio.move_on_after(_WAIT_S):
            while True:
                block = await self._try_to_allocate()
                if block is not None:
                    return range(block.first_id, block.last_id + 1)
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE, "ZooKeeper does not answer, and has the producer ids")

    async def _try_to_allocate(self) -> ProducerIdBlock | None:
        """Take the block behind the newest one; None if another broker was faster, or the outcome is unknown."""
        client = self._session.client
        try:
            data, stat = await self._session.retry(lambda: client.get(PRODUCER_ID_BLOCK_PATH))
        except NoNode:
            await create_with_parents(self._session, PRODUCER_ID_BLOCK_PATH)
            return None
        try:
            first_id = ProducerIdBlock.decode(data).last_id + 1 if data is not None else 0
        except CorruptZnode as error:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from error
        block = ProducerIdBlock(self._broker_id, first_id, first_id + BLOCK_SIZE - 1)
        if block.last_id > _LARGEST_ID:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "all producer ids are used up")
        try:
            await client.set(PRODUCER_ID_BLOCK_PATH, block.encode(), stat.version)
        except (BadVersion, ConnectionLoss, SessionExpired, NoNode):
            # after a lost answer the block may be taken and is left unused: ids are plenty
            return None
        return block
