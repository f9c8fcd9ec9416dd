"""Log directories, logs of state changes, and the end of processes: a wirebroker and an Apache Kafka of one cluster."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

pytestmark = pytest.mark.nightly
OURS, THEIRS = 0, 1
OLD_FORM = (
    "[2026-11-23 10:00:00,000] TRACE Controller 1 epoch 1 changed state of partition [t,1] (state.change.logger)\n"
    "[2026-11-23 10:00:03,000] TRACE Controller 1 epoch 1 changed state of partition [t,0] (state.change.logger)\n",
    "[2026-11-23 10:00:02,000] TRACE Broker 2 made a leader of partition [t,1] (state.change.logger)\n"
    "[2026-11-23 10:00:04,000] TRACE Broker 2 made a leader of partition [u,1] (state.change.logger)\n",
)
"""Lines of the releases whose partitions StateChangeLogMerger finds: those of 3.9 have another form."""


def directories(root: Path, broker_id: int) -> list[Path]:
    return [root / f"logs-{broker_id}-{name}" for name in ("a", "b")]


@pytest.fixture
def cluster(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> Iterator[MixedCluster]:
    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        settings = [{"log.dirs": ",".join(map(str, directories(tmp_path, each)))} for each in (OURS, THEIRS)]
        cluster.add_wirebroker(OURS, settings[0]).options = ("--state-change-log", str(tmp_path / "ours.log"))
        cluster.wirebroker(OURS)
        cluster.kafka(THEIRS, settings=settings[1])
        cluster.await_brokers(OURS, THEIRS)
        yield cluster


def command(*words: str) -> str:
    """Run wirebroker's command and return its output."""
    done = subprocess.run(
        [sys.executable, "-m", "wirebroker", *words], check=False, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def test_moves_state_changes_and_stops(
    cluster: MixedCluster, kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    to = ("--bootstrap-server", cluster.bootstrap(), "--timeout", "60000")
    command("configs", "alter", "--broker-logger", str(THEIRS), "--add-config", "root=INFO", *to)
    command("topics", "create", "t", "--replica-assignment", "0:1,1:0", *to)
    cluster.await_states("t", {0: (0, {0, 1}), 1: (1, {0, 1})})

    for broker_id in (OURS, THEIRS):
        moves_between_directories(tmp_path, broker_id, to)

    logs = ",".join(map(str, (tmp_path / "ours.log", cluster.brokers[THEIRS].log_file)))
    state_changes_of_both(logs)
    files = [tmp_path / "1.log", tmp_path / "2.log"]
    for file, text in zip(files, OLD_FORM, strict=True):
        file.write_text(text)
    options = ("--logs", ",".join(map(str, files)), "--topic", "t")
    merged = command("state-changes", "merge", *options)
    assert [line[18:20] for line in merged.splitlines()] == ["00", "02", "03"]
    deprecation, _, original = (
        kafka_dist(KAFKA).run("kafka.tools.StateChangeLogMerger", *options).stdout.partition("\n")
    )
    assert deprecation.startswith("WARNING: This tool is deprecated")
    assert original == merged

    brokers = [cluster.brokers[each] for each in (THEIRS, OURS)]
    stopped = command("server-stop", *(str(directories(tmp_path, each)[0]) for each in (THEIRS, OURS)))
    assert stopped.splitlines() == [
        f"stopped process {broker.pid} of {directories(tmp_path, each)[0]}"
        for each, broker in zip((THEIRS, OURS), brokers, strict=True)
    ]
    ours = cluster.brokers[OURS]
    assert isinstance(ours, Wirebroker)
    wait_until(lambda: not ours.running)


def moves_between_directories(root: Path, broker_id: int, to: tuple[str, ...]) -> None:
    """Move a replica to the other directory of a broker, and find it there."""

    def directory_of_t0() -> str:
        what = ("--broker-list", str(broker_id), "--topic-list", "t", "--format", "json")
        (broker,) = json.loads(command("log-dirs", "describe", *what, *to))
        (directory,) = [
            each["log_dir"] for each in broker["log_dirs"] if "t-0" in [at["partition"] for at in each["partitions"]]
        ]
        return str(directory)

    before = directory_of_t0()
    (other,) = [each for each in directories(root, broker_id) if str(each) != before]
    command("log-dirs", "move", "t:0", "--broker", str(broker_id), "--to", str(other), "--wait", *to)
    assert directory_of_t0() == str(other)
    assert (other / "t-0").is_dir()


def state_changes_of_both(logs: str) -> None:
    """Merge the logs of the two brokers: lines of both, of one topic, in the order of time."""
    lines = command("state-changes", "merge", "--logs", logs, "--topic", "t").splitlines()
    assert [line[:25] for line in lines] == sorted(line[:25] for line in lines)
    assert any("[Controller id=0 epoch=1] Changed partition t-0 state from" in line for line in lines)
    assert any("[Broker id=1] Leader t-1 " in line for line in lines)
    assert any("[Broker id=1] Follower t-0 " in line for line in lines)
    first = lines[0][1:24]
    until = command("state-changes", "merge", "--logs", logs, "--topic", "t", "--end-time", first).splitlines()
    assert until == [line for line in lines if line[1:24] == first]
    of_1 = command("state-changes", "merge", "--logs", logs, "--topic", "t", "--partitions", "1").splitlines()
    assert any("[Broker id=1] Leader t-1 " in line for line in of_1)
    assert not any("[Broker id=1] Follower t-0 " in line for line in of_1)
