"""``wirebroker demo flights`` that is interrupted: it says so in a line, and nothing is left of it."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import running
from compat_tests.conftest import wait_until
from compat_tests.flights import COMMAND, STEP, assert_nothing_is_left, environment_in, topics_of

if TYPE_CHECKING:
    from compat_tests.broker import Wirebroker

pytestmark = pytest.mark.spark


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return environment_in(tmp_path)


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
