"""``wirebroker demo flights`` as a user runs it: every flight under Spark 4, a part of them under Spark 3.5."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.broker import running
from compat_tests.conftest import wait_until
from tools.jvm import java_options

if TYPE_CHECKING:
    from compat_tests.broker import Wirebroker

pytestmark = pytest.mark.spark

ALL = 336_776
WITHIN_S = 15 * 60
COMMAND = (sys.executable, "-m", "wirebroker", "demo", "flights")
PNG = b"\x89PNG\r\n\x1a\n"
STEP = re.compile(r"(load the flights|produce to flights|start Spark|stream to|close the|read back|compare with).*\]$")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment with its own directory for temporary files, and the Java of the extra."""
    own = {"JAVA_TOOL_OPTIONS": " ".join(java_options()), "TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()
    return {**{name: value for name, value in os.environ.items() if name != "JAVA_HOME"}, **own}


def demo(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the demo to its end; nothing may be left of it."""
    command = [*COMMAND, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=WITHIN_S, check=False)
    assert_nothing_is_left(environment)
    return run


def assert_nothing_is_left(environment: dict[str, str]) -> None:
    """No temporary file, and no process that has this test's TMPDIR in its environment."""
    directory = environment["TMPDIR"]
    assert list(Path(directory).iterdir()) == []
    assert [path for path in Path("/proc").glob("[0-9]*/environ") if _is_of(path, directory)] == []


def _is_of(environ: Path, directory: str) -> bool:
    try:
        return f"TMPDIR={directory}".encode() in environ.read_bytes()
    except OSError:  # gone meanwhile
        return False


def topics_of(broker: Wirebroker) -> set[str]:
    """The demo's topics that a broker has."""
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    return {"flights", "flight-delays"} & set(admin.list_topics(timeout=60).topics)


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


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        (None, signal.SIGINT),
        ("using the broker", signal.SIGINT),
        ("produce to flights", signal.SIGINT),
        ("produce to flights", signal.SIGTERM),
        ("start Spark", signal.SIGINT),
        ("compare with pandas", signal.SIGINT),
    ],
    ids=["as soon as it runs", "topics", "Spark starts", "Spark starts, SIGTERM", "stream", "at the end"],
)
def test_a_signal_leaves_nothing_behind(
    wirebroker: Wirebroker, environment: dict[str, str], tmp_path: Path, moment: str | None, number: signal.Signals
) -> None:
    said = tmp_path / "err"
    command = [*COMMAND, "-b", wirebroker.bootstrap, "--limit", "3000"]
    with said.open("w") as err, running(command, env=environment, stdout=subprocess.DEVNULL, stderr=err) as process:
        if moment is None:
            wait_until(lambda: bool(list(Path(environment["TMPDIR"]).iterdir())))
        else:
            wait_until(lambda: moment in said.read_text(), 300)
        if moment == "produce to flights":
            time.sleep(1)  # so that Java is there
        process.send_signal(number)
        assert process.wait(30) == 128 + number
    *steps, last = said.read_text().splitlines()
    assert last == f"wirebroker: {number.name}: stopped, nothing is left behind"
    assert [line for line in steps if not line.startswith("using the broker") and not STEP.match(line)] == []
    assert topics_of(wirebroker) == set()
    assert_nothing_is_left(environment)
