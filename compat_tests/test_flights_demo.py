"""``wirebroker demo flights`` as a user runs it: every flight under Spark 4, a part of them under Spark 3.5."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from tools.jvm import java_options

if TYPE_CHECKING:
    from compat_tests.broker import Wirebroker

pytestmark = pytest.mark.spark

ALL = 336_776
WITHIN_S = 15 * 60


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"JAVA_TOOL_OPTIONS": " ".join(java_options())}
    environment.pop("JAVA_HOME", None)  # the Java that the extra installs
    command = [sys.executable, "-m", "wirebroker", "demo", "flights", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=WITHIN_S, check=False)


def test_every_window_equals_the_data_frames(wirebroker: Wirebroker) -> None:
    limit = [] if version("pyspark").startswith("4.") else ["--limit", "40000"]
    run = demo("--bootstrap", wirebroker.bootstrap, "--format", "json", *limit)
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert answer["equal"] is True
    assert answer["late"] == 0
    assert answer["flights"] == (int(limit[1]) if limit else ALL)
    assert sum(window["flights"] for window in answer["windows"]) == answer["flights"]
    assert f"{answer['flights']:,} of {answer['flights']:,} acknowledged" in run.stderr


def test_without_a_broker_the_demo_brings_its_own() -> None:
    run = demo("--limit", "3000")
    assert run.returncode == 0, run.stderr
    assert "started a broker at 127.0.0.1:" in run.stderr or "using the broker at 127.0.0.1:9092" in run.stderr
    assert "Equal: all" in run.stdout


def test_a_broker_that_is_not_there() -> None:
    run = demo("--bootstrap", "127.0.0.1:1")
    assert run.returncode == 1
    assert "nothing listens at 127.0.0.1:1" in run.stderr
    assert "Traceback" not in run.stderr
