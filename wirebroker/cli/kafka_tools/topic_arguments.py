"""Arguments of kafka-topics.sh, refused in the words of Kafka's tool and of the Java that it runs on."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections import Counter
from typing import Final

_INTEGER: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)
_BASE64: Final = re.compile(r"[A-Za-z0-9_-]*", re.ASCII)
_LONGEST_UUID: Final = 24
_UUID_BYTES: Final = 16
_UNIT: Final = 4
"""How many characters of base64 are decoded together."""


def replica_assignment(text: str) -> list[list[int]]:
    """Return the replicas of each partition in `0:1,1:2,...`.

    Raises:
        ValueError: a broker id is no number, a partition names one twice, or their numbers of replicas differ.
    """
    partitions: list[list[int]] = []
    for number, part in enumerate(_split(text, ",")):
        replicas = [_integer(each.strip()) for each in _split(part, ":")]
        twice = sorted(each for each, count in Counter(replicas).items() if count > 1)
        if twice:
            raise ValueError(f"Partition replica lists may not contain duplicate entries: {','.join(map(str, twice))}")
        if partitions and len(replicas) != len(partitions[0]):
            raise ValueError(f"Partition {number} has different replication factor: {replicas}")
        partitions.append(replicas)
    return partitions


def topic_id(text: str) -> bytes:
    """Return the 16 bytes of an id.

    Raises:
        ValueError: *text* is none.
    """
    if len(text) > _LONGEST_UUID:
        raise ValueError(
            f"Input string with prefix `{text[:_LONGEST_UUID]}` is too long to be decoded as a base64 UUID"
        )
    found = urlsafe_b64decode(_base64_characters(text))
    if len(found) != _UUID_BYTES:
        raise ValueError(
            f"Input string `{text}` decoded as {len(found)} bytes, which is not equal to the expected {_UUID_BYTES}"
            " bytes of a base64-encoded UUID"
        )
    return found


def _split(text: str, separator: str) -> list[str]:
    """Return the parts of *text*, without empty ones at its end, as Java's String.split does."""
    parts = text.split(separator)
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts


def _integer(text: str) -> int:
    """Return the value of *text*, which has to fit into 32 bits."""
    value = int(text) if _INTEGER.fullmatch(text) else None
    if value is None or not -(1 << 31) <= value < 1 << 31:
        raise ValueError(f'For input string: "{text}"')
    return value


def _base64_characters(text: str) -> str:
    """Return *text* with all of its padding, checked as Java's Base64.Decoder does."""
    if len(text) == 1:
        raise ValueError("Input byte[] should at least have 2 bytes for base64 bytes")
    match = _BASE64.match(text)
    assert match is not None
    end = match.end()
    padding = text[end:]
    left_over = end % _UNIT
    if padding and padding[0] != "=":
        raise ValueError(f"Illegal base64 character {ord(padding[0]):x}")
    if padding and (left_over == 0 or (left_over == 2 and padding[:2] != "==")):
        raise ValueError("Input byte array has wrong 4-byte ending unit")
    if left_over == 1:
        raise ValueError("Last unit does not have enough valid bits")
    if len(padding) > _UNIT - left_over:
        raise ValueError(f"Input byte array has incorrect ending byte at {end + _UNIT - left_over}")
    return text[:end] + "=" * (-end % _UNIT)
