"""FetchFrame: the encoded Fetch request of a session that names one partition, to be sent again with another offset.

A follower that keeps up sends the same request after each response, but for the correlation id, the session epoch and
the fetch offset.  The codec finds the places of the last two: it encodes the request with two values of each, and these
bytes differ.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.replication.fetcher.fetch_session_handler import FetchRequestData, WantedPartition

_EPOCH: Final = Struct(">i")
_OFFSET: Final = Struct(">q")
_LOWEST: Final = (0, 0)
_HIGHEST: Final = (0x7FFFFFFF, 0x7FFFFFFFFFFFFFFF)
"""Values of session epoch and fetch offset that differ in every byte."""


class FetchFrame:
    """A request for the partition *wanted*, of the session and in the version of *data*."""

    __slots__ = ("_epoch_at", "_offset_at", "encoded", "session_id", "version", "wanted")

    def __init__(
        self, data: FetchRequestData, wanted: WantedPartition, encode: Callable[[FetchRequestData], bytearray]
    ) -> None:
        """Encode *data*, an incremental request that names *wanted* and no other partition."""
        self.wanted = wanted
        self.session_id = data.session_id
        self.version = data.version
        fetch_offset = wanted.request.fetch_offset
        low, high = (self._encode(data, epoch, offset, encode) for epoch, offset in (_LOWEST, _HIGHEST))
        wanted.request.fetch_offset = fetch_offset
        changing = [at for at, (one, other) in enumerate(zip(low, high, strict=True)) if one != other]
        self._epoch_at, self._offset_at = changing[0], changing[_EPOCH.size]
        assert len(changing) == _EPOCH.size + _OFFSET.size
        self.encoded = low

    def _encode(
        self, data: FetchRequestData, epoch: int, offset: int, encode: Callable[[FetchRequestData], bytearray]
    ) -> bytearray:
        self.wanted.request.fetch_offset = offset
        return encode(data._replace(session_epoch=epoch))

    def update(self, session_epoch: int, fetch_offset: int) -> None:
        """Set the fields of the next request, also in `wanted`."""
        self.wanted.request.fetch_offset = fetch_offset
        _EPOCH.pack_into(self.encoded, self._epoch_at, session_epoch)
        _OFFSET.pack_into(self.encoded, self._offset_at, fetch_offset)
