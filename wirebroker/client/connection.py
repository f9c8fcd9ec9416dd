"""One blocking connection to a broker: a request out, its answer in."""

from __future__ import annotations

import socket
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, Self

from wirebroker.protocol.api import API
from wirebroker.protocol.headers import read_response_header, write_request_header
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from wirebroker.protocol.primitives import WireBuffer

if TYPE_CHECKING:
    from wirebroker.protocol.message import Message

_INT32: Final = Struct(">i")
_CLIENT_ID: Final = "wirebroker-cli"


class ClientError(Exception):
    """A broker cannot be asked, or answers that it will not; the message is for a person."""


class Connection:
    """Versions are the newest that both sides know."""

    def __init__(self, host: str, port: int, timeout_s: float) -> None:
        """Connect and learn what the broker serves.

        Raises:
            ClientError: nobody answers there.
        """
        self.address = f"{host}:{port}"
        self._correlation_id = 0
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout_s)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as fault:
            raise ClientError(f"cannot reach a broker at {self.address}: {fault.strerror or fault}") from fault
        answer: ApiVersionsResponse = self._ask(ApiVersionsRequest(), 0)
        self._served = {entry.api_key: (entry.min_version, entry.max_version) for entry in answer.api_keys}

    def serves(self, api_key: int) -> bool:
        """Whether the broker lists this API."""
        return api_key in self._served

    def ask(self, request: Message, highest: int | None = None) -> Any:
        """Send *request* at the newest common version, at most *highest*.

        Raises:
            ClientError: there is no common version, or the connection broke.
        """
        key = request.API_KEY
        low, high = self._served.get(key, (0, -1))
        ours = request.VERSIONS
        version = min(high, ours[-1], ours[-1] if highest is None else highest)
        if version < max(low, ours[0]):
            raise ClientError(f"the broker at {self.address} does not serve {API[key].name}")
        return self._ask(request, version)

    def ask_unlisted(self, request: Message, version: int) -> Any:
        """Send a request of an API that brokers serve without listing it.

        Raises:
            ClientError: the broker hung up, as those do that do not know it.
        """
        return self._ask(request, version)

    def _ask(self, request: Message, version: int) -> Any:
        self._correlation_id += 1
        out = WireBuffer()
        out += bytes(4)
        write_request_header(out, request.API_KEY, version, self._correlation_id, _CLIENT_ID)
        request.write(out, version)
        _INT32.pack_into(out, 0, len(out) - 4)
        try:
            self._socket.sendall(out)
            frame = self._exactly(_INT32.unpack(self._exactly(4))[0])
        except OSError as fault:
            raise ClientError(f"the broker at {self.address} does not answer: {fault}") from fault
        correlation_id, at = read_response_header(frame, request.API_KEY, version)
        if correlation_id != self._correlation_id:
            raise ClientError(f"the broker at {self.address} answers another request")
        _, response_class = API[request.API_KEY].load()
        return response_class.read(memoryview(frame), at, version)[0]

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            piece = self._socket.recv(min(size - len(data), 1 << 20))
            if not piece:
                raise ClientError(f"the broker at {self.address} hung up")
            data += piece
        return bytes(data)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
