"""`wirebroker verifiable-producer` and `verifiable-consumer` beside Apache Kafka's events."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.broker import running
from compat_tests.command import environment, output, wirebroker_command
from compat_tests.spark_help import create_topic
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.jvm.kafka import KafkaDist

PRODUCED = """\
{"name":"startup_complete"}
{"name":"producer_send_success","key":"0","value":"7.0","topic":"t","partition":0,"offset":0}
{"name":"producer_send_success","key":"1","value":"7.1","topic":"t","partition":0,"offset":1}
{"name":"producer_send_success","key":"0","value":"7.2","topic":"t","partition":0,"offset":2}
{"name":"shutdown_complete"}
{"name":"tool_data","sent":3,"acked":3,"target_throughput":-1}
"""
"""The output of kafka-verifiable-producer.sh 3.9.1, without times and rates."""
CONSUMED = """\
{"name":"startup_complete"}
{"name":"partitions_assigned","partitions":[{"topic":"t","partition":0}]}
{"name":"record_data","key":"0","value":"7.0","topic":"t","partition":0,"offset":0}
{"name":"record_data","key":"1","value":"7.1","topic":"t","partition":0,"offset":1}
{"name":"record_data","key":"0","value":"7.2","topic":"t","partition":0,"offset":2}
{"name":"records_consumed","count":3,"partitions":[{"topic":"t","partition":0,"count":3,"minOffset":0,"maxOffset":2}]}
{"name":"offsets_committed","offsets":[{"topic":"t","partition":0,"offset":3}],"success":true}
{"name":"partitions_revoked","partitions":[{"topic":"t","partition":0}]}
{"name":"shutdown_complete"}
"""
"""The output of kafka-verifiable-consumer.sh 3.9.1 --verbose, without times."""
PRODUCE = ("--max-messages", "3", "--repeating-keys", "2", "--value-prefix", "7")


def bare(text: str, topic: str) -> str:
    """The lines without times and rates, and with the topic t."""
    lines = []
    for line in text.splitlines():
        event: dict[str, Any] = json.loads(line)
        assert next(iter(event)) == "timestamp"
        kept = {name: value for name, value in event.items() if name not in ("timestamp", "avg_throughput")}
        lines.append(json.dumps(kept, separators=(",", ":")).replace(f'"{topic}"', '"t"'))
    return "\n".join(lines) + "\n"


def test_events_of_both(bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic)
    at = ("--topic", topic, "--bootstrap-server", bootstrap)
    assert bare(output("verifiable-producer", *at, *PRODUCE).decode(), topic) == PRODUCED
    consume = (*at, "--group-id", topic, "--max-messages", "3", "--verbose")
    found = bare(output("verifiable-consumer", *consume).decode(), topic)
    # one poll may bring fewer records than there are
    assert [line for line in found.splitlines() if "consumed" not in line and "committed" not in line] == [
        line for line in CONSUMED.splitlines() if "consumed" not in line and "committed" not in line
    ]
    assert CONSUMED.splitlines()[6] in found


def test_a_signal_ends_the_producer_with_its_last_events(bootstrap: str, topic: str) -> None:
    words = ("verifiable-producer", "--topic", topic, "--bootstrap-server", bootstrap, "--throughput", "50")
    with running(wirebroker_command(*words), stdout=subprocess.PIPE, env=environment(), text=True) as process:
        assert process.stdout is not None
        assert "startup_complete" in process.stdout.readline()
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        lines = process.communicate(timeout=120)[0].splitlines()
    assert process.returncode == 0
    names = [json.loads(line)["name"] for line in lines]
    assert names[-2:] == ["shutdown_complete", "tool_data"]
    last = json.loads(lines[-1])
    assert last["sent"] == last["acked"] > 0


@pytest.mark.nightly
def test_java_s_events(kafka_dist: Callable[[str], KafkaDist], bootstrap: str, topic: str) -> None:
    kafka = kafka_dist(KAFKA)
    create_topic(bootstrap, topic)
    at = ("--topic", topic, "--bootstrap-server", bootstrap)
    assert bare(kafka.run("kafka-verifiable-producer", *at, *PRODUCE).stdout, topic) == PRODUCED
    consumer = "org.apache.kafka.tools.VerifiableConsumer"
    said = kafka.run(consumer, *at, "--group-id", topic, "--max-messages", "3", "--verbose").stdout
    assert bare(said, topic) == CONSUMED
