"""The progress bar: on terminals only, drawn now and then, and gone at the end unless it is to be kept."""

from __future__ import annotations

import io
import time

import pytest

from wirebroker.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, to be set by a test."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setenv("COLUMNS", "100")
    return now


def test_on_a_terminal(now: list[float]) -> None:
    stream = Terminal()
    with Progress(100 << 20, stream=stream) as progress:
        progress.advance(10 << 20)
        assert stream.getvalue() == "", "what is quick needs no bar"
        now[0] += 0.5
        progress.advance(40 << 20)
        drawn = stream.getvalue()
        assert drawn == f"\r[{'#' * 14}{'.' * 14}]  50%    0.5 s  50 MiB  100 MiB/s"
        progress.advance(1)
        assert stream.getvalue() == drawn
        now[0] += 0.5
        progress.advance(80 << 20)
        assert "] 100%    1.0 s  130 MiB" in stream.getvalue()
    assert stream.getvalue().endswith(" \r"), "nothing is left of it"


@pytest.mark.usefixtures("now")
def test_elsewhere() -> None:
    for stream, shown in ((io.StringIO(), True), (Terminal(), False)):
        with Progress(0, stream=stream, shown=shown) as progress:
            progress._next = 0
            progress.advance(5)
        assert stream.getvalue() == ""


def test_a_bar_that_is_kept(now: list[float]) -> None:
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        with Progress(200, title="produce", unit="flights", stream=stream, keep=True) as progress:
            progress.update(50)
            now[0] += 1
            progress.update(100)
    last = f"produce                  [{'#' * 14}{'.' * 14}]  50%    1.0 s  100 of 200 flights\n"
    assert file.getvalue() == last
    assert terminal.getvalue().startswith("\rproduce ")
    assert terminal.getvalue().endswith(f"\r{last}")


def test_bars_are_aligned_with_and_without_a_total(now: list[float]) -> None:
    lines = []
    for progress in (
        Progress(10, title="produce to flights", unit="flights", stream=io.StringIO()),
        Progress(title="start Spark", unit="", stream=io.StringIO()),
        Progress(title="stream to flight-delays", unit="windows", stream=io.StringIO()),
    ):
        progress.update(25)
        lines += [progress.line(1.0), progress.line(1.0, is_over=True)]
    assert {line.index("[") for line in lines} == {25}
    assert {line.index(" s") for line in lines} == {lines[0].index(" s")}
    assert "100%" in lines[0]
    assert "25 of 10 flights" in lines[0]
    assert lines[2].endswith(" 1.0 s")
    assert f"[{'.' * 28}]" in lines[2]
    assert f"[{'#' * 28}] 100%" in lines[3]
    assert lines[4].endswith("25 windows")


def test_a_narrow_terminal(now: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    with Progress(10, title="produce", unit="flights", stream=stream, keep=True) as progress:
        progress.update(10)
    assert max(map(len, stream.getvalue().replace("\n", "").split("\r"))) == 39


def test_a_step_that_fails_is_not_shown_as_done(now: list[float]) -> None:
    stream = io.StringIO()
    with (
        pytest.raises(ValueError, match="broken"),
        Progress(title="start Spark", unit="", stream=stream, keep=True),
    ):
        raise ValueError("broken")
    assert "100%" not in stream.getvalue()
