"""ZkConsumerOffsets: /consumers/G/offsets/T/P, where consumers before Kafka 0.9 keep their offsets, as decimal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.zookeeper.cluster_znodes import create_with_parents
from wirebroker.zookeeper.errors import CorruptZnode, NoNode
from wirebroker.zookeeper.znodes.json_fields import decode_number

if TYPE_CHECKING:
    from wirebroker.model import TopicPartition
    from wirebroker.zookeeper.session import Session


class ZkConsumerOffsets:
    """The offsets that version 0 of OffsetCommit and OffsetFetch write and read; any broker serves them."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def commit(self, group_id: str, partition: TopicPartition, offset: int) -> None:
        """Write an offset; waits for a connection."""
        path, data = consumer_offset_path(group_id, partition), str(offset).encode()
        while True:
            try:
                await self._session.retry(lambda: self._session.client.set(path, data))
                return
            except NoNode:
                if await create_with_parents(self._session, path, data):
                    return

    async def fetch(self, group_id: str, partition: TopicPartition) -> int | None:
        """Return an offset, None if none was written or it is not a number; waits for a connection."""
        path = consumer_offset_path(group_id, partition)
        try:
            znode = await self._session.retry(lambda: self._session.client.get(path))
            return decode_number(path, znode.data)
        except (NoNode, CorruptZnode):
            return None


def consumer_offset_path(group_id: str, partition: TopicPartition) -> str:
    """Return the path of a committed offset."""
    return f"/consumers/{group_id}/offsets/{partition.topic}/{partition.partition}"
