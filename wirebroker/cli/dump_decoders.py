"""Keys and values as text, by the names of Apache Kafka's decoder classes."""

from __future__ import annotations

import re
from collections.abc import Callable

Decoder = Callable[[bytes], str]

_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")


def java_text(data: bytes) -> str:
    """UTF-8 as Java reads it: one U+FFFD for each malformed part, and one (not three) for an encoded surrogate."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _SURROGATE.sub("�".encode(), data).decode(errors="replace")


def _integer(size: int) -> Decoder:
    def decode(data: bytes) -> str:
        if len(data) < size:
            raise ValueError(f"{len(data)} bytes are no integer of {size}")
        return str(int.from_bytes(data[:size], "big", signed=True))

    return decode


DECODERS: dict[str, Decoder] = {
    "StringDecoder": java_text,
    "IntegerDecoder": _integer(4),
    "LongDecoder": _integer(8),
    "HexDecoder": bytes.hex,  # ours
}


def decoder(name: str) -> Decoder:
    """By class name, with or without a package.  KeyError for names that are none of ours."""
    return DECODERS[name.rpartition(".")[2]]
