"""The progress bar of every command: one line on standard error, drawn over itself, and only if that is a terminal.

    with Progress(total_bytes) as progress:  # gone at the end
        progress.advance(size_bytes)

    with Progress(336_776, title="produce", unit="flights", keep=True) as progress:  # its last line stays, anywhere
        progress.update(done)

    with elapsed_time("start Spark"):  # of work that does not say how much of it is done
        ...

    with followed_progress(Progress(total), count_done):  # of work that says so when it is asked
        ...

tqdm draws it.  Its import takes as long as that of the rest of a command, so it is imported when there is a bar to
draw: never for output that goes to a pipe or a file, unless the last line is to be kept.
"""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

BYTES: Final = "bytes"
_DRAW_EVERY_S: Final = 0.1
_TICK_S: Final = 0.25
_TITLE_WIDTH: Final = 24


class Progress:
    """How much of a total is done; drawn while it is entered, first after a tenth of a second."""

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
        """Describe a bar.

        Args:
            total: what `advance` adds up to; 0 if that is not known.
            title: stands before the bar.
            unit: what is counted; BYTES are shown as MiB; empty where only the time counts.
            stream: standard error by default.
            shown: whether to draw at all; a stream that is no terminal gets no bar in any case.
            keep: leave a last line behind, on a stream that is no terminal, too.
        """
        self._stream = sys.stderr if stream is None else stream
        self.is_shown = shown and self._stream.isatty()
        """Whether the bar is drawn while it is entered."""
        self._keep = keep
        self._done = 0
        self._format: dict[str, Any] = {"total": total or None}
        if unit == BYTES:
            self._format |= {"unit": "B", "unit_scale": True, "unit_divisor": 1024}
        else:
            self._format |= {"unit": f" {unit}", "bar_format": None if unit else "{desc}: [{elapsed}]"}
        self._title = f"{title:<{_TITLE_WIDTH}}" if title else ""
        self._bar: Any = None

    def advance(self, amount: int) -> None:
        """Add *amount* to what is done."""
        self._done += amount
        if self._bar is not None:
            self._bar.update(amount)

    def update(self, done: int) -> None:
        """Set what is done to *done*, which is no less than before."""
        self.advance(done - self._done)

    def draw(self) -> None:
        """Draw the bar with the time that has passed, though nothing more may be done."""
        if self._bar is not None:
            self._bar.miniters = 0
            self._bar.update(0)

    def clear(self) -> None:
        """Take the bar away, for something else to be written; the next `advance` may draw it again."""
        if self._bar is not None:
            self._bar.clear()

    def __enter__(self) -> Self:
        self._started = time.monotonic()
        if self.is_shown:
            from tqdm import tqdm

            tqdm.monitor_interval = 0  # no thread to redraw bars that stand still
            tqdm.set_lock(RLock())  # its own lock is one for processes, too, and imports multiprocessing
            self._bar = tqdm(
                desc=self._title,
                file=self._stream,
                leave=self._keep,
                mininterval=_DRAW_EVERY_S,
                miniters=1,
                delay=0 if self._keep else _DRAW_EVERY_S,
                dynamic_ncols=True,
                **self._format,
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._keep:
            from tqdm import tqdm

            elapsed_s = time.monotonic() - self._started
            line = tqdm.format_meter(self._done, elapsed=elapsed_s, prefix=self._title, ncols=0, **self._format)
            self._stream.write(f"{line}\n")
            self._stream.flush()


@contextmanager
def elapsed_time(title: str, stream: TextIO | None = None) -> Iterator[None]:
    """Draw *title* and the time inside the block, again and again, on a terminal; nothing is left of it."""
    with followed_progress(Progress(title=title, unit="", stream=stream), lambda: 0):
        yield


@contextmanager
def followed_progress(bar: Progress, count_done: Callable[[], int]) -> Iterator[None]:
    """Enter *bar* for the block, and have a thread draw it again and again with what *count_done* returns."""
    if not bar.is_shown:
        yield
        return
    is_over = Event()

    def draw() -> None:
        most = 0
        while not is_over.wait(_TICK_S):
            most = max(most, count_done())
            bar.update(most)
            bar.draw()

    with bar:
        thread = Thread(target=draw, name="progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()
