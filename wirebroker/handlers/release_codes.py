"""Error codes of releases: what an older release of Apache Kafka answers in place of a code that it does not know.

Facts: protocol_specs/errors, which has the release that brought each code and the code before.  Only `--as-version`
needs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.config.releases import RELEASES
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.message import Data

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Write = Callable[[Any, Any], None]

_FIELD: Final = "error_code"


def codes_of(release: str) -> dict[int, int]:
    """Code -> the code that *release*, one of RELEASES, has for it; codes that it knows are left out."""
    now = RELEASES.index(release)
    older: dict[int, int] = {}
    for code in ErrorCode:
        known: ErrorCode | None = code
        while known is not None and RELEASES.index(known.since) > now:
            known = known.earlier
        if known is not code:
            older[int(code)] = int(ErrorCode.UNKNOWN_SERVER_ERROR if known is None else known)
    return older


def with_codes(write: Write, codes: Mapping[int, int]) -> Write:
    """*write*, the encoder of a response, after the error codes in the response were replaced by *codes*."""

    def write_with_codes(response: Any, out: Any) -> None:
        replace_codes(response, codes)
        write(response, out)

    return write_with_codes


def replace_codes(message: Data, codes: Mapping[int, int]) -> None:
    """Replace every error code in *message* and in the structs within it."""
    for name in message.FIELDS:
        value = getattr(message, name)
        if name == _FIELD:
            older = codes.get(value)
            if older is not None:
                message.error_code = older  # type: ignore[attr-defined]
        elif isinstance(value, Data):
            replace_codes(value, codes)
        elif isinstance(value, list):
            for each in value:
                if not isinstance(each, Data):
                    break
                replace_codes(each, codes)
