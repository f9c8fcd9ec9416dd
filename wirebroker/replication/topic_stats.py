"""PartitionStats and TopicStats: the traffic of partitions and topics since the start (Kafka: BrokerTopicStats).

Messages and bytes of a leader cost no append anything: they are what the log has grown by since its leadership began.
Kafka's counters are of one topic; here each partition counts, and a topic's figures are added up when they are asked
for.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wirebroker.protocol.primitives import BUFFERS

if TYPE_CHECKING:
    from wirebroker.replication.fetch_reader import FetchParams, FetchResults
    from wirebroker.replication.local_replica import LocalReplica
    from wirebroker.storage.log import Log


class PartitionStats:
    """The traffic of one partition.

    Attributes:
        produce_requests: How often a Produce request has named the partition.
        fetch_requests: How often it was read for a Fetch request.
        bytes_out: The bytes of records that consumers were sent.
        replication_bytes_out: Those that followers were sent.
    """

    __slots__ = (
        "_base_bytes",
        "_base_offset",
        "_bytes",
        "_is_leading",
        "_messages",
        "bytes_out",
        "fetch_requests",
        "produce_requests",
        "replication_bytes_out",
    )

    def __init__(self) -> None:
        self.produce_requests = self.fetch_requests = self.bytes_out = self.replication_bytes_out = 0
        self._messages = self._bytes = self._base_offset = self._base_bytes = 0
        self._is_leading = False

    def begin_leading(self, log: Log) -> None:
        """Count what is appended to *log* from now on as produced here."""
        self._is_leading = True
        self._base_offset, self._base_bytes = log.log_end_offset, log.appended_bytes

    def end_leading(self, log: Log) -> None:
        """Stop counting what is appended to *log*."""
        self._messages, self._bytes = self.messages_in(log), self.bytes_in(log)
        self._is_leading = False

    def messages_in(self, log: Log) -> int:
        """Return the number of offsets that were given to records while this broker was the leader."""
        return self._messages + (log.log_end_offset - self._base_offset if self._is_leading else 0)

    def bytes_in(self, log: Log) -> int:
        """Return the bytes of batches that were appended while this broker was the leader."""
        return self._bytes + (log.appended_bytes - self._base_bytes if self._is_leading else 0)


class TopicCounts:
    """The traffic of one topic, or of all of them."""

    __slots__ = (
        "bytes_in",
        "bytes_out",
        "fetch_requests",
        "messages_in",
        "produce_requests",
        "replication_bytes_out",
    )

    def __init__(self) -> None:
        self.messages_in = self.bytes_in = self.bytes_out = self.replication_bytes_out = 0
        self.produce_requests = self.fetch_requests = 0

    def add(self, partition: LocalReplica) -> None:
        """Add the traffic of *partition*."""
        stats, log = partition.stats, partition.log
        self.messages_in += stats.messages_in(log)
        self.bytes_in += stats.bytes_in(log)
        self.bytes_out += stats.bytes_out
        self.replication_bytes_out += stats.replication_bytes_out
        self.produce_requests += stats.produce_requests
        self.fetch_requests += stats.fetch_requests

    def add_counts(self, other: TopicCounts) -> None:
        """Add the traffic of *other*."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class TopicStats:
    """The traffic of partitions that are not here any more, and the requests that failed, by topic.

    Attributes:
        departed: The traffic of all partitions that were deleted or moved away.
        failed_produce: Topic -> how often a partition of a Produce request has failed.
        failed_fetch: Topic -> the same for Fetch requests.
        isr_shrinks: How often a replica was taken out of an ISR.
        isr_expands: How often one was added.
    """

    MOST_TOPICS = 1000
    """Failed requests may name any topics; those of further ones are counted under an empty name."""

    def __init__(self) -> None:
        self.departed = TopicCounts()
        self.failed_produce: Counter[str] = Counter()
        self.failed_fetch: Counter[str] = Counter()
        self.isr_shrinks = 0
        self.isr_expands = 0

    def departs(self, partition: LocalReplica) -> None:
        """Keep the traffic of a partition that is removed."""
        self.departed.add(partition)

    def produce_failed(self, topic: str) -> None:
        """Count a partition of a Produce request that has failed."""
        self.failed_produce[self._known(topic, self.failed_produce)] += 1

    def fetch_failed(self, topic: str) -> None:
        """Count a partition of a Fetch request that has failed."""
        self.failed_fetch[self._known(topic, self.failed_fetch)] += 1

    def _known(self, topic: str, counter: Counter[str]) -> str:
        return topic if topic in counter or len(counter) < self.MOST_TOPICS else ""


def count_fetched(results: FetchResults, params: FetchParams) -> None:
    """Count the records of a Fetch response, before it is sent."""
    by_follower = params.replica_id >= 0
    if not by_follower and len(results.by_partition) == 1:
        (entry,) = results.by_partition
        if entry.partition is not None:
            entry.partition.stats.bytes_out += results.records_bytes
        return
    for entry, data in results.by_partition.items():
        records, partition = data.records, entry.partition
        if records and partition is not None:
            size_bytes = len(records) if isinstance(records, BUFFERS) else records.size_bytes
            if by_follower:
                partition.stats.replication_bytes_out += size_bytes
            else:
                partition.stats.bytes_out += size_bytes


def count_failed(results: FetchResults, stats: TopicStats) -> None:
    """Count the partitions of a Fetch response that have an error."""
    for entry, data in results.by_partition.items():
        if data.error_code:
            stats.fetch_failed(entry.topic.name if entry.partition is None else entry.partition.topic_partition.topic)
