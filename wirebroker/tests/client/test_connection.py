"""Connections of the admin client: addresses, and peers that are no Kafka brokers."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from wirebroker.client.connection import Address, ClientError, Connection, parse_addresses
from wirebroker.protocol.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from wirebroker.protocol.primitives import WireBuffer

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("localhost:9092", [("localhost", 9092)]),
        ("a:1, b:65535", [("a", 1), ("b", 65535)]),
        ("[::1]:9092", [("::1", 9092)]),
    ],
)
def test_addresses(text: str, addresses: list[tuple[str, int]]) -> None:
    assert parse_addresses(text) == addresses
    assert ", ".join(map(str, parse_addresses(text))) == text


@pytest.mark.parametrize("text", ["", "localhost", "localhost:", ":9092", "a:b", "::1:9092", "a:1,,b:2", "a:-1", "a:٣"])
def test_no_addresses(text: str) -> None:
    with pytest.raises(ClientError, match="is not HOST:PORT"):
        parse_addresses(text)


@pytest.mark.parametrize("port", [0, 65536, 99999])
def test_a_port_out_of_range(port: int) -> None:
    with pytest.raises(ClientError, match=rf"port {port} of 'a:{port}' is out of range 1 to 65535"):
        parse_addresses(f"a:{port}")


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Makes the next connection one to a peer that sends these bytes and closes."""

    def answer(data: bytes) -> None:
        ours, theirs = socket.socketpair()
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        monkeypatch.setattr(socket, "create_connection", lambda *_, **__: _Tcp(ours, theirs))

    return answer


class _Tcp:
    """One end of a socket pair that accepts TCP's options, and keeps the other end open."""

    def __init__(self, end: socket.socket, other: socket.socket) -> None:
        self._end, self._other = end, other
        self.recv, self.recv_into, self.sendall = end.recv, end.recv_into, end.sendall

    def setsockopt(self, *_: int) -> None:
        pass

    def close(self) -> None:
        self._end.close()
        self._other.close()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "a:1 is an HTTP server, not a Kafka broker"),
        (b"\x15\x03\x03\x00\x02\x02\x0a", "a:1 speaks TLS"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "a:1 does not speak Kafka's protocol"),
        (b"", "a:1 closed the connection without a response"),
        (b"\0\0\0\x06\0\0\0\x01\0", "a:1 closed the connection without a response"),
        (b"\0\0\0\x06\0\0\0\x07\0\0", "a:1 responds to another request"),
        (b"\0\0\0\x05\0\0\0\x01\0", "cannot read the response of a:1 to ApiVersionsRequest"),
    ],
)
def test_a_peer_that_is_no_broker(peer: Callable[[bytes], None], data: bytes, says: str) -> None:
    peer(data)
    with pytest.raises(ClientError) as refused:
        Connection(Address("a", 1), 1.0)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def response(message: ApiVersionsResponse, correlation_id: int) -> bytes:
    """The bytes of a response of version 0, with the size before it."""
    out = WireBuffer(correlation_id.to_bytes(4, "big"))
    message.write(out, 0)
    return len(out).to_bytes(4, "big") + bytes(out)


def test_responses_that_come_together_and_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests are sent before the responses to earlier ones are read; these arrive as the network likes."""
    versions = ApiVersionsResponse(api_keys=[ApiVersion(18, 0, 0)])
    responses = [response(versions, number) for number in range(1, 6)]
    # larger than what is received at a time
    responses[3] = response(ApiVersionsResponse(api_keys=[ApiVersion(18, 0, 0)] * 20_000), 4)
    wire = b"".join(responses)
    pieces = [len(responses[0]), len(responses[1]) * 2 + 2, 1, 1, 70_000, len(wire)]
    ours, theirs = socket.socketpair()
    connected = _Tcp(ours, theirs)
    sent = 0

    def send(size: int) -> None:
        """The peer sends some bytes, each time before bytes are received."""
        nonlocal sent
        theirs.sendall(wire[sent : sent + size])
        sent += size

    def receiving(receive: Callable[..., int | bytes]) -> Callable[..., int | bytes]:
        def wrapped(argument: int | memoryview) -> int | bytes:
            if pieces:
                send(pieces.pop(0))
            return receive(argument)

        return wrapped

    connected.recv, connected.recv_into = receiving(ours.recv), receiving(ours.recv_into)  # type: ignore[assignment]
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: connected)
    with Connection(Address("a", 1), 1.0) as connection:
        pending = [connection.begin(ApiVersionsRequest(), 0) for _ in range(4)]
        found = [len(connection.finish(each).api_keys) for each in pending]
    assert found == [1, 1, 20_000, 1]
