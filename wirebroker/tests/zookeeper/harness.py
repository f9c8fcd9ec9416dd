"""A session on the fake ZooKeeper for one test."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

import trio

from wirebroker.zookeeper.cluster_znodes import create_persistent_paths
from wirebroker.zookeeper.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from wirebroker.tests.zookeeper.fake_client import FakeClient
    from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper


class Member(NamedTuple):
    """One client of a fake ZooKeeper, with a nursery for what the test runs beside."""

    session: Session
    client: FakeClient
    nursery: trio.Nursery


@asynccontextmanager
async def member(zookeeper: FakeZooKeeper, timeout_s: float = 6.0) -> AsyncIterator[Member]:
    """A connected session, without a chroot; what runs in its nursery is cancelled at the end."""
    client = zookeeper.client(timeout_s=timeout_s)
    session = Session(client, timeout_s)
    async with trio.open_nursery() as nursery:
        await nursery.start(session.run)
        await session.wait_connected()
        await create_persistent_paths(session)
        yield Member(session, client, nursery)
        nursery.cancel_scope.cancel()
