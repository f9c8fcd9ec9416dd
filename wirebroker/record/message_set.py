"""MessageSet: messages to append to a log of format 0 or 1 (``message.format.version`` < 0.11).

A batch of format 2 is stamped with its offsets in place, whatever its codec.  Here each message without a codec gets
its own offset; a wrapper of format 1 gets one, the last; a wrapper of format 0 holds absolute offsets, so it can
only be compressed when they are known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from struct import Struct
from typing import TYPE_CHECKING

from wirebroker.record.convert import encode_set
from wirebroker.record.legacy import wrap
from wirebroker.record.record_batch import NO_PRODUCER_ID, NO_TIMESTAMP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.record.compression import Compression
    from wirebroker.record.record_batch import Record

_OFFSET = Struct(">q")


class MessageSet(ABC):
    """Messages of format 0 or 1, which a log appends in place of a batch; has the attributes that `Log` reads."""

    __slots__ = ("buffer", "count", "index_of_max_timestamp", "log_append_time", "max_timestamp", "size_bytes")

    partition_leader_epoch = -1
    producer_id = NO_PRODUCER_ID

    buffer: memoryview
    """The bytes to write, valid after `stamp`."""
    size_bytes: int

    def __init__(self, count: int, max_timestamp: int, index_of_max_timestamp: int, log_append_time: int) -> None:
        self.count = count
        self.max_timestamp = max_timestamp
        self.index_of_max_timestamp = index_of_max_timestamp
        """At which message the largest timestamp is reached: the first that has it, or a wrapper's last."""
        self.log_append_time = log_append_time
        """-1 when the producer's timestamps were kept."""

    @abstractmethod
    def stamp(self, base_offset: int) -> None:
        """Give the messages their offsets, from *base_offset* on: sets `buffer` and `size_bytes`."""


class UncompressedMessageSet(MessageSet):
    """Messages without a codec, complete but for their offsets."""

    __slots__ = ("_data", "_positions")

    def __init__(
        self,
        data: bytearray,
        positions: Sequence[int],
        max_timestamp: int,
        index_of_max_timestamp: int,
        log_append_time: int,
    ) -> None:
        super().__init__(len(positions), max_timestamp, index_of_max_timestamp, log_append_time)
        self._data = data
        self._positions = positions

    def stamp(self, base_offset: int) -> None:
        data, pack_into = self._data, _OFFSET.pack_into
        for offset, position in enumerate(self._positions, base_offset):
            pack_into(data, position, offset)
        self.buffer = memoryview(data)
        self.size_bytes = len(data)


class CompressedMessageSetV1(MessageSet):
    """A wrapper of format 1, complete but for its own offset."""

    __slots__ = ("_data",)

    def __init__(self, data: bytearray, count: int, max_timestamp: int, log_append_time: int) -> None:
        super().__init__(count, max_timestamp, count - 1, log_append_time)
        self._data = data

    def stamp(self, base_offset: int) -> None:
        _OFFSET.pack_into(self._data, 0, base_offset + self.count - 1)
        self.buffer = memoryview(self._data)
        self.size_bytes = len(self._data)


class CompressedMessageSetV0(MessageSet):
    """A wrapper of format 0, made when its offsets are known."""

    __slots__ = ("_compression", "_records")

    def __init__(self, records: Sequence[Record], compression: Compression, log_append_time: int) -> None:
        super().__init__(len(records), NO_TIMESTAMP, 0, log_append_time)
        self._records = records
        self._compression = compression

    def stamp(self, base_offset: int) -> None:
        moved = [record._replace(offset=offset) for offset, record in enumerate(self._records, base_offset)]
        inside = b"".join(encode_set(moved, 0))
        self.buffer = memoryview(wrap(inside, 0, self._compression, moved[-1].offset))
        self.size_bytes = len(self.buffer)
