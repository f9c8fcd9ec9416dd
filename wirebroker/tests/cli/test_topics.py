"""`wirebroker topics`: patterns of names, filters of partitions by their state, assignments of replicas."""

from __future__ import annotations

import argparse
import json

import pytest

from wirebroker.cli.main import main
from wirebroker.cli.topics.requests import (
    PartitionDescription,
    name_pattern,
    parse_replica_assignment,
    parse_topic_id,
    topic_id_text,
)
from wirebroker.cli.topics.selection import PartitionFilter, add_partition_filters
from wirebroker.client.connection import ClientError, UnsupportedApi
from wirebroker.model import TopicPartition
from wirebroker.tests.cli.fake_cluster import FakeConnection
from wirebroker.tests.cli.fake_resources import TOPIC_ID

AT = TopicPartition("t", 0)


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    monkeypatch.setattr("os.environ", {})


def chosen(*options: str) -> PartitionFilter:
    parser = argparse.ArgumentParser()
    add_partition_filters(parser)
    return PartitionFilter.of(parser.parse_args(options))


@pytest.mark.parametrize(
    ("pattern", "names", "others"),
    [
        ("t", ["t"], ["tt", "at"]),
        ("a.b", ["a.b", "axb"], ["a.bc"]),
        ("a,b", ["a", "b"], ["a,b", "ab"]),
        (" 'a.*' ", ["a", "ab"], ["ba"]),
    ],
)
def test_patterns_match_whole_names(pattern: str, names: list[str], others: list[str]) -> None:
    assert all(name_pattern(pattern).fullmatch(name) for name in names)
    assert not any(name_pattern(pattern).fullmatch(name) for name in others)


@pytest.mark.parametrize(
    ("option", "partition", "shown"),
    [
        ("--under-replicated-partitions", PartitionDescription(AT, 0, [0, 1], [0]), True),
        ("--under-replicated-partitions", PartitionDescription(AT, 0, [0, 1], [1, 0]), False),
        # the replicas that a reassignment adds do not count
        ("--under-replicated-partitions", PartitionDescription(AT, 0, [0, 1], [0], adding=[1], removing=[]), False),
        ("--unavailable-partitions", PartitionDescription(AT, None, [0], []), True),
        ("--unavailable-partitions", PartitionDescription(AT, 7, [7], [7]), True),
        ("--unavailable-partitions", PartitionDescription(AT, 0, [0], [0]), False),
        ("--under-min-isr-partitions", PartitionDescription(AT, 0, [0, 1], [0]), True),
        ("--under-min-isr-partitions", PartitionDescription(AT, None, [0, 1], [0, 1]), True),
        ("--under-min-isr-partitions", PartitionDescription(AT, 0, [0, 1], [0, 1]), False),
        ("--at-min-isr-partitions", PartitionDescription(AT, 0, [0, 1, 2], [0, 1]), True),
        ("--at-min-isr-partitions", PartitionDescription(AT, 0, [0, 1, 2], [0, 1, 2]), False),
    ],
)
def test_filters(option: str, partition: PartitionDescription, shown: bool) -> None:
    assert chosen(option).shows(partition, min_isr=2, live_brokers={0, 1}) is shown
    assert chosen().shows(partition, min_isr=2, live_brokers={0, 1})


def test_replica_assignments() -> None:
    assert parse_replica_assignment("0:1,1:2") == [[0, 1], [1, 2]]
    for wrong in ("", "0:", "0:x", "0:0", "0,1:2"):
        with pytest.raises(ValueError, match=r"partition|is not"):
            parse_replica_assignment(wrong)


def test_topic_ids() -> None:
    text = topic_id_text(TOPIC_ID)
    assert text is not None
    assert parse_topic_id(text) == TOPIC_ID
    assert topic_id_text(bytes(16)) is None
    with pytest.raises(ClientError):
        parse_topic_id("AAAA")


@pytest.mark.parametrize(
    ("options", "partitions"),
    [([], [0, 1]), (["--under-replicated-partitions"], [0]), (["--at-min-isr-partitions"], [1])],
)
def test_describe_shows_chosen_partitions(
    options: list[str], partitions: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["topics", "describe", "t", *options, "--format", "json"]) == 0
    (topic,) = json.loads(capsys.readouterr().out)
    assert [each["partition"] for each in topic["partitions"]] == partitions
    assert topic["configs"] == [{"name": "retention.ms", "value": "99"}]


def test_brokers_without_describe_topic_partitions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def send(self: FakeConnection, request: object, highest: int | None = None) -> object:
        if type(request).__name__ in ("DescribeTopicPartitionsRequest", "ListPartitionReassignmentsRequest"):
            raise UnsupportedApi("no")
        return original(self, request, highest)  # type: ignore[arg-type]

    original = FakeConnection.send
    monkeypatch.setattr(FakeConnection, "send", send)
    assert main(["topics", "describe", "t", "--format", "json"]) == 0
    (topic,) = json.loads(capsys.readouterr().out)
    assert [(each["partition"], each["elr"]) for each in topic["partitions"]] == [(0, None), (1, None)]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["create", "t", "--if-not-exists"], 0),
        (["create", "t", "new"], 1),
        (["delete", "nothing", "--if-exists"], 0),
        (["describe", "nothing", "--if-exists"], 0),
        (["alter", "nothing", "--if-exists", "--partitions", "9"], 0),
    ],
)
def test_topics_that_exist_or_do_not(words: list[str], code: int) -> None:
    assert main(["topics", *words]) == code


def test_brokers_that_have_no_default_number_of_partitions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(FakeConnection, "version", lambda *_: 3)
    assert main(["topics", "create", "new"]) == 1
    assert "brokers before 2.4 have no defaults; name --partitions" in capsys.readouterr().err
    assert main(["topics", "create", "new", "--partitions", "2", "--replication-factor", "1"]) == 0
    assert main(["topics", "create", "new", "--replica-assignment", "0,0"]) == 0
