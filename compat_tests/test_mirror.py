"""`wirebroker mirror` between wirebroker and Apache Kafka, in both directions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.command import attempt, output
from compat_tests.conftest import unique_name
from compat_tests.directory_scenario import await_markers
from compat_tests.kafka_requests import NOW
from compat_tests.limits import WITHIN_S, flush
from compat_tests.spark_help import await_topic

if TYPE_CHECKING:
    from pathlib import Path

    from compat_tests.broker import Broker

PAIRS = (("wirebroker", "apache_kafka"), ("apache_kafka", "wirebroker"))


@pytest.fixture(params=PAIRS, ids="-to-".join)
def clusters(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The addresses of source and destination."""
    brokers: list[Broker] = [request.getfixturevalue(name) for name in request.param]
    return brokers[0].bootstrap, brokers[1].bootstrap


def produce(bootstrap: str, topic: str, first: int, count: int, codec: str) -> None:
    lines = [
        {
            "key": f"k{number}",
            "value": None if number % 7 == 0 else f"v{number}",
            "partition": number % 2,
            "timestamp": NOW + number,
            "headers": [{"key": "h", "value": str(number)}],
        }
        for number in range(first, first + count)
    ]
    stdin = "\n".join(map(json.dumps, lines)).encode()
    output("produce", topic, "-b", bootstrap, "--json", "--codec", codec, stdin=stdin)


def transactions(bootstrap: str, topic: str) -> None:
    """An aborted and a committed transaction: their markers are gaps between offsets."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": topic})
    producer.init_transactions(WITHIN_S)
    for value, end in (("aborted", producer.abort_transaction), ("committed", producer.commit_transaction)):
        producer.begin_transaction()
        producer.produce(topic, value, partition=0, timestamp=NOW)
        flush(producer)
        end(WITHIN_S)
    await_markers(bootstrap, topic)


def consumed(bootstrap: str, topic: str) -> list[dict[str, Any]]:
    """All committed records but their offsets, by partition."""
    words = ("--from-beginning", "--exit", "--format", "json", "--isolation", "read_committed")
    lines = output("consume", topic, "-b", bootstrap, *words).splitlines()
    found = [json.loads(line) for line in lines]
    for record in found:
        del record["offset"], record["topic"]
    return sorted(found, key=lambda record: record["partition"])


def test_records_configs_groups_and_resumption(clusters: tuple[str, str], tmp_path: Path) -> None:
    source, destination = clusters
    topic, group = unique_name("mirrored"), unique_name("group")
    output("topics", "create", topic, "-b", source, "--partitions", "2", "--config", "retention.bytes=123456789")
    await_topic(source, topic)
    produce(source, topic, 0, 20, "none")
    transactions(source, topic)
    produce(source, topic, 20, 20, "zstd")
    output("consume", topic, "-b", source, "--group", group, "--from-beginning", "--exit")
    produce(source, topic, 40, 10, "lz4")
    checkpoint = tmp_path / "checkpoint.json"
    to = ("--from", source, "--to", destination, "--checkpoint", str(checkpoint))
    mirror = ("mirror", *to, "--topic", topic, "--prefix", "copy.", "--group", group)
    said = output(*mirror).decode()
    assert said.startswith("1 topic, 2 partitions: 51 records, ")
    assert said.endswith(", offsets of 1 group\n")
    copy = f"copy.{topic}"
    assert consumed(destination, copy) == consumed(source, topic)
    configs = output("configs", "describe", "-b", destination, "--topic", copy, "--format", "json")
    assert b"123456789" in configs
    rest = output("consume", copy, "-b", destination, "--group", group, "--exit").split()
    assert len(rest) == 10

    # a second run copies what is new; a run with the checkpoint of before a crash copies nothing twice
    before = checkpoint.read_bytes()
    produce(source, topic, 50, 6, "gzip")
    assert b" 6 records, " in output(*mirror)
    checkpoint.write_bytes(before)
    output(*mirror)
    assert consumed(destination, copy) == consumed(source, topic)


def test_a_destination_with_records_of_others_is_refused(clusters: tuple[str, str], tmp_path: Path) -> None:
    source, destination = clusters
    topic = unique_name("refused")
    for at in clusters:
        output("produce", topic, "-b", at, "--value", "v")
    mirror = ("mirror", "--from", source, "--to", destination, "--topic", topic)
    run = attempt(*mirror, "--checkpoint", str(tmp_path / "c"))
    assert run.returncode == 1
    assert run.stderr.startswith(f"wirebroker: topic {topic} of the destination has records, and ".encode())
    assert run.stderr.count(b"\n") == 1
    output(*mirror, "--checkpoint", str(tmp_path / "c"), "--append")
    assert output("consume", topic, "-b", destination, "--from-beginning", "--exit") == b"v\nv\n"
