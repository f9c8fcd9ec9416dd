"""The whole process group of the worker has ended when `Supervisor.run` returns, however the worker ends."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.demo.supervisor import SIGNALS, Supervisor

if TYPE_CHECKING:
    from collections.abc import Mapping

WORKER = """
import json, os, pathlib, signal, subprocess, sys
request = json.loads(sys.stdin.readline())
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path(request["pids"]).write_text(f"{os.getpid()} {child.pid}")
if request["signal"]:
    os.kill(os.getppid(), request["signal"])
    signal.pause()
sys.exit(request["exit"])
"""


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    """An environment in which `the_worker` is a module."""
    (tmp_path / "the_worker.py").write_text(WORKER)
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


def is_running(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return status != "Z"


def run(tmp_path: Path, environment: Mapping[str, str], number: int, code: int) -> tuple[int, Supervisor]:
    pids = tmp_path / "pids"
    request = {"pids": str(pids), "signal": number, "exit": code}
    before = [signal.getsignal(each) for each in SIGNALS]
    with Supervisor() as supervisor:
        result = supervisor.run("the_worker", request, environment)
    assert [signal.getsignal(each) for each in SIGNALS] == before
    assert [pid for pid in map(int, pids.read_text().split()) if is_running(pid)] == []
    return result, supervisor


needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")


@needs_proc
@pytest.mark.parametrize("code", [0, 1, 7])
def test_the_exit_code_is_the_worker_s(tmp_path: Path, environment: Mapping[str, str], code: int) -> None:
    result, supervisor = run(tmp_path, environment, 0, code)
    assert result == code
    assert supervisor.caught is None


@needs_proc
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_ends_the_group(tmp_path: Path, environment: Mapping[str, str], number: signal.Signals) -> None:
    result, supervisor = run(tmp_path, environment, number, 0)
    assert result == -signal.SIGKILL
    assert supervisor.caught is number


def test_after_a_signal_nothing_is_started(tmp_path: Path, environment: Mapping[str, str]) -> None:
    with Supervisor() as supervisor:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        supervisor.run("the_worker", {"pids": str(tmp_path / "pids"), "signal": 0, "exit": 0}, environment)
    assert supervisor.caught is signal.SIGTERM, "the first one counts"
    assert not (tmp_path / "pids").exists()


def test_signals_that_are_ignored_stay_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Supervisor() as supervisor:
            os.kill(os.getpid(), signal.SIGHUP)
        assert supervisor.caught is None
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
