"""Arguments with which `wirebroker cluster up` starts nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.main import main
from wirebroker.jvm.java import NoJavaError
from wirebroker.storage.files import Files

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    def start() -> None:
        pytest.fail("the command goes on")

    monkeypatch.setattr("wirebroker.cli.cluster.up.java", start)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--brokers", "0"), "a cluster without brokers: --brokers or --kafka has to be above 0"),
        (("--brokers", "-1"), "-1 is not above 0"),
        (("--port", "70000"), "argument --port: 70000 is above 65535"),
        (("--zookeeper-port", "70000"), "argument --zookeeper-port: 70000 is above 65535"),
        (("--kafka", "1", "--kafka-version", "4.1.0"), "'4.1.0' is no release with ZooKeeper"),
        (("--set", "num.partitions"), "--set num.partitions: not KEY=VALUE"),
        (("--set", "broker.id=3"), "--set broker.id=3: each broker of the cluster gets a broker.id of its own"),
        (("--set", "log.dir =/data"), "each broker of the cluster gets a log.dir of its own"),
    ],
)
def test_wrong_arguments(words: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["cluster", "up", *words])
    except SystemExit as end:
        code = int(str(end.code))
    assert code == 2
    assert reason in capsys.readouterr().err


def test_a_directory_that_another_cluster_uses_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    running = Files().lock(str(tmp_path / ".lock"))
    assert running is not None
    assert main(["cluster", "up", "--data-dir", str(tmp_path)]) == 1
    running.close()
    assert capsys.readouterr().err == (
        f"wirebroker: {tmp_path} is in use by another `wirebroker cluster up` ({tmp_path}/.lock is locked):"
        " stop that one, or name another --data-dir\n"
    )
    assert [each.name for each in tmp_path.iterdir()] == [".lock"]


def test_a_directory_is_free_after_a_start_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def java() -> None:
        raise NoJavaError("no Java")

    monkeypatch.setattr("wirebroker.cli.cluster.up.java", java)
    assert main(["cluster", "up", "--data-dir", str(tmp_path / "new")]) == 1
    lock = Files().lock(str(tmp_path / "new" / ".lock"))
    assert lock is not None
    lock.close()
