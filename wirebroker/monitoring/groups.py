"""Metrics of the coordinators: groups by state, committed offsets, and the lag of each group and partition."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Final

from wirebroker.coordinator.group.shard import GroupShard
from wirebroker.coordinator.transaction.shard import TransactionShard
from wirebroker.metrics import catalogue
from wirebroker.metrics.metric import figures

if TYPE_CHECKING:
    from wirebroker.coordinator.group.coordinator import GroupCoordinator
    from wirebroker.coordinator.transaction.coordinator import TransactionCoordinator
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.metrics.metric import Rows, Snapshot
    from wirebroker.replication.replica_manager import ReplicaManager

MOST_OFFSETS: Final = 10_000
"""Committed offsets that get lines of their own; a million of them would be 200 MB in every scrape."""


class _Offsets:
    """Rows of committed offsets and lags, and their sums by group and topic."""

    def __init__(self, replicas: ReplicaManager) -> None:
        self._replicas = replicas
        self.offsets: Rows = []
        self.lags: Rows = []
        self.offset_sums: Counter[tuple[str, str]] = Counter()
        self.lag_sums: Counter[tuple[str, str]] = Counter()
        self.count = 0

    def add(self, group: str, topic: str, index: int, offset: int) -> None:
        self.count += 1
        key = (group, topic)
        self.offset_sums[key] += offset
        partition = self._replicas.find(topic, index)
        listed = self.count <= MOST_OFFSETS
        tags = (group, topic, str(index))
        if listed:
            self.offsets.append((tags, offset))
        if partition is not None and partition.leader is not None:
            lag = max(0, partition.high_watermark - offset)
            self.lag_sums[key] += lag
            if listed:
                self.lags.append((tags, lag))


async def collect_groups(groups: GroupCoordinator, replicas: ReplicaManager, budget: LoopBudget) -> Snapshot:
    """Return the metrics of the groups that this broker coordinates; other tasks run meanwhile."""
    states: Counter[str] = Counter()
    members: Rows = []
    found = _Offsets(replicas)
    for shard in groups.active_shards():
        assert isinstance(shard, GroupShard)
        for group in list(shard.manager.groups.values()):
            states[str(group.state)] += 1
            members.append(((group.group_id,), len(group.members)))
            await budget.yield_if_due()
        for group_id, commits in shard.manager.offsets.all_groups():
            for (topic, index), committed in list(commits.items()):
                found.add(group_id, topic, index, committed.offset)
                await budget.yield_if_due()
    by_state = {state: states[state] for state in catalogue.NUM_GROUPS_BY_STATE}
    return [
        (catalogue.NUM_GROUPS, [((), states.total())]),
        *figures((catalogue.NUM_GROUPS_BY_STATE[state], count) for state, count in by_state.items()),
        (catalogue.NUM_OFFSETS, [((), found.count)]),
        (catalogue.SERIES_LEFT_OUT, [((), max(0, found.count - MOST_OFFSETS))]),
        (catalogue.GROUP_MEMBERS, members[:MOST_OFFSETS]),
        (catalogue.GROUP_OFFSET, found.offsets),
        (catalogue.GROUP_LAG, found.lags),
        (catalogue.GROUP_OFFSET_SUM, _rows(found.offset_sums)),
        (catalogue.GROUP_LAG_SUM, _rows(found.lag_sums)),
    ]


def _rows(sums: Counter[tuple[str, str]]) -> Rows:
    return [(tags, value) for tags, value in islice(sums.items(), MOST_OFFSETS)]


async def collect_transactions(transactions: TransactionCoordinator, budget: LoopBudget) -> Snapshot:
    """Return the transactional ids of this coordinator by state."""
    states: Counter[str] = Counter()
    for shard in transactions.active_shards():
        assert isinstance(shard, TransactionShard)
        for transaction in list(shard.manager.transactions.values()):
            states[transaction.state.name] += 1
            await budget.yield_if_due()
    return [(catalogue.TRANSACTIONS, [((state,), count) for state, count in sorted(states.items())])]
