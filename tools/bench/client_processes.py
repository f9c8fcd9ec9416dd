"""Published clients as child processes: Kafka's own perf classes and librdkafka.  Each returns messages per second."""

import json
import re
import subprocess
import sys

from tools.bench.brokers import KAFKA

TIMEOUT_S = 600
CLIENT_JVM = ("-server", "-XX:+UseG1GC", "-Djava.awt.headless=true")
PRODUCED = re.compile(r"(\d+) records sent, ([\d.]+) records/sec .*avg latency")


class ClientFailed(Exception):
    """A client ended with an error; the text ends with what it said."""


def java_produce(bootstrap: str, topic: str, count: int, value_bytes: int) -> float:
    """org.apache.kafka.tools.ProducerPerformance, as fast as it goes, with the producer's defaults."""
    output = _run(
        KAFKA.command(
            "kafka-producer-perf-test",
            *("--topic", topic, "--num-records", str(count), "--record-size", str(value_bytes), "--throughput", "-1"),
            *("--producer-props", f"bootstrap.servers={bootstrap}"),
            heap="512m",
            jvm=CLIENT_JVM,
        )
    )
    totals = [match for match in PRODUCED.finditer(output) if int(match[1]) == count]
    if not totals:
        raise ClientFailed(f"ProducerPerformance did not send {count} records: {output[-500:]}")
    return float(totals[-1][2])


def java_consume(bootstrap: str, topic: str, count: int) -> float:
    """org.apache.kafka.tools.ConsumerPerformance: the rate while fetching, without the time to join its group."""
    output = _run(
        KAFKA.command(
            "kafka-consumer-perf-test",
            *("--bootstrap-server", bootstrap, "--topic", topic, "--messages", str(count), "--timeout", "30000"),
            heap="512m",
            jvm=CLIENT_JVM,
        )
    )
    row = [part.strip() for part in output.strip().splitlines()[-1].split(",")]
    if len(row) != 10 or int(row[4]) < count:
        raise ClientFailed(f"ConsumerPerformance did not read {count} records: {output[-500:]}")
    return float(row[9])


def librdkafka(
    what: str, bootstrap: str, topic: str, count: int, value_bytes: int, *settings: str, timeout_s: float = TIMEOUT_S
) -> float:
    """librdkafka producing ("produce") to or reading ("consume") partition 0; *settings* are NAME=VALUE."""
    arguments = (what, bootstrap, topic, str(count), str(value_bytes), *settings)
    output = _run([sys.executable, "-m", "tools.bench.librdkafka", *arguments], timeout_s)
    return count / float(json.loads(output.strip().splitlines()[-1])["seconds"])


def _run(command: list[str], timeout_s: float = TIMEOUT_S) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout_s)
    except subprocess.TimeoutExpired as fault:
        raise ClientFailed(f"{' '.join(command[-8:])} did not end in {timeout_s} s") from fault
    if done.returncode:
        raise ClientFailed(f"{command[-1]} failed: {(done.stdout + done.stderr)[-500:]}")
    return done.stdout
