"""Children are waited for, stopped and killed; signals stop the waiting."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.cluster.processes import Processes, ProcessFailedError, StoppedBySignalError

if TYPE_CHECKING:
    from pathlib import Path

FOR_EVER = (sys.executable, "-c", "import signal; print('ready', flush=True); signal.pause()")
DEAF = (
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True)\nwhile 1: signal.pause()",
)
LATER_S = 60.0


def deadline() -> float:
    return time.monotonic() + LATER_S


def test_children_that_run_are_killed_at_the_end(tmp_path: Path) -> None:
    with Processes() as processes:
        child = processes.start("a", FOR_EVER, tmp_path / "a.log")
        processes.wait_until(lambda: child.last_line() == "ready", "not ready", deadline())
        assert child.is_running
    assert child.process.returncode == -signal.SIGKILL


def test_a_child_that_ends_while_it_is_waited_for_fails_with_its_last_line(tmp_path: Path) -> None:
    with Processes() as processes:
        processes.start("broker 1", (sys.executable, "-c", "print('no disk\\n'); exit(3)"), tmp_path / "a.log")
        with pytest.raises(ProcessFailedError, match="broker 1 ended with exit code 3: no disk"):
            processes.wait_until(lambda: False, "", deadline())


def test_a_wait_that_is_too_long_fails(tmp_path: Path) -> None:
    with Processes() as processes, pytest.raises(ProcessFailedError, match="never ready"):
        processes.wait_until(lambda: False, "never ready", time.monotonic() - 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_waiting_and_starting(number: signal.Signals, tmp_path: Path) -> None:
    before = signal.getsignal(number)
    with Processes() as processes:
        os.kill(os.getpid(), number)
        with pytest.raises(StoppedBySignalError):
            processes.wait_until(lambda: False, "", deadline())
        with pytest.raises(StoppedBySignalError):
            processes.start("a", FOR_EVER, tmp_path / "a.log")
    assert signal.getsignal(number) == before


def test_stop_ends_children_with_sigterm_and_kills_the_deaf_ones(tmp_path: Path) -> None:
    with Processes() as processes:
        children = [
            processes.start("a", FOR_EVER, tmp_path / "a.log"),
            processes.start("b", DEAF, tmp_path / "b.log"),
        ]
        processes.wait_until(lambda: all(each.last_line() for each in children), "not ready", deadline())
        processes.stop(children[:1], LATER_S)
        processes.stop(children[1:], 0)
        assert [each.process.returncode for each in children] == [-signal.SIGTERM, -signal.SIGKILL]


def test_a_program_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with Processes() as processes, pytest.raises(ProcessFailedError, match="ZooKeeper cannot be started"):
        processes.start("ZooKeeper", ("/nowhere/java",), tmp_path / "a.log")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux's kernel ends children with their parent")
def test_children_end_with_a_command_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import pathlib, signal, sys\n"
        "from wirebroker.cli.cluster.processes import Processes\n"
        "with Processes() as processes:\n"
        "    child = processes.start('a', [sys.executable, '-c', 'import signal; signal.pause()'],"
        f" pathlib.Path({str(tmp_path / 'inner.log')!r}))\n"
        "    print(child.process.pid, flush=True)\n"
        "    signal.pause()\n"
    )
    with Processes() as processes:
        command = processes.start("a", (sys.executable, "-c", program), tmp_path / "a.log")
        processes.wait_until(lambda: command.last_line().isdigit(), "no pid", deadline())
        inner = int(command.last_line())
        command.process.kill()
        command.process.wait()
        end = deadline()
        while _is_running(inner):
            assert time.monotonic() < end
            time.sleep(0.02)


def _is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
