"""FetchResponseDecoder: decodes a Fetch response while it arrives.  Does no I/O.

A follower that is behind gets responses of many megabytes.  It writes the records of each partition while the leader
sends those of the next, in pieces that are still in the processor's cache.

    at = decoder.decode(received, at)       # as far as the bytes go; then look at `step`
    Step.HEAD        `response` has error code and session id; the partitions follow
    Step.RECORDS     `topic` and `partition` have all fields before the records; take `records_left` bytes with `take`
    Step.PARTITION   the partition is complete, with the fields behind the records
    Step.END         the response is complete
    None             more bytes are needed

Fields are those of `FetchResponse.read` but for the partitions' records and lists of aborted transactions, which
followers are not sent.
"""

from __future__ import annotations

from enum import Enum, auto
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Final

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.messages.fetch import EpochEndOffset, FetchableTopicResponse, FetchResponse, PartitionData
from wirebroker.protocol.primitives import read_uvarint

if TYPE_CHECKING:
    from collections.abc import Callable

_INT16: Final = Struct(">h")
_INT32: Final = Struct(">i")
_HEAD: Final = Struct(">ihi")
_PARTITION: Final = Struct(">ihqqq")
_EPOCH_END: Final = Struct(">iq")
_UUID_BYTES: Final = 16
_FLEXIBLE_FROM: Final = 12
_TOPIC_IDS_FROM: Final = 13
_READ_REPLICA_FROM: Final = 11
LOWEST_VERSION: Final = 7
"""The first version with fetch sessions and a log start offset; followers of older protocols get whole responses."""
_DIVERGING_EPOCH: Final = 0
_ABORTED_TRANSACTION_BYTES: Final = 16


class Step(Enum):
    """A position in a response at which `decode` stops."""

    HEAD = auto()
    RECORDS = auto()
    PARTITION = auto()
    END = auto()


class FetchResponseDecoder:
    """Decodes one response of LOWEST_VERSION or later."""

    __slots__ = (
        "_is_flexible",
        "_next",
        "_partitions_left",
        "_topics_left",
        "_version",
        "partition",
        "records_left",
        "response",
        "step",
        "topic",
    )

    def __init__(self, version: int) -> None:
        assert version >= LOWEST_VERSION
        self._version = version
        self._is_flexible = version >= _FLEXIBLE_FROM
        self._next: Callable[[memoryview, int], int] = self._head
        self._topics_left = 0
        self._partitions_left = 0
        self.step: Step | None = None
        self.response = FetchResponse()
        """Its list of topics stays empty."""
        self.topic = FetchableTopicResponse()
        """Its list of partitions stays empty."""
        self.partition = PartitionData()
        self.records_left = 0
        """The bytes of the partition's records that were not taken yet."""

    def decode(self, received: memoryview, at: int) -> int:
        """Decode *received* from *at* on up to the next step; return the position behind it.

        With `step` None afterwards, call it again with more bytes from that position on.  Raises ProtocolError.
        """
        self.step = None
        try:
            while self.step is None:
                at = self._next(received, at)
        except (StructError, IndexError):
            pass  # as long as nothing is changed before all of a part was read, it can be read again
        return at

    def take(self, count: int) -> None:
        """Count *count* bytes of the partition's records as taken; `decode` goes on behind them."""
        assert 0 <= count <= self.records_left
        self.records_left -= count

    # -- the parts of a response.  Each raises IndexError or struct.error if the bytes end in it.

    def _head(self, b: memoryview, at: int) -> int:
        throttle_time_ms, error_code, session_id = _HEAD.unpack_from(b, at)
        count, at = self._count(b, at + _HEAD.size)
        self.response = FetchResponse(
            throttle_time_ms=throttle_time_ms, error_code=error_code, session_id=session_id, responses=[]
        )
        self._topics_left = count
        self.step = Step.HEAD
        self._next = self._topic
        return at

    def _topic(self, b: memoryview, at: int) -> int:
        if not self._topics_left:
            if self._is_flexible:
                at = self._skip_tags(b, at)
            self.step = Step.END
            return at
        topic = FetchableTopicResponse(partitions=[])
        if self._version >= _TOPIC_IDS_FROM:
            end = at + _UUID_BYTES
            topic.topic_id = _whole(b, at, end)
        else:
            if self._is_flexible:
                size, at = self._count(b, at)
            else:
                size, at = _INT16.unpack_from(b, at)[0], at + _INT16.size
            if size < 0:
                raise ProtocolError("topic is null")
            end = at + size
            topic.topic = _whole(b, at, end).decode("utf-8", "replace")
        count, at = self._count(b, end)
        self.topic = topic
        self._topics_left -= 1
        self._partitions_left = count
        self._next = self._partition
        return at

    def _partition(self, b: memoryview, at: int) -> int:
        if not self._partitions_left:
            if self._is_flexible:
                at = self._skip_tags(b, at)
            self._next = self._topic
            return at
        index, error_code, high_watermark, last_stable_offset, log_start_offset = _PARTITION.unpack_from(b, at)
        at = self._skip_aborted_transactions(b, at + _PARTITION.size)
        if self._version >= _READ_REPLICA_FROM:
            at += _INT32.size
        size, at = self._count(b, at, is_nullable=True)
        self.partition = PartitionData(
            partition_index=index,
            error_code=error_code,
            high_watermark=high_watermark,
            last_stable_offset=last_stable_offset,
            log_start_offset=log_start_offset,
        )
        self.records_left = max(size, 0)
        self._partitions_left -= 1
        self.step = Step.RECORDS
        self._next = self._end_of_partition
        return at

    def _end_of_partition(self, b: memoryview, at: int) -> int:
        if self.records_left:
            raise ProtocolError(f"{self.records_left} bytes of records were not taken")
        if self._is_flexible:
            at = self._partition_tags(b, at)
        self.step = Step.PARTITION
        self._next = self._partition
        return at

    def _partition_tags(self, b: memoryview, at: int) -> int:
        count, at = read_uvarint(b, at)
        for _ in range(count):
            tag, at = read_uvarint(b, at)
            size, at = read_uvarint(b, at)
            if tag == _DIVERGING_EPOCH:
                if size < _EPOCH_END.size:
                    raise ProtocolError(f"a diverging epoch of {size} bytes")
                self.partition.diverging_epoch = EpochEndOffset(*_EPOCH_END.unpack_from(b, at))
            at += size
            if at > len(b):
                raise IndexError
        return at

    def _skip_aborted_transactions(self, b: memoryview, at: int) -> int:
        count, at = self._count(b, at, is_nullable=True)
        if not self._is_flexible:
            return at + max(count, 0) * _ABORTED_TRANSACTION_BYTES
        for _ in range(count):
            at = self._skip_tags(b, at + _ABORTED_TRANSACTION_BYTES)
        return at

    def _skip_tags(self, b: memoryview, at: int) -> int:
        count, at = read_uvarint(b, at)
        if not count:
            return at
        for _ in range(count):
            _, at = read_uvarint(b, at)
            size, at = read_uvarint(b, at)
            at += size
        if at > len(b):
            raise IndexError
        return at

    def _count(self, b: memoryview, at: int, *, is_nullable: bool = False) -> tuple[int, int]:
        """Return the length of an array, or of bytes, and the position after it; -1 for null."""
        if self._is_flexible:
            count, at = read_uvarint(b, at)
            count -= 1
        else:
            count, at = _INT32.unpack_from(b, at)[0], at + _INT32.size
        if count < 0 and not (is_nullable and count == -1):
            raise ProtocolError(f"a length of {count}")
        return count, at


def _whole(b: memoryview, at: int, end: int) -> bytes:
    if end > len(b):
        raise IndexError
    return bytes(b[at:end])
