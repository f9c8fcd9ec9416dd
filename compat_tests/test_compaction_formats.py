"""Old message formats in a compacted topic: wirebroker makes of them what Apache Kafka 2.8.2 makes."""

from __future__ import annotations

import re
import shutil
import warnings
from typing import TYPE_CHECKING

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import EAGER_CLEANER, consume_all, create, wait_for_controller
from compat_tests.limits import WITHIN_S, flush
from compat_tests.test_compaction import COMPACTED, FEW
from compat_tests.test_compaction_releases import set_topics
from compat_tests.versions import OLD_KAFKA
from compat_tests.znodes import write_znodes
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

MIXED = "mixed"


def write_mixed_updates(bootstrap: str) -> None:
    """Updates and tombstones in formats 0, 1 and 2, with all codecs that the formats have, of which some keys stay."""
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType

    create(bootstrap, {MIXED: {**COMPACTED, "message.format.version": "0.9.0"}})
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for turn, version in enumerate(("0.9.0", "0.10.0", "2.0", "0.9.0", "0.10.0")):
        resource = ConfigResource(
            ResourceType.TOPIC, MIXED, set_config={**COMPACTED, "message.format.version": version}
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            for altered in admin.alter_configs([resource]).values():
                altered.result(WITHIN_S)
        for codec in ("none", "gzip", "snappy", "lz4"):
            producer = Producer({"bootstrap.servers": bootstrap, "compression.type": codec, "batch.num.messages": 20})
            for number in range(120):
                value = None if number % 13 == 0 else f"{turn} {codec} {number} " + "x" * 100
                key = f"k{number * 7 % 40}" if number % 3 else f"only of turn {turn}: {number % 10}"
                producer.produce(MIXED, key=key, value=value, timestamp=1_700_000_000_000)
                if number % 20 == 0:
                    flush(producer)
            flush(producer)


def is_cleaned(data: Path) -> bool:
    """Whether the log of formats 0 to 2 was cleaned up to its last segment."""
    end = max(int(path.stem) for path in (data / f"{MIXED}-0").glob("*.log"))
    return f"{MIXED} 0 {end}\n" in (data / "cleaner-offset-checkpoint").read_text()


def test_old_formats_become_what_apache_kafka_makes_of_them(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    dist = kafka_dist(OLD_KAFKA)
    never = {**FEW, "log.cleaner.enable": "false"}
    ours, theirs = tmp_path / "ours" / "data", tmp_path / "theirs" / "data"
    with ZooKeeper(dist, tmp_path / "zookeeper") as zookeeper:
        with ZooKeeperBroker(dist, tmp_path / "kafka", zookeeper, settings=never) as kafka:
            wait_for_controller(kafka)
            write_mixed_updates(kafka.bootstrap)
            before = consume_all(kafka.bootstrap, {MIXED})
        shutil.copytree(kafka.data_directory, ours)
        shutil.copytree(kafka.data_directory, theirs)
        kafka = ZooKeeperBroker(dist, tmp_path / "theirs" / "kafka", zookeeper, settings={**FEW, **EAGER_CLEANER})
        kafka.data_directory = theirs
        with kafka:
            wait_until(lambda: is_cleaned(theirs))
            expected = consume_all(kafka.bootstrap, {MIXED})
    assert len(expected[MIXED, 0]) < len(before[MIXED, 0]) / 2

    broker = Wirebroker(tmp_path / "ours", {**FEW, **EAGER_CLEANER}, ["--as-version", OLD_KAFKA]).start()
    set_topics(broker.bootstrap, {MIXED})
    wait_until(lambda: is_cleaned(ours))
    assert consume_all(broker.bootstrap, {MIXED}) == expected
    broker.stop()
    files = ",".join(str(path) for path in sorted((ours / f"{MIXED}-0").glob("*.log")))
    shown = dist.run("kafka-dump-log", "--files", files, "--deep-iteration").stdout
    assert "isvalid: false" not in shown
    assert {int(magic) for magic in re.findall(r"magic: (\d)", shown)} == {0, 1, 2}
    with ZooKeeper(dist, tmp_path / "second") as zookeeper:
        write_znodes(zookeeper, ours, {MIXED: COMPACTED}, next_producer_id=5_000_000)
        kafka = ZooKeeperBroker(dist, tmp_path / "again", zookeeper, settings=never)
        kafka.data_directory = ours
        with kafka:
            assert consume_all(kafka.bootstrap, {MIXED}) == expected
