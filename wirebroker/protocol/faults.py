"""The two ways a request can go wrong: answer with a code, or hang up."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirebroker.protocol.errors import ErrorCode


class ProtocolError(Exception):
    """The peer's bytes make no sense; the connection is closed without an answer."""


class ForeignProtocolError(ProtocolError):
    """The peer speaks *protocol*, "HTTP" or "TLS", instead of Kafka's."""

    def __init__(self, protocol: str) -> None:
        super().__init__(f"{protocol} instead of Kafka's protocol")
        self.protocol = protocol


class ApiError(Exception):
    """Answer with *code*; *detail* goes into the error_message of responses that have one."""

    def __init__(self, code: ErrorCode, detail: str | None = None) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
