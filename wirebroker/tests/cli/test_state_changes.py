"""`wirebroker state-changes merge`: which lines, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

FIRST = """\
[2026-11-23 10:00:00,000] TRACE Received request for partition t-0 (state.change.logger)
[2026-11-23 10:00:02,000] TRACE controller 1 changed [t,1] (state.change.logger)
[2026-11-23 10:00:04,000] INFO no partition (state.change.logger)
"""
SECOND = """\
[2026-11-23 10:00:01,000] TRACE controller 1 changed [u, 0] (state.change.logger)
java.lang.RuntimeException
[2026-11-23 10:00:03,000] TRACE UpdateMetadataPartitionState(topicName='t', partitionIndex=1, leader=1)
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "state-change.log.1").write_text(FIRST)
    (tmp_path / "state-change.log.2").write_text(SECOND)
    (tmp_path / "other").write_text(FIRST)
    return tmp_path


def times(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The seconds of the lines that were printed."""
    return [line[18:20] for line in capsys.readouterr().out.splitlines()]


def test_a_broker_that_becomes_leader_or_follower(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The lines of Apache Kafka 3.9.1, in which no word `partition` is before the name."""
    lines = (
        "[2026-11-26 17:19:12,656] INFO [Broker id=1] Leader my-t-1 with topic id Some(kmoOWmZKRYSRfhVhM5KKVw) starts "
        "at leader epoch 0 from offset 0 with partition epoch 0 (state.change.logger)",
        "[2026-11-26 17:19:13,267] INFO [Broker id=1] Follower my-t-0 starts at leader epoch 0 from offset 0 with "
        "partition epoch 0 and high watermark 0. Current leader is 0. (state.change.logger)",
    )
    log = tmp_path / "state-change.log"
    log.write_text("\n".join(lines) + "\n")
    assert main(["state-changes", "merge", "--logs", str(log), "--topic", "my-t"]) == 0
    assert capsys.readouterr().out.splitlines() == list(lines)
    assert main(["state-changes", "merge", "--logs", str(log), "--topic", "my-t", "--partitions", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == [lines[0]]


@pytest.mark.parametrize(
    ("options", "seconds"),
    [
        ([], ["00", "01", "02", "03"]),
        (["--topic", "t"], ["00", "02", "03"]),
        (["--topic", "t", "--partitions", "1"], ["02", "03"]),
        (["--start-time", "2026-11-23 10:00:01,000", "--end-time", '"2026-11-23 10:00:02,000"'], ["01", "02"]),
    ],
)
def test_lines(options: list[str], seconds: list[str], directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ",".join(str(directory / f"state-change.log.{number}") for number in (1, 2))
    assert main(["state-changes", "merge", "--logs", files, *options]) == 0
    assert times(capsys) == seconds
    assert main(["state-changes", "merge", "--logs-regex", f"{directory}/state-change.log.*", *options]) == 0
    assert times(capsys) == seconds
