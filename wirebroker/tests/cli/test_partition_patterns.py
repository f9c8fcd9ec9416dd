"""Patterns of partitions, times of offsets, and the JSON of deletions, as Apache Kafka's tools take them."""

from __future__ import annotations

import json

import pytest

from wirebroker.cli.main import main
from wirebroker.cli.offsets.partition_patterns import partition_patterns, topic_patterns
from wirebroker.cli.offsets.requests import find_offsets, parse_time
from wirebroker.cli.records.deletion import parse_offset_json
from wirebroker.client.admin import Admin
from wirebroker.client.connection import UnsupportedApi
from wirebroker.model import TopicPartition
from wirebroker.tests.cli.fake_cluster import END, FakeConnection


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    monkeypatch.setattr("os.environ", {})


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("t", ["t-0", "t-1", "t-2"]),
        ("t:1", ["t-1"]),
        ("t:0-2", ["t-0", "t-1"]),
        ("t:1-", ["t-1", "t-2"]),
        ("t:-1", ["t-0"]),
        (":2", ["t-2", "tt-2"]),
        ("t:0,tt:2", ["t-0", "tt-2"]),
        ("t.*:0", ["t-0", "tt-0"]),
    ],
)
def test_partition_patterns(text: str, chosen: list[str]) -> None:
    partitions = [TopicPartition(topic, number) for topic in ("t", "tt") for number in range(3)]
    patterns = partition_patterns(text)
    assert [str(at) for at in partitions if any(each.matches(at) for each in patterns)] == chosen


def test_a_topic_and_numbers() -> None:
    (pattern,) = topic_patterns("t", "0,2")
    assert [number for number in range(3) if pattern.matches(TopicPartition("t", number))] == [0, 2]
    (pattern,) = topic_patterns(None, None)
    assert pattern.matches(TopicPartition("x", 7))


def test_times() -> None:
    assert [parse_time(each) for each in ("latest", "-2", "max-timestamp", "1700000000000")] == [
        -1,
        -2,
        -3,
        1700000000000,
    ]


def test_a_broker_that_is_too_old_for_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeConnection, "version", lambda *_: 6)
    with Admin("a:1") as admin:
        assert find_offsets(admin, [TopicPartition("t", 0)], -1)[0].offset == END
        with pytest.raises(UnsupportedApi):
            find_offsets(admin, [TopicPartition("t", 0)], -3)


def test_a_partition_that_does_not_exist() -> None:
    with Admin("a:1") as admin:
        assert find_offsets(admin, [TopicPartition("t", 9)], -1)[0].error == "LEADER_NOT_AVAILABLE"


def test_the_json_of_deletions() -> None:
    entry = {"topic": "t", "partition": 0, "offset": -1}
    assert parse_offset_json(json.dumps({"partitions": [entry], "version": 1})) == {TopicPartition("t", 0): -1}
    assert parse_offset_json(json.dumps({"partitions": []})) == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not a valid JSON"),
        ("[]", "not a valid JSON"),
        ("{}", "Missing partitions field"),
        ('{"partitions": [], "version": 2}', "Not supported version field value 2"),
        ('{"partitions": [{"topic": "t"}]}', "without topic, partition or offset"),
        ('{"partitions": [{"topic": "t", "partition": "0", "offset": 1}]}', "are numbers"),
        (
            json.dumps({"partitions": [{"topic": "t", "partition": 0, "offset": 1}] * 2}),
            "duplicate topic partitions: t-0",
        ),
    ],
)
def test_other_json(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_offset_json(text)


def test_deletion_up_to_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "delete", "t:0=latest", "t:1=7", "--format", "text"]) == 0
    assert capsys.readouterr().out == "t\t0\t0\nt\t1\t7\n"
