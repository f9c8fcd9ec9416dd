"""A progress bar for commands that read much: on stderr, and only if that is a terminal.

with Progress(total_bytes) as progress:
    progress.advance(size)
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from typing import TextIO

_EVERY_S: Final = 0.1
_WIDTH: Final = 30
_MIB: Final = 1 << 20


class Progress:
    """Bytes done of a total; says nothing in the first tenth of a second."""

    def __init__(self, total_bytes: int, stream: TextIO | None = None, *, shown: bool = True) -> None:
        """*shown* is what the caller thinks of it; a stream that is no terminal gets no bar in any case."""
        self._stream = sys.stderr if stream is None else stream
        self._total = max(total_bytes, 1)
        self._done = 0
        self._shown = shown and self._stream.isatty()
        self._started = time.monotonic()
        self._next = self._started + _EVERY_S
        self._drawn = 0

    def advance(self, size_bytes: int) -> None:
        """So much more is done."""
        self._done += size_bytes
        if self._shown and time.monotonic() >= self._next:
            self._draw(time.monotonic())

    def _draw(self, now: float) -> None:
        self._next = now + _EVERY_S
        part = min(self._done / self._total, 1.0)
        filled = round(part * _WIDTH)
        speed = self._done / _MIB / max(now - self._started, 0.001)
        text = (
            f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {part:4.0%}  {self._done / _MIB:,.0f} MiB  {speed:,.0f} MiB/s"
        )
        self._stream.write(f"\r{text:<{self._drawn}}")
        self._stream.flush()
        self._drawn = len(text)

    def clear(self) -> None:
        """Take the bar away, for something else to be written; the next `advance` may draw it again."""
        if self._drawn:
            self._stream.write(f"\r{'':<{self._drawn}}\r")
            self._stream.flush()
            self._drawn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()
