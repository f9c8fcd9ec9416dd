from __future__ import annotations

import io

from wirebroker.pipelines.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_elsewhere_than_on_a_terminal_one_closing_line() -> None:
    out = io.StringIO()
    with Progress("produce", 200, "flights", out) as bar:
        bar.update(50)
        bar.update(100)
    assert out.getvalue().count("\n") == 1
    assert "50%" in out.getvalue()
    assert "100 of 200 flights" in out.getvalue()
    assert "\r" not in out.getvalue()


def test_on_a_terminal_the_line_is_drawn_over() -> None:
    out = Terminal()
    with Progress("produce", 200, "flights", out) as bar:
        bar.update(200)
    assert out.getvalue().startswith("\rproduce")
    assert out.getvalue().endswith("200 of 200 flights\x1b[K\n")


def test_the_bar_never_grows_past_its_end() -> None:
    bar = Progress("produce", 10, "flights", io.StringIO())
    bar.update(25)
    assert "100%" in bar.line(1.0)
    assert "25 of 10" in bar.line(1.0)


def test_without_a_total_only_the_time_runs() -> None:
    assert Progress("start Spark", stream=io.StringIO()).line(1.25).split() == ["start", "Spark", "1.2", "s"]
