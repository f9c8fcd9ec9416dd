"""The README's first command in a fresh environment: the installed package is complete, starts and stops."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from compat_tests.broker import running

CHECKOUT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin directory of a fresh environment with nothing but ``pip install .`` in it."""
    source, environment = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("environment")
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(CHECKOUT / name, source)
    shutil.copytree(CHECKOUT / "wirebroker", source / "wirebroker", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-m", "venv", environment], check=True, timeout=300)
    subprocess.run([environment / "bin" / "pip", "install", "--quiet", source], check=True, timeout=600)
    return environment / "bin"


def test_start_and_stop(installed: Path, tmp_path: Path) -> None:
    command = [str(installed / "wirebroker"), "start", "--listener", "PLAINTEXT://127.0.0.1:0"]
    with running(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=120) == 0
    line = r"wirebroker \S+ ready: broker 0 on PLAINTEXT://127\.0\.0\.1:\d+, data in (.+)"
    match = re.fullmatch(line, ready.strip())
    assert match
    assert Path(match[1]) == tmp_path / "wirebroker-data"
    assert (tmp_path / "wirebroker-data" / "meta.properties").exists()


def test_the_tests_are_left_out_and_every_room_is_in(installed: Path) -> None:
    (site,) = installed.parent.glob("lib/python*/site-packages")
    rooms = {path.name for path in (site / "wirebroker").iterdir() if path.is_dir()} - {"__pycache__"}
    ours = {path.parent.name for path in (CHECKOUT / "wirebroker").glob("*/__init__.py")}
    assert rooms == ours - {"tests"}


def test_the_demo_without_its_extra_names_the_command_to_install_it(installed: Path, tmp_path: Path) -> None:
    command = [str(installed / "wirebroker"), "demo", "flights"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert answer.returncode == 1
    assert answer.stderr.count("\n") == 1
    assert "pip install 'wirebroker[demo]'" in answer.stderr
