"""A blocking connection to a broker: one request at a time, at the newest version that both sides know."""

from __future__ import annotations

import socket
from functools import cache
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from wirebroker.client.security import PLAINTEXT
from wirebroker.protocol.api import API
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.headers import read_response_header, write_request_header
from wirebroker.protocol.message import ReadableMessage
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from wirebroker.protocol.primitives import WireBuffer

if TYPE_CHECKING:
    from wirebroker.client.security import Credentials, Security, TlsSettings
    from wirebroker.protocol.message import WritableMessage

_INT32: Final = Struct(">i")
CLIENT_ID: Final = "wirebroker-cli"
_HIGHEST_PORT: Final = 65535
_LARGEST_RESPONSE: Final = 100 << 20
"""Larger than any response to an admin request, and smaller than the first bytes of HTTP or TLS as an int32."""
_RECEIVE_BYTES: Final = 1 << 16
_HTTP: Final = b"HTTP"
_TLS_ALERT, _TLS_HANDSHAKE = b"\x15\x03", b"\x16\x03"


class ClientError(Exception):
    """A broker cannot be reached, or refuses a request; the message is for the user of a command."""


class ResponseError(ClientError):
    """An error code in a response, with the message that the broker sent beside it, if any."""

    def __init__(self, text: str, code: int, broker_message: str | None = None) -> None:
        super().__init__(text)
        self.code, self.broker_message = code, broker_message


class UnsupportedApi(ClientError):
    """The broker serves no version of an API that this client knows."""


class Address(NamedTuple):
    """The host and port of a listener."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def open_socket(address: Address, timeout_s: float) -> socket.socket:
    """Return a TCP connection.  A name of ASCII goes without the codec of IDNA, whose import takes a millisecond.

    Raises:
        UnicodeError: the host is no host name.
        OSError: nothing listens there.
    """
    host: Any = address.host.encode() if address.host.isascii() else address.host  # typeshed knows str alone
    return socket.create_connection((host, address.port), timeout=timeout_s)


def parse_addresses(text: str) -> list[Address]:
    """Return the addresses in `host:port[,host:port...]`; an IPv6 address is in brackets.

    Raises:
        ClientError: a part of *text* is no address.
    """
    return [_parse_address(part.strip()) for part in text.split(",")]


def _parse_address(text: str) -> Address:
    host, _, digits = text.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    if not host or not (digits.isascii() and digits.isdigit()) or (":" in host and not is_bracketed):
        raise ClientError(f"{text!r} is not HOST:PORT (an IPv6 address is written [::1]:9092)")
    port = int(digits)
    if not 1 <= port <= _HIGHEST_PORT:
        raise ClientError(f"port {port} of {text!r} is out of range 1 to {_HIGHEST_PORT}")
    return Address(host[1:-1] if is_bracketed else host, port)


@cache
def _response_class(api_key: int) -> type[ReadableMessage]:
    _, found = API[api_key].load()
    assert issubclass(found, ReadableMessage)
    return found


class PendingResponse(NamedTuple):
    """A request that was sent and not yet answered."""

    api_key: int
    version: int
    correlation_id: int


class Connection:
    """A connection to one broker, with the versions that the broker serves."""

    def __init__(
        self, address: Address, timeout_s: float, client_id: str = CLIENT_ID, security: Security = PLAINTEXT
    ) -> None:
        """Connect, ask for the served versions with ApiVersions, and authenticate if *security* says so.

        Raises:
            ClientError: no broker listens there, the peer has another protocol, or it refuses the credentials.
        """
        self.address = str(address)
        self._timeout_s, self._client_id, self._is_secure = timeout_s, client_id, security != PLAINTEXT
        self._correlation_id = 0
        self._received = bytearray()
        """The bytes behind the last response, with which the next ones begin."""
        try:
            self._socket = open_socket(address, timeout_s)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except TimeoutError as fault:
            raise ClientError(f"cannot reach a broker at {self.address} within {timeout_s:g} s") from fault
        except UnicodeError as fault:
            raise ClientError(f"cannot reach a broker at {self.address}: {address.host!r} is no host name") from fault
        except OSError as fault:
            raise ClientError(f"cannot reach a broker at {self.address}: {fault.strerror or fault}") from fault
        try:
            if security.tls is not None:
                self._start_tls(address.host, security.tls)
            response: ApiVersionsResponse = self._exchange(ApiVersionsRequest(), 0)
            self._served = {entry.api_key: (entry.min_version, entry.max_version) for entry in response.api_keys}
            if security.credentials is not None:
                self._authenticate(security.credentials)
        except BaseException:
            self._socket.close()
            raise

    def _start_tls(self, host: str, settings: TlsSettings) -> None:
        from wirebroker.client import tls  # takes a third of the time of a command

        try:
            self._socket = tls.handshake(self._socket, host, settings)
        except TimeoutError as fault:
            raise ClientError(f"no TLS handshake with {self.address} within {self._timeout_s:g} s") from fault
        except OSError as fault:
            hint = "" if "certificate" in str(fault).lower() else "; is it a listener with SSL or SASL_SSL?"
            raise ClientError(f"the TLS handshake with {self.address} failed: {tls.reason(fault)}{hint}") from fault

    def _authenticate(self, credentials: Credentials) -> None:
        from wirebroker.client.sasl import SaslError, authenticate

        try:
            authenticate(self.send, credentials)
        except SaslError as problem:
            user = f"{credentials.username} ({credentials.mechanism})"
            raise ClientError(f"cannot authenticate as {user} at {self.address}: {problem}") from problem

    def serves(self, api_key: int) -> bool:
        """Return whether the broker lists this API in ApiVersions."""
        return api_key in self._served

    def send(self, request: WritableMessage, highest: int | None = None) -> Any:
        """Send *request* at the newest common version, at most *highest*, and return the response.

        Raises:
            UnsupportedApi: there is no common version.
            ClientError: the connection broke.
        """
        return self._exchange(request, self.version(type(request), highest))

    def version(self, request: type[WritableMessage], highest: int | None = None) -> int:
        """Return the newest common version of a request, at most *highest*.

        Raises:
            UnsupportedApi: there is no common version.
        """
        key = request.API_KEY
        low, high = self._served.get(key, (0, -1))
        ours = request.VERSIONS
        version = min(high, ours[-1], ours[-1] if highest is None else highest)
        if version < max(low, ours[0]):
            raise UnsupportedApi(f"the broker at {self.address} does not serve {API[key].name}")
        return version

    def send_unlisted(self, request: WritableMessage, version: int) -> Any:
        """Send a request of an API that brokers serve without listing it, and return the response.

        Raises:
            ClientError: the broker closed the connection, as brokers do that do not know the API.
        """
        return self._exchange(request, version)

    def begin(self, request: WritableMessage, highest: int | None = None) -> PendingResponse:
        """Send *request* as `send` does, and return a token for `finish`; several may be on their way.

        Raises:
            UnsupportedApi: there is no common version.
            ClientError: the connection broke.
        """
        return self._begin(request, self.version(type(request), highest))

    def finish(self, pending: PendingResponse) -> Any:
        """Return the response to the oldest request that `begin` has sent, which is that of *pending*.

        Raises:
            ClientError: the connection broke, or the broker responds to another request.
        """
        try:
            frame = self._frame()
        except TimeoutError as fault:
            raise ClientError(f"the broker at {self.address} does not respond within {self._timeout_s:g} s") from fault
        except OSError as fault:
            raise self._broken(fault) from fault
        try:
            correlation_id, at = read_response_header(frame, pending.api_key, pending.version)
            if correlation_id != pending.correlation_id:
                raise ClientError(f"the broker at {self.address} responds to another request")
            return _response_class(pending.api_key).read(frame, at, pending.version)[0]
        except ProtocolError as fault:
            name = API[pending.api_key].load()[0].__name__
            raise ClientError(f"cannot read the response of {self.address} to {name}: {fault}") from fault

    def _exchange(self, request: WritableMessage, version: int) -> Any:
        return self.finish(self._begin(request, version))

    def _broken(self, fault: OSError) -> ClientError:
        return ClientError(f"the connection to the broker at {self.address} broke: {fault.strerror or fault}")

    def _begin(self, request: WritableMessage, version: int) -> PendingResponse:
        self._correlation_id += 1
        out = WireBuffer()
        out += bytes(4)
        write_request_header(out, request.API_KEY, version, self._correlation_id, self._client_id)
        try:
            request.write(out, version)
        except UnicodeEncodeError:
            raise  # of a name, which no version would take
        except ValueError as fault:  # a field is set that this version lacks
            name = API[request.API_KEY].name
            raise UnsupportedApi(f"{name} {version}, the newest that {self.address} serves: {fault}") from fault
        _INT32.pack_into(out, 0, len(out) - 4)
        try:
            self._socket.sendall(out)
        except TimeoutError as fault:
            raise ClientError(f"the broker at {self.address} does not respond within {self._timeout_s:g} s") from fault
        except OSError as fault:
            raise self._broken(fault) from fault
        return PendingResponse(request.API_KEY, version, self._correlation_id)

    def _response_size(self, prefix: bytes) -> int:
        """Return the size in *prefix*, the first four bytes of a response.

        Raises:
            ClientError: they are the beginning of another protocol.
        """
        size: int = _INT32.unpack(prefix)[0]
        if 4 <= size <= _LARGEST_RESPONSE:
            return size
        if prefix == _HTTP:
            what = "is an HTTP server, not a Kafka broker; name the port of its listener"
        elif prefix[:2] in (_TLS_ALERT, _TLS_HANDSHAKE):
            what = "speaks TLS; set security.protocol to SSL or SASL_SSL in a --command-config"
        else:
            what = "does not speak Kafka's protocol; name the port of a broker's PLAINTEXT listener"
        raise ClientError(f"{self.address} {what}")

    def _frame(self) -> memoryview:
        """Return the next response without its size.  Small ones that came together take one call of the system."""
        received = self._received
        while len(received) < _INT32.size:
            piece = self._socket.recv(_RECEIVE_BYTES)
            if not piece:
                raise self._closed()
            received += piece
        size = self._response_size(bytes(received[: _INT32.size]))
        end = _INT32.size + size
        frame = memoryview(bytearray(size))
        count = min(len(received), end) - _INT32.size
        frame[:count] = received[_INT32.size : _INT32.size + count]
        del received[:end]
        while count < size:
            more = self._socket.recv_into(frame[count:])
            if not more:
                raise self._closed()
            count += more
        return frame

    def _closed(self) -> ClientError:
        hint = "security.protocol that of the listener" if self._is_secure else "it a PLAINTEXT listener of a broker"
        return ClientError(f"{self.address} closed the connection without a response; is {hint}?")

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
