"""UpdateMetadata requests to many brokers that are encoded once: they differ in the broker epoch only."""

from __future__ import annotations

from struct import Struct
from threading import Lock
from typing import TYPE_CHECKING, Final

from wirebroker.protocol.messages.update_metadata import UpdateMetadataRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_EPOCH: Final = Struct(">q")
_BROKER_EPOCH_FROM: Final = 5
_IS_KRAFT_CONTROLLER_FROM: Final = 8
_EPOCH_AT: Final = 8
"""Where the broker epoch is: behind controller id and controller epoch, both int32."""


class _Encoding:
    """The encoded request, made by the first broker's channel and kept as long as one of the requests."""

    __slots__ = ("_body", "_lock", "_version")

    def __init__(self) -> None:
        self._body, self._version = b"", -1
        # Channels of several brokers encode a large request at once, each in a thread: one does it, the others wait.
        self._lock = Lock()

    def of(self, request: UpdateMetadataRequest, version: int) -> bytes:
        """Return the encoded request, with the broker epoch of whichever broker was the first."""
        with self._lock:
            if self._version != version:
                body = bytearray()
                UpdateMetadataRequest.write(request, body, version)
                self._body, self._version = bytes(body), version
            return self._body


class SharedUpdateMetadataRequest(UpdateMetadataRequest):
    """UpdateMetadata to one broker, which shares its bytes with those to the others; nobody changes it."""

    __slots__ = ("_encoding",)

    def share(self, encoding: _Encoding) -> None:
        """Use the bytes of *encoding* from now on."""
        self._encoding = encoding

    def write(self, out: bytearray, version: int) -> None:
        """Append the request to *out*."""
        at = len(out)
        out += self._encoding.of(self, version)
        if version >= _BROKER_EPOCH_FROM:
            _EPOCH.pack_into(out, at + _EPOCH_AT + (version >= _IS_KRAFT_CONTROLLER_FROM), self.broker_epoch)


def shared_update_metadata_requests(
    request: UpdateMetadataRequest, version: int, broker_epochs: Mapping[int, int]
) -> Iterator[tuple[int, UpdateMetadataRequest]]:
    """Yield (broker id, copy of *request* with its broker epoch); the copies share all lists, and their encoding."""
    encoding = _Encoding()
    values = {name: getattr(request, name) for name in request.FIELDS}
    for broker_id, broker_epoch in broker_epochs.items():
        shared = SharedUpdateMetadataRequest(**values)
        shared.share(encoding)
        if version >= _BROKER_EPOCH_FROM:
            shared.broker_epoch = broker_epoch
        yield broker_id, shared
