"""A compacted directory that goes to and fro: Apache Kafka begins a round and is killed, wirebroker goes on as that
release, the release's tools read its segments, and Kafka serves, appends to and compacts them again.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import EAGER_CLEANER, consume_all, wait_for_controller
from compat_tests.limits import WITHIN_S
from compat_tests.test_compaction import (
    COMPACTED,
    FEW,
    TOPICS,
    append_more,
    cleaner_offsets,
    create_more_segments,
    last_values,
    wait_until_cleaned,
    write_updates,
)
from compat_tests.versions import KAFKA, OLD_KAFKA
from compat_tests.znodes import write_znodes
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Set
    from pathlib import Path

    from compat_tests.directory_scenario import ConsumedRecord
    from tools.jvm.kafka import KafkaDist

SLOW_CLEANER = {**EAGER_CLEANER, "log.cleaner.io.max.bytes.per.second": "60000"}
ISOLATIONS = ("read_uncommitted", "read_committed")

Consumed = dict[tuple[str, int], list["ConsumedRecord"]]


def values(consumed: Consumed) -> dict[tuple[str, int, bytes | None], ConsumedRecord]:
    """The last record of each key that is no tombstone; a tombstone may be gone, but nothing before it may be back."""
    return {at: record for at, record in last_values(consumed).items() if record.value is not None}


def set_topics(bootstrap: str, topics: Set[str], settings: Mapping[str, str] = COMPACTED) -> None:
    """Change settings of topics; imported ones have none, as theirs were in ZooKeeper."""
    from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource

    resources = [
        ConfigResource(
            ConfigResource.Type.TOPIC,
            topic,
            incremental_configs=[
                ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
                for name, value in settings.items()
            ],
        )
        for topic in sorted(topics)
    ]
    admin = AdminClient({"bootstrap.servers": bootstrap})  # results die with it
    for changed in admin.incremental_alter_configs(resources).values():
        changed.result(WITHIN_S)


def segments(data: Path) -> list[Path]:
    return [path for topic in sorted(TOPICS) for path in sorted((data / f"{topic}-0").glob("*.log"))]


def horizons(data: Path) -> int:
    """How many batches have a delete horizon."""
    from wirebroker.record.record_batch import batches

    return sum(each.delete_horizon_ms is not None for path in segments(data) for each in batches(path.read_bytes()))


def kill_while_it_cleans(kafka: ZooKeeperBroker) -> dict[tuple[str, int, bytes | None], ConsumedRecord]:
    """Write more, kill the broker in the middle of the next round of its cleaner, and return the values before that.

    A round that nobody has seen, as it was over on a machine that stood still, is followed by another.
    """
    data = kafka.data_directory

    def is_cleaning() -> bool:
        return bool([*data.glob("*-0/*.cleaned")])

    while True:
        # the round begins when everything was read
        set_topics(kafka.bootstrap, TOPICS, {"min.compaction.lag.ms": "3600000"})
        create_more_segments(kafka.bootstrap)
        before = values(consume_all(kafka.bootstrap, TOPICS, "read_committed"))
        cleaned = cleaner_offsets(data)
        set_topics(kafka.bootstrap, TOPICS, {"min.compaction.lag.ms": "0"})
        wait_until(lambda: is_cleaning() or cleaner_offsets(data) != cleaned)  # noqa: B023 - called in this turn only
        if is_cleaning():
            kafka.kill()
            return before


@pytest.mark.parametrize("version", [OLD_KAFKA, pytest.param(KAFKA, marks=pytest.mark.nightly)])
def test_to_and_fro(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str) -> None:
    dist = kafka_dist(version)
    data = tmp_path / "kafka" / "data"
    with ZooKeeper(dist, tmp_path / "zookeeper") as zookeeper:
        kafka = ZooKeeperBroker(dist, tmp_path / "kafka", zookeeper, settings={**FEW, **SLOW_CLEANER})
        with kafka:
            assert kafka.data_directory == data
            assert (data / "cleaner-offset-checkpoint").read_bytes() == b""
            wait_for_controller(kafka)
            write_updates(kafka.bootstrap)
            wait_until(lambda: cleaner_offsets(data).keys() >= TOPICS)
            before = kill_while_it_cleans(kafka)

    release = ["--as-version", version]
    broker = Wirebroker(tmp_path / "ours", {**FEW, **EAGER_CLEANER, "log.segment.delete.delay.ms": "100"}, release)
    broker.data_directory = data
    broker.start()
    set_topics(broker.bootstrap, TOPICS)
    assert values(consume_all(broker.bootstrap, TOPICS, "read_committed")) == before
    create_more_segments(broker.bootstrap)
    append_more(broker.bootstrap)
    wait_until_cleaned(data)
    after = [consume_all(broker.bootstrap, TOPICS, isolation) for isolation in ISOLATIONS]
    assert {*values(after[1])} >= {*before}
    assert "cannot be compacted" not in broker.log()
    broker.stop()
    assert sum(map(len, after[0].values())) < 1500
    assert (horizons(data) > 0) == (version == KAFKA), "2.8 goes by the times of the segments' files"

    shown = dist.run("kafka-dump-log", "--files", ",".join(map(str, segments(data))), "--deep-iteration").stdout
    assert shown.count("isvalid: true") > 20
    assert "isvalid: false" not in shown
    indexes = ",".join(str(path.with_suffix(".index")) for path in segments(data))
    checked = dist.run("kafka-dump-log", "--files", indexes, "--index-sanity-check").stdout
    assert len(re.findall("passed sanity check|is empty", checked)) == len(segments(data))
    assert "passed sanity check" in checked

    with ZooKeeper(dist, tmp_path / "second") as zookeeper:
        internal = {"cleanup.policy": "compact"}
        every = {**dict.fromkeys(TOPICS, COMPACTED), "__transaction_state": internal, "__consumer_offsets": internal}
        write_znodes(zookeeper, data, every, next_producer_id=5_000_000)
        kafka = ZooKeeperBroker(dist, tmp_path / "again", zookeeper, settings={**FEW, **EAGER_CLEANER})
        kafka.data_directory = data
        with kafka:
            for isolation, expected in zip(ISOLATIONS, after, strict=True):
                assert consume_all(kafka.bootstrap, TOPICS, isolation) == expected
            append_more(kafka.bootstrap)
            create_more_segments(kafka.bootstrap)
            wait_until_cleaned(data)
            last = values(consume_all(kafka.bootstrap, TOPICS, "read_committed"))
            assert {*last} == {*values(after[1])}
        assert "ERROR" not in kafka.log_file.read_text()

    # and back once more
    broker.start()
    assert values(consume_all(broker.bootstrap, TOPICS, "read_committed")) == last
    broker.stop()
    assert json.loads((data / ".kafka_cleanshutdown").read_text())
