"""Go programs of the tests, built from compat_tests/go with the modules that their go.mod names."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import gettempdir

import pytest

SOURCES = Path(__file__).with_name("go")
BUILD_TIMEOUT_S = 600  # the first build compiles Go's own library


@cache
def go_program(name: str) -> str:
    """Return the path of the built program *name*; the test is skipped where there is no Go."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("there is no Go compiler on this machine")
    program = Path(gettempdir()) / f"wirebroker-{name}-{(SOURCES / name / 'go.sum').stat().st_mtime_ns}"
    own = program.with_name(f"{program.name}-{os.getpid()}")  # another worker may build it, too, or run it
    subprocess.run([go, "build", "-o", own, "."], cwd=SOURCES / name, check=True, timeout=BUILD_TIMEOUT_S)
    own.replace(program)
    return str(program)
