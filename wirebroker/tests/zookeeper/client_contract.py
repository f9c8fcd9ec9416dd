"""The behaviour of a ZooKeeperClient, tested on the fake ZooKeeper and, by compat_tests, on real servers with kazoo.

A module that imports these tests has a fixture `ensemble`, an Ensemble.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

import pytest
import trio

from wirebroker.config.endpoints import Listener
from wirebroker.zookeeper.errors import BadVersion, ClientClosed, NodeExists, NoNode, NotEmpty, ZooKeeperError
from wirebroker.zookeeper.operations import (
    Check,
    Create,
    CreateMode,
    Delete,
    EventKind,
    SessionState,
    SetData,
    Stat,
    WatchEvent,
    ZooKeeperClient,
)
from wirebroker.zookeeper.registration import BrokerRegistration, DuplicateBrokerId
from wirebroker.zookeeper.session import Session
from wirebroker.zookeeper.watches import follow_children, follow_data
from wirebroker.zookeeper.znodes.brokers import BrokerInfo

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from wirebroker.zookeeper.operations import Znode

TIMEOUT_S = 6.0


class Ensemble(Protocol):
    """A ZooKeeper that the tests may disturb; every test has a chroot of its own."""

    chroot: str

    def client(self, chroot: str, timeout_s: float = TIMEOUT_S, max_in_flight: int = 10) -> ZooKeeperClient: ...

    async def expire(self, client: ZooKeeperClient) -> None:
        """End the session of *client*, which is connected."""


@asynccontextmanager
async def connected(ensemble: Ensemble, *, max_in_flight: int = 10) -> AsyncIterator[Session]:
    """A connected session, whose client is closed at the end."""
    client = ensemble.client(ensemble.chroot, TIMEOUT_S, max_in_flight)
    session = Session(client, TIMEOUT_S)
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            await nursery.start(session.run)
            await session.wait_connected()
            await client.make_chroot()
            yield session
            nursery.cancel_scope.cancel()
        await client.close()


async def test_data_and_metadata(ensemble: Ensemble) -> None:
    async with connected(ensemble) as session:
        client = session.client
        assert await client.exists("/a") is None
        assert await client.create("/a", b"1") == "/a"
        data, before = await client.get("/a")
        assert (data, before.version, before.ephemeral_owner, before.num_children) == (b"1", 0, 0, 0)
        after = await client.set("/a", b"2", 0)
        assert (after.version, after.czxid) == (1, before.czxid)
        assert after.mzxid > before.mzxid
        assert await client.get("/a") == (b"2", after)
        assert await client.exists("/a") == after
        await client.delete("/a", 1)
        assert await client.exists("/a") is None


async def test_no_data_are_not_empty_data(ensemble: Ensemble) -> None:
    async with connected(ensemble) as session:
        await session.client.create("/none")
        await session.client.create("/empty", b"")
        assert (await session.client.get("/none")).data is None
        assert (await session.client.get("/empty")).data == b""


async def test_children_and_sequential_znodes(ensemble: Ensemble) -> None:
    async with connected(ensemble) as session:
        client = session.client
        await client.create("/p")
        assert await client.children("/p") == []
        assert await client.create("/p/n_", b"x", CreateMode.PERSISTENT_SEQUENTIAL) == "/p/n_0000000000"
        await client.delete("/p/n_0000000000")
        assert await client.create("/p/n_", b"x", CreateMode.PERSISTENT_SEQUENTIAL) == "/p/n_0000000001"
        await client.create("/p/q")
        assert sorted(await client.children("/p")) == ["n_0000000001", "q"]
        assert (await client.get("/p")).stat.num_children == 2


async def test_errors(ensemble: Ensemble) -> None:
    async with connected(ensemble) as session:
        client = session.client
        await client.create("/a", b"1")
        await client.create("/a/b")
        failing: list[tuple[type[ZooKeeperError], str, Callable[[], Awaitable[object]]]] = [
            (NodeExists, "/a", lambda: client.create("/a")),
            (NoNode, "/x/y", lambda: client.create("/x/y")),
            (NoNode, "/x", lambda: client.get("/x")),
            (NoNode, "/x", lambda: client.children("/x")),
            (NoNode, "/x", lambda: client.set("/x", b"")),
            (NoNode, "/x", lambda: client.delete("/x")),
            (BadVersion, "/a", lambda: client.set("/a", b"2", 5)),
            (BadVersion, "/a", lambda: client.delete("/a", 5)),
            (NotEmpty, "/a", lambda: client.delete("/a")),
        ]
        for error, path, request in failing:
            with pytest.raises(error) as caught:
                await request()
            assert (caught.value.path, caught.value.operation) == (path, None)


async def test_multi_does_all_or_nothing(ensemble: Ensemble) -> None:
    async with connected(ensemble) as session:
        client = session.client
        await client.create("/a", b"1")
        with pytest.raises(BadVersion) as caught:
            await client.multi([Check("/a", 0), Create("/b"), SetData("/a", b"2", 7), Delete("/a")])
        assert (caught.value.path, caught.value.operation) == ("/a", 2)
        for check in (Check("/a", 1), Check("/missing", 0)):
            with pytest.raises((BadVersion, NoNode)) as refused:
                await client.multi([check, Create("/b"), Delete("/missing")])
            assert (refused.value.path, refused.value.operation) == (check.path, 0)
        assert await client.exists("/b") is None
        path, stat, *rest = await client.multi([Create("/b"), SetData("/b", b"x", 0), Check("/a", 0), Delete("/a")])
        assert path == "/b"
        assert rest == [None, None]
        assert stat == await client.exists("/b")
        assert isinstance(stat, Stat)
        assert stat.czxid == stat.mzxid
        assert await client.exists("/a") is None


async def test_a_watch_fires_once_and_before_an_answer_that_shows_the_change(ensemble: Ensemble) -> None:
    async with connected(ensemble) as session, connected(ensemble) as other:
        client = session.client
        seen: list[WatchEvent] = []
        assert await client.exists("/a", seen.append) is None
        await other.client.create("/a", b"0")
        while await client.exists("/a") is None:
            pass
        assert seen == [WatchEvent(EventKind.CREATED, "/a")]
        for number in range(1, 50):
            await client.get("/a", seen.append)
            await other.client.set("/a", b"%d" % number)
            while (await client.get("/a")).data != b"%d" % number:
                pass
            assert seen[number:] == [WatchEvent(EventKind.CHANGED, "/a")]
        await client.children("/a", seen.append)
        await other.client.create("/a/b")
        while not await client.children("/a"):
            pass
        assert seen[-1] == WatchEvent(EventKind.CHILDREN, "/a")
        await client.get("/a/b", seen.append)
        await other.client.delete("/a/b")
        while await client.exists("/a/b") is not None:
            pass
        assert seen[-1] == WatchEvent(EventKind.DELETED, "/a/b")
        assert len(seen) == 52


async def test_requests_in_flight_are_bounded_and_answered(ensemble: Ensemble) -> None:
    async with connected(ensemble, max_in_flight=3) as session:
        created: list[str] = []

        async def create(number: int) -> None:
            created.append(await session.client.create(f"/n{number:03d}"))

        async with trio.open_nursery() as nursery:
            for number in range(100):
                nursery.start_soon(create, number)
        assert sorted(created) == [f"/n{number:03d}" for number in range(100)]


async def test_a_cancelled_request_gives_its_place_back(ensemble: Ensemble) -> None:
    async with connected(ensemble, max_in_flight=1) as session:
        for number in range(20):
            with trio.CancelScope() as scope:
                scope.cancel()
                await session.client.create(f"/c{number}")
            with trio.move_on_after(0):
                await session.client.exists("/")
        await session.client.create("/after")


async def test_ephemeral_znodes_end_with_their_session(ensemble: Ensemble) -> None:
    async with connected(ensemble) as watching:
        async with connected(ensemble) as session:
            await session.client.create("/e", b"x", CreateMode.EPHEMERAL)
            stat = await watching.client.exists("/e")
            assert stat is not None
            assert stat.ephemeral_owner == session.session_id
        assert await watching.client.exists("/e") is None
        with pytest.raises(ClientClosed):
            await session.client.exists("/e")
        assert session.state is SessionState.CLOSED


async def test_a_dropped_connection_keeps_the_session_and_what_is_followed(ensemble: Ensemble) -> None:
    async with connected(ensemble) as session, connected(ensemble) as other, trio.open_nursery() as nursery:
        contents: list[bytes | None] = []
        names: list[list[str]] = []
        changed = trio.Event()

        async def on_data(znode: Znode | None) -> None:
            contents.append(None if znode is None else znode.data)
            changed.set()

        async def on_children(children: list[str]) -> None:
            names.append(children)
            changed.set()

        async def until(value: object, seen: list[bytes | None] | list[list[str]]) -> None:
            nonlocal changed
            while seen[-1] != value:
                await changed.wait()
                changed = trio.Event()

        await nursery.start(follow_data, session, "/d", on_data)
        await nursery.start(follow_children, session, "/p", on_children)
        assert (contents, names) == ([None], [[]])
        await other.client.create("/d", b"1")
        await until(b"1", contents)
        await other.client.create("/p")
        await other.client.create("/p/b")
        await other.client.create("/p/a")
        await until(["a", "b"], names)
        first = session.session_id
        session.client.drop_connection()
        await other.client.set("/d", b"2")
        await other.client.delete("/p/a")
        await until(b"2", contents)
        await until(["b"], names)
        await other.client.set("/d", b"3")
        await until(b"3", contents)
        await other.client.delete("/d")
        await until(None, contents)
        assert session.session_id == first
        nursery.cancel_scope.cancel()


def info(broker_id: int = 1, port: int = 9092) -> BrokerInfo:
    return BrokerInfo(broker_id, (Listener("PLAINTEXT", "PLAINTEXT", "127.0.0.1", port),), "r", timestamp_ms=7)


async def make_ids(session: Session) -> None:
    await session.client.create("/brokers")
    await session.client.create("/brokers/ids")


async def test_a_registration_has_its_czxid_as_epoch(ensemble: Ensemble) -> None:
    async with connected(ensemble) as session:
        await make_ids(session)
        epochs: list[int] = []
        registration = BrokerRegistration(session, info(), epochs.append)
        epoch = await registration.register()
        data, stat = await session.client.get("/brokers/ids/1")
        assert (data, stat.czxid, stat.ephemeral_owner) == (info().encode(), epoch, session.session_id)
        assert epochs == [epoch]
        assert registration.broker_epoch == epoch
        assert await registration.is_still_there()
        assert await registration.register() == epoch
        await registration.update(info(port=5))
        assert (await session.client.get("/brokers/ids/1")).data == info(port=5).encode()
        assert await registration.is_still_there()
        await session.client.delete("/brokers/ids/1")
        assert not await registration.is_still_there()


async def test_a_broker_id_in_use_is_refused(ensemble: Ensemble) -> None:
    async with connected(ensemble) as first, connected(ensemble) as second:
        await make_ids(first)
        await BrokerRegistration(first, info()).register()
        with pytest.raises(DuplicateBrokerId, match=r"broker\.id 1 is registered by another broker"):
            await BrokerRegistration(second, info(port=1)).register()


async def test_the_registration_of_an_earlier_process_is_waited_for(ensemble: Ensemble) -> None:
    async with connected(ensemble) as second:
        await make_ids(second)
        async with connected(ensemble) as first, trio.open_nursery() as nursery:
            before = await BrokerRegistration(first, info()).register()
            epochs: list[int] = []
            nursery.start_soon(BrokerRegistration(second, info(), epochs.append).register)
            await second.client.exists("/")
            await second.client.exists("/")
            assert epochs == []
            await first.client.close()
        assert len(epochs) == 1
        assert epochs[0] > before


async def test_an_expired_session_registers_again_with_a_new_epoch(ensemble: Ensemble) -> None:
    async with connected(ensemble) as session, trio.open_nursery() as nursery:
        await make_ids(session)
        epochs: list[int] = []
        has_epoch = trio.Event()

        def registered(epoch: int) -> None:
            epochs.append(epoch)
            has_epoch.set()

        registration = BrokerRegistration(session, info(), registered)
        nursery.start_soon(registration.run)
        await registration.register()
        before, has_epoch = session.session_id, trio.Event()
        await ensemble.expire(session.client)
        await has_epoch.wait()
        assert session.former_ids == {before}
        assert epochs[1] > epochs[0]
        assert registration.broker_epoch == epochs[1]
        assert await registration.is_still_there()
        assert (await session.client.get("/brokers/ids/1")).stat.ephemeral_owner == session.session_id
        nursery.cancel_scope.cancel()
