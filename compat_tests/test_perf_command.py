"""`wirebroker perf ...` against a broker: the lines of Kafka's tools, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING

from compat_tests.command import attempt, output
from compat_tests.spark_help import create_topic
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.jvm.kafka import KafkaDist

_NUMBER = re.compile(r"\d+(\.\d+)?")


def shape(text: str) -> list[str]:
    """The lines, each number as `#` with its decimals."""
    return [_NUMBER.sub(lambda found: f"#{len(found[1] or '') or ''}", line) for line in text.splitlines()]


def test_lines_are_those_of_kafka_s_tools(kafka_dist: Callable[[str], KafkaDist], bootstrap: str, topic: str) -> None:
    kafka = kafka_dist(KAFKA)
    create_topic(bootstrap, topic)
    theirs = kafka.run(
        *("kafka-producer-perf-test", "--topic", topic, "--num-records", "500", "--record-size", "10"),
        *("--throughput", "-1", "--producer-props", f"bootstrap.servers={bootstrap}"),
    ).stdout
    mine = output("perf", "produce", topic, "-b", bootstrap, "--num-records", "500", "--record-size", "10").decode()
    assert shape(mine) == shape(theirs)
    assert mine.startswith("500 records sent, ")
    theirs = kafka.run(
        "kafka-consumer-perf-test",
        "--bootstrap-server",
        bootstrap,
        "--topic",
        topic,
        "--messages",
        "1000",
        *("--timeout", "120000"),  # between two records, ten seconds by default
    ).stdout
    mine = output("perf", "consume", topic, "-b", bootstrap, "--messages", "1000").decode()
    assert shape(mine) == shape(theirs)
    assert mine.splitlines()[1].split(", ")[4] == "1000"


def test_csv_and_json(bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic)
    produce = ("perf", "produce", topic, "-b", bootstrap, "--num-records", "200", "--payload-monotonic", "--format")
    total = json.loads(output(*produce, "json"))["total"]
    assert total["records_sent"] == 200
    rows = list(csv.DictReader(io.StringIO(output(*produce, "csv").decode())))
    assert rows[-1]["part"] == "total"
    assert rows[-1]["records_sent"] == "200"
    assert rows[-1].keys() == {"part", *total}
    values = output("consume", topic, "-b", bootstrap, "--from-beginning", "--exit").split()
    assert values == [b"%d" % number for number in range(200)] * 2
    consume = ("perf", "consume", topic, "-b", bootstrap, "--messages", "400", "--format", "json")
    assert json.loads(output(*consume))["total"]["records"] == 400


def test_end_to_end_in_a_topic_that_the_broker_creates(bootstrap: str, topic: str) -> None:
    said = output("perf", "end-to-end", topic, "-b", bootstrap, "--num-records", "20").decode()
    assert re.fullmatch(r"0\t[\d.]+\nAvg latency: [\d.]+ ms\nPercentiles: 50th = \d+, 99th = \d+, 99.9th = \d+\n", said)


def test_a_payload_file(bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic)
    words = ("perf", "produce", topic, "-b", bootstrap, "--num-records", "9", "--payload-file")
    output(*words, __file__, "--throughput", "1000")
    lines = output("consume", topic, "-b", bootstrap, "--from-beginning", "--exit").decode().splitlines()
    with open(__file__) as file:
        assert set(lines) <= set(file.read().splitlines())
    assert len(lines) == 9
    refused = attempt(*words, "/no/file")
    assert refused.returncode == 2
    assert b"error: /no/file: No such file or directory" in refused.stderr.splitlines()[-1]
