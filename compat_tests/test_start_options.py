"""`wirebroker start --topic --ephemeral` as a process: topics at the ready line, nothing left at the end."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from compat_tests.broker import running
from compat_tests.command import environment, output, wirebroker_command


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_ephemeral(number: signal.Signals) -> None:
    words = ("start", "--ephemeral", "--topic", "t:3", "--topic", "u", "--listener", "PLAINTEXT://127.0.0.1:0")
    with running(
        wirebroker_command(*words),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            ready = process.stdout.readline()
            address = ready.partition("PLAINTEXT://")[2].partition(",")[0]
            directory = Path(ready.partition("data in ")[2].strip())
            assert (directory / "t-2").is_dir()
            rows = output("topics", "list", "-b", address, "--format", "text").decode().splitlines()
            assert [row.split()[0] for row in rows] == ["t", "u"]
            process.send_signal(number)
            assert process.wait(60) == 0
        finally:
            process.kill()
    assert not directory.exists()


def test_a_topic_that_cannot_be_created_ends_the_start(tmp_path: Path) -> None:
    words = ("start", "--topic", "a b", "--data-dir", str(tmp_path), "--listener", "PLAINTEXT://127.0.0.1:0")
    run = subprocess.run(
        wirebroker_command(*words, "--log-level", "error"),
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("wirebroker: --topic a b: ")
    assert run.stderr.count("\n") == 1
