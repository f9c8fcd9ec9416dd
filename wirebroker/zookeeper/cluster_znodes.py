"""Znodes that a starting broker finds or creates: the persistent paths, the cluster's id, a broker id for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.zookeeper.errors import NodeExists, NoNode
from wirebroker.zookeeper.znodes.brokers import BROKER_SEQUENCE_ID_PATH
from wirebroker.zookeeper.znodes.cluster import (
    CLUSTER_ID_PATH,
    PERSISTENT_PATHS,
    decode_cluster_id,
    encode_cluster_id,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.zookeeper.session import Session


async def create_with_parents(session: Session, path: str, data: bytes | None = None) -> bool:
    """Create a persistent znode and those of its parents that do not exist; False if it exists already.

    Parents get no data at all, which for Kafka is not the same as empty data.
    """
    while True:
        try:
            await session.retry(lambda: session.client.create(path, data))
        except NodeExists:
            return False
        except NoNode:
            await create_with_parents(session, path.rpartition("/")[0])
        else:
            return True


async def create_persistent_paths(session: Session) -> None:
    """Create the paths that every broker of a cluster expects, as far as they do not exist."""
    for path in PERSISTENT_PATHS:
        if await session.retry(lambda path=path: session.client.exists(path)) is None:  # type: ignore[misc]  # bound
            await create_with_parents(session, path)


async def get_or_create_cluster_id(session: Session, new_id: Callable[[], str]) -> str:
    """Return the id of the cluster; *new_id* makes one for a cluster without.

    Raises:
        CorruptZnode: /cluster/id is not what Kafka writes.
    """
    while True:
        try:
            znode = await session.retry(lambda: session.client.get(CLUSTER_ID_PATH))
            return decode_cluster_id(znode.data)
        except NoNode:
            # another broker may be faster, so what counts is what is read afterwards
            await create_with_parents(session, CLUSTER_ID_PATH, encode_cluster_id(new_id()))


async def generate_broker_id(session: Session, reserved_max_id: int) -> int:
    """Return a broker id that the cluster has never handed out: greater than `reserved.broker.max.id`.

    Each write gives the znode a new version.  A write whose answer is lost leaves one number unused.
    """
    while True:
        try:
            stat = await session.retry(lambda: session.client.set(BROKER_SEQUENCE_ID_PATH, b""))
        except NoNode:
            await create_with_parents(session, BROKER_SEQUENCE_ID_PATH)
        else:
            return reserved_max_id + stat.version
