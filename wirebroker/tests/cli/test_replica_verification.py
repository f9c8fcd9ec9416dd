"""kafka-replica-verification.sh: passes over the partitions until replicas differ, with a report at each interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.kafka_tools import replica_verification
from wirebroker.cli.main import main
from wirebroker.cli.replicas.comparison import Verification
from wirebroker.tests.cli.fake_cluster import END, TOPIC, FakeConnection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.client.connection import Connection
    from wirebroker.model import TopicPartition

TO = ("kafka-replica-verification.sh", "--broker-list", "broker:9092")
STARTED = "verification process is started"
DIFFERENCE = f"partition {TOPIC}-1: replica 0's offset 130 doesn't match replica 1's offset 131"


class Clock:
    """Stands for the module `time`; a pause lets time pass."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


class Replicas:
    """Results of the comparison: ten offsets more in each pass, and a lag of 3 in partition 1, until they differ."""

    def __init__(self, passes: int) -> None:
        self._passes = passes
        self.asked: list[tuple[int, int]] = []

    def verify(self, at: TopicPartition, brokers: Mapping[int, Connection], start: int, size: int) -> Verification:
        assert list(brokers) == [0]
        assert size == 4096
        self.asked.append((at.partition, start))
        if len(self.asked) > 2 * self._passes:
            return Verification(start, start, (DIFFERENCE,))
        return Verification(start + 10, start + 10 + 3 * at.partition)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    monkeypatch.setattr("os.environ", {})
    clock = Clock()
    monkeypatch.setattr(replica_verification, "time", clock)
    return clock


def test_each_pass_goes_on_where_the_last_one_ended(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    replicas = Replicas(passes=5)
    monkeypatch.setattr(replica_verification, "verify_partition", replicas.verify)
    assert main([*TO, "--report-interval-ms", "2000", "--fetch-size", "4096"]) == 1
    lines = [line.split(": ", 1) for line in capsys.readouterr().out.splitlines()]
    assert [text for _, text in lines] == [
        STARTED,
        f"max lag is 3 for partition {TOPIC}-1 at offset {END + 30} among 2 partitions",
        f"max lag is 3 for partition {TOPIC}-1 at offset {END + 50} among 2 partitions",
        DIFFERENCE,
    ]
    assert all(len(when) == len("2026-11-26 16:46:13,046") for when, _ in lines)
    assert replicas.asked[:4] == [(0, END), (1, END), (0, END + 10), (1, END + 10)]
    assert clock.now_s == 5


def test_from_the_beginning(clock: Clock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    replicas = Replicas(passes=0)
    monkeypatch.setattr(replica_verification, "verify_partition", replicas.verify)
    assert main([*TO, "--time", "-2", "--fetch-size", "4096", "--topic-white-list", TOPIC]) == 1
    assert replicas.asked == [(0, 0)]
    assert capsys.readouterr().out.splitlines()[-1].endswith(DIFFERENCE)
    assert clock.now_s == 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("--topics-include", "nothing"),
            "No topics found. [topics-include] if specified, is either filtering out all topics or there is no topic.",
        ),
        (("--topics-include", "("), "( is an invalid regex."),
        (("--nope",), "nope is not a recognized option"),
    ],
)
@pytest.mark.usefixtures("clock")
def test_wrong_options(words: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TO, *words]) == 1
    assert capsys.readouterr() == ("", f"{line}\n")
