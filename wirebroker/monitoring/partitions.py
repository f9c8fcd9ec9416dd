"""Metrics of partitions, topics, logs and replicas, read in one pass over the partitions of the broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.metrics import catalogue
from wirebroker.metrics.metric import distribution, figures
from wirebroker.replication.topic_stats import TopicCounts

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    (catalogue.REPLICATION_BYTES_OUT, "replication_bytes_out"),
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


class _Pass:
    """The sums and rows of one pass over the partitions."""

    def __init__(self, replicas: ReplicaManager) -> None:
        self._rules = replicas.isr_rules
        self.topics: dict[str, TopicCounts] = {}
        self.led: dict[str, int] = {}
        self.log_rows: tuple[Rows, ...] = tuple([] for _ in _OF_LOGS)
        self.leader_rows: tuple[Rows, ...] = tuple([] for _ in _OF_LEADERS)
        self.partitions = self.leaders = self.under_replicated = self.under_min_isr = self.at_min_isr = 0
        self.reassigning = 0

    def add(self, partition: Partition) -> None:
        topic, index = partition.topic_partition
        tags = (topic, str(index))
        self.partitions += 1
        counts = self.topics.get(topic)
        if counts is None:
            counts = self.topics[topic] = TopicCounts()
        counts.add(partition)
        view = partition.log.view
        of_log = (view.size_bytes, view.log_end_offset, view.log_start_offset, len(view.segments))
        for rows, figure in zip(self.log_rows, of_log, strict=True):
            rows.append((tags, figure))
        if partition.leader is not None:
            self._add_leader(partition, partition.leader, tags)

    def _add_leader(self, partition: Partition, leader: LeaderState, tags: tuple[str, str]) -> None:
        topic = tags[0]
        self.leaders += 1
        self.led[topic] = self.led.get(topic, 0) + 1
        state = partition.leader_and_isr
        replicas = len(leader.remote_replicas) + 1
        in_sync = len(leader.partition_state.isr)
        required = leader.effective_min_isr(partition.log.config.min_insync_replicas, self._rules)
        under_replicated, under, at_min = int(in_sync < replicas), int(in_sync < required), int(in_sync == required)
        self.under_replicated += under_replicated
        self.under_min_isr += under
        self.at_min_isr += at_min
        self.reassigning += state is not None and bool(state.adding_replicas or state.removing_replicas)
        preferred = state is None or not state.replicas or state.replicas[0] == state.leader
        of_leader = (
            under_replicated,
            under,
            at_min,
            in_sync,
            replicas,
            max(0, partition.high_watermark - partition.last_stable_offset),
            partition.high_watermark,
            partition.log.log_start_offset,
            in_sync,
            -1 if state is None else state.leader,
            int(preferred),
            replicas,
            under_replicated,
        )
        for rows, figure in zip(self.leader_rows, of_leader, strict=True):
            rows.append((tags, figure))


async def collect_partitions(replicas: ReplicaManager, budget: LoopBudget) -> Snapshot:
    """Return the metrics of all partitions, and of their topics and logs; other tasks run meanwhile."""
    found = _Pass(replicas)
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
        (catalogue.ISR_SHRINKS, stats.isr_shrinks),
        (catalogue.ISR_EXPANDS, stats.isr_expands),
    )
    snapshot = figures(single)
    snapshot += _topics(found.topics, stats)
    snapshot.append((catalogue.TOPIC_PARTITIONS, [((topic,), count) for topic, count in found.led.items()]))
    snapshot += zip(_OF_LOGS, found.log_rows, strict=True)
    snapshot += zip(_OF_LEADERS, found.leader_rows, strict=True)
    snapshot += _storage(replicas)
    return snapshot


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
    for metric, failed in (
        (catalogue.FAILED_PRODUCE, stats.failed_produce),
        (catalogue.FAILED_FETCH, stats.failed_fetch),
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
