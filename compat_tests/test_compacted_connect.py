"""The compacted topics of Connect in distributed mode stay small, and a new worker goes on with what they hold."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from compat_tests.compacted_topics import SETTINGS, CompactedTopics
from compat_tests.conftest import wait_until
from compat_tests.connect_worker import ConnectWorker
from compat_tests.directory_scenario import consume_all, create

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Wirebroker

pytestmark = pytest.mark.nightly

SEGMENT_BYTES = 5_000
SMALL = 8 * SEGMENT_BYTES
PAUSES, ENOUGH = 30, 3_000
"""Lines are offsets, of 200 bytes with their markers: fifteen times SMALL, were they not compacted."""


def end_offset(broker: Wirebroker, topic: str, partition: int) -> int:
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "ends"})
    try:
        return int(consumer.get_watermark_offsets(TopicPartition(topic, partition), 60)[1])
    finally:
        consumer.close()


def test_connect(
    start_wirebroker: Callable[..., Wirebroker], tmp_path: Path, show_at_the_end: Callable[[str, str], None]
) -> None:
    """Sources that commit their position with each line; a new worker goes on where the last one ended."""
    names = ("log.segment.bytes", "offsets.topic.segment.bytes", "transaction.state.log.segment.bytes")
    sizes = dict.fromkeys(names, str(SEGMENT_BYTES))
    # a marker stays for the time that a tombstone stays, and goes in a later round
    broker = start_wirebroker({**SETTINGS, **sizes, "log.cleaner.delete.retention.ms": "100"})
    create(broker.bootstrap, {"lines": {"segment.bytes": "10000000"}})
    files = [tmp_path / f"a file whose name is long enough to fill segments soon {number}" for number in range(8)]
    worker = ConnectWorker(broker.bootstrap, tmp_path)
    written = 0

    def write(count: int) -> None:
        """Append so many lines to each file."""
        nonlocal written
        for file in files:
            with file.open("a") as lines:
                lines.writelines(f"{file.name[-1]} {number}\n" for number in range(written, written + count))
        written += count

    def are_small() -> bool:
        """Whether all topics are small; rounds, which remove markers, go on while there are new lines."""
        write(1)
        time.sleep(1)
        return max(topics.sizes().values()) <= SMALL

    def connected() -> int:
        """How many lines are in the topic, each of which has a marker behind it."""
        return end_offset(broker, "lines", 0) // 2

    compacted = ("connect-offset", "connect-config", "connect-status", "__consumer_offsets", "__transaction_state")
    topics = CompactedTopics(broker, *compacted)
    with worker.running():
        for number, file in enumerate(files):
            file.touch()
            worker.read_file(f"source-{number}", file, "lines")
        for _ in range(PAUSES):  # changes of a state are records of the other two topics
            write(20)
            worker.ask("PUT", "/connectors/source-0/pause")
            time.sleep(0.3)
            worker.ask("PUT", "/connectors/source-0/resume")
            time.sleep(0.3)
        wait_until(lambda: connected() >= ENOUGH, 300)
        wait_until(are_small, 300)
    committed = sum(end_offset(broker, "connect-offset", partition) for partition in range(2))
    assert committed >= 2 * ENOUGH, "a record and a marker for each line"
    show_at_the_end(f"Connect, {PAUSES} pauses", topics.table())
    first = connected()
    broker.kill()
    broker.start()
    with worker.running():
        write(200)
        wait_until(lambda: connected() >= first + 20 * len(files), 300)
    seen: dict[str, list[int]] = {}
    for record in consume_all(broker.bootstrap, {"lines"}, "read_committed")["lines", 0]:
        source, line = (record.value or b"").decode().split()
        seen.setdefault(source, []).append(int(line))
    assert len(seen) == len(files)
    for numbers in seen.values():
        assert numbers == list(range(len(numbers)))
