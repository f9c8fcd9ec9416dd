"""The `wirebroker` command as a process, as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
WITHIN_S = 120


def wirebroker_command(*words: str) -> list[str]:
    """The command line of `wirebroker` *words*."""
    return [sys.executable, "-m", "wirebroker", *words]


def environment() -> dict[str, str]:
    """That of the tests, with this repository's package."""
    return os.environ | {"PYTHONPATH": str(ROOT)}


def attempt(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end, whatever its exit code."""
    return subprocess.run(
        wirebroker_command(*words), input=stdin, capture_output=True, timeout=WITHIN_S, env=environment(), check=False
    )


def output(*words: str, stdin: bytes = b"") -> bytes:
    """The standard output of a command that ends with exit code 0 and no word on standard error."""
    run = attempt(*words, stdin=stdin)
    assert (run.returncode, run.stderr) == (0, b""), run
    return run.stdout
