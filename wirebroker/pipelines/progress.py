"""A progress bar of one line on stderr: drawn over itself on a terminal, one closing line anywhere else."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType
    from typing import TextIO

WIDTH = 28
REDRAW_EVERY_S = 0.1


class Progress:
    """``with Progress("produce", 336_776, "flights") as bar: bar.update(done)``.

    A total of 0 means that nobody knows how much there is: then only the time runs.
    """

    def __init__(self, title: str, total: int = 0, unit: str = "", stream: TextIO | None = None) -> None:
        self.title, self.total, self.unit = title, total, unit
        self.done = 0
        self._stream = sys.stderr if stream is None else stream
        self._drawn_over = self._stream.isatty()
        self._started = time.monotonic()
        self._drawn_at = -REDRAW_EVERY_S

    def update(self, done: int) -> None:
        self.done = done
        now = time.monotonic()
        if self._drawn_over and now - self._drawn_at >= REDRAW_EVERY_S:
            self._drawn_at = now
            self._stream.write(f"\r{self.line(now - self._started)}\x1b[K")
            self._stream.flush()

    def line(self, seconds: float) -> str:
        """What the bar looks like after *seconds*."""
        if not self.total:
            count = f"{self.done:,} {self.unit}" if self.unit else ""
            return f"{self.title:<22} {count:<38} {seconds:6.1f} s".rstrip()
        share = min(1.0, self.done / self.total)
        bar = "#" * int(share * WIDTH)
        return (
            f"{self.title:<22} [{bar:<{WIDTH}}] {share:4.0%} {seconds:6.1f} s  "
            f"{self.done:,} of {self.total:,} {self.unit}"
        ).rstrip()

    def __enter__(self) -> Self:
        self.update(0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        line = self.line(time.monotonic() - self._started)
        self._stream.write(f"\r{line}\x1b[K\n" if self._drawn_over else f"{line}\n")
        self._stream.flush()
