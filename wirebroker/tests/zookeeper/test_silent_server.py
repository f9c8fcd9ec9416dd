"""KazooConnection and Session beside a ZooKeeper that stops to answer: its connection is given up for another one.

The server is a thread behind a real socket, and the clock is the real one: kazoo's thread waits in the socket, wherever
the silence has met it.
"""

from __future__ import annotations

import errno
import itertools
import socket
import struct
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import pytest
import trio

from wirebroker.zookeeper.client import KazooConnection
from wirebroker.zookeeper.errors import ZooKeeperError
from wirebroker.zookeeper.operations import SessionEvent, SessionState
from wirebroker.zookeeper.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TIMEOUT_S: Final = 0.6
SESSION: Final = 77
_NO_NODE: Final = -101
_CLOSE: Final = -11


def receive_frame(connection: socket.socket) -> bytes:
    """Return one frame without its size; raise EOFError if the client has closed the connection."""
    head = connection.recv(4, socket.MSG_WAITALL)
    if len(head) < 4:
        raise EOFError
    (size,) = struct.unpack(">i", head)
    return connection.recv(size, socket.MSG_WAITALL)


def grant(connection: socket.socket) -> None:
    """Answer the request for a session, of which there is one for ever."""
    receive_frame(connection)
    granted = struct.pack(">iiqi16s?", 0, int(TIMEOUT_S * 1000), SESSION, 16, b"", False)
    connection.sendall(struct.pack(">i", len(granted)) + granted)


def answer(connection: socket.socket) -> bytes:
    """Return the answer to the next request: no such znode, or the end of the session."""
    xid, kind = struct.unpack_from(">ii", receive_frame(connection))
    return struct.pack(">iiqi", 16, xid, 1, 0 if kind == _CLOSE else _NO_NODE)


def serve(connection: socket.socket) -> None:
    """Answer everything."""
    grant(connection)
    while True:
        connection.sendall(answer(connection))


def say_nothing(connection: socket.socket) -> None:
    """Read for ever, and grant no session."""
    while True:
        receive_frame(connection)


def say_nothing_later(connection: socket.socket) -> None:
    """Answer the first two requests, which are pings or what the test asks for, and no other one."""
    grant(connection)
    for _ in range(2):
        connection.sendall(answer(connection))
    say_nothing(connection)


def stop_within_an_answer(connection: socket.socket) -> None:
    """Send the first half of the second answer, and nothing more."""
    grant(connection)
    connection.sendall(answer(connection))
    connection.sendall(answer(connection)[:10])
    say_nothing(connection)


@contextmanager
def server(*scripts: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a server whose connections have these scripts, in their order, and any later one the last."""
    left, accepted = list(scripts), []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    accepted.append(connection)
                    script = left.pop(0) if len(left) > 1 else left[0]
                    threading.Thread(target=run, args=(script, connection), daemon=True).start()

        def run(script: Callable[[socket.socket], None], connection: socket.socket) -> None:
            with suppress(EOFError, OSError):
                script(connection)
            connection.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(10)
            for each in accepted:
                each.close()


async def states_until_back(address: str, *, request: bytes | None = None) -> list[tuple[SessionState, int]]:
    """Keep a session until its connection was lost and made again; return the states and sessions of its events.

    *request* is the data of a znode that is written again and again.
    """
    found: list[tuple[SessionState, int]] = []
    is_back = trio.Event()

    def on_event(event: SessionEvent) -> None:
        found.append((event.state, event.session_id))
        if event.state is SessionState.CONNECTED and len(found) > 1:
            is_back.set()

    async def write(data: bytes) -> None:
        while True:
            await session.wait_connected()
            with suppress(ZooKeeperError):
                await client.set("/a", data)

    client = KazooConnection(address, "", TIMEOUT_S, 1)
    session = Session(client, TIMEOUT_S)
    session.subscribe(on_event)
    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            await nursery.start(session.run)
            if request is not None:
                nursery.start_soon(write, request)
            await is_back.wait()
            # the connection is one that answers
            with pytest.raises(ZooKeeperError, match="/b"):
                await session.retry(lambda: client.get("/b"))
            nursery.cancel_scope.cancel()
        await client.close()
    return found


BACK: Final = [(SessionState.CONNECTED, SESSION), (SessionState.SUSPENDED, 0), (SessionState.CONNECTED, SESSION)]


@pytest.mark.parametrize("silence", [say_nothing_later, stop_within_an_answer])
async def test_a_connection_that_falls_silent_is_replaced(silence: Callable[[socket.socket], None]) -> None:
    with server(silence, serve) as address:
        began = trio.current_time()
        assert (await states_until_back(address))[:3] == BACK
        # within the session: one ping was answered, the next one was not
        assert trio.current_time() - began < 10 * TIMEOUT_S


async def test_a_server_that_does_not_read_is_given_up_while_kazoo_writes() -> None:
    with server(grant_and_wait, serve) as address:
        assert (await states_until_back(address, request=bytes(1 << 24)))[:3] == BACK


def grant_and_wait(connection: socket.socket) -> None:
    """Read nothing after the request for a session; the buffers of both sockets fill up."""
    grant(connection)
    _never.wait(20)


_never: Final = threading.Event()


async def test_connections_that_get_no_session_are_given_up_until_one_does() -> None:
    with server(say_nothing_later, say_nothing, say_nothing, serve) as address:
        assert (await states_until_back(address))[:3] == BACK


def failing(call: Callable[..., Any], failures: list[Exception]) -> Callable[..., Any]:
    """Return *call* as a function that works the first time, then raises *failures*, and works again."""
    calls = itertools.count()

    def called(*arguments: Any, **named: Any) -> Any:
        if next(calls) > 0 and failures:
            raise failures.pop()
        return call(*arguments, **named)

    return called


async def test_names_that_cannot_be_looked_up_for_a_while_do_not_end_the_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without descriptors the look-up raises another error than for a name without an address."""
    failures: list[Exception] = [OSError(errno.EMFILE, "Too many open files") for _ in range(3)]
    monkeypatch.setattr("kazoo.protocol.connection.socket.getaddrinfo", failing(socket.getaddrinfo, failures))
    with server(say_nothing_later, serve) as address:
        assert (await states_until_back(address))[:3] == BACK
    assert failures == []


async def test_kazoo_is_started_again_however_often_its_thread_ends(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("wirebroker.zookeeper.client._RESTART_S", 0.01)
    failures: list[Exception] = [RuntimeError("unforeseen") for _ in range(3)]
    monkeypatch.setattr(KazooConnection, "_resolved", failing(KazooConnection._resolved, failures))
    with server(say_nothing_later, serve) as address:
        states = [state for state, _ in await states_until_back(address)]
    assert failures == []
    assert states[:3] == [SessionState.CONNECTED, SessionState.SUSPENDED, SessionState.EXPIRED]
    assert SessionState.CONNECTED in states[3:]
    assert caplog.text.count("the client has ended (RuntimeError: unforeseen)") == 3
