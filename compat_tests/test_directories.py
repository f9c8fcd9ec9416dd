"""Data directories move between Apache Kafka and wirebroker, both ways, clean or after kill -9, with every record.

The records of every topic (offsets, timestamps, keys, values, headers; both isolation levels) are compared before and
after the move.
"""

from __future__ import annotations

import json
import re
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import (
    EAGER_CLEANER,
    consume_all,
    create,
    wait_for_controller,
    write_compacted,
    write_mixed,
    write_plain,
    write_transactions,
)
from compat_tests.limits import WITHIN_S, flush
from compat_tests.versions import KAFKA, NEWEST_KAFKA, OLD_KAFKA, OLDEST_KAFKA
from compat_tests.wire import Wire
from compat_tests.znodes import properties, topic_id, write_znodes
from tools.jvm.kafka import KafkaBroker, KafkaDist
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker
from wirebroker.protocol.messages.describe_client_quotas import DescribeClientQuotasRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SETTINGS = {**EAGER_CLEANER, "offsets.topic.num.partitions": "3", "transaction.state.log.num.partitions": "3"}


def with_ends(brokers: list[tuple[str, ...]], every_change: dict[tuple[str, ...], str]) -> list[Any]:
    """Test parameters: *brokers*, each stopped and killed; what *every_change* does not name is nightly."""
    return [
        pytest.param(
            *broker,
            end == "killed",
            id="-".join((*broker, end)),
            marks=[] if every_change.get(broker) == end else pytest.mark.nightly,
        )
        for broker in brokers
        for end in ("clean", "killed")
    ]


@contextmanager
def apache_kafka(dist: KafkaDist, mode: str, directory: Path, **settings: str) -> Iterator[KafkaBroker]:
    """A broker on *directory*/data, with a new ZooKeeper if *mode* wants one."""
    with ExitStack() as stack:
        broker: KafkaBroker
        if mode == "zookeeper":
            zookeeper = stack.enter_context(ZooKeeper(dist, directory / "zookeeper"))
            broker = ZooKeeperBroker(dist, directory, zookeeper, settings=SETTINGS | settings)
        else:
            broker = KafkaBroker(dist, directory, settings=SETTINGS | settings)
        stack.enter_context(broker)
        wait_for_controller(broker)
        yield broker


@pytest.fixture
def on_directory(tmp_path: Path) -> Iterator[Callable[[Path], Wirebroker]]:
    """Starts wirebroker on an existing directory; kills it at the end if it still runs."""
    started: list[Wirebroker] = []

    def start(data_directory: Path) -> Wirebroker:
        broker = Wirebroker(tmp_path / f"wirebroker-{len(started)}", SETTINGS)
        broker.data_directory = data_directory
        started.append(broker)
        return broker.start()

    yield start
    for broker in started:
        broker.kill()


def both_views(bootstrap: str, topics: set[str]) -> tuple[Any, Any]:
    """The records of *topics* with read_uncommitted and with read_committed."""
    return consume_all(bootstrap, topics), consume_all(bootstrap, topics, "read_committed")


def assert_same(before: tuple[Any, Any], after: tuple[Any, Any]) -> None:
    for ours, theirs in zip(after, before, strict=True):
        assert ours.keys() == theirs.keys()
        for at, records in theirs.items():
            assert ours[at] == records, at


def untouched(directory: Path) -> dict[str, bytes]:
    """The files that only Apache Kafka writes."""
    paths = [directory / "meta.properties", directory / "bootstrap.checkpoint"]
    paths += [path for path in directory.glob("__cluster_metadata-0/*") if path.is_file()]
    return {str(path): path.read_bytes() for path in paths if path.exists()}


@pytest.mark.parametrize(
    ("mode", "version", "kill"),
    with_ends(
        [
            ("zookeeper", KAFKA),
            ("zookeeper", OLD_KAFKA),
            ("zookeeper", OLDEST_KAFKA),
            ("kraft", KAFKA),
            ("kraft", NEWEST_KAFKA),
        ],
        {("zookeeper", KAFKA): "clean", ("zookeeper", OLD_KAFKA): "killed", ("kraft", KAFKA): "killed"},
    ),
)
def test_directory_of_apache_kafka(
    kafka_dist: Callable[[str], KafkaDist],
    on_directory: Callable[[Path], Wirebroker],
    tmp_path: Path,
    mode: str,
    version: str,
    kill: bool,
) -> None:
    with apache_kafka(kafka_dist(version), mode, tmp_path / "kafka") as kafka:
        smallest = 1 << 20 if version == NEWEST_KAFKA else 0
        topics = write_plain(kafka.bootstrap, zstd=version != OLDEST_KAFKA, smallest_segment=smallest)
        topics |= write_transactions(kafka.bootstrap, smallest_segment=smallest)
        topics |= write_compacted(kafka.bootstrap, kafka.data_directory, smallest_segment=smallest)
        if version in (OLD_KAFKA, OLDEST_KAFKA):
            topics |= write_mixed(kafka.bootstrap)
        before = both_views(kafka.bootstrap, topics)
        if kill:
            kafka.kill()
    assert before[0] != before[1], "some transactions were aborted"
    theirs = untouched(kafka.data_directory)
    broker = on_directory(kafka.data_directory)
    assert_same(before, both_views(broker.bootstrap, topics))
    (imported,) = re.findall("imported from Apache Kafka.*", broker.log())
    assert ("KRaft metadata" if mode == "kraft" else "log directories") in imported
    partitions = len([path for path in kafka.data_directory.glob("*-*/") if path.name != "__cluster_metadata-0"])
    assert f" {len(topics) + 2} topics with {partitions} partitions, " in imported
    write_plain(broker.bootstrap, "more-")
    append(broker.bootstrap, "several")
    broker.stop()
    assert untouched(kafka.data_directory) == theirs
    log = broker.log_file.stat().st_size
    broker.start()
    assert "imported" not in broker.log(log)
    assert len(consume_all(broker.bootstrap, {"several"})["several", 0]) > len(before[0]["several", 0])
    broker.stop()


def append(bootstrap: str, topic: str) -> None:
    """Thirty more records, by a producer with an id of its own."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "acks": "all"})
    failures = []
    for number in range(30):
        producer.produce(
            topic, value=f"more {number}", partition=0, on_delivery=lambda error, _: failures.append(error)
        )
    flush(producer)
    assert failures == [None] * 30


def test_kraft_metadata_through_snapshots(
    kafka_dist: Callable[[str], KafkaDist], on_directory: Callable[[Path], Wirebroker], tmp_path: Path
) -> None:
    """Topics deleted, made again, grown and reconfigured, before and after snapshots; several directories."""
    from confluent_kafka.admin import AdminClient, NewPartitions

    dist = kafka_dist(KAFKA)
    dirs = tmp_path / "kafka" / "data", tmp_path / "kafka" / "more"
    small = {"metadata.log.max.record.bytes.between.snapshots": "500", "log.dirs": ",".join(map(str, dirs))}
    with apache_kafka(dist, "kraft", tmp_path / "kafka", **small) as kafka:
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
        create(kafka.bootstrap, {"gone": {}, "again": {"retention.ms": "5"}, "grown": {"max.message.bytes": "1000"}})
        for name in ("gone", "again"):
            admin.delete_topics([name])[name].result(WITHIN_S)
        wait_until(lambda: "again" not in admin.list_topics(timeout=60).topics)
        create(kafka.bootstrap, {"again": {"segment.bytes": "20000"}})
        admin.create_partitions([NewPartitions("grown", 5)])["grown"].result(WITHIN_S)
        configure = [
            "--bootstrap-server",
            kafka.bootstrap,
            "--alter",
            "--entity-type",
            "topics",
            "--entity-name",
            "grown",
        ]
        dist.run(
            "kafka-configs", *configure, "--add-config", "retention.ms=77000", "--delete-config", "max.message.bytes"
        )
        entity = ["--bootstrap-server", kafka.bootstrap, "--alter", "--entity-type", "brokers", "--entity-default"]
        dist.run("kafka-configs", *entity, "--add-config", "message.max.bytes=2000000")
        set_quotas(dist, kafka.bootstrap, ["--entity-type", "users", "--entity-default"], "request_percentage=50")
        set_quotas(dist, kafka.bootstrap, ALICE, "producer_byte_rate=1000,consumer_byte_rate=2000")
        for number in range(20):
            create(kafka.bootstrap, {f"filler-{number}": {}})
        metadata = dirs[0] / "__cluster_metadata-0"
        wait_until(lambda: len(list(metadata.glob("*.checkpoint"))) > 1)
        to = ["--bootstrap-server", kafka.bootstrap]
        dist.run("kafka-configs", *to, "--alter", *ALICE, "--delete-config", "consumer_byte_rate")
        set_quotas(dist, kafka.bootstrap, ADDRESS, "connection_creation_rate=70")
        for _ in range(5):
            append(kafka.bootstrap, "again")
        wait_until(lambda: len(describe_quotas(kafka.bootstrap)) == 3)
        quotas = describe_quotas(kafka.bootstrap)
        before = both_views(kafka.bootstrap, {"again", "grown"})
        ids = {
            name: topic_id(next(path for each in dirs for path in each.glob(f"{name}-0")))
            for name in ("again", "grown")
        }
    broker = Wirebroker(tmp_path / "wirebroker")
    broker.data_directory = Path(",".join(map(str, dirs)))
    with broker:
        assert_same(before, both_views(broker.bootstrap, {"again", "grown"}))
        assert ".checkpoint)" in broker.log()
        admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        topics = admin.list_topics(timeout=60).topics
        assert set(topics) >= {"again", "grown", "filler-19"}
        assert "gone" not in topics
        assert len(topics["grown"].partitions) == 5
        shown = dist.run(
            "kafka-configs", "--bootstrap-server", broker.bootstrap, "--describe", "--entity-type", "topics"
        ).stdout
        assert "segment.bytes=20000" in shown
        assert "retention.ms=77000" in shown
        assert "max.message.bytes=1000" not in shown
        described = dist.run("kafka-topics", "--bootstrap-server", broker.bootstrap, "--describe").stdout
        for name, identity in ids.items():
            assert re.search(rf"Topic: {name}\s+TopicId: {re.escape(identity)}", described)
        assert describe_quotas(broker.bootstrap) == quotas
        assert len(quotas) == 3
        assert "quotas of 3 clients" in broker.log()
        defaults = ["--describe", "--entity-type", "brokers", "--entity-default"]
        assert (
            "message.max.bytes=2000000"
            in dist.run("kafka-configs", "--bootstrap-server", broker.bootstrap, *defaults).stdout
        )


ALICE = ["--entity-type", "users", "--entity-name", "alice", "--entity-type", "clients", "--entity-default"]
ADDRESS = ["--entity-type", "ips", "--entity-name", "10.0.0.1"]


def set_quotas(dist: KafkaDist, bootstrap: str, entity: list[str], quotas: str) -> None:
    dist.run("kafka-configs", "--bootstrap-server", bootstrap, "--alter", *entity, "--add-config", quotas)


def describe_quotas(bootstrap: str) -> list[str]:
    """All client quotas, one line for each entity, sorted."""
    host, _, port = bootstrap.rpartition(":")
    with Wire(host, int(port)) as wire:
        answer = wire.ask(DescribeClientQuotasRequest(), 1)
    return sorted(
        f"{sorted((part.entity_type, part.entity_name) for part in entry.entity)}"
        f" {sorted((value.key, value.value) for value in entry.values)}"
        for entry in answer.entries
    )


@pytest.mark.parametrize(
    ("version", "kill"), with_ends([(KAFKA,), (OLD_KAFKA,)], {(KAFKA,): "killed", (OLD_KAFKA,): "clean"})
)
def test_directory_of_wirebroker(
    kafka_dist: Callable[[str], KafkaDist],
    on_directory: Callable[[Path], Wirebroker],
    tmp_path: Path,
    version: str,
    kill: bool,
) -> None:
    """Kafka -> wirebroker -> another Kafka with an empty ZooKeeper -> wirebroker: nothing is lost on the way."""
    with apache_kafka(kafka_dist(OLD_KAFKA), "zookeeper", tmp_path / "first") as first:
        topics = write_transactions(first.bootstrap) | write_compacted(first.bootstrap, first.data_directory)
        topics |= write_mixed(first.bootstrap)
    data = first.data_directory
    broker = on_directory(data)
    topics |= write_plain(broker.bootstrap)
    for topic in ("transactions", "mixed", "several"):
        append(broker.bootstrap, topic)
    before = both_views(broker.bootstrap, topics)
    if kill:
        broker.kill()
    else:
        broker.stop()
    dist = kafka_dist(version)
    configs = {name: {"retention.ms": "-1"} for name in topics} | {"compacted": {"cleanup.policy": "compact"}}
    internal = {"cleanup.policy": "compact", "segment.bytes": str(100 << 20)}
    configs |= {"__consumer_offsets": internal, "__transaction_state": internal}
    with ZooKeeper(dist, tmp_path / "zookeeper") as zookeeper:
        assert write_znodes(zookeeper, data, configs, next_producer_id=5_000_000) >= topics
        kafka = ZooKeeperBroker(dist, tmp_path / "second", zookeeper, settings=SETTINGS)
        kafka.data_directory = data
        with kafka:
            assert_same(before, both_views(kafka.bootstrap, topics))
            append(kafka.bootstrap, "mixed")
            topics |= write_transactions(kafka.bootstrap, "later")
            cleaner = kafka.log_file.read_text()
            before = both_views(kafka.bootstrap, topics)
    assert "ERROR" not in cleaner
    assert properties(data / "meta.properties")["broker.id"] == "0"
    broker = on_directory(data)
    assert_same(before, both_views(broker.bootstrap, topics))
    assert "1 topics with 1 partitions" in broker.log()
    broker.stop()


def test_a_directory_of_another_broker_is_refused(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "meta.properties").write_text("version=1\nnode.id=7\ncluster.id=LozuhI3wShmBQaZWH2tL3Q\ndirectory.id=x\n")
    broker = Wirebroker(tmp_path / "wirebroker")
    broker.data_directory = data
    with pytest.raises(RuntimeError, match=r"belongs to broker 7, and this is broker 0"):
        broker.start()
    assert [path.name for path in data.iterdir() if path.name != ".lock"] == ["meta.properties"]
    assert json.dumps(properties(data / "meta.properties"))
