"""`wirebroker topics explain-retention`: of a running broker, of its directory, and of one that Apache Kafka wrote."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import EAGER_CLEANER, create
from compat_tests.limits import WITHIN_S, flush
from compat_tests.versions import KAFKA, OLD_KAFKA
from tools.jvm.kafka import KafkaBroker
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

FEW = {"offsets.topic.num.partitions": "1", "transaction.state.log.num.partitions": "1"}
TOPICS = {
    "deleted": {"segment.bytes": "2000", "retention.ms": "86400000"},
    "compacted": {"segment.bytes": "2000", "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01"},
    "both": {"segment.bytes": "2000", "cleanup.policy": "compact,delete", "min.compaction.lag.ms": "3600000"},
}


def explain(topic: str, *options: str, code: int = 0) -> Any:
    command = [sys.executable, "-m", "wirebroker", "topics", "explain-retention", topic, *options, "--format", "json"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert ended.returncode == code, ended.stderr
    return json.loads(ended.stdout) if ended.stdout else ended.stderr


def fill(bootstrap: str, topics: dict[str, dict[str, str]], smallest_segment: int = 0) -> None:
    from confluent_kafka import Producer

    create(bootstrap, topics, smallest_segment=smallest_segment)
    producer = Producer({"bootstrap.servers": bootstrap})
    for topic in topics:
        for number in range(60):
            value = None if number % 10 == 9 else "x" * 200
            producer.produce(topic, key=f"k{number % 5}", value=value)
            if number % 4 == 0:
                flush(producer)
        flush(producer)


def comparable(document: Any) -> Any:
    """Without the time, the place of the directory, and settings that the command line of the broker gave."""
    settings = [each for each in document["settings"] if not each["set_by"].startswith("--set")]
    partitions = [{**each, "directory": None} for each in document["partitions"]]
    return {"settings": settings, "partitions": partitions}


def test_a_broker_and_its_directory_are_explained_alike(tmp_path: Path) -> None:
    settings = {**FEW, **EAGER_CLEANER, "log.retention.minutes": "90"}
    broker = Wirebroker(tmp_path / "broker", settings).start()
    fill(broker.bootstrap, TOPICS)
    connection = ("-b", broker.bootstrap)

    def states(topic: str) -> set[str]:
        return {each["state"] for each in explain(topic, *connection)["partitions"][0]["segments"]}

    assert states("deleted") == {"closed", "active"}
    assert states("both") == {"dirty", "active"}
    wait_until(lambda: states("compacted") == {"clean", "active"})
    running = {topic: explain(topic, *connection) for topic in TOPICS}
    (of_both,) = (each for each in running["both"]["settings"] if each["name"] == "retention.ms")
    assert of_both == {"name": "retention.ms", "value": "5400000", "set_by": "--set: log.retention.minutes=90"}
    assert "does not exist" in explain("nope", *connection, code=1)
    broker.stop()
    sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    for topic, expected in running.items():
        found = explain(topic, "--log-dir", str(broker.data_directory), *sets)
        assert comparable(found) == comparable(expected)


def test_a_segment_goes_when_the_command_says(tmp_path: Path) -> None:
    settings = {**FEW, "log.retention.check.interval.ms": "100"}
    broker = Wirebroker(tmp_path / "broker", settings).start()
    fill(broker.bootstrap, {"deleted": {"segment.bytes": "2000", "retention.ms": "3600000"}})
    first = explain("deleted", "-b", broker.bootstrap)["partitions"][0]["segments"][0]
    (verdict,) = [each for each in first["verdicts"] if each["action"] == "delete"]
    assert (verdict["setting"], verdict["is_due"]) == ("retention.ms", False)
    path = broker.data_directory / "deleted-0" / f"{first['base_offset']:020}.log"
    # that much sooner than was said, whatever time a busy machine has taken until now
    retention_ms = int(time.time() * 1000) - first["newest_timestamp_ms"] + 3000
    due_ms = verdict["due_ms"] - 3_600_000 + retention_ms
    alter(broker.bootstrap, "deleted", "retention.ms", str(retention_ms))
    while path.exists():
        there_ms = time.time() * 1000
        assert there_ms < due_ms + 60_000, "it should have gone long ago"
        time.sleep(0.01)
    assert time.time() * 1000 >= due_ms, "it went too early"
    broker.stop()


def test_a_log_that_cannot_be_compacted(tmp_path: Path) -> None:
    """Reported once and explained; the others go on, and a change of its settings has it tried again."""
    compacted = {"segment.bytes": "2000", "cleanup.policy": "compact"}
    broker = Wirebroker(tmp_path / "broker", {**FEW, "log.cleaner.enable": "false"}).start()
    data = broker.data_directory
    assert (data / "cleaner-offset-checkpoint").read_bytes() == b""
    fill(broker.bootstrap, {"bad": compacted, "good": compacted})
    broker.stop()
    path = min((data / "bad-0").glob("*.log"))
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    broker = Wirebroker(tmp_path / "broker", {**FEW, **EAGER_CLEANER}).start()
    wait_until(lambda: "good 0 " in (data / "cleaner-offset-checkpoint").read_text())
    wait_until(lambda: "topic=bad partition=0 cannot be compacted" in broker.log())
    verdict = explain("bad", "-b", broker.bootstrap)["partitions"][0]["segments"][0]["verdicts"][0]
    assert verdict["why"].startswith("cannot be compacted: ")
    assert f"{path.name} at position 0: the checksum is wrong" in verdict["why"]
    assert broker.log().count("cannot be compacted") == 1
    path.write_bytes(whole)
    alter(broker.bootstrap, "bad", "min.cleanable.dirty.ratio", "0.02")
    wait_until(lambda: "bad 0 " in (data / "cleaner-offset-checkpoint").read_text())
    assert explain("bad", "-b", broker.bootstrap)["partitions"][0]["segments"][0]["state"] == "clean"
    broker.stop()


def alter(bootstrap: str, topic: str, name: str, value: str) -> None:
    from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource

    entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=[entry])
    admin = AdminClient({"bootstrap.servers": bootstrap})  # results die with it
    for changed in admin.incremental_alter_configs([resource]).values():
        changed.result(WITHIN_S)


@pytest.mark.parametrize("version", [KAFKA, OLD_KAFKA])
def test_a_directory_of_apache_kafka(version: str, kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    dist = kafka_dist(version)
    topic = {"deleted": {"segment.bytes": "2000", "retention.ms": "86400000"}}
    if version == KAFKA:
        with KafkaBroker(dist, tmp_path / "kafka") as kafka:
            fill(kafka.bootstrap, topic)
        found = explain("deleted", "--log-dir", str(kafka.data_directory))
    else:
        with (
            ZooKeeper(dist, tmp_path / "zookeeper") as zookeeper,
            ZooKeeperBroker(dist, tmp_path / "kafka", zookeeper, settings=FEW) as kafka,
        ):
            fill(kafka.bootstrap, topic)
        # whose settings are in ZooKeeper
        found = explain("deleted", "--log-dir", str(kafka.data_directory), "--topic-config", "retention.ms=86400000")
    (partition,) = found["partitions"]
    files = sorted((kafka.data_directory / "deleted-0").glob("*.log"))
    assert [each["base_offset"] for each in partition["segments"]] == [int(path.stem) for path in files]
    assert [each["size_bytes"] for each in partition["segments"]] == [path.stat().st_size for path in files]
    assert (partition["log_end_offset"], partition["high_watermark"]) == (60, 60)
    for segment in partition["segments"]:
        verdict = segment["verdicts"][0]
        assert verdict["setting"] == "retention.ms"
        assert verdict["due_ms"] == segment["newest_timestamp_ms"] + 86_400_001
    (setting,) = (each for each in found["settings"] if each["name"] == "retention.ms")
    assert setting["set_by"] == "topic"
