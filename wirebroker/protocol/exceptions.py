"""The exceptions of requests: ProtocolError closes the connection, ApiError is answered with its code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirebroker.protocol.errors import ErrorCode


class ProtocolError(Exception):
    """The bytes of a peer are malformed; the connection is closed without a response."""


class ForeignProtocolError(ProtocolError):
    """A peer sends *protocol*, "HTTP" or "TLS", instead of Kafka's protocol."""

    def __init__(self, protocol: str) -> None:
        super().__init__(f"{protocol} instead of Kafka's protocol")
        self.protocol = protocol


class ApiError(Exception):
    """A request fails with *code*; *detail* becomes the error_message of responses that have one."""

    def __init__(self, code: ErrorCode, detail: str | None = None) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
