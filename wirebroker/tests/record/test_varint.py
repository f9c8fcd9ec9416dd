"""Zig-zag varints against their definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record.errors import RecordError
from wirebroker.record.varint import encode_varint, read_varint, read_varlong


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (0, "00"),
        (-1, "01"),
        (1, "02"),
        (63, "7e"),
        (-64, "7f"),
        (64, "8001"),
        (-65, "8101"),
        (8191, "fe7f"),
        (8192, "808001"),
        (2**31 - 1, "feffffff0f"),
        (-(2**31), "ffffffff0f"),
    ],
)
def test_table(value: int, encoded: str) -> None:
    assert encode_varint(value).hex() == encoded
    assert read_varint(bytes.fromhex(encoded), 0) == (value, len(encoded) // 2)
    assert read_varlong(bytes.fromhex(encoded), 0) == (value, len(encoded) // 2)


@given(st.integers(-(2**31), 2**31 - 1))
def test_varint(value: int) -> None:
    assert read_varint(b"x" + encode_varint(value) + b"x", 1) == (value, 1 + len(encode_varint(value)))


@given(st.integers(-(2**63), 2**63 - 1))
def test_varlong(value: int) -> None:
    assert read_varlong(b"x" + encode_varint(value) + b"x", 1) == (value, 1 + len(encode_varint(value)))


@pytest.mark.parametrize("read", [read_varint, read_varlong])
def test_ends(read: object) -> None:
    assert callable(read)
    with pytest.raises(IndexError):
        read(b"\x80\x80", 0)
    with pytest.raises(RecordError):
        read(b"\x80" * 11 + b"\x01", 0)
