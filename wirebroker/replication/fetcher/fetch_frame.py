"""FetchFrame: the encoded Fetch request of a session for some partitions, to be sent again with other offsets.

A follower that keeps up sends the same few requests again and again, but for the correlation id, the session epoch and
the fetch offsets.  The codec finds the places of the last two: it encodes the request with two values of each, and
these bytes differ.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wirebroker.model import TopicPartition
    from wirebroker.replication.fetcher.fetch_session_handler import FetchRequestData, WantedPartition

_EPOCH: Final = Struct(">i")
_OFFSET: Final = Struct(">q")
_LOWEST: Final = (0, 0)
_HIGHEST: Final = (0x7FFFFFFF, 0x7FFFFFFFFFFFFFFF)
"""Values of session epoch and fetch offsets that differ in every byte."""


class FetchFrame:
    """A request for partitions of a session, in one version."""

    __slots__ = ("_epoch_at", "_offsets_at", "broker_epoch", "encoded", "session_id", "version", "wanted")

    def __init__(
        self,
        data: FetchRequestData,
        wanted: Sequence[tuple[TopicPartition, WantedPartition]],
        encode: Callable[[FetchRequestData], bytearray],
        broker_epoch: int,
    ) -> None:
        """Encode *data*, an incremental request for the *wanted* partitions and no others.

        *broker_epoch* is the one that *encode* writes.
        """
        by_request = {id(each[1].request): each for each in wanted}
        requests = [request for topic in data.topics for request in topic.partitions]
        self.wanted = [by_request[id(request)] for request in requests]
        """The partitions in the order of the request."""
        self.session_id = data.session_id
        self.version = data.version
        self.broker_epoch = broker_epoch
        offsets = [request.fetch_offset for request in requests]
        low, high = (self._encode(data, epoch, offset, encode) for epoch, offset in (_LOWEST, _HIGHEST))
        for request, offset in zip(requests, offsets, strict=True):
            request.fetch_offset = offset
        changing = [at for at, (one, other) in enumerate(zip(low, high, strict=True)) if one != other]
        assert len(changing) == _EPOCH.size + _OFFSET.size * len(wanted)
        self._epoch_at = changing[0]
        self._offsets_at = changing[_EPOCH.size :: _OFFSET.size]
        self.encoded = low

    def _encode(
        self, data: FetchRequestData, epoch: int, offset: int, encode: Callable[[FetchRequestData], bytearray]
    ) -> bytearray:
        for _, wanted in self.wanted:
            wanted.request.fetch_offset = offset
        return encode(data._replace(session_epoch=epoch))

    def update(self, session_epoch: int, fetch_offsets: Sequence[int]) -> None:
        """Set the fields of the next request, also in `wanted`, in whose order the offsets are."""
        encoded = self.encoded
        _EPOCH.pack_into(encoded, self._epoch_at, session_epoch)
        for (_, wanted), offset, at in zip(self.wanted, fetch_offsets, self._offsets_at, strict=True):
            wanted.request.fetch_offset = offset
            _OFFSET.pack_into(encoded, at, offset)
