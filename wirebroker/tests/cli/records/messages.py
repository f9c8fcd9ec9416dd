"""A consumed message without confluent-kafka."""

from __future__ import annotations

from typing import NamedTuple


class FakeMessage(NamedTuple):
    """The methods of confluent_kafka.Message that the commands call."""

    a_value: bytes | None = b"v"
    a_key: bytes | None = b"k"
    some_headers: list[tuple[str, bytes | None]] | None = None
    a_timestamp: tuple[int, int] = (1, 1_700_000_000_000)
    an_offset: int = 7

    def topic(self) -> str:
        return "t"

    def partition(self) -> int:
        return 3

    def offset(self) -> int:
        return self.an_offset

    def timestamp(self) -> tuple[int, int]:
        return self.a_timestamp

    def key(self) -> bytes | None:
        return self.a_key

    def value(self) -> bytes | None:
        return self.a_value

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        return self.some_headers
