"""The progress bar of every command: one line on standard error, drawn over itself, and only if that is a terminal.

    with Progress(total_bytes) as progress:  # gone at the end
        progress.advance(size)

    with Progress(336_776, title="produce", unit="flights", keep=True) as progress:  # its last line stays, anywhere
        progress.update(done)

A library such as tqdm would not save much: what is not here (rates that are smoothed, nested bars, notebooks) is not
needed, and a broker should not depend on it.
"""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from typing import TextIO

BYTES: Final = "bytes"
_DRAW_EVERY_S: Final = 0.1
_BAR_WIDTH: Final = 28
_TITLE_WIDTH: Final = 24
_MIB: Final = 1 << 20


class Progress:
    """How much of a total is done.  On a terminal it is first drawn after a tenth of a second."""

    def __init__(
        self,
        total: int = 0,
        *,
        title: str = "",
        unit: str = BYTES,
        stream: TextIO | None = None,
        shown: bool = True,
        keep: bool = False,
    ) -> None:
        """Start the clock.

        Args:
            total: what `advance` adds up to; 0 if that is not known, and then the bar is filled at the end.
            title: stands before the bar.
            unit: what is counted; BYTES are shown as MiB with their rate.
            stream: standard error by default.
            shown: whether to draw at all; a stream that is no terminal gets no bar in any case.
            keep: leave a last line behind, on a stream that is no terminal, too.
        """
        self._total, self._title, self._unit, self._keep = total, title, unit, keep
        self._stream = sys.stderr if stream is None else stream
        self._shown = shown and self._stream.isatty()
        self._done = 0
        self._started = time.monotonic()
        self._next = self._started + (0 if keep else _DRAW_EVERY_S)
        self._drawn = 0

    def advance(self, amount: int) -> None:
        """Add *amount* to what is done."""
        self.update(self._done + amount)

    def update(self, done: int) -> None:
        """Set what is done to *done*."""
        self._done = done
        now = time.monotonic()
        if self._shown and now >= self._next:
            self._next = now + _DRAW_EVERY_S
            self._draw(now)

    def line(self, seconds: float, *, is_over: bool = False) -> str:
        """The bar after *seconds*."""
        share = min(self._done / self._total, 1.0) if self._total else float(is_over)
        percent = f"{share:4.0%}" if self._total or is_over else "    "
        bar = f"[{'#' * int(share * _BAR_WIDTH):.<{_BAR_WIDTH}}]"
        title = f"{self._title:<{_TITLE_WIDTH}} " if self._title else ""
        return f"{title}{bar} {percent} {seconds:6.1f} s  {self._amount(seconds)}".rstrip()

    def _amount(self, seconds: float) -> str:
        if self._unit == BYTES:
            return f"{self._done / _MIB:,.0f} MiB  {self._done / _MIB / max(seconds, 0.001):,.0f} MiB/s"
        of = f" of {self._total:,}" if self._total else ""
        return f"{self._done:,}{of} {self._unit}" if self._unit else ""

    def _draw(self, now: float, *, is_over: bool = False) -> None:
        text = self.line(now - self._started, is_over=is_over)[: shutil.get_terminal_size().columns - 1]
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
        if self._keep:
            self.update(0)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if not self._keep:
            self.clear()
        elif self._shown:
            self._draw(time.monotonic(), is_over=kind is None)
            self._stream.write("\n")
            self._stream.flush()
        else:
            self._stream.write(f"{self.line(time.monotonic() - self._started, is_over=kind is None)}\n")
            self._stream.flush()
