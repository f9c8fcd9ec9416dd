"""`wirebroker doctor -b` and `top -b` on Apache Kafka 3.9.1, which they have to read as well as wirebroker."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from compat_tests.command import attempt, output
from compat_tests.conftest import wait_until

if TYPE_CHECKING:
    from tools.jvm.kafka import KafkaBroker


def test_doctor_finds_nothing_wrong(apache_kafka: KafkaBroker) -> None:
    run = attempt("doctor", "-b", apache_kafka.bootstrap, "--timeout", "60000", "--format", "json")
    findings = {each["check"]: each for each in json.loads(run.stdout)}
    assert run.returncode == 0, findings
    assert {each["level"] for each in findings.values()} <= {"ok", "note"}, findings
    assert {"connection", "broker 0", "clocks", "controller", "partitions"} == set(findings)
    assert apache_kafka.bootstrap in findings["connection"]["finding"]


def test_top_shows_the_rate_and_the_size_of_a_topic(apache_kafka: KafkaBroker, topic: str) -> None:
    where = ("-b", apache_kafka.bootstrap)
    output("topics", "create", topic, "--partitions", "3", *where)
    wait_until(lambda: topic.encode() in output("topics", "list", *where))
    screen = output("top", "--once", "--interval", "0.5", "--timeout", "60000", *where).decode()
    (line,) = (line.split() for line in screen.splitlines() if line.startswith(f"{topic} "))
    assert line[1:3] == ["3", "0"]
    assert "brokers 1 " in screen
    assert str(apache_kafka.data_directory) in screen
