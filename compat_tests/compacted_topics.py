"""Small segments and an eager cleaner, and the sizes of compacted topics on the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import EAGER_CLEANER

if TYPE_CHECKING:
    from pathlib import Path

    from compat_tests.broker import Wirebroker

SEGMENT_BYTES = 50_000
SMALL = 4 * SEGMENT_BYTES
"""The bytes that a partition may have: what is live, the active segment, and what was written since the last round."""
SETTINGS = {
    **EAGER_CLEANER,
    "log.segment.bytes": str(SEGMENT_BYTES),
    "log.segment.delete.delay.ms": "100",
    "offsets.topic.num.partitions": "2",
    "offsets.topic.segment.bytes": str(SEGMENT_BYTES),
    "transaction.state.log.num.partitions": "2",
    "transaction.state.log.segment.bytes": str(SEGMENT_BYTES),
    "group.initial.rebalance.delay.ms": "0",
}


def log_bytes(directory: Path) -> int:
    """The size of a partition's log, from which the cleaner may take segments meanwhile."""
    total = 0
    for path in directory.glob("*.log"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            pass  # renamed since the directory was listed
    return total


class CompactedTopics:
    """The partitions of some topics, on the disk of a broker and as a consumer sees them."""

    def __init__(self, broker: Wirebroker, *topics: str) -> None:
        self._broker, self._topics = broker, topics

    def sizes(self) -> dict[str, int]:
        """Partition -> the size of its log."""
        return {
            path.name: log_bytes(path)
            for topic in self._topics
            for path in sorted(self._broker.data_directory.glob(f"{topic}-*"))
        }

    def wait_until_small(self, size_bytes: int = SMALL) -> None:
        """Wait until the cleaner has caught up; the writers have ended."""
        assert self.sizes()
        wait_until(lambda: max(self.sizes().values()) <= size_bytes)

    def table(self) -> str:
        """The partitions with the records that were written, and the size of those that are left."""
        from confluent_kafka import Consumer, TopicPartition

        consumer = Consumer({"bootstrap.servers": self._broker.bootstrap, "group.id": "sizes"})
        lines = []
        for name, size in self.sizes().items():
            topic, _, partition = name.rpartition("-")
            _, end = consumer.get_watermark_offsets(TopicPartition(topic, int(partition)), 30)
            lines.append(f"{name:60} {end:9,} offsets {size:9,} bytes")
        consumer.close()
        return "\n".join(lines)
