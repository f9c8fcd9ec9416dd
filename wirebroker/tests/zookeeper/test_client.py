"""KazooConnection without a server: addresses that do not answer, the end of a client, the hooks into kazoo."""

from __future__ import annotations

import socket
import struct
import threading
from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.zookeeper import connection
from wirebroker.zookeeper.client import KazooConnection
from wirebroker.zookeeper.connect_string import ConnectString
from wirebroker.zookeeper.connection import ZooKeeperSettings, ZooKeeperUnreachable, open_zookeeper
from wirebroker.zookeeper.errors import ClientClosed, ZooKeeperError
from wirebroker.zookeeper.operations import SessionEvent, SessionState

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


async def opened(connect: ConnectString) -> None:
    async with open_zookeeper(ZooKeeperSettings(connect, 6.0, 0.5, 10)):
        pytest.fail("there is no ZooKeeper")


async def test_a_port_without_a_server_is_named(closed_port: int) -> None:
    refused = rf"no session with ZooKeeper at 127\.0\.0\.1:{closed_port}/k after 0\.5 s .*Connection refused"
    with pytest.RaisesGroup(pytest.RaisesExc(ZooKeeperUnreachable, match=refused)):
        await opened(ConnectString(f"127.0.0.1:{closed_port}", "/k"))


async def test_a_stop_ends_the_wait_for_a_server(closed_port: int) -> None:
    stop = trio.Event()
    stop.set()
    settings = ZooKeeperSettings(ConnectString(f"127.0.0.1:{closed_port}", ""), 60.0, 60.0, 10)
    with trio.fail_after(30):
        async with open_zookeeper(settings, stop) as session:
            assert not session.is_connected


async def test_a_name_without_an_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> None:
        raise socket.gaierror("unknown")

    monkeypatch.setattr("kazoo.protocol.connection.socket.getaddrinfo", unknown)
    unresolved = "none of the servers' names has an address"
    with pytest.RaisesGroup(pytest.RaisesExc(ZooKeeperUnreachable, match=unresolved)):
        await opened(ConnectString("nowhere.invalid:1", ""))


async def test_a_server_that_hangs_is_not_waited_for_at_the_end(
    silent_port: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connection, "_CLOSE_S", 0.1)
    began = trio.current_time()
    silent = rf"no session .* \(127\.0\.0\.1:{silent_port} has not answered yet\): check zookeeper\.connect"
    with pytest.RaisesGroup(pytest.RaisesExc(ZooKeeperUnreachable, match=silent)):
        await opened(ConnectString(f"127.0.0.1:{silent_port}", ""))
    assert trio.current_time() - began < 3
    assert "the session" not in caplog.text, "there was none"


async def test_each_server_gets_its_part_of_the_session_to_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[Any, float]] = []
    has_tried_all = threading.Event()

    def connect(*_: object, address: tuple[str, int], timeout: float, **__: object) -> None:
        tried.append((address, timeout))
        if len(tried) >= 3:
            has_tried_all.set()
        raise OSError("no route")

    monkeypatch.setattr("kazoo.handlers.utils.create_tcp_connection", connect)
    client = KazooConnection("127.0.0.1:1,127.0.0.1:2,127.0.0.1:3", "", 6.0, 10)
    client.start()
    await trio.to_thread.run_sync(has_tried_all.wait, 10)
    await client.close()
    assert {timeout for _, timeout in tried} == {2.0}
    assert {address for address, _ in tried} == {("127.0.0.1", 1), ("127.0.0.1", 2), ("127.0.0.1", 3)}


def serve_nonsense(server: socket.socket) -> None:
    """Grant each connection a session, and answer its first request with the id of another one."""
    for session_id in (1, 2):
        with server.accept()[0] as connection:
            connection.recv(4096)
            granted = struct.pack(">iiqi16s?", 0, 6000, session_id, 16, b"", False)
            connection.sendall(struct.pack(">i", len(granted)) + granted)
            if session_id == 1:
                connection.recv(4096)
                connection.sendall(struct.pack(">iiqi", 16, 99, 1, 0))
            connection.recv(4096)


async def test_an_answer_that_kazoo_does_not_understand_ends_the_session_and_not_the_broker(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("wirebroker.zookeeper.client._RESTART_S", 0.01)
    events: list[tuple[SessionState, int]] = []
    has_second = trio.Event()

    def on_event(event: SessionEvent) -> None:
        events.append((event.state, event.session_id))
        if event.session_id == 1:
            nursery.start_soon(request)
        elif event.session_id == 2:
            has_second.set()

    async def request() -> None:
        with pytest.raises(ZooKeeperError):
            await client.get("/a")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve_nonsense, args=[server], daemon=True).start()
        client = KazooConnection(f"127.0.0.1:{server.getsockname()[1]}", "", 6.0, 1)
        client.subscribe(on_event)
        with trio.fail_after(10):
            async with trio.open_nursery() as nursery:
                client.start()
                await has_second.wait()
            await client.close()
    assert events[:3] == [(SessionState.CONNECTED, 1), (SessionState.EXPIRED, 0), (SessionState.CONNECTED, 2)]
    assert events[-1] == (SessionState.CLOSED, 0)
    assert "xids do not match" in caplog.text


async def test_a_client_that_was_never_started_refuses_requests() -> None:
    client = KazooConnection("127.0.0.1:1", "/k", 6.0, 1)
    for _ in range(3):
        with pytest.raises(ClientClosed):
            await client.get("/a")
