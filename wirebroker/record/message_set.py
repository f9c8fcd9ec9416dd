"""Messages of formats 0 and 1 on their way into a log that keeps such a format (``message.format.version`` < 0.11).

A batch of format 2 is stamped with its offsets in place, whatever its codec.  Here it depends: messages on their own
each get an offset; a wrapper of format 1 gets one, the last; a wrapper of format 0 holds absolute offsets, so it can
only be compressed when they are known.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from wirebroker.record.convert import encode_set
from wirebroker.record.legacy import wrap
from wirebroker.record.record_batch import NO_PRODUCER_ID, NO_TIMESTAMP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.record.compression import Codec
    from wirebroker.record.record_batch import Record

_OFFSET = Struct(">q")


class MessageSet:
    """What a log appends in place of a batch; has those attributes of a RecordBatch that appending looks at."""

    __slots__ = ("buffer", "count", "largest_at", "log_append_time", "max_timestamp", "size_bytes")

    partition_leader_epoch = -1
    producer_id = NO_PRODUCER_ID

    buffer: memoryview
    """What to write, once it was stamped."""
    size_bytes: int

    def __init__(self, count: int, max_timestamp: int, largest_at: int, log_append_time: int) -> None:
        self.count = count
        self.max_timestamp = max_timestamp
        self.largest_at = largest_at
        """At which message the largest timestamp is reached: the first that has it, or a wrapper's last."""
        self.log_append_time = log_append_time
        """-1 when the producer's timestamps were kept."""

    def stamp(self, base_offset: int) -> None:
        """Give the messages their offsets, from *base_offset* on: sets `buffer` and `size_bytes`."""
        raise AssertionError("one of the kinds below knows how")


class LooseMessages(MessageSet):
    """Messages without a codec, complete but for their offsets."""

    __slots__ = ("_data", "_positions")

    def __init__(
        self, data: bytearray, positions: Sequence[int], max_timestamp: int, largest_at: int, log_append_time: int
    ) -> None:
        super().__init__(len(positions), max_timestamp, largest_at, log_append_time)
        self._data = data
        self._positions = positions

    def stamp(self, base_offset: int) -> None:
        data, pack_into = self._data, _OFFSET.pack_into
        for offset, position in enumerate(self._positions, base_offset):
            pack_into(data, position, offset)
        self.buffer = memoryview(data)
        self.size_bytes = len(data)


class RelativeWrapper(MessageSet):
    """A wrapper of format 1, complete but for its own offset."""

    __slots__ = ("_data",)

    def __init__(self, data: bytearray, count: int, max_timestamp: int, log_append_time: int) -> None:
        super().__init__(count, max_timestamp, count - 1, log_append_time)
        self._data = data

    def stamp(self, base_offset: int) -> None:
        _OFFSET.pack_into(self._data, 0, base_offset + self.count - 1)
        self.buffer = memoryview(self._data)
        self.size_bytes = len(self._data)


class AbsoluteWrapper(MessageSet):
    """A wrapper of format 0, made when its offsets are known."""

    __slots__ = ("_codec", "_level", "_records")

    def __init__(self, records: Sequence[Record], codec: Codec, level: int | None, log_append_time: int) -> None:
        super().__init__(len(records), NO_TIMESTAMP, 0, log_append_time)
        self._records = records
        self._codec = codec
        self._level = level

    def stamp(self, base_offset: int) -> None:
        moved = [record._replace(offset=offset) for offset, record in enumerate(self._records, base_offset)]
        inside = b"".join(encode_set(moved, 0))
        self.buffer = memoryview(wrap(inside, 0, self._codec, moved[-1].offset, level=self._level))
        self.size_bytes = len(self.buffer)
