"""Records of the KRaft metadata log as bytes, which wirebroker itself only reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.codegen import codecs
from wirebroker.metadata.kafka_import.kraft_records import FRAME_VERSION, TYPES

if TYPE_CHECKING:
    from wirebroker.protocol.message import Message


def frame(message: Message, version: int = 0) -> bytes:
    """The value of a record that `kraft_records.parse` reads as *message*."""
    type_id = next(number for number, kind in TYPES.items() if kind is type(message))
    out = bytearray((FRAME_VERSION, type_id, version))  # all below 128: one byte each
    codecs.write(message, out, version)
    return bytes(out)
