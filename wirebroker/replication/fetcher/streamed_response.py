"""StreamedResponse: a large Fetch response, which is decoded while it arrives."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.messages.fetch import FetchRequest
from wirebroker.record.record_batch import LENGTH_AT, LOG_OVERHEAD, MIN_LENGTH
from wirebroker.replication.fetcher.fetch_response_decoder import FetchResponseDecoder, Step

if TYPE_CHECKING:
    from wirebroker.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
    from wirebroker.replication.fetcher.leader_endpoint import Channel

_LENGTH: Final = Struct(">i")
_PIECE_BYTES: Final = 512 << 10
"""Records of a partition that are written before the others of it have come, at least."""
_LARGE_BYTES: Final = 256 << 10
"""If so many bytes of a partition's records are missing, they are received without those of the next one."""
_HEADERS_BYTES: Final = 128
"""Received with the end of such records: the fields of most topics and partitions that follow."""
_UNLIMITED: Final = 1 << 31


class StreamedResponse:
    """A response whose beginning was received; the channel has the rest."""

    __slots__ = ("_at", "_channel", "_decoder", "_received")

    def __init__(self, channel: Channel, version: int, body: memoryview, at: int) -> None:
        """Decode a response of *version*, which begins in *body* at *at*, and goes on in *channel*."""
        self._channel = channel
        self._decoder = FetchResponseDecoder(version)
        self._received = body
        self._at = at

    @property
    def response(self) -> FetchResponse:
        """The fields in front of the topics, from `Step.HEAD` on."""
        return self._decoder.response

    @property
    def topic(self) -> FetchableTopicResponse:
        """The topic of the partition."""
        return self._decoder.topic

    @property
    def partition(self) -> PartitionData:
        """The partition without its records, from `Step.RECORDS` on."""
        return self._decoder.partition

    async def next_step(self) -> Step:
        """Return the next step; records that were not taken are skipped.

        Raises:
            ChannelError: the connection was closed, or the response is malformed.
        """
        decoder = self._decoder
        try:
            while True:
                if decoder.records_left:
                    self._take(min(decoder.records_left, len(self._received) - self._at))
                if not decoder.records_left:
                    self._at = decoder.decode(self._received, self._at)
                    if decoder.step is Step.END and (self._at < len(self._received) or self._channel.missing_bytes):
                        raise ProtocolError("bytes behind the response")
                    if decoder.step is not None:
                        return decoder.step
                await self._receive_more()
        except ProtocolError as fault:
            raise self._channel.failed(FetchRequest.API_KEY, fault) from fault

    async def next_batches(self) -> memoryview:
        """Take the next whole batches of the partition's records; return none of them when no more follow.

        They are valid until the next call.  A batch that is cut off at the end of the records is skipped.  Where the
        bytes cannot be batches, all bytes that were received are returned.  Raises ChannelError.
        """
        while True:
            left = self._decoder.records_left
            records = self._received[self._at : self._at + left]
            is_complete = len(records) == left
            end = whole_batches(records) if is_complete or len(records) >= _PIECE_BYTES else 0
            if end or is_complete:
                self._take(end or left)
                return records[:end]
            await self._receive_more()

    def _take(self, count: int) -> None:
        self._decoder.take(count)
        self._at += count

    async def _receive_more(self) -> None:
        """Receive a piece, which ends with the partition's records if these are large.

        Then nothing has to be moved to the beginning of the buffer, and one wait for the leader ends with a partition.
        """
        unread = self._received[self._at :]
        if not self._channel.missing_bytes:
            fault = ProtocolError(f"a response that is cut off, {len(unread)} bytes before its end")
            raise self._channel.failed(FetchRequest.API_KEY, fault) from fault
        left = self._decoder.records_left - len(unread)
        limit = left + _HEADERS_BYTES if left >= _LARGE_BYTES else _UNLIMITED
        self._received = await self._channel.receive_more(unread, limit, FetchRequest.API_KEY)
        self._at = 0


def whole_batches(records: memoryview) -> int:
    """Return where the last whole batch in *records* ends, of any format; all of them if these cannot be batches."""
    size = len(records)
    at = 0
    while size - at >= LOG_OVERHEAD:
        length: int = _LENGTH.unpack_from(records, at + LENGTH_AT)[0]
        if length < MIN_LENGTH:
            return size
        end = at + LOG_OVERHEAD + length
        if end > size:
            break
        at = end
    return at
