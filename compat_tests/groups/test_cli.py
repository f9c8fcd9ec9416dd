"""`wirebroker groups` on a group of a real consumer."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.conftest import unique_name, wait_until
from compat_tests.limits import WITHIN_S, flush

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from compat_tests.broker import Wirebroker

RECORDS = 100


def groups(wirebroker: Wirebroker, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wirebroker", "groups", *words, "--bootstrap-server", wirebroker.bootstrap]
    return subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)


def answer(wirebroker: Wirebroker, *words: str) -> Any:
    done = groups(wirebroker, *words, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def group(wirebroker: Wirebroker) -> str:
    return unique_name("group")


@pytest.fixture
def topic_with_records(wirebroker: Wirebroker) -> str:
    """Its records are years old, and stay all the same."""
    name = unique_name("records")
    admin = AdminClient({"bootstrap.servers": wirebroker.bootstrap})
    admin.create_topics([NewTopic(name, 1, config={"retention.ms": "-1"})])[name].result(WITHIN_S)
    producer = Producer({"bootstrap.servers": wirebroker.bootstrap})
    for number in range(RECORDS):
        producer.produce(name, str(number).encode(), timestamp=1_700_000_000_000 + number * 1000)
    flush(producer)
    return name


@pytest.fixture
def member(wirebroker: Wirebroker, group: str, topic_with_records: str) -> Iterator[Consumer]:
    """A consumer that has read and committed 40 of the records."""
    consumer = Consumer(
        {
            "bootstrap.servers": wirebroker.bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    consumer.subscribe([topic_with_records])
    read, deadline = 0, time.monotonic() + 120
    while read < 40:
        assert time.monotonic() < deadline, f"{read} of 40 records were read"
        for message in consumer.consume(40 - read, 5):
            assert message.error() is None
            read += 1
            consumer.commit(message, asynchronous=False)
    yield consumer
    consumer.close()


def lag(wirebroker: Wirebroker, group: str) -> dict[str, Any]:
    (described,) = answer(wirebroker, "describe", "--group", group)
    (row,) = described["partitions"]
    assert isinstance(row, dict)
    return row


def test_a_live_group(wirebroker: Wirebroker, group: str, topic_with_records: str, member: Consumer) -> None:
    row = lag(wirebroker, group)
    assert (row["topic"], row["current_offset"], row["log_end_offset"], row["lag"]) == (
        topic_with_records,
        40,
        RECORDS,
        RECORDS - 40,
    )
    assert row["lag_s"] > 1_000_000  # by their timestamps the records are years old
    (described,) = answer(wirebroker, "describe", "--group", group, "--members")
    assert [each["partitions"] for each in described["members"]] == [[f"{topic_with_records}-0"]]
    (state,) = answer(wirebroker, "describe", "--group", group, "--state")
    assert (state["state"], state["members"]) == ("Stable", 1)
    assert {"group": group, "protocol_type": "consumer", "state": "Stable", "type": "classic"} in answer(
        wirebroker, "list"
    )
    explained = answer(wirebroker, "explain", "--group", group)
    assert explained["rebalances"][0]["joined"] == [row["consumer_id"]]
    refused = groups(wirebroker, "reset-offsets", "--group", group, "--all-topics", "--to-earliest")
    assert refused.returncode == 1
    assert "stop its members" in refused.stderr
    refused = groups(wirebroker, "delete", "--group", group)
    assert refused.returncode == 1
    assert "NON_EMPTY_GROUP" in refused.stderr


def test_moving_an_empty_group_and_deleting_it(
    wirebroker: Wirebroker, group: str, topic_with_records: str, member: Consumer, tmp_path: Path
) -> None:
    member.close()
    wait_until(lambda: answer(wirebroker, "describe", "--group", group, "--state")[0]["state"] == "Empty")

    def reset(*to: str) -> int:
        planned = answer(wirebroker, "reset-offsets", "--group", group, "--topic", topic_with_records, *to)
        assert [each["topic"] for each in planned] == [topic_with_records]
        offset = planned[0]["new_offset"]
        assert isinstance(offset, int)
        return offset

    assert reset("--shift-by", "-10") == 30
    assert lag(wirebroker, group)["current_offset"] == 40, "without --execute nothing changes"
    assert reset("--shift-by", "-10", "--execute") == 30
    assert lag(wirebroker, group)["current_offset"] == 30
    assert reset("--to-offset", "1000") == RECORDS
    assert reset("--to-earliest") == 0
    assert reset("--to-latest") == RECORDS
    assert reset("--to-current") == 30
    assert reset("--to-datetime", "2023-11-14T22:13:30.000") == 10
    assert reset("--by-duration", "PT1S") == RECORDS
    exported = groups(
        wirebroker,
        "reset-offsets",
        "--group",
        group,
        "--topic",
        f"{topic_with_records}:0",
        "--to-offset",
        "7",
        "--export",
    )
    assert exported.stdout == f"{topic_with_records},0,7\n"
    plan = tmp_path / "plan.csv"
    plan.write_text(exported.stdout)
    assert reset("--from-file", str(plan), "--execute") == 7
    assert lag(wirebroker, group)["current_offset"] == 7

    table = groups(wirebroker, "describe", "--group", group)
    assert table.stdout.split()[:6] == ["GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG"]

    deleted = answer(wirebroker, "delete-offsets", "--group", group, "--topic", topic_with_records)
    assert deleted == [{"topic": topic_with_records, "partition": 0, "status": "Successful"}]
    gone = groups(wirebroker, "describe", "--group", group)
    assert gone.returncode == 1
    assert "does not exist" in gone.stderr


def test_several_groups_at_once(wirebroker: Wirebroker, group: str, topic_with_records: str, tmp_path: Path) -> None:
    names = [f"{group}-{number}" for number in range(2)]
    both = [word for name in names for word in ("--group", name)]
    moved = answer(wirebroker, "reset-offsets", *both, "--topic", topic_with_records, "--to-offset", "9", "--execute")
    assert [(each["group"], each["new_offset"]) for each in moved] == [(name, 9) for name in names]
    exported = groups(wirebroker, "reset-offsets", *both, "--all-topics", "--shift-by", "1", "--export").stdout
    assert exported.splitlines() == [f"{name},{topic_with_records},0,10" for name in names]
    plan = tmp_path / "plan.csv"
    plan.write_text(exported.replace("0,10", "0,11", 1))
    words = ("reset-offsets", *both, "--all-topics", "--from-file", str(plan), "--execute")
    assert groups(wirebroker, *words).returncode == 0
    assert [lag(wirebroker, name)["current_offset"] for name in names] == [11, 10]
    assert set(names) <= {each["group"] for each in answer(wirebroker, "describe", "--all-groups", "--state")}
    assert answer(wirebroker, "delete", *both) == [{"group": name, "deleted": True, "error": None} for name in names]


def test_mistakes_are_one_line(wirebroker: Wirebroker) -> None:
    for words, says in (
        (("describe", "--group", "nobody"), "does not exist"),
        (("explain", "--group", "nobody"), "does not exist"),
        (("delete", "--group", "nobody"), "GROUP_ID_NOT_FOUND"),
        (("reset-offsets", "--group", "g", "--topic", "no-such-topic", "--to-latest"), "no-such-topic does not exist"),
        (("reset-offsets", "--group", "g", "--all-topics", "--from-file", "/no/such/file"), "No such file"),
    ):
        done = groups(wirebroker, *words)
        assert done.returncode == 1
        assert says in done.stderr
        assert done.stderr.count("\n") == 1
