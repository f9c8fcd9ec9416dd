"""The error codes that an older release of Apache Kafka answers in place of codes that it does not know.

The facts are in protocol_specs/errors: the release that brought each code, and the code before.  Codes and messages are
those of the protocol room, recognized by their attributes, as this room imports nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, Self, SupportsInt

from wirebroker.releases.versions import is_at_least

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Write = Callable[[Any, bytearray, int], None]

_FIELD: Final = "error_code"
_UNKNOWN_SERVER_ERROR: Final = -1


class Code(SupportsInt, Protocol):
    """A member of ErrorCode."""

    @property
    def since(self) -> str:
        """The release that brought the code."""

    @property
    def earlier(self) -> Self | None:
        """The code that releases before *since* answer instead; None if there was none."""


def older_codes(release: str, codes: Iterable[Code]) -> dict[int, int]:
    """Return code -> the code that *release* answers in its place, for those of *codes* that it does not know."""
    older: dict[int, int] = {}
    for code in codes:
        known: Code | None = code
        while known is not None and not is_at_least(release, known.since):
            known = known.earlier
        if known is not code:
            older[int(code)] = _UNKNOWN_SERVER_ERROR if known is None else int(known)
    return older


def with_codes(write: Write, codes: Mapping[int, int]) -> Write:
    """Return *write*, the encoder of a response, preceded by the replacement of the response's error codes."""

    def write_with_codes(response: Any, out: bytearray, version: int) -> None:
        replace_codes(response, codes)
        write(response, out, version)

    return write_with_codes


def replace_codes(message: Any, codes: Mapping[int, int]) -> None:
    """Replace every error code in *message*, a generated class, and in the structs within it."""
    for name in message.FIELDS:
        value = getattr(message, name)
        if name == _FIELD:
            older = codes.get(value)
            if older is not None:
                message.error_code = older
        elif hasattr(value, "FIELDS"):
            replace_codes(value, codes)
        elif isinstance(value, list):
            for each in value:
                if not hasattr(each, "FIELDS"):
                    break
                replace_codes(each, codes)
