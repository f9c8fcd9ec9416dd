"""Output templates, as kcat's `-f` has them: `%k: %s (%p@%o)\\n`.

    %s value      %k key      %t topic      %p partition  %o offset  %T timestamp in ms
    %S its size   %K its size  %h headers, a=1,b=2        %% a percent sign
    \\n \\r \\t \\\\ \\0 \\xNN  control characters

The size of null is -1; %R is the value's size as four bytes, big-endian.
"""

from __future__ import annotations

import re
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    Part = Callable[[Any], bytes]
    """Returns one part of the output of a message."""

_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)
_PLACE: Final = re.compile(r"%(.?)", re.DOTALL)
_CONTROL: Final = {"n": b"\n", "r": b"\r", "t": b"\t", "0": b"\0", "\\": b"\\"}
_INT32: Final = Struct(">i")
PLACES: Final = "sSkKtpoThR%"


def unescape(text: str) -> bytes:
    r"""Return *text* with \n, \t, \r, \0, \\ and \xNN replaced; other backslashes stay."""
    out, at = b"", 0
    for found in _ESCAPE.finditer(text):
        out += text[at : found.start()].encode("utf-8", "surrogateescape")
        code = found[1]
        if len(code) == 3:
            out += bytes.fromhex(code[1:])
        else:
            out += _CONTROL.get(code, found[0].encode("utf-8", "surrogateescape"))
        at = found.end()
    return out + text[at:].encode("utf-8", "surrogateescape")


def compile_template(template: str, null: bytes) -> Part:
    """Return a function from a message to its output.

    Args:
        template: the text with its places.
        null: stands for a key or value that is null.

    Raises:
        ValueError: there is no such place.
    """
    parts: list[Part] = []
    at = 0
    for found in _PLACE.finditer(template):
        if found.start() > at:
            parts.append(_constant(unescape(template[at : found.start()])))
        if not found[1] or found[1] not in PLACES:
            raise ValueError(f"no {found[0]!r} in templates; there are {', '.join(f'%{place}' for place in PLACES)}")
        parts.append(_part(found[1], null))
        at = found.end()
    if at < len(template):
        parts.append(_constant(unescape(template[at:])))
    return lambda message: b"".join([part(message) for part in parts])


def _constant(text: bytes) -> Part:
    return lambda _: text


def _part(place: str, null: bytes) -> Part:
    """The function of one place."""
    return {
        "s": lambda message: _or(message.value(), null),
        "S": lambda message: b"%d" % _size(message.value()),
        "R": lambda message: _INT32.pack(_size(message.value())),
        "k": lambda message: _or(message.key(), null),
        "K": lambda message: b"%d" % _size(message.key()),
        "t": lambda message: message.topic().encode(),
        "p": lambda message: b"%d" % message.partition(),
        "o": lambda message: b"%d" % message.offset(),
        "T": lambda message: b"%d" % message.timestamp()[1],
        "h": lambda message: headers_text(message, null),
        "%": lambda _: b"%",
    }[place]


def headers_text(message: Any, null: bytes, *, separator: bytes = b",", equals: bytes = b"=") -> bytes:
    """Return the headers of a message in one line."""
    return separator.join(
        name.encode() + equals + (null if value is None else value) for name, value in message.headers() or ()
    )


def _or(value: bytes | None, null: bytes) -> bytes:
    return null if value is None else value


def _size(value: bytes | None) -> int:
    return -1 if value is None else len(value)
