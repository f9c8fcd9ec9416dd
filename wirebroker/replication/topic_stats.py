"""PartitionStats and TopicStats: the traffic of partitions and topics since the start (Kafka: BrokerTopicStats).

Messages and bytes of a leader cost no append anything: they are what the log has grown by since its leadership began.
Kafka's counters are of one topic; here each partition counts, and a topic's figures are added up when they are asked
for.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from wirebroker.metrics.histogram import Histogram
from wirebroker.protocol.errors import ErrorCode
from wirebroker.record.errors import RecordTooLargeError, RecordValidationError

if TYPE_CHECKING:
    from wirebroker.record.errors import ValidationFailure
    from wirebroker.replication.fetch_results import FetchResults
    from wirebroker.replication.local_replica import LocalReplica
    from wirebroker.storage.log import Log


class PartitionStats:
    """The traffic of one partition.

    Attributes:
        produce_requests: How often a Produce request had records for the partition that were framed as batches are.
        fetch_requests: How often it was read for a Fetch request.
        bytes_out: The bytes of records that consumers were sent.
        replication_bytes_out: Those that followers were sent.
        replication_bytes_in: The bytes of records that were fetched from leaders.
        produce_conversions: The messages whose format was changed when they were appended.
        fetch_conversions: The messages whose format was changed for consumers.
    """

    __slots__ = (
        "_base_bytes",
        "_base_offset",
        "_bytes",
        "_is_leading",
        "_messages",
        "bytes_out",
        "fetch_conversions",
        "fetch_requests",
        "produce_conversions",
        "produce_requests",
        "replication_bytes_in",
        "replication_bytes_out",
    )

    def __init__(self) -> None:
        self.produce_requests = self.fetch_requests = self.bytes_out = self.replication_bytes_out = 0
        self.replication_bytes_in = self.produce_conversions = self.fetch_conversions = 0
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
        "fetch_conversions",
        "fetch_requests",
        "messages_in",
        "produce_conversions",
        "produce_requests",
        "replication_bytes_in",
        "replication_bytes_out",
    )

    def __init__(self) -> None:
        self.messages_in = self.bytes_in = self.bytes_out = self.replication_bytes_out = 0
        self.produce_requests = self.fetch_requests = 0
        self.replication_bytes_in = self.produce_conversions = self.fetch_conversions = 0

    def add(self, partition: LocalReplica) -> None:
        """Add the traffic of *partition*."""
        stats, log = partition.stats, partition.log
        self.messages_in += stats.messages_in(log)
        self.bytes_in += stats.bytes_in(log)
        self.bytes_out += stats.bytes_out
        self.replication_bytes_out += stats.replication_bytes_out
        self.produce_requests += stats.produce_requests
        self.fetch_requests += stats.fetch_requests
        self.replication_bytes_in += stats.replication_bytes_in
        self.produce_conversions += stats.produce_conversions
        self.fetch_conversions += stats.fetch_conversions

    def add_counts(self, other: TopicCounts) -> None:
        """Add the traffic of *other*."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class ConversionTimes:
    """The times and the sizes of conversions of message formats, for requests of one API."""

    __slots__ = ("bytes", "times_ms")

    def __init__(self) -> None:
        self.times_ms, self.bytes = Histogram(), Histogram()

    def record(self, elapsed_s: float, size_bytes: int) -> None:
        """Count one conversion, which has made *size_bytes*; may be called in a thread."""
        self.times_ms.update(1000 * elapsed_s)
        self.bytes.update(size_bytes)


class TopicStats:
    """The traffic of partitions that are not here any more, and the requests that failed, by topic.

    Attributes:
        departed: The traffic of all partitions that were deleted or moved away.
        failed_produce: Topic -> how often an append for a Produce request has failed, as `handlers/produce.py` counts.
        failed_fetch: Topic -> how often a read for a Fetch request has failed, as `count_failed` counts.
        rejected_bytes: Topic -> the bytes of batches that were larger than max.message.bytes.
        validation_failures: Why records were refused -> how many, or how many batches that were refused as a whole.
        isr_shrinks: How often a replica was taken out of an ISR.
        isr_expands: How often one was added.
        failed_isr_updates: How often the controller has refused one of these changes.
        produce_conversions: The conversions of message formats for Produce requests.
        fetch_conversions: Those for Fetch requests.
    """

    MOST_TOPICS = 1000
    """Failed requests may name any topics; those of further ones are counted under an empty name."""

    def __init__(self) -> None:
        self.departed = TopicCounts()
        self.failed_produce: Counter[str] = Counter()
        self.failed_fetch: Counter[str] = Counter()
        self.rejected_bytes: Counter[str] = Counter()
        self.validation_failures: Counter[ValidationFailure] = Counter()
        self.isr_shrinks = 0
        self.isr_expands = 0
        self.failed_isr_updates = 0
        self.produce_conversions, self.fetch_conversions = ConversionTimes(), ConversionTimes()

    def departs(self, partition: LocalReplica) -> None:
        """Keep the traffic of a partition that is removed."""
        self.departed.add(partition)

    def produce_failed(self, topic: str) -> None:
        """Count a partition of a Produce request that has failed."""
        self.failed_produce[self._known(topic, self.failed_produce)] += 1

    def records_refused(self, topic: str, error: BaseException | None, size_bytes: int) -> None:
        """Count the records of one partition, of *size_bytes*, that validation has refused; any other *error* is not.

        Of records that are refused one by one those are counted that the response names.
        """
        if isinstance(error, RecordTooLargeError):
            self.rejected_bytes[self._known(topic, self.rejected_bytes)] += size_bytes
        elif isinstance(error, RecordValidationError) and error.failure is not None:
            self.validation_failures[error.failure] += len(error.record_indexes) or 1

    def fetch_failed(self, topic: str) -> None:
        """Count a partition of a Fetch request that has failed."""
        self.failed_fetch[self._known(topic, self.failed_fetch)] += 1

    def _known(self, topic: str, counter: Counter[str]) -> str:
        return topic if topic in counter or len(counter) < self.MOST_TOPICS else ""


_EXPECTED_FETCH_ERRORS: Final = frozenset(
    {
        ErrorCode.NONE,
        ErrorCode.OFFSET_OUT_OF_RANGE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REPLICA_NOT_AVAILABLE,
        ErrorCode.UNSUPPORTED_VERSION,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.INCONSISTENT_TOPIC_ID,
    }
)
"""Errors of a client, or of a leader that has moved, which FailedFetchRequestsPerSec of Apache Kafka does not count."""


def count_failed(results: FetchResults, stats: TopicStats) -> None:
    """Count the partitions of a Fetch response whose records could not be read, though this broker leads them."""
    for entry, data in results.by_partition.items():
        if data.error_code not in _EXPECTED_FETCH_ERRORS:
            stats.fetch_failed(entry.topic.name if entry.partition is None else entry.partition.topic_partition.topic)
