"""The error code of a response of another broker, which may be of a later release."""

from __future__ import annotations

from wirebroker.protocol.errors import ErrorCode


def error_code(number: int) -> ErrorCode:
    """Return the error code, UNKNOWN_SERVER_ERROR for one that is not known here."""
    try:
        return ErrorCode(number)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR
