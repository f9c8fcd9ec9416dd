"""Arguments with which `wirebroker cluster up` starts nothing."""

from __future__ import annotations

import pytest

from wirebroker.cli.main import main


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
