"""A test that hangs ends its process, with what that has started, and says where it was."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import wirebroker

ROOT = Path(wirebroker.__file__).parent.parent
HANGING = """
import subprocess, sys, threading
from wirebroker.tests.time_limit import time_limit

def test_hangs(request):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open("child", "w") as file:
        file.write(str(child.pid))
    with time_limit(request.node, 0.2):
        threading.Event().wait()
"""


INTERPRETER_HELD = """
import ctypes
from wirebroker.tests.time_limit import time_limit

def test_hangs(request):
    with time_limit(request.node, 0.2, 0.2):
        ctypes.PyDLL(None).sleep(600)  # no other thread runs meanwhile
"""


def run(directory: Path, test: str) -> subprocess.CompletedProcess[str]:
    """The end of a pytest that runs *test*; what holds its output open is waited for."""
    (directory / "test_hanging.py").write_text(test)
    (directory / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:trio", "test_hanging.py"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, timeout=60)


def test_a_test_that_holds_the_interpreter(tmp_path: Path) -> None:
    ended = run(tmp_path, INTERPRETER_HELD)
    assert ended.returncode == 1
    assert 'test_hanging.py", line 7 in test_hangs' in ended.stderr


def test_a_test_that_hangs(tmp_path: Path) -> None:
    ended = run(tmp_path, HANGING)
    assert ended.returncode == 1
    assert "test_hanging.py::test_hangs has not ended in 0.2 s" in ended.stderr
    assert 'test_hanging.py", line 10 in test_hangs' in ended.stderr
    child = Path(f"/proc/{(tmp_path / 'child').read_text()}/stat")
    deadline = time.monotonic() + 10
    while child.exists() and child.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline, "what the test has started still runs"
