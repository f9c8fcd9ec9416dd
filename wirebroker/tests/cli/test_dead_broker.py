"""Commands that ask every broker, while one of three is dead and still in the metadata."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.main import main
from wirebroker.protocol.messages.list_transactions import ListTransactionsResponse
from wirebroker.tests.cli.fake_cluster import COMMITTED, END, GROUP, TOPIC
from wirebroker.tests.cli.fake_dead_broker import IS_GONE, ConnectionOfThree

if TYPE_CHECKING:
    from collections.abc import Callable

TO = ("--bootstrap-server", "broker:9092")
LEFT_OUT = (
    f"wirebroker: broker 1: {IS_GONE}; what only this broker knows is left out; "
    "a dead broker is listed until its session has expired"
)


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", ConnectionOfThree)
    monkeypatch.setattr("os.environ", {})


def change_metadata(monkeypatch: pytest.MonkeyPatch, change: Callable[[Any], None]) -> None:
    """Have *change* change each partition in the metadata."""
    send = ConnectionOfThree.send

    def changed(self: ConnectionOfThree, request: Any, highest: int | None = None) -> Any:
        response = send(self, request, highest)
        if type(request).__name__ == "MetadataRequest":
            for topic in response.topics:
                for partition in topic.partitions:
                    change(partition)
        return response

    monkeypatch.setattr(ConnectionOfThree, "send", changed)


@pytest.mark.parametrize(
    ("words", "column", "found"),
    [
        (("groups", "list"), "group", ["g", "g"]),
        (("transactions", "list"), "coordinator", [0, 2]),
        (("api-versions",), "broker", [0, 0, 2, 2]),
        (("log-dirs", "describe"), "broker", [0, 2]),
        (("log-dirs", "describe", "--broker-list", "1,2"), "broker", [2]),
        (("configs", "describe", "--entity-type", "brokers", "--all"), "entity_name", ["0", "2", "<default>"]),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else None,
)
def test_the_others_are_asked_and_the_dead_broker_is_named(
    words: tuple[str, ...], column: str, found: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, *TO, "--format", "json"]) == 1
    printed = capsys.readouterr()
    names = [row[column] for row in json.loads(printed.out)]
    assert (list(dict.fromkeys(names)) if words[0] == "configs" else names) == found
    assert printed.err.splitlines() == [LEFT_OUT]


def test_a_dead_broker_that_need_not_be_asked_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log-dirs", "describe", *TO, "--broker-list", "0,2"]) == 0
    assert main(["replicas", "verify", *TO]) == 0
    assert not capsys.readouterr().err


def test_replicas_of_a_dead_broker_are_not_verified_and_all_others_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(partition: Any) -> None:
        if partition.partition_index == 1:  # the dead broker leads it still
            partition.leader_id, partition.replica_nodes = 1, [1, 2]

    change_metadata(monkeypatch, change)
    assert main(["replicas", "verify", *TO, "--format", "json"]) == 1
    printed = capsys.readouterr()
    assert [row["result"] for row in json.loads(printed.out)] == ["equal", "not verified"]
    assert printed.err.splitlines() == [f"wirebroker: partition {TOPIC}-1: no live broker 1", LEFT_OUT]


def test_a_transaction_that_a_dead_broker_may_coordinate_does_not_count_as_hanging(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    send = ConnectionOfThree.send

    def without_transactions(self: ConnectionOfThree, request: Any, highest: int | None = None) -> Any:
        if type(request).__name__ == "ListTransactionsRequest":
            return ListTransactionsResponse()
        return send(self, request, highest)

    monkeypatch.setattr(ConnectionOfThree, "send", without_transactions)
    assert main(["transactions", "find-hanging", *TO, "--topic", TOPIC]) == 1
    printed = capsys.readouterr()
    assert not printed.out
    first, second = printed.err.splitlines()
    assert first == LEFT_OUT
    assert "1 open transactions may hang, or a broker that cannot be reached coordinates them" in second


def test_partitions_of_a_dead_leader_are_not_searched_for_hanging_transactions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(partition: Any) -> None:
        partition.leader_id = 1

    change_metadata(monkeypatch, change)
    assert main(["transactions", "find-hanging", *TO, "--topic", TOPIC, "--format", "json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out) == []
    assert printed.err.splitlines() == [LEFT_OUT]


def dead_leader_of_partition_1(partition: Any) -> None:
    if partition.partition_index == 1:
        partition.leader_id = 1


def test_offsets_of_other_leaders_are_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    change_metadata(monkeypatch, dead_leader_of_partition_1)
    assert main(["offsets", "get", *TO, "--format", "json"]) == 1
    printed = capsys.readouterr()
    assert [(row["partition"], row["offset"]) for row in json.loads(printed.out)] == [(0, END)]
    assert printed.err.splitlines() == [
        f"wirebroker: {TOPIC}-1: broker 1, its leader, cannot be reached",
        LEFT_OUT,
    ]


def test_the_script_for_offsets_skips_partitions_of_a_dead_leader(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As Apache Kafka's, which prints the others and ends with 0."""
    change_metadata(monkeypatch, dead_leader_of_partition_1)
    assert main(["kafka-get-offsets.sh", *TO]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{TOPIC}:0:{END}\n"
    assert printed.err == (
        f"Skip getting offsets for topic-partition {TOPIC}-1 due to error: broker 1, its leader, cannot be reached\n"
    )


def test_the_lag_of_other_leaders_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    change_metadata(monkeypatch, dead_leader_of_partition_1)
    assert main(["groups", "describe", *TO, "--group", GROUP, "--format", "json"]) == 1
    printed = capsys.readouterr()
    (group,) = json.loads(printed.out)
    rows = [(row["partition"], row["current_offset"], row["log_end_offset"], row["lag"]) for row in group["partitions"]]
    assert rows == [(0, COMMITTED, END, END - COMMITTED), (1, None, None, None)]
    assert printed.err.splitlines() == [LEFT_OUT]


def test_a_command_about_one_partition_fails_with_its_dead_leader(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(partition: Any) -> None:
        partition.leader_id = 1

    change_metadata(monkeypatch, change)
    assert main(["transactions", "describe-producers", *TO, "--topic", TOPIC, "--partition", "0"]) == 1
    printed = capsys.readouterr()
    assert not printed.out
    assert printed.err.splitlines() == [f"wirebroker: {IS_GONE}"]


def test_the_script_for_api_versions_prints_an_error_in_place_of_the_versions(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    send = ConnectionOfThree.send

    def with_all(self: ConnectionOfThree, request: Any, highest: int | None = None) -> Any:
        response = send(self, request, highest)
        if type(request).__name__ == "DescribeClusterRequest":
            broker = type(response.brokers[0])
            response.brokers = [broker(each, "broker", 9092 + each) for each in (0, 1, 2)]
        return response

    monkeypatch.setattr(ConnectionOfThree, "send", with_all)
    assert main(["kafka-broker-api-versions.sh", *TO]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("broker")]
    assert lines == [
        "broker:9092 (id: 0 rack: null) -> (",
        "broker:9093 (id: 1 rack: null) -> ERROR: org.apache.kafka.common.errors.DisconnectException",
        "broker:9094 (id: 2 rack: null) -> (",
    ]


def test_the_script_for_groups_fails_as_a_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """As Apache Kafka's, whose admin client raises the first error of a broker."""
    assert main(["kafka-consumer-groups.sh", *TO, "--list"]) == 0
    assert capsys.readouterr().out.strip() == f"Error: Executing consumer group command failed due to {IS_GONE}"
