"""Keys and values as text, by the names of Apache Kafka's decoder classes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from wirebroker.record.record_batch import Record

    RecordDecoder = Callable[[Record], tuple[str | None, str | None]]
    """Key and payload of a record as they are printed; None for what is not printed.  Raises ValueError."""

Decoder = Callable[[bytes], str]
"""A key or a value as it is printed.  Raises ValueError."""

DELETED: Final = "<DELETE>"
"""The payload that record decoders give for a tombstone."""
_SURROGATE: Final = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")


def java_text(data: bytes) -> str:
    """UTF-8 as Java reads it: one U+FFFD for each malformed part, and one (not three) for an encoded surrogate."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _SURROGATE.sub("�".encode(), data).decode(errors="replace")


def _integer(size_bytes: int) -> Decoder:
    """A decoder of big-endian signed integers, which ignores further bytes as Kafka's decoders do."""

    def decode(data: bytes) -> str:
        if len(data) < size_bytes:
            raise ValueError(f"{len(data)} bytes are no integer of {size_bytes}")
        return str(int.from_bytes(data[:size_bytes], "big", signed=True))

    return decode


DECODERS: Final[dict[str, Decoder]] = {
    "StringDecoder": java_text,
    "IntegerDecoder": _integer(4),
    "LongDecoder": _integer(8),
    "HexDecoder": bytes.hex,  # not in Apache Kafka
}


def decoder(name: str) -> Decoder:
    """The decoder of a class name, with or without a package.

    Raises:
        KeyError: there is no such decoder.
    """
    return DECODERS[name.rpartition(".")[2]]
