"""Metrics of partitions, topics, logs and replicas, read in one pass over the partitions of the broker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.clock import now_ms
from wirebroker.metrics import catalogue
from wirebroker.metrics.metric import Columns, distribution, figures
from wirebroker.monitoring.disks import collect_disks
from wirebroker.record.errors import ValidationFailure
from wirebroker.replication.topic_stats import TopicCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wirebroker.loop_budget import LoopBudget
    from wirebroker.metrics.metric import Metric, Rows, Snapshot
    from wirebroker.replication.leader_state import LeaderState
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.replication.topic_stats import TopicStats

_TOPIC_METRICS = (
    (catalogue.MESSAGES_IN, "messages_in"),
    (catalogue.BYTES_IN, "bytes_in"),
    (catalogue.BYTES_OUT, "bytes_out"),
    (catalogue.REPLICATION_BYTES_IN, "replication_bytes_in"),
    (catalogue.REPLICATION_BYTES_OUT, "replication_bytes_out"),
    (catalogue.PRODUCE_CONVERSIONS, "produce_conversions"),
    (catalogue.FETCH_CONVERSIONS, "fetch_conversions"),
    (catalogue.PRODUCE_REQUESTS, "produce_requests"),
    (catalogue.FETCH_REQUESTS, "fetch_requests"),
)
_OF_LOGS = (catalogue.LOG_SIZE, catalogue.LOG_END_OFFSET, catalogue.LOG_START_OFFSET, catalogue.LOG_SEGMENTS)
_OF_LEADERS = (
    catalogue.PARTITION_UNDER_REPLICATED,
    catalogue.PARTITION_UNDER_MIN_ISR,
    catalogue.PARTITION_AT_MIN_ISR,
    catalogue.PARTITION_IN_SYNC,
    catalogue.PARTITION_REPLICAS,
    catalogue.PARTITION_STABLE_LAG,
    catalogue.TOPIC_CURRENT_OFFSET,
    catalogue.TOPIC_OLDEST_OFFSET,
    catalogue.TOPIC_IN_SYNC,
    catalogue.TOPIC_LEADER,
    catalogue.TOPIC_PREFERRED,
    catalogue.TOPIC_REPLICAS,
    catalogue.TOPIC_UNDER_REPLICATED,
)


_LATE_TRANSACTION_MS: Final = 5 * 60 * 1000
"""How much longer than the longest timeout a transaction is open when it is late (KIP-664)."""
_BLOCK: Final = 256
"""Rows that are turned into columns at a time, which takes 0.05 ms."""


class _Table:
    """Rows of the metrics that each partition has; they become columns block by block, so that no turn is long."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._metrics = metrics
        self._columns: list[list[int]] = [[] for _ in metrics]
        self._rows: list[tuple[int, ...]] = []
        self._tags: list[tuple[str, ...]] = []

    def append(self, tags: tuple[str, ...], row: tuple[int, ...]) -> None:
        """Add the values of one partition, in the order of the metrics."""
        self._tags.append(tags)
        self._rows.append(row)
        if len(self._rows) == _BLOCK:
            self._fold()

    def _fold(self) -> None:
        for column, values in zip(self._columns, zip(*self._rows, strict=True), strict=bool(self._rows)):
            column += values
        self._rows.clear()

    def columns(self, tags_of: _Table | None = None) -> Snapshot:
        """Return the metrics; their tags are shared with *tags_of* if it has the same."""
        self._fold()
        if tags_of is not None and tags_of._tags == self._tags:
            self._tags = tags_of._tags
        return [
            (metric, Columns(self._tags, values)) for metric, values in zip(self._metrics, self._columns, strict=True)
        ]


class _Pass:
    """The sums and rows of one pass over the partitions."""

    def __init__(self, replicas: ReplicaManager, late_before_ms: int = 0) -> None:
        """A transaction without a batch since *late_before_ms* is late."""
        self._rules = replicas.isr_rules
        self.topics: dict[str, TopicCounts] = {}
        self.led: dict[str, int] = {}
        self.partitions = self.leaders = self.under_replicated = self.under_min_isr = self.at_min_isr = 0
        self.reassigning = self.producer_ids = self.late_transactions = 0
        self.log_bytes = 0
        self._late_before_ms = late_before_ms
        self._of_logs, self._of_leaders = _Table(_OF_LOGS), _Table(_OF_LEADERS)

    def add(self, partition: Partition) -> None:
        topic, index = partition.topic_partition
        tags = (topic, str(index))
        self.partitions += 1
        self.count_traffic(partition)
        log = partition.log
        segments, _, size_bytes, _, start_offset, end_offset, unstable = log.reader.published
        if len(segments) > 1:
            size_bytes = log.size_bytes
        self.log_bytes += size_bytes
        producers = log.producer_state_manager
        self.producer_ids += len(producers.entries)
        if unstable is not None:
            opened_ms = producers.oldest_open_transaction_ms()
            self.late_transactions += opened_ms is not None and 0 < opened_ms < self._late_before_ms
        self._of_logs.append(tags, (size_bytes, end_offset, start_offset, len(segments)))
        leader = partition.leader
        if leader is not None:
            unstable_lag = 0 if unstable is None else max(0, partition.high_watermark - partition.last_stable_offset)
            self._add_leader(partition, leader, tags, start_offset, unstable_lag)

    def count_traffic(self, partition: Partition) -> None:
        """Add the partition to the counters of its topic."""
        topic = partition.topic_partition.topic
        counts = self.topics.get(topic)
        if counts is None:
            counts = self.topics[topic] = TopicCounts()
        counts.add(partition)

    def _add_leader(
        self, partition: Partition, leader: LeaderState, tags: tuple[str, str], start_offset: int, unstable_lag: int
    ) -> None:
        topic = tags[0]
        self.leaders += 1
        self.led[topic] = self.led.get(topic, 0) + 1
        state, high_watermark = partition.leader_and_isr, partition.high_watermark
        replicas = len(leader.remote_replicas) + 1
        in_sync = len(leader.partition_state.isr)
        required = leader.effective_min_isr(partition.log.config.min_insync_replicas, self._rules)
        under_replicated, under, at_min = int(in_sync < replicas), int(in_sync < required), int(in_sync == required)
        self.under_replicated += under_replicated
        self.under_min_isr += under
        self.at_min_isr += at_min
        leader_id, is_preferred = -1, True
        if state is not None:
            leader_id = state.leader
            is_preferred = not state.replicas or state.replicas[0] == leader_id
            self.reassigning += bool(state.adding_replicas or state.removing_replicas)
        self._of_leaders.append(
            tags,
            (
                under_replicated,
                under,
                at_min,
                in_sync,
                replicas,
                unstable_lag,
                high_watermark,
                start_offset,
                in_sync,
                leader_id,
                int(is_preferred),
                replicas,
                under_replicated,
            ),
        )

    def columns(self) -> Snapshot:
        """Return the metrics that each partition has."""
        return [*self._of_logs.columns(), *self._of_leaders.columns(self._of_logs)]


async def collect_traffic(replicas: ReplicaManager, budget: LoopBudget) -> Snapshot:
    """Return the counters of topics only, of which rates are made."""
    found = _Pass(replicas)
    for partition in replicas.partitions():
        found.count_traffic(partition)
        await budget.yield_if_due()
    stats = replicas.topic_stats
    return [*_counters(stats), *_topics(found.topics, stats), *_storage(replicas)]


async def collect_partitions(replicas: ReplicaManager, budget: LoopBudget, longest_transaction_ms: int) -> Snapshot:
    """Return the metrics of all partitions, and of their topics and logs; other tasks run meanwhile."""
    found = _Pass(replicas, now_ms() - longest_transaction_ms - _LATE_TRANSACTION_MS)
    for partition in replicas.partitions():
        found.add(partition)
        await budget.yield_if_due()
    stats = replicas.topic_stats
    single = (
        (catalogue.LEADER_COUNT, found.leaders),
        (catalogue.PARTITION_COUNT, found.partitions),
        (catalogue.OFFLINE_REPLICAS, replicas.offline_count),
        (catalogue.UNDER_REPLICATED, found.under_replicated),
        (catalogue.UNDER_MIN_ISR, found.under_min_isr),
        (catalogue.AT_MIN_ISR, found.at_min_isr),
        (catalogue.REASSIGNING, found.reassigning),
        (catalogue.PRODUCER_IDS, found.producer_ids),
        (catalogue.LATE_TRANSACTIONS, found.late_transactions),
    )
    snapshot = [*figures(single), *_counters(stats)]
    snapshot += _topics(found.topics, stats)
    snapshot.append((catalogue.TOPIC_PARTITIONS, [((topic,), count) for topic, count in found.led.items()]))
    snapshot += found.columns()
    snapshot += _storage(replicas)
    snapshot += await collect_disks(replicas, budget, found.log_bytes)
    return snapshot


def _counters(stats: TopicStats) -> Snapshot:
    """Return the counters that are not kept by topic."""
    failures = stats.validation_failures
    return figures(
        (
            (catalogue.ISR_SHRINKS, stats.isr_shrinks),
            (catalogue.ISR_EXPANDS, stats.isr_expands),
            (catalogue.FAILED_ISR_UPDATES, stats.failed_isr_updates),
            (catalogue.INVALID_MAGIC, failures[ValidationFailure.INVALID_MAGIC]),
            (catalogue.INVALID_CHECKSUM, failures[ValidationFailure.INVALID_CHECKSUM]),
            (catalogue.INVALID_OFFSET_OR_SEQUENCE, failures[ValidationFailure.INVALID_OFFSET_OR_SEQUENCE]),
            (catalogue.NO_KEY, failures[ValidationFailure.NO_KEY]),
        )
    )


def _topics(topics: Mapping[str, TopicCounts], stats: TopicStats) -> Snapshot:
    """Return the metrics of each topic, and of all of them under an empty name, which has no tag."""
    everything = TopicCounts()
    everything.add_counts(stats.departed)
    for counts in topics.values():
        everything.add_counts(counts)
    snapshot: Snapshot = []
    for metric, attribute in _TOPIC_METRICS:
        rows: Rows = [(("",), getattr(everything, attribute))]
        rows += [((topic,), getattr(counts, attribute)) for topic, counts in topics.items()]
        snapshot.append((metric, rows))
    conversions = (("Produce", stats.produce_conversions), ("Fetch", stats.fetch_conversions))
    snapshot.append((catalogue.CONVERSION_TIME, [((name,), each.times_ms.value()) for name, each in conversions]))
    snapshot.append((catalogue.TEMPORARY_MEMORY, [((name,), each.bytes.value()) for name, each in conversions]))
    for metric, failed in (
        (catalogue.FAILED_PRODUCE, stats.failed_produce),
        (catalogue.FAILED_FETCH, stats.failed_fetch),
        (catalogue.BYTES_REJECTED, stats.rejected_bytes),
    ):
        names = dict.fromkeys((*topics, *failed))
        names.pop("", None)
        snapshot.append((metric, [(("",), failed.total()), *(((topic,), failed[topic]) for topic in names)]))
    return snapshot


def _storage(replicas: ReplicaManager) -> Snapshot:
    log_dirs, flushes = replicas.log_manager.log_dirs, replicas.log_manager.flushes
    offline: Rows = [((str(path),), int(log_dirs.is_offline(path))) for path in log_dirs.paths]
    times_ms = [1000 * each for each in flushes.times_s.copy()]
    storage: tuple[tuple[Metric, Rows], ...] = (
        (catalogue.OFFLINE_DIRECTORIES, [((), len(log_dirs) - len(log_dirs.online))]),
        (catalogue.DIRECTORY_OFFLINE, offline),
        (catalogue.LOG_FLUSHES, [((), distribution(flushes.count, times_ms))]),
    )
    return list(storage)
