"""Raw requests over a plain socket: wirebroker's message classes at a chosen version, or any bytes.

    with Wire("127.0.0.1", 9092) as wire:
        answer = wire.ask(MetadataRequest(topics=None), version=9)

Header facts: KIP-482 (flexible headers end with tagged fields; an ApiVersions response never has them).
"""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING, Any, Self

from tools.codegen import codecs
from wirebroker.protocol.headers import request_header_version, response_header_version
from wirebroker.protocol.primitives import WireBuffer

if TYPE_CHECKING:
    from wirebroker.protocol.message import Message

CLIENT_ID = "compat"


class Closed(Exception):
    """The peer closed the connection instead of answering."""


class Wire:
    """One connection; answers are read in the order of the requests."""

    def __init__(self, host: str, port: int, timeout_s: float = 60) -> None:
        self.socket = socket.create_connection((host, port), timeout=timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._correlation_id = 0

    def ask(self, request: Message, version: int, client_id: str | None = CLIENT_ID) -> Any:
        """Send *request* and return the decoded answer."""
        self.send(request, version, client_id)
        return self.receive(type(request), version)

    def send(self, request: Message, version: int, client_id: str | None = CLIENT_ID) -> None:
        self._correlation_id += 1
        self.send_frame(encode(request, version, self._correlation_id, client_id))

    def receive(self, request_class: type[Message], version: int) -> Any:
        """The answer to a request of this class and version; all of its bytes must be used."""
        frame = self.receive_frame()
        assert int.from_bytes(frame[:4], "big") == self._correlation_id, "an answer to another request"
        return decode_response(request_class.API_KEY, version, frame)

    def send_frame(self, frame: bytes) -> None:
        self.send_bytes(struct.pack(">i", len(frame)) + frame)

    def send_bytes(self, data: bytes | memoryview) -> None:
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as gone:
            raise Closed from gone

    def receive_frame(self) -> bytes:
        """The next frame without its length."""
        (size,) = struct.unpack(">i", self.receive_bytes(4))
        return self.receive_bytes(size)

    def closed_by_peer(self) -> bool:
        """Wait for the peer: True when it closes, False when it answers something."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def receive_bytes(self, count: int) -> bytes:
        """Receive exactly *count* bytes."""
        data = bytearray()
        while len(data) < count:
            try:
                more = self.socket.recv(min(count - len(data), 1 << 20))
            except ConnectionResetError as gone:
                raise Closed from gone
            if not more:
                raise Closed
            data += more
        return bytes(data)

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def encode(request: Message, version: int, correlation_id: int, client_id: str | None = CLIENT_ID) -> bytes:
    """A whole request without its length: header, then body."""
    out = WireBuffer(request_header(request.API_KEY, version, correlation_id, client_id))
    codecs.write(request, out, version)
    assert not out.detached
    return bytes(out)


def request_header(key: int, version: int, correlation_id: int, client_id: str | None = CLIENT_ID) -> bytes:
    header = struct.pack(">hhi", key, version, correlation_id)
    layout = request_header_version(key, version)
    if layout >= 1:
        name = (client_id or "").encode()
        header += struct.pack(">h", -1 if client_id is None else len(name)) + name
    return header + b"\0" if layout >= 2 else header


def decode_response(key: int, version: int, frame: bytes) -> Any:
    """The response in a frame without its length."""
    _, response_class = codecs.api_classes(key)
    at = 4 + (1 if response_header_version(key, version) >= 1 else 0)
    response, end = codecs.read(response_class, memoryview(frame), at, version)
    assert end == len(frame), f"{len(frame) - end} bytes after the response"
    return response
