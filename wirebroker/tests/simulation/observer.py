"""Observer: sees all brokers and clients at once, and checks the invariants at each turn of the event loop.

Only the brokers whose tasks have run in a turn are looked at: nothing else changes a broker.

- At most one broker leads a partition in one leader epoch.
- A high watermark is not above the log end of any replica in the maximal ISR, and never moves back within an epoch.
- What was committed is in the log of every later leader and of every replica in the ISR, byte by byte.
- A record that was acknowledged is committed, at its offset; each producer's records are there once and in order.
- A consumer reads committed records only; with read_committed, those of committed transactions, and all of them.
- A partition has one member of its group in each generation; committed offsets are found again.
- A transaction is committed in all of its partitions or in none, as its producer was told.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import trio

from wirebroker.tests.simulation.committed_log import CommittedLog, PartitionKey
from wirebroker.tests.simulation.group_rules import GroupRules
from wirebroker.tests.simulation.processes import process_of
from wirebroker.tests.simulation.trace import Violation
from wirebroker.tests.simulation.transactions import TransactionOutcomes
from wirebroker.tests.simulation.znode_rules import ZnodeRules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wirebroker.handlers.context import Services
    from wirebroker.replication.leader_state import LeaderState
    from wirebroker.replication.partition import Partition
    from wirebroker.tests.simulation.broker import SimulatedBroker, World
    from wirebroker.tests.simulation.processes import Process


class _Unchanged(NamedTuple):
    """The partitions that one run of a broker leads, which need not be checked again as they are."""

    services: Services
    found: dict[Partition, tuple[LeaderState, int]]
    """Partition -> the role in which it leads, and its high watermark."""


class Observer(trio.abc.Instrument):
    """Watches the *brokers* of a simulation; the first violation ends the run."""

    def __init__(self, brokers: Mapping[int, SimulatedBroker], world: World) -> None:
        self.violation: Violation | None = None
        self.has_violation = trio.Event()
        self.acknowledged = self.consumed = 0
        """Counts of records."""
        self.group = GroupRules()
        self.transactions = TransactionOutcomes()
        self.logs: dict[PartitionKey, CommittedLog] = {}
        self._brokers = brokers
        self._leaders: dict[tuple[PartitionKey, int], int] = {}
        """(partition, leader epoch) -> the broker that leads in it."""
        self._newest: dict[PartitionKey, int] = {}
        """Partition -> newest leader epoch in which a broker has led."""
        self._marks: dict[tuple[int, PartitionKey], tuple[LeaderState, int]] = {}
        """(broker, partition) -> the role in which it led when it was last seen, and its high watermark."""
        self._unchanged: dict[int, _Unchanged] = {}
        """Broker -> what was found at its partitions when they were last checked."""
        self._ran: set[Process | None] = set()
        """The processes whose tasks have run since the last check."""
        for broker in brokers.values():
            # partitions of a directory that has failed are not led any more, and were until then
            broker.before_disk_failure = partial(self._guard, partial(self._check_broker, broker))
        rules = ZnodeRules(world.zookeeper, leaders_write=world.protocol in ("2.0", "2.6"))
        world.zookeeper.on_written = lambda written: self._guard(lambda: rules.check(written))

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """Note the process of *task*; called by trio."""
        self._ran.add(process_of(task))

    def before_io_wait(self, timeout: float) -> None:
        """Check the leaders at brokers that have run; called by trio once per turn."""
        for broker in self._brokers.values():
            if broker.process in self._ran:
                self._guard(partial(self._check_broker, broker))
        self._ran.clear()

    def check_now(self) -> None:
        """Check all leaders, before one of them ends."""
        self._guard(self._check_leaders)

    def fail(self, violation: Violation) -> None:
        """End the run."""
        if self.violation is None:
            self.violation = violation
            self.has_violation.set()

    def _guard(self, check: Callable[[], None]) -> None:
        if self.violation is None:
            try:
                check()
            except Exception as fault:  # trio drops an instrument that raises
                self.fail(fault if isinstance(fault, Violation) else Violation(f"the observer failed: {fault!r}"))

    # -- brokers

    def _check_leaders(self) -> None:
        for broker in self._brokers.values():
            self._check_broker(broker)

    def _check_broker(self, broker: SimulatedBroker) -> None:
        services = broker.services
        if services is None:
            return
        unchanged = self._unchanged.get(broker.broker_id)
        if unchanged is None or unchanged.services is not services:
            unchanged = self._unchanged[broker.broker_id] = _Unchanged(services, {})
        found = unchanged.found
        for partition in services.replicas.partitions():
            leader = partition.leader
            if leader is None or found.get(partition) == (state := (leader, partition.high_watermark)):
                continue
            if partition.log.failure is None:
                with broker.disk.without_faults():  # a directory may have failed, and the broker not know of it yet
                    self._check_leader(broker, partition, leader)
                found[partition] = state

    def _check_leader(self, broker: SimulatedBroker, partition: Partition, leader: LeaderState) -> None:
        key = PartitionKey(partition.topic_partition.topic, partition.topic_id, partition.topic_partition.partition)
        high_watermark, epoch = partition.high_watermark, leader.leader_epoch
        known, mark = self._marks.get((broker.broker_id, key), (None, 0))
        if known is leader and mark == high_watermark:
            return
        where = f"{key} on {broker.name} in leader epoch {epoch}"
        committed = self.logs.get(key) or self.logs.setdefault(key, CommittedLog(key, self.transactions))
        if known is not leader:
            other = self._leaders.setdefault((key, epoch), broker.broker_id)
            if other != broker.broker_id:
                raise Violation(f"{where}: broker {other} leads in the same epoch")
            if epoch >= self._newest.get(key, -1):
                self._newest[key] = epoch
                committed.check_prefix(partition.log, where)
            else:
                committed.check_prefix(partition.log, where, high_watermark)
        elif high_watermark < mark:
            raise Violation(f"{where}: the high watermark moved back from {mark} to {high_watermark}")
        self._marks[broker.broker_id, key] = leader, high_watermark
        if high_watermark > committed.end:
            committed.extend(partition.log, high_watermark, where)
        for member in leader.partition_state.maximal_isr:
            end = self._log_end(member, key)
            if end is not None and end < high_watermark:
                raise Violation(
                    f"{where}: high watermark {high_watermark}, but the log of broker {member} in the ISR ends at {end}"
                )

    def _log_end(self, broker_id: int, key: PartitionKey) -> int | None:
        """Return the log end of a replica, None if it does not run."""
        services = self._brokers[broker_id].services
        partition = None if services is None else services.replicas.find(key.topic, key.number)
        if partition is None or partition.topic_id != key.topic_id or partition.log.failure is not None:
            return None
        return partition.log.log_end_offset

    # -- clients

    def records_acknowledged(self, key: PartitionKey, offset: int, values: Sequence[bytes]) -> None:
        """Note that a producer with acks=all got *offset* for *values*."""
        self.acknowledged += len(values)
        self._guard(self._check_leaders)
        self._guard(lambda: self._check_records(key, offset, values, "acknowledged"))

    def records_consumed(self, key: PartitionKey, offset: int, values: Sequence[bytes]) -> None:
        """Note what a consumer has read from *offset* on."""
        self.consumed += len(values)
        self._guard(self._check_leaders)
        self._guard(lambda: self._check_records(key, offset, values, "consumed"))

    def records_read_committed(self, key: PartitionKey, start: int, end: int, records: Mapping[int, bytes]) -> None:
        """Note the *records* that a read_committed consumer has got between two offsets."""
        self.consumed += len(records)
        self._guard(self._check_leaders)
        self._guard(lambda: self._check_visible(key, start, end, records))

    def _check_visible(self, key: PartitionKey, start: int, end: int, records: Mapping[int, bytes]) -> None:
        committed = self.logs.get(key)
        if start == end:
            return
        if committed is None or end > committed.end:
            known = 0 if committed is None else committed.end
            raise Violation(f"{key}: offset {end - 1} was consumed, but records up to {known} committed")
        expected = committed.visible(start, end)
        if records != expected:
            found = sorted(records.items() ^ expected.items())[:4]
            raise Violation(f"{key}: a read_committed consumer differs from {start} to {end} in {found}")

    def partitions_assigned(self, generation: int, member_id: str, partitions: Sequence[int]) -> None:
        """Note what a member of the group may read in a generation."""
        self._guard(lambda: self.group.assigned(generation, member_id, partitions))

    def offsets_committed(self, offsets: Mapping[int, int]) -> None:
        """Note offsets whose commits were acknowledged to a member of the group."""
        self.group.committed_offsets(offsets)

    def transaction_ended(self, name: str, counts: Mapping[PartitionKey, int], *, is_commit: bool) -> None:
        """Note that the end of a transaction was acknowledged, which has written *counts* records."""
        self._guard(lambda: self.transactions.acknowledged(name, counts, is_commit=is_commit))

    def transaction_given_up(self, name: str) -> None:
        """Note that nobody has asked for the commit of a transaction, or ever will."""
        self._guard(lambda: self.transactions.given_up(name))

    def check_transactions(self) -> None:
        """Check that all transactions have ended, after the last fault."""
        self._guard(self._check_leaders)
        self._guard(self.transactions.check_all)

    def _check_records(self, key: PartitionKey, offset: int, values: Sequence[bytes], what: str) -> None:
        committed = self.logs.get(key)
        end = 0 if committed is None else committed.end
        if committed is None or offset + len(values) > end:
            raise Violation(f"{key}: offset {offset + len(values) - 1} was {what}, but records up to {end} committed")
        for number, value in enumerate(values, offset):
            found = committed.values(number)[number]
            if found != value:
                raise Violation(f"{key}: {value!r} was {what} at offset {number}, which has {found!r}")
