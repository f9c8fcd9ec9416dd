"""A TcpProxy leaves no socket open, however late a connection was accepted."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from compat_tests.cluster.tcp_proxy import TcpProxy
from tools.jvm.ports import free_ports

if TYPE_CHECKING:
    import pytest


def test_a_connection_that_is_served_after_the_end_is_closed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as target:
        proxy = TcpProxy(target.getsockname()[1])
        with proxy:
            pass
        accepted, client = socket.socketpair()
        client.close()
        proxy._serve(accepted)
        assert accepted.fileno() == -1


def test_both_sides_are_closed_if_the_proxy_ends_while_it_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = TcpProxy(free_ports(1)[0])
    proxy.__enter__()
    (accepted, client), (connected, server) = socket.socketpair(), socket.socketpair()

    def connect(*_: object, **__: object) -> socket.socket:
        proxy.__exit__()
        return connected

    monkeypatch.setattr(socket, "create_connection", connect)
    proxy._serve(accepted)
    assert accepted.fileno() == connected.fileno() == -1
    with client, server:
        assert client.recv(1) == server.recv(1) == b""
