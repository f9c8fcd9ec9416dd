"""`wirebroker server-stop`: the process that has a data directory is found by its lock, and stopped."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.main import main
from wirebroker.cli.server_stop import lock_owner

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK_AND_WAIT = """
import fcntl, sys, time
file = open(sys.argv[1], "w")
fcntl.lockf(file, fcntl.LOCK_EX)
print("locked", flush=True)
time.sleep(600)
"""
DELETE_AT_THE_END = """
import os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: (os.unlink(sys.argv[1]), sys.exit()))
"""


@pytest.fixture
def program() -> str:
    """The Python code of the process."""
    return LOCK_AND_WAIT


@pytest.fixture
def process(program: str, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process with a lock on .lock, as a broker has it."""
    command = [sys.executable, "-c", program, str(tmp_path / ".lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        yield process
        process.kill()


def test_a_broker_is_stopped(
    process: subprocess.Popen[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lock_owner(str(tmp_path / ".lock")) == process.pid
    assert main(["server-stop", str(tmp_path)]) == 0
    assert process.wait(60) == -15
    assert capsys.readouterr().out == f"stopped process {process.pid} of {tmp_path}\n"
    assert main(["server-stop", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"wirebroker: no broker has {tmp_path} open\n"


def test_a_broker_that_does_not_end(
    process: subprocess.Popen[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patched:  # the fixture needs the real one
        patched.setattr("os.kill", lambda *_: None)
        assert main(["server-stop", str(tmp_path), "--wait", "0"]) == 1
    assert "still has" in capsys.readouterr().err


@pytest.mark.parametrize("program", [DELETE_AT_THE_END + LOCK_AND_WAIT])
def test_a_broker_that_deletes_its_lock_file_as_apache_kafka_3_9_does(
    process: subprocess.Popen[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["server-stop", str(tmp_path)]) == 0
    assert process.wait(60) == 0
    assert capsys.readouterr().out == f"stopped process {process.pid} of {tmp_path}\n"
    assert main(["server-stop", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"wirebroker: no broker has {tmp_path} open\n"
