"""Log compaction beside Apache Kafka's: one directory cleaned by both holds the same records; kill -9 meanwhile."""

from __future__ import annotations

import random
import re
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.compacted_topics import SEGMENT_BYTES, log_bytes
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import EAGER_CLEANER, await_markers, consume_all, create
from compat_tests.limits import WITHIN_S, flush
from compat_tests.versions import KAFKA
from compat_tests.znodes import write_znodes
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Set
    from pathlib import Path

    from compat_tests.directory_scenario import ConsumedRecord
    from tools.jvm.kafka import KafkaDist

FEW = {"offsets.topic.num.partitions": "1", "transaction.state.log.num.partitions": "1"}
COMPACTED = {"cleanup.policy": "compact", "segment.bytes": "30000", "index.interval.bytes": "1000"}
TOPICS = frozenset({"plain", "transactions"})


def write_updates(bootstrap: str) -> None:
    """The topics "plain", with every codec and tombstones, and "transactions", a third of which is aborted."""
    from confluent_kafka import Producer

    create(bootstrap, dict.fromkeys(TOPICS, COMPACTED))
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        producer = Producer({"bootstrap.servers": bootstrap, "compression.type": codec, "enable.idempotence": True})
        for number in range(1200):
            value = None if number % 13 == 0 else f"{codec} {number} " + "x" * (number % 200)
            timestamp, headers = 1_700_000_000_000 + (number * 37) % 5000, [("h", b"1")]
            producer.produce("plain", key=f"k{number * 7 % 110}", value=value, timestamp=timestamp, headers=headers)
            if number % 23 == 0:
                flush(producer)
        flush(producer)
    producers = [Producer({"bootstrap.servers": bootstrap, "transactional.id": f"t{n}"}) for n in range(2)]
    for producer in producers:
        producer.init_transactions(WITHIN_S)
    for turn in range(12):
        for producer in producers:
            producer.begin_transaction()
            for number in range(40):
                value = None if number % 17 == 0 else f"{turn} " + "y" * 150
                producer.produce("transactions", key=f"{(turn + number) % 60}", value=value)
        for number, producer in enumerate(producers):
            flush(producer)
            if (turn + number) % 3:
                producer.commit_transaction(WITHIN_S)
            else:
                producer.abort_transaction(WITHIN_S)
    await_markers(bootstrap, "transactions")


def cleaner_offsets(data: Path) -> dict[str, int]:
    """Topic -> the offset below which its log was cleaned."""
    found = re.findall(r"^(\S+) 0 (\d+)$", (data / "cleaner-offset-checkpoint").read_text(), re.MULTILINE)
    return {topic: int(offset) for topic, offset in found}


def wait_until_cleaned(data: Path, topics: Set[str] = TOPICS) -> dict[str, int]:
    """Wait until the logs are cleaned up to their active segments; return these segments' base offsets."""
    active = {topic: int(max(path.stem for path in (data / f"{topic}-0").glob("*.log"))) for topic in topics}
    wait_until(lambda: active.items() <= cleaner_offsets(data).items(), 120)
    return active


def test_a_directory_cleaned_by_both_holds_the_same_records(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    dist = kafka_dist(KAFKA)
    writer = Wirebroker(tmp_path / "writer", {**FEW, "log.cleaner.enable": "false"}).start()
    write_updates(writer.bootstrap)
    written = consume_all(writer.bootstrap, TOPICS)
    assert (writer.data_directory / "cleaner-offset-checkpoint").read_text() == ""
    writer.stop()
    ours, theirs = tmp_path / "ours" / "data", tmp_path / "theirs" / "data"
    for copy in (ours, theirs):
        shutil.copytree(writer.data_directory, copy)

    broker = Wirebroker(tmp_path / "ours", {**FEW, **EAGER_CLEANER}).start()
    wait_until_cleaned(ours)
    after = [consume_all(broker.bootstrap, TOPICS, isolation) for isolation in ("read_uncommitted", "read_committed")]
    broker.stop()
    checkpoint = (ours / "cleaner-offset-checkpoint").read_bytes()
    assert all(len(after[0][at]) < len(written[at]) / 2 for at in after[0])

    configs = dict.fromkeys(TOPICS, COMPACTED)
    internal = {"cleanup.policy": "compact"}
    every = {**configs, "__transaction_state": internal, "__consumer_offsets": internal}
    for data, settings in ((theirs, EAGER_CLEANER), (ours, {"log.cleaner.enable": "false"})):
        with ZooKeeper(dist, data.parent / "zookeeper") as zookeeper:
            write_znodes(zookeeper, data, every, next_producer_id=5_000_000)
            kafka = ZooKeeperBroker(dist, data.parent / "kafka", zookeeper, settings={**FEW, **settings})
            kafka.data_directory = data
            with kafka:
                if data is theirs:
                    wait_until_cleaned(theirs)
                    lines = (theirs / "cleaner-offset-checkpoint").read_bytes().splitlines(keepends=True)
                    assert sorted(lines) == sorted(checkpoint.splitlines(keepends=True))
                    assert lines[:2] == [b"0\n", b"2\n"]
                for isolation, expected in zip(("read_uncommitted", "read_committed"), after, strict=True):
                    assert consume_all(kafka.bootstrap, TOPICS, isolation) == expected
                appended = append_more(kafka.bootstrap)
                grown = consume_all(kafka.bootstrap, TOPICS, "read_committed")
                latest = last_values(grown)
                assert {at: latest.pop(at).value for at in appended} == appended
                assert latest == {at: record for at, record in last_values(after[1]).items() if at not in appended}
                if data is ours:  # theirs may be cleaned once more, as later timestamps roll the active segment
                    assert all(records[: len(after[1][at])] == after[1][at] for at, records in grown.items())
            assert "ERROR" not in kafka.log_file.read_text()
    files = ",".join(str(path) for path in sorted(ours.glob("*s-0/*.log")) + sorted(ours.glob("plain-0/*.log")))
    shown = dist.run("kafka-dump-log", "--files", files, "--deep-iteration").stdout
    assert shown.count("isvalid: true") > 20
    assert "isvalid: false" not in shown

    # what Apache Kafka has cleaned and appended to is cleaned again by wirebroker
    broker = Wirebroker(tmp_path / "again", {**FEW, **EAGER_CLEANER})
    broker.data_directory = theirs
    broker.start()
    create_more_segments(broker.bootstrap)
    before = last_values(consume_all(broker.bootstrap, TOPICS, "read_committed"))
    wait_until_cleaned(theirs)
    assert last_values(consume_all(broker.bootstrap, TOPICS, "read_committed")) == before
    assert "cannot be compacted" not in broker.log()
    assert cleaner_offsets(theirs)["plain"] > cleaner_offsets(ours)["plain"]
    broker.stop()


def append_more(bootstrap: str) -> dict[tuple[str, int, bytes | None], bytes]:
    """Thirty more records for each topic, as topic, partition and key -> value."""
    from confluent_kafka import Producer

    appended: dict[tuple[str, int, bytes | None], bytes] = {
        (topic, 0, b"k%d" % number): b"more %d" % number for topic in sorted(TOPICS) for number in range(30)
    }
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})
    for (topic, _, key), value in appended.items():
        producer.produce(topic, key=key, value=value)
    flush(producer)
    return appended


def create_more_segments(bootstrap: str) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": bootstrap})
    for number in range(800):
        producer.produce("plain", key=f"k{number % 50}", value=f"{number} " + "z" * 200)
        if number % 20 == 0:
            flush(producer)
    flush(producer)


def last_values(
    consumed: dict[tuple[str, int], list[ConsumedRecord]],
) -> dict[tuple[str, int, bytes | None], ConsumedRecord]:
    return {(*at, record.key): record for at, records in consumed.items() for record in records}


@pytest.mark.parametrize("kills", [4, pytest.param(20, marks=pytest.mark.nightly)])
def test_kill_in_the_middle_of_cleaning(tmp_path: Path, kills: int) -> None:
    chance = random.Random(kills)
    settings = {**FEW, **EAGER_CLEANER, "log.cleaner.io.max.bytes.per.second": "2000000", "log.cleaner.backoff.ms": "1"}
    broker = Wirebroker(tmp_path / "broker", settings).start()
    write_updates(broker.bootstrap)
    expected = last_values(consume_all(broker.bootstrap, TOPICS, "read_committed"))
    for _ in range(kills):
        create_more_segments(broker.bootstrap)
        expected = last_values(consume_all(broker.bootstrap, TOPICS, "read_committed"))
        time.sleep(chance.uniform(0, 0.5))
        broker.kill()
        broker.start()
        found = consume_all(broker.bootstrap, TOPICS, "read_committed")
        assert {at: record for at, record in last_values(found).items() if record.value is not None} == {
            at: record for at, record in expected.items() if record.value is not None
        }
        for records in found.values():
            offsets = [record.offset for record in records]
            assert offsets == sorted(set(offsets))
    wait_until_cleaned(broker.data_directory)
    broker.stop()
    broker.start()
    data = broker.data_directory
    assert [*data.glob("*/*.cleaned"), *data.glob("*/*.swap"), *data.glob("*/*.deleted")] == []
    broker.stop()


def test_committed_offsets_stay_small_and_reload_by_their_keys(tmp_path: Path) -> None:
    from confluent_kafka import Consumer, KafkaException, TopicPartition

    settings = {**FEW, **EAGER_CLEANER, "offsets.topic.segment.bytes": str(SEGMENT_BYTES)}
    broker = Wirebroker(tmp_path / "broker", settings).start()
    create(broker.bootstrap, {"t": {}}, 10)
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "g", "enable.auto.commit": False})
    for number in range(1000):
        consumer.commit(offsets=[TopicPartition("t", at, number + at) for at in range(10)], asynchronous=False)
    topic = "__consumer_offsets"
    active = wait_until_cleaned(broker.data_directory, {topic})[topic]
    records = consume_all(broker.bootstrap, {topic})[topic, 0]
    assert records[-1].offset == 9999
    below = [record.key for record in records if record.offset < active]
    assert len(below) == len(set(below)) == 10, "every key once below the active segment"
    assert log_bytes(broker.data_directory / f"{topic}-0") < 2 * SEGMENT_BYTES, "the active segment and ten records"
    broker.stop()
    before = broker.log_file.stat().st_size
    broker.start()
    found: list[int] = []

    def are_told() -> bool:
        """Whether the coordinator has answered, which loads its topic after the start."""
        try:
            told = consumer.committed([TopicPartition("t", at) for at in range(10)], timeout=WITHIN_S)
        except KafkaException:
            return False
        found[:] = [each.offset for each in told]
        return not any(each.error for each in told)

    wait_until(are_told)
    assert found == [999 + at for at in range(10)]
    (loaded,) = re.findall(r"__consumer_offsets-0: loaded (\d+) records", broker.log(before))
    assert int(loaded) == len(records)
    consumer.close()
    broker.stop()
