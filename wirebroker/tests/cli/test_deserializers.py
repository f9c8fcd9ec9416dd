"""Texts of keys and values by Java's deserializers, as kafka-console-consumer.sh prints them."""

from __future__ import annotations

import struct
from uuid import UUID

import pytest

from wirebroker.cli.kafka_tools.deserializers import deserializer
from wirebroker.cli.kafka_tools.tool import ToolError

PACKAGE = "org.apache.kafka.common.serialization."
SOME_UUID = b"0a1b2c3d-0000-4000-8000-00000000000f"


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("", b"\xff", b"\xff"),
        (f"{PACKAGE}StringDeserializer", b"text", b"text"),
        (f"{PACKAGE}ShortDeserializer", struct.pack(">h", -2), b"-2"),
        (f"{PACKAGE}IntegerDeserializer", struct.pack(">i", 77), b"77"),
        ("LongDeserializer", struct.pack(">q", 1 << 40), b"1099511627776"),
        (f"{PACKAGE}DoubleDeserializer", struct.pack(">d", 1e9), b"1.0E9"),
        (f"{PACKAGE}DoubleDeserializer", struct.pack(">d", float("nan")), b"NaN"),
        (f"{PACKAGE}FloatDeserializer", struct.pack(">f", 0.1), b"0.1"),
        (f"{PACKAGE}FloatDeserializer", struct.pack(">f", -16777216), b"-1.6777216E7"),
        (f"{PACKAGE}FloatDeserializer", bytes.fromhex("7f7fffff"), b"3.4028235E38"),
        (f"{PACKAGE}FloatDeserializer", bytes.fromhex("00000001"), b"1.4E-45"),
        (f"{PACKAGE}FloatDeserializer", bytes(4), b"0.0"),
        (f"{PACKAGE}FloatDeserializer", struct.pack(">f", float("-inf")), b"-Infinity"),
        (f"{PACKAGE}UUIDDeserializer", str(UUID(SOME_UUID.decode())).encode(), SOME_UUID),
    ],
)
def test_text(name: str, data: bytes, text: bytes) -> None:
    assert deserializer(name)(data) == text


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("IntegerDeserializer", b"12345", "Size of data received by IntegerDeserializer is not 4"),
        ("FloatDeserializer", bytes(8), "Size of data received by FloatDeserializer is not 4"),
        ("UUIDDeserializer", b"no", "is not a UUID"),
    ],
)
def test_data_of_another_type(name: str, data: bytes, says: str) -> None:
    with pytest.raises(ToolError, match=says):
        deserializer(name)(data)


def test_an_unknown_class() -> None:
    with pytest.raises(ToolError, match=r"Unable to instantiate a deserializer from com\.example\.Mine; there are "):
        deserializer("com.example.Mine")
