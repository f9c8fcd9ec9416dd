"""The progress bar: on terminals only, drawn now and then, and gone at the end unless it is to be kept."""

from __future__ import annotations

import fcntl
import io
import os
import struct
import subprocess
import sys
import termios
import threading
import time
from contextlib import suppress

import pytest

from wirebroker.cli.progress import Progress, elapsed_time, followed_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """The lines that were drawn, each over the one before."""
        return [line.strip() for line in self.getvalue().split("\r") if line.strip()]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, to be set by a test."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr("tqdm.std.time", lambda: now[0])
    return now


def test_on_a_terminal(now: list[float]) -> None:
    stream = Terminal()
    with Progress(100 << 20, stream=stream) as progress:
        progress.advance(10 << 20)
        assert stream.lines() == [], "what is over at once needs no bar"
        now[0] += 0.5
        progress.advance(40 << 20)
        (drawn,) = stream.lines()
        assert drawn.startswith("50%|")
        assert drawn.endswith("| 50.0M/100M [00:00<00:00, 105MB/s]")
        progress.advance(1)
        assert stream.lines() == [drawn], "drawn ten times a second at most"
        now[0] += 0.5
        progress.advance((50 << 20) - 1)
        assert stream.lines()[-1].startswith("100%|")
    assert stream.getvalue().endswith(" \r"), "nothing is left of it"


def test_the_time_of_work_without_a_measure(now: list[float]) -> None:
    drawn = threading.Event()

    class Watched(Terminal):
        def write(self, text: str) -> int:
            if "[00:07]" in text:
                drawn.set()
            return super().write(text)

    stream = Watched()
    with elapsed_time("start Spark", stream):
        now[0] += 7
        assert drawn.wait(30)
    assert stream.lines()[0].startswith("start Spark")
    assert stream.getvalue().endswith(" \r"), "nothing is left of it"
    assert "progress" not in [each.name for each in threading.enumerate()]


def test_work_that_is_asked_how_much_is_done(now: list[float]) -> None:
    drawn = threading.Event()

    class Watched(Terminal):
        def write(self, text: str) -> int:
            if "60/100" in text:
                drawn.set()
            return super().write(text)

    counts = iter([0, 20, 60])
    stream = Watched()

    def count_done() -> int:
        now[0] += 1
        return next(counts, 0)

    with followed_progress(Progress(100, title="export", unit="records", stream=stream), count_done):
        assert drawn.wait(30)
    shown = [line for line in stream.lines() if "60/100" in line]
    assert shown[0].startswith("export")
    assert "60%|" in shown[0]
    assert "60/100 [00:03<" in shown[0]
    assert "60/100" in stream.lines()[-1], "a stage that has ended takes nothing back"
    assert "progress" not in [each.name for each in threading.enumerate()]


def test_no_time_without_a_terminal() -> None:
    stream = io.StringIO()
    with elapsed_time("start Spark", stream):
        assert "progress" not in [each.name for each in threading.enumerate()]
    assert stream.getvalue() == ""


def test_no_bar_without_a_terminal(now: list[float]) -> None:
    for stream, shown in ((io.StringIO(), True), (Terminal(), False)):
        with Progress(10, stream=stream, shown=shown) as progress:
            now[0] += 1
            progress.advance(5)
            progress.clear()
        assert stream.getvalue() == ""


def test_a_bar_that_is_kept(now: list[float]) -> None:
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        with Progress(200, title="produce", unit="flights", stream=stream, keep=True) as progress:
            progress.update(50)
            now[0] += 1
            progress.update(100)
    assert file.getvalue() == "produce                 :  50% 100/200 [00:01<00:01, 100.00 flights/s]\n"
    assert terminal.lines()[-1].startswith("produce                 :  50%|")
    assert terminal.getvalue().endswith("| 100/200 [00:01<00:01, 100.00 flights/s]\n")


def test_without_a_total_and_without_a_unit(now: list[float]) -> None:
    stream = io.StringIO()
    for title, unit in (("read back", "windows"), ("start Spark", "")):
        with Progress(title=title, unit=unit, stream=stream, keep=True) as progress:
            now[0] += 2
            progress.update(25)
    assert stream.getvalue().splitlines() == [
        "read back               : 25 windows [00:02, 12.50 windows/s]",
        "start Spark             : [00:02]",
    ]


def test_another_line_takes_the_place_of_the_bar(now: list[float]) -> None:
    stream = Terminal()
    with Progress(10, unit="files", stream=stream) as progress:
        now[0] += 1
        progress.advance(1)
        progress.clear()
        assert stream.getvalue().endswith(" \r")


def test_a_narrow_terminal() -> None:
    reading, writing = os.openpty()
    fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))  # rows, columns
    with (
        os.fdopen(writing, "w") as stream,
        Progress(10, title="produce", unit="flights", stream=stream, keep=True) as progress,
    ):
        progress.update(10)
    drawn = os.read(reading, 4096).decode().replace("\n", "")
    os.close(reading)
    assert 50 < max(map(len, drawn.split("\r"))) <= 60


def test_a_step_that_fails_is_not_shown_as_done(now: list[float]) -> None:
    stream = io.StringIO()
    with suppress(ValueError), Progress(4, title="stream", unit="batches", stream=stream, keep=True) as progress:
        now[0] += 1
        progress.update(1)
        raise ValueError("broken")
    assert stream.getvalue() == "stream                  :  25% 1/4 [00:01<00:03,  1.00 batches/s]\n"


def test_tqdm_is_not_imported_without_a_terminal() -> None:
    program = (
        "import sys; from wirebroker.cli.progress import Progress\n"
        "with Progress(10) as progress: progress.advance(5)\n"
        "print('tqdm' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("False\n", "")
