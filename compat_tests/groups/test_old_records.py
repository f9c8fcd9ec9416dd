"""`--as-version 2.0`: a group's records are those of Apache Kafka 2.0.1, whose console consumer prints them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import create
from compat_tests.limits import flush
from compat_tests.versions import OLDEST_KAFKA
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker
from wirebroker.protocol.internal.consumer_offsets import OffsetCommitValue
from wirebroker.record.record_batch import batches

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

SETTINGS = {
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "offsets.retention.minutes": "7",
}
FORMATTER = "kafka.coordinator.group.GroupMetadataManager${}MessageFormatter"


def read_and_commit(bootstrap: str) -> None:
    """A member of the group "g" reads the topic "t", commits and leaves; then a simple consumer commits."""
    from confluent_kafka import Consumer, Producer, TopicPartition

    create(bootstrap, {"t": {}}, partitions=2)
    producer = Producer({"bootstrap.servers": bootstrap})
    producer.produce("t", value="1", partition=0)
    flush(producer)
    settings = {"bootstrap.servers": bootstrap, "enable.auto.commit": False, "auto.offset.reset": "earliest"}
    consumer = Consumer({**settings, "group.id": "g", "client.id": "reader"})
    consumer.subscribe(["t"])
    message = consumer.poll(120)
    assert message is not None
    assert message.error() is None
    consumer.commit(message, asynchronous=False)
    consumer.close()
    simple = Consumer({**settings, "group.id": "simple"})
    simple.commit(offsets=[TopicPartition("t", 1, 4, metadata="by hand")], asynchronous=False)
    simple.close()


def written(data_directory: Path) -> list[tuple[bytes, bytes | None]]:
    """Key and value of every record of the group topic."""
    data = b"".join(path.read_bytes() for path in sorted(data_directory.glob("__consumer_offsets-0/*.log")))
    return [
        (key, value)
        for batch in batches(memoryview(data))
        for _, key, value in batch.keyed_records()
        if key is not None
    ]


def printed(dist: KafkaDist, broker: Broker, formatter: str, consumer_config: Path) -> list[str]:
    """The output of 2.0.1's console consumer for `__consumer_offsets`, without times and ids, that differ each time."""
    consumer_config.write_text("exclude.internal.topics=false\ngroup.id=printer\nenable.auto.commit=false\n")
    out = dist.run(
        "kafka-console-consumer",
        *(
            "--bootstrap-server",
            broker.bootstrap,
            "--topic",
            "__consumer_offsets",
            "--partition",
            "0",
            "--offset",
            "earliest",
        ),
        *("--formatter", FORMATTER.format(formatter), "--consumer.config", str(consumer_config)),
        *("--max-messages", str(len(written(broker.data_directory))), "--timeout-ms", "200000"),
        check=False,
    ).stdout
    lines = [line for line in out.splitlines() if not line.startswith(("[printer", "printer::"))]
    return [re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\b1\d{12}\b|@[0-9a-f]+", "*", line) for line in lines]


def retentions(data_directory: Path) -> list[int]:
    """For how many ms each commit is kept, by its record's value, which has version 1."""
    values = [
        value
        for key, value in written(data_directory)
        if key[:2] == b"\0\1" and value is not None and not key[4:].startswith(b"printer")
    ]
    assert {value[:2] for value in values} == {b"\0\1"}
    parsed = [OffsetCommitValue.from_record(value) for value in values]
    return [each.expire_timestamp - each.commit_timestamp for each in parsed]


def test_the_formatters_of_2_0_print_the_same_of_both(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    dist = kafka_dist(OLDEST_KAFKA)
    ours = Wirebroker(tmp_path / "ours", SETTINGS, ["--as-version", OLDEST_KAFKA]).start()
    read_and_commit(ours.bootstrap)
    with (
        ZooKeeper(dist, tmp_path / "zookeeper") as zookeeper,
        ZooKeeperBroker(dist, tmp_path / "kafka", zookeeper, settings=SETTINGS) as theirs,
    ):
        read_and_commit(theirs.bootstrap)
        # the group's last record follows the answer to the member that leaves
        wait_until(lambda: len(written(theirs.data_directory)) == len(written(ours.data_directory)))
        for formatter, least in (("Offsets", 2), ("GroupMetadata", 2)):
            found = [printed(dist, each, formatter, tmp_path / "consumer.properties") for each in (ours, theirs)]
            assert found[0] == found[1]
            assert len(found[0]) >= least
        wait_until(lambda: len(retentions(theirs.data_directory)) == 2)
        assert retentions(ours.data_directory) == retentions(theirs.data_directory) == [7 * 60_000] * 2
    ours.stop()
