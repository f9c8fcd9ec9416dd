"""Arguments of kafka-topics.sh, with the errors that Apache Kafka 3.9.1 prints for the same ones."""

from __future__ import annotations

import re

import pytest

from wirebroker.cli.kafka_tools.topic_arguments import replica_assignment, topic_id
from wirebroker.cli.main import main
from wirebroker.tests.cli.fake_cluster import FakeConnection

NOT_16 = "which is not equal to the expected 16 bytes of a base64-encoded UUID"


@pytest.mark.parametrize(
    ("text", "replicas"),
    [("1:2,2:3", [[1, 2], [2, 3]]), ("1: 2, 2:3", [[1, 2], [2, 3]]), ("1:+2,2:3:,", [[1, 2], [2, 3]]), ("1", [[1]])],
)
def test_assignments(text: str, replicas: list[list[int]]) -> None:
    assert replica_assignment(text) == replicas


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1:2,2", "Partition 1 has different replication factor: [2]"),
        ("1:2,2:3:1,1", "Partition 1 has different replication factor: [2, 3, 1]"),
        ("1:1", "Partition replica lists may not contain duplicate entries: 1"),
        ("1:2:1:2:3", "Partition replica lists may not contain duplicate entries: 1,2"),
        ("1:2,2:2,1:3", "Partition replica lists may not contain duplicate entries: 2"),
        ("1:x", 'For input string: "x"'),
        ("1:2,,3", 'For input string: ""'),
        ("99999999999", 'For input string: "99999999999"'),
    ],
)
def test_wrong_assignments(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        replica_assignment(text)


def test_ids() -> None:
    number = bytes(15) + b"\1"
    assert topic_id("AAAAAAAAAAAAAAAAAAAAAQ") == topic_id("AAAAAAAAAAAAAAAAAAAAAQ==") == number


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "AAAA",
            f"Input string `AAAA` decoded as 3 bytes, {NOT_16}",
        ),
        (
            "",
            "Input string `` decoded as 0 bytes, which is not equal to the expected 16 bytes of a base64-encoded UUID",
        ),
        ("A" * 25, f"Input string with prefix `{'A' * 24}` is too long to be decoded as a base64 UUID"),
        ("A", "Input byte[] should at least have 2 bytes for base64 bytes"),
        ("!!!!", "Illegal base64 character 21"),
        ("A+==", "Illegal base64 character 2b"),
        ("AAAAA", "Last unit does not have enough valid bits"),
        ("AAAA=", "Input byte array has wrong 4-byte ending unit"),
        ("AA=A", "Input byte array has wrong 4-byte ending unit"),
        ("AAA==", "Input byte array has incorrect ending byte at 4"),
        ("AA===", "Input byte array has incorrect ending byte at 4"),
    ],
)
def test_wrong_ids(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        topic_id(text)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            ("--create", "--topic", "a.b", "--replica-assignment", "1:2,2"),
            "Partition 1 has different replication factor: [2]",
        ),
        (
            ("--alter", "--topic", "t", "--partitions", "3", "--replica-assignment", "1:1"),
            "Partition replica lists may not contain duplicate entries: 1",
        ),
        (
            ("--describe", "--topic-id", "AAAA"),
            f"Input string `AAAA` decoded as 3 bytes, {NOT_16}",
        ),
    ],
)
def test_the_script_refuses_them(
    words: tuple[str, ...], reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    monkeypatch.setattr("os.environ", {})
    assert main(["kafka-topics.sh", "--bootstrap-server", "broker:9092", *words]) == 1
    assert capsys.readouterr() == (f"Error while executing topic command : {reason}\n", "")


def test_the_id_of_no_topic_is_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    monkeypatch.setattr("os.environ", {})
    outputs = []
    for option in ((), ("--topic-id", "A" * 22)):
        assert main(["kafka-topics.sh", "--bootstrap-server", "broker:9092", "--describe", *option]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] != ""
