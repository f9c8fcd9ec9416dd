"""Groups and offsets of a broker that serves as release 2.0, read by the formatters of Apache Kafka 2.0.1."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import create
from compat_tests.limits import WITHIN_S
from compat_tests.versions import OLDEST_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

DAY_MS = 86_400_000
FORMATTERS = "kafka.coordinator.group.GroupMetadataManager$"


@pytest.mark.parametrize(("release", "retention_minutes"), [("2.0", "1440"), ("1.1", "2880")])
def test_the_formatters_of_2_0_read_groups_and_offsets(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, release: str, retention_minutes: str
) -> None:
    from confluent_kafka import Consumer, TopicPartition

    settings = {"offsets.topic.num.partitions": "1", "offsets.retention.minutes": retention_minutes}
    with Wirebroker(tmp_path, settings, ["--as-version", release]) as broker:
        create(broker.bootstrap, {"t": {}}, 2)
        consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "g", "enable.auto.commit": False})
        consumer.subscribe(["t"])
        wait_until(lambda: consumer.poll(0.1) is None and len(consumer.assignment()) == 2)
        consumer.commit(offsets=[TopicPartition("t", 0, 7), TopicPartition("t", 1, 8)], asynchronous=False)
        told = consumer.committed([TopicPartition("t", 0)], timeout=WITHIN_S)
        assert told[0].offset == 7

        def shown(formatter: str) -> str:
            return (
                kafka_dist(OLDEST_KAFKA)
                .run(
                    *(
                        "kafka-console-consumer",
                        "--bootstrap-server",
                        broker.bootstrap,
                        "--topic",
                        "__consumer_offsets",
                    ),
                    *(
                        "--from-beginning",
                        "--consumer-property",
                        "enable.auto.commit=false",
                        "--timeout-ms",
                        "5000",
                        "--formatter",
                        FORMATTERS + formatter,
                    ),
                )
                .stdout
            )

        offsets = re.findall(
            r"\[g,t,(\d)\]::\[OffsetMetadata\[(\d+),[^\]]*\],CommitTime (\d+),ExpirationTime (\d+)\]",
            shown("OffsetsMessageFormatter"),
        )
        assert [(partition, offset) for partition, offset, _, _ in offsets] == [("0", "7"), ("1", "8")]
        for _, _, committed_ms, expires_ms in offsets:
            assert int(expires_ms) - int(committed_ms) == int(retention_minutes) * 60_000
        groups = shown("GroupMetadataMessageFormatter")
        assert re.search(
            r"^g::GroupMetadata\(groupId=g, generation=1, protocolType=Some\(consumer\)", groups, re.MULTILINE
        )
        consumer.close()
