"""The progress bar: on terminals only, drawn now and then, and gone at the end."""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING

from wirebroker.cli.progress import Progress

if TYPE_CHECKING:
    import pytest


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    stream = Terminal()
    with Progress(100 << 20, stream) as progress:
        progress.advance(10 << 20)
        assert stream.getvalue() == "", "what is quick needs no bar"
        now[0] += 0.5
        progress.advance(40 << 20)
        drawn = stream.getvalue()
        assert drawn == f"\r[{'#' * 15}{'.' * 15}]  50%  50 MiB  100 MiB/s"
        progress.advance(1)
        assert stream.getvalue() == drawn
        now[0] += 0.5
        progress.advance(80 << 20)
        assert "] 100%  130 MiB" in stream.getvalue()
    assert stream.getvalue().endswith(" \r"), "nothing is left of it"


def test_elsewhere() -> None:
    for stream, shown in ((io.StringIO(), True), (Terminal(), False)):
        with Progress(0, stream, shown=shown) as progress:
            progress._next = 0
            progress.advance(5)
        assert stream.getvalue() == ""
