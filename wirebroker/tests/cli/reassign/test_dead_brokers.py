"""Reassignments and their throttles while a broker cannot be reached."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.main import main
from wirebroker.tests.cli.fake_cluster import TOPIC
from wirebroker.tests.cli.fake_dead_broker import IS_GONE, ConnectionOfThree

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", ConnectionOfThree)
    monkeypatch.setattr("os.environ", {})
    monkeypatch.setattr(ConnectionOfThree, "altered", [], raising=False)


def file_of(directory: Path, *replicas: int) -> str:
    path = directory / "plan.json"
    path.write_text(
        json.dumps({"version": 1, "partitions": [{"topic": TOPIC, "partition": 1, "replicas": list(replicas)}]})
    )
    return str(path)


def test_a_broker_that_is_dead_is_named_and_all_others_lose_their_throttles(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reassign", "cancel", "--reassignment-json-file", file_of(tmp_path, 0, 7)]) == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines()[2:] == [
        "Clearing broker-level throttles on brokers 0,2",
        f"Clearing topic-level throttles on topic {TOPIC}",
    ]
    advice = "run the command again when the broker is back"
    assert printed.err.splitlines() == [
        f"wirebroker: broker 1 may still have throttles: {IS_GONE}; {advice}",
        f"wirebroker: broker 7 may still have throttles: there is no broker 7; {advice}",
    ]
    assert ConnectionOfThree.altered == ["0", "2", TOPIC]


def test_throttles_that_are_to_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["reassign", "cancel", "--reassignment-json-file", file_of(tmp_path, 0), "--preserve-throttles"]
    assert main(words) == 0
    assert "throttles" not in capsys.readouterr().out
    assert ConnectionOfThree.altered == []


def test_a_reassignment_begins_though_another_broker_is_dead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["reassign", "execute", "--additional", "--reassignment-json-file", file_of(tmp_path, 0, 2)]
    assert main(words) == 0
    assert f"Successfully started partition reassignment for {TOPIC}-1" in capsys.readouterr().out
