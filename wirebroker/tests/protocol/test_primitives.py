"""The rare branches of generated code, and the buffer that keeps file slices apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.codegen.codecs import encode
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from wirebroker.protocol.primitives import WireBuffer, read_uvarint, skip_tagged_fields, write_uvarint

if TYPE_CHECKING:
    from collections.abc import Iterator


class Slice:
    """Stands for the records of a log file."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @property
    def size_bytes(self) -> int:
        return len(self.data)

    def file_range(self) -> None:
        """In no file."""

    def pieces(self) -> Iterator[bytes | memoryview]:
        yield from (self.data[:1], self.data[1:])


@pytest.mark.parametrize(
    ("value", "data"),
    [(0, "00"), (127, "7f"), (128, "8001"), (300, "ac02"), (16384, "808001"), (2**32 - 1, "ffffffff0f")],
)
def test_uvarint(value: int, data: str) -> None:
    out = bytearray()
    write_uvarint(out, value)
    assert out.hex() == data
    assert read_uvarint(b"x" + out, 1) == (value, 1 + len(out))


@pytest.mark.parametrize(("data", "fault"), [("808080808000", ProtocolError), ("80", IndexError), ("", IndexError)])
def test_bad_uvarint(data: str, fault: type[Exception]) -> None:
    with pytest.raises(fault):
        read_uvarint(bytes.fromhex(data), 0)


def test_tagged_fields_are_skipped() -> None:
    tags = bytes.fromhex("00 01 ff 8001 00")
    assert skip_tagged_fields(tags, 0, 2) == len(tags)
    with pytest.raises(ProtocolError, match="past the end"):
        skip_tagged_fields(bytes.fromhex("00 7f 00"), 0, 1)


@pytest.mark.parametrize("version", [4, 12])
def test_file_slices_are_detached(version: int) -> None:
    def response(first: object, second: object) -> FetchResponse:
        partitions = [PartitionData(0, records=first), PartitionData(1, records=second)]  # type: ignore[arg-type]
        return FetchResponse(responses=[FetchableTopicResponse(topic="flights", partitions=partitions)])

    first, second = Slice(b"a" * 300), Slice(b"bb")
    copied = encode(response(first.data, second.data), version)
    out = WireBuffer()
    response(first, second).write(out, version)
    assert [piece for _, piece in out.detached] == [first, second]
    assert out.joined() == copied
    assert len(copied) == len(out) + 302
    assert encode(response(first, second), version) == copied  # a plain bytearray gets the bytes themselves


def test_empty_slice_is_written_but_not_detached() -> None:
    out = WireBuffer()
    FetchResponse(
        responses=[FetchableTopicResponse(topic="t", partitions=[PartitionData(0, records=Slice(b""))])]
    ).write(out, 4)
    assert out.detached == []
    assert out.endswith(bytes(4))
