"""``wirebroker demo flights`` as a user runs it: every flight under Spark 4, a part of them under Spark 3.5."""

from __future__ import annotations

import csv
import json
import subprocess
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.flights import COMMAND, STEP, WITHIN_S, assert_nothing_is_left, demo, environment_in, topics_of

if TYPE_CHECKING:
    from pathlib import Path

    from compat_tests.broker import Wirebroker

pytestmark = pytest.mark.spark

ALL = 336_776
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return environment_in(tmp_path)


def test_every_window_equals_the_data_frames(
    wirebroker: Wirebroker, environment: dict[str, str], tmp_path: Path
) -> None:
    limit = [] if version("pyspark").startswith("4.") else ["--limit", "40000"]
    files = ["--output", str(tmp_path / "windows.csv"), "--chart", str(tmp_path / "delays.png")]
    run = demo(environment, "-b", wirebroker.bootstrap, "--format", "json", *files, *limit)
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert answer["equal"] is True
    assert answer["late"] == 0
    assert answer["flights"] == (int(limit[1]) if limit else ALL)
    assert sum(window["flights"] for window in answer["windows"]) == answer["flights"]
    produced = next(line for line in run.stderr.splitlines() if line.startswith("produce to flights"))
    assert f" 100% {answer['flights']}/{answer['flights']} [" in produced
    assert produced.endswith(" acknowledged/s]")
    assert topics_of(wirebroker) == set()
    assert (tmp_path / "delays.png").read_bytes().startswith(PNG)
    with (tmp_path / "windows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["carrier"], row["hour"], row["mean_delay"]) for row in rows] == [
        (window["carrier"], window["hour"], _csv(window["mean_delay"])) for window in answer["windows"]
    ]


def _csv(value: Any) -> str:
    return "" if value is None else str(value)


def test_without_a_broker_the_demo_brings_its_own(environment: dict[str, str], tmp_path: Path) -> None:
    """Its output may go to a program that reads only the beginning."""
    command = f"set -o pipefail; {' '.join(COMMAND)} --limit 3000 2>{tmp_path / 'err'} | head -1"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, timeout=WITHIN_S)
    err = (tmp_path / "err").read_text()
    assert run.returncode == 0, err
    assert run.stdout.startswith("Departure delay per carrier, 3,000 flights")
    assert "started a broker at 127.0.0.1:" in err or "using the broker at 127.0.0.1:9092" in err
    steps = [line for line in err.splitlines() if STEP.match(line)]
    assert len(steps) == 7
    assert len({line.index(": ") for line in steps}) == 1, "the titles take equal room, so that bars align"
    assert "Traceback" not in err
    assert_nothing_is_left(environment)


def test_a_broker_that_is_not_there(environment: dict[str, str]) -> None:
    run = demo(environment, "--bootstrap-server", "127.0.0.1:1")
    assert run.returncode == 1
    assert run.stderr == "wirebroker: nothing listens at 127.0.0.1:1\n"
