"""RunDelay: what it reads of this system, and of systems that do not count waits for a processor."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from wirebroker.replication import run_delay
from wirebroker.replication.run_delay import MAX_AGE_S, RunDelay

if TYPE_CHECKING:
    from pathlib import Path


def use(monkeypatch: pytest.MonkeyPatch, path: Path, text: str) -> None:
    path.write_text(text)
    monkeypatch.setattr(run_delay, "_PATH", str(path))


def test_waits_between_two_readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, tmp_path / "schedstat", "5000000000 1500000000 7\n")
    waits = RunDelay()
    assert waits.valid_until == 0
    assert waits.since_refresh() == 0, "nothing is known of the time before the first reading"
    refreshed = waits.refresh()
    assert waits.valid_until == refreshed + MAX_AGE_S
    use(monkeypatch, tmp_path / "schedstat", "9000000000 1750000000 9\n")
    assert waits.since_refresh() == 0.25
    assert waits.valid_until == 0


@pytest.mark.parametrize("text", ["", "0", "a b c", None])
def test_a_system_without_these_statistics(text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_delay, "_PATH", str(tmp_path / "schedstat"))
    if text is not None:
        use(monkeypatch, tmp_path / "schedstat", text)
    waits = RunDelay()
    assert waits.waited_s() is None
    waits.refresh()
    assert waits.since_refresh() == 0


def test_the_file_stays_open_until_the_object_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "schedstat"  # executors of other tests may have the real one open
    use(monkeypatch, path, "5000000000 1500000000 7\n")
    waits = RunDelay()
    waits.refresh()
    opened = _descriptors_of(path)
    assert len(opened) == 1
    waits.refresh()
    assert _descriptors_of(path) == opened
    del waits
    assert _descriptors_of(path) == []


def _descriptors_of(path: Path) -> list[str]:
    """Return the descriptors that this process has of *path*."""
    return [each for each in os.listdir("/proc/self/fd") if _target(each) == str(path)]


def _target(fd: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{fd}")
    except FileNotFoundError:  # that of the listing
        return ""


def test_the_waits_of_this_thread_never_shrink() -> None:
    waits = RunDelay()
    waits.refresh()
    assert waits.since_refresh() >= 0
