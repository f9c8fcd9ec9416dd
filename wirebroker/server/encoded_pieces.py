"""Encode a large response in pieces, none of which takes long to enlarge, to copy or to free.

With 500 MB in one buffer each of these keeps the interpreter for 30 to 50 ms, in whatever thread it is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wirebroker.protocol.message import Writer
    from wirebroker.protocol.primitives import WireBuffer

PIECE_BYTES: Final = 1 << 20


class EncodedPieces:
    """The bytes of an encoded response, as DetachedRecords of a WireBuffer; each piece is freed when it is sent."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._size_bytes = sum(map(len, pieces))
        self._reversed = pieces[::-1]

    @property
    def size_bytes(self) -> int:
        """The size of all pieces."""
        return self._size_bytes

    def file_range(self) -> None:
        """Return None: the bytes are in no file."""

    def pieces(self) -> Iterator[bytes]:
        """Yield the pieces in their order, and keep none."""
        while self._reversed:
            yield self._reversed.pop()


class _CutList(list[Any]):
    """A list of a response, which calls *cut* before each of its elements is encoded."""

    def __init__(self, elements: list[Any], cut: Callable[[], None]) -> None:
        super().__init__(elements)
        self._cut = cut

    def __iter__(self) -> Iterator[Any]:
        for each in super().__iter__():
            self._cut()
            yield each


def encode_in_pieces(write: Writer, response: Any, out: WireBuffer, version: int) -> None:
    """Append *response* to *out*, which is empty; to be called in a thread.

    A large response is cut between the elements of the lists at its top level, and what is in front of the last cut is
    detached from *out*.
    """
    pieces: list[bytes] = []

    def cut() -> None:
        if len(out) >= PIECE_BYTES and not out.detached:
            pieces.append(bytes(out))
            out.clear()

    lists = {name: each for name in response.FIELDS if type(each := getattr(response, name)) is list}
    for name, each in lists.items():
        setattr(response, name, _CutList(each, cut))
    try:
        write(response, out, version)
    finally:
        for name, each in lists.items():
            setattr(response, name, each)
    if pieces:
        out.detached.insert(0, (0, EncodedPieces(pieces)))
