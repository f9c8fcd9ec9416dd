"""KazooConnection, Session, watches and BrokerRegistration on real ZooKeepers: 3.5 (of Kafka 2.0) and 3.8 (of 3.9).

The tests of the contract are those that run on the fake ZooKeeper, too.
"""

from __future__ import annotations

import itertools
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest
import trio

from compat_tests.conftest import WAIT_S
from compat_tests.versions import KAFKA, OLDEST_KAFKA
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperEnsemble
from wirebroker.tests.kafka_controller.zk_client_contract import *  # noqa: F403  # those of the controller
from wirebroker.tests.zookeeper.client_contract import *  # noqa: F403  # the tests of the contract
from wirebroker.tests.zookeeper.client_contract import connected, info, make_ids
from wirebroker.zookeeper.client import KazooConnection
from wirebroker.zookeeper.operations import CreateMode, SessionEvent, SessionState
from wirebroker.zookeeper.registration import BrokerRegistration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.jvm.kafka import KafkaDist
    from wirebroker.zookeeper.operations import ZooKeeperClient

_numbers = itertools.count(1)


class RealEnsemble:
    """Servers as the contract wants them."""

    def __init__(self, zookeeper: ZooKeeper | ZooKeeperEnsemble, timeout_s: float = 15.0) -> None:
        self.zookeeper, self.chroot = zookeeper, f"/tests/{next(_numbers)}"
        self._timeout_s = timeout_s

    def client(self, chroot: str, timeout_s: float | None = None, max_in_flight: int = 10) -> KazooConnection:
        return KazooConnection(self.zookeeper.connect, chroot, timeout_s or self._timeout_s, max_in_flight)

    async def expire(self, client: ZooKeeperClient) -> None:
        """Close the session through another connection that claims it, as ZooKeeper's own tests do."""
        from kazoo.client import KazooClient

        assert isinstance(client, KazooConnection)
        claimed = client._kazoo.client_id

        def close() -> None:
            other = KazooClient(self.zookeeper.connect, client_id=claimed)
            other.start()
            other.stop()
            other.close()

        await trio.to_thread.run_sync(close)


@pytest.fixture(scope="module", params=[OLDEST_KAFKA, KAFKA])
def zookeeper(
    request: pytest.FixtureRequest, kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ZooKeeper]:
    with ZooKeeper(kafka_dist(request.param), tmp_path_factory.mktemp("zookeeper")) as server:
        yield server


@pytest.fixture
def ensemble(zookeeper: ZooKeeper) -> RealEnsemble:
    return RealEnsemble(zookeeper)


async def test_the_negotiated_timeout_is_known(ensemble: RealEnsemble) -> None:
    client = ensemble.client("", timeout_s=1.0)
    events: list[SessionEvent] = []
    has_event = trio.Event()
    client.subscribe(events.append)
    client.subscribe(lambda _: has_event.set())
    client.start()
    with trio.fail_after(WAIT_S):
        await has_event.wait()
    assert events[0].state is SessionState.CONNECTED
    assert events[0].timeout_s == pytest.approx(4.0)  # the server grants two of its ticks at least
    await client.close()


async def test_a_server_that_stops_and_starts_keeps_the_session(zookeeper: ZooKeeper) -> None:
    # a session of 15 s has expired once while a busy machine started the server again
    async with connected(RealEnsemble(zookeeper, timeout_s=40.0)) as session:
        await session.client.create("/e", None, CreateMode.EPHEMERAL)
        before, is_lost = session.session_id, trio.Event()
        session.call_once_lost(is_lost.set)
        await trio.to_thread.run_sync(zookeeper.stop)
        with trio.fail_after(WAIT_S):
            await is_lost.wait()
        await trio.to_thread.run_sync(zookeeper.start)
        stat = await session.retry(lambda: session.client.exists("/e"))
        assert stat is not None
        assert stat.ephemeral_owner == before


async def test_pings_keep_an_idle_session(ensemble: RealEnsemble) -> None:
    async with connected(ensemble) as session:
        before = session.session_id
        await session.client.create("/e", None, CreateMode.EPHEMERAL)
        await trio.sleep(1.5 * session.timeout_s)
        assert session.session_id == before
        assert await session.client.exists("/e") is not None


async def test_a_server_that_hangs_is_given_up_for_another(
    kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with ZooKeeperEnsemble(kafka_dist(KAFKA), tmp_path_factory.mktemp("ensemble")) as servers:
        # a third of the session is left when the server is given up, in which a busy machine has to find another one
        async with connected(RealEnsemble(servers, timeout_s=30.0)) as session:
            await make_ids(session)
            registration = BrokerRegistration(session, info())
            await registration.register()
            client: Any = session.client
            port = client._kazoo._connection._socket.getpeername()[1]
            (hanging,) = [server for server in servers.servers if server.port == port]
            before, is_lost = session.session_id, trio.Event()
            session.call_once_lost(is_lost.set)
            os.kill(hanging.pid, signal.SIGSTOP)
            try:
                with trio.fail_after(WAIT_S):
                    await is_lost.wait()
                    assert await registration.is_still_there()
                assert session.session_id == before
            finally:
                os.kill(hanging.pid, signal.SIGCONT)
