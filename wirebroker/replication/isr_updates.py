"""Changes of a partition's ISR and high watermark that its followers' requests, or their absence, lead to.

One change of the ISR of a partition is in flight at a time; the rules are those of `LeaderState`.  Everything here runs
in the event loop and does not wait: the outcome of a proposal comes back through `AlterPartitionItem.completed`.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.alter_partition_manager import AlterPartitionItem
from wirebroker.replication.errors import PartitionError
from wirebroker.replication.leader_state import IsrOutcome
from wirebroker.replication.partition_state import CommittedPartitionState, PendingExpandIsr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.model import LeaderAndIsr
    from wirebroker.replication.leader_state import LeaderState
    from wirebroker.replication.local_replica import LocalReplica
    from wirebroker.replication.partition_state import PendingShrinkIsr
    from wirebroker.replication.replica import Replica

logger = logging.getLogger(__name__)


def isr_changed(partition: LocalReplica) -> None:
    """Take a changed ISR, assignment or ``min.insync.replicas`` of *partition* into account."""
    leader = partition.leader
    if leader is not None:
        partition.leader_and_isr = leader.partition_state.committed
        required = leader.effective_min_isr(partition.log.config.min_insync_replicas, partition.host.isr_rules)
        partition.below_min_isr = len(leader.partition_state.isr) < required
        maybe_increment_high_watermark(partition)
    partition.notify_listeners()


def maybe_increment_high_watermark(partition: LocalReplica, now_s: float | None = None) -> bool:
    """Move the leader's high watermark to the least log end of the replicas it waits for; return whether it moved.

    It never moves back within a leader epoch.  *now_s* is the time of the event loop's clock, if the caller knows it.
    """
    leader, rules = partition.leader, partition.host.isr_rules
    if leader is None or (rules.holds_below_min_isr and partition.below_min_isr):
        return False
    least, high_watermark = partition.log.log_end_offset, partition.high_watermark
    if leader.remote_replicas and least > high_watermark:
        if leader.is_waited_for(high_watermark):
            return False
        now_s = trio.current_time() if now_s is None else now_s
        least = leader.high_watermark(least, now_s, rules, partition.host.is_alive)
    if least <= high_watermark:
        return False
    partition.update_high_watermark(least)
    return True


def update_follower_fetch_state(
    partition: LocalReplica,
    broker_id: int,
    fetch_offset: int,
    log_start_offset: int,
    leader_log_end_offset: int,
    now_s: float | None = None,
) -> None:
    """Note a Fetch of a follower, move the high watermark, and propose to add the follower to the ISR if it is in sync.

    Args and errors are those of `Partition.update_follower_fetch_state`; *now_s* is as above.
    """
    leader = partition.leader
    replica = None if leader is None else leader.remote_replicas.get(broker_id)
    if leader is None or replica is None:
        leader, replica = follower(partition, broker_id)  # which raises
    now_s = trio.current_time() if now_s is None else now_s
    old_end, old_start = replica.log_end_offset, replica.log_start_offset
    replica.update_fetch_state(fetch_offset, log_start_offset, now_s, leader_log_end_offset)
    state = leader.partition_state
    if not isinstance(state, CommittedPartitionState):
        leader.isr_candidates.add(broker_id)  # the change in flight may remove it
    elif broker_id not in state.committed.isr:
        if not partition.host.is_alive(broker_id):
            leader.isr_candidates.add(broker_id)
        elif leader.may_join_isr(replica, partition.high_watermark):
            _expand_isr(partition, leader, broker_id)
    moved = fetch_offset != old_end and maybe_increment_high_watermark(partition, now_s)
    if log_start_offset > old_start and not moved:  # a DeleteRecords may wait for it
        partition.notify_listeners()


def follower(partition: LocalReplica, broker_id: int) -> tuple[LeaderState, Replica]:
    """Return the role of *partition* and what it knows of the follower *broker_id*.

    Raises:
        PartitionError: NOT_LEADER_OR_FOLLOWER, as this broker is not the leader; UNKNOWN_LEADER_EPOCH, as the broker is
            not in the assignment that this leader knows.
    """
    leader = partition.leader
    if leader is None:
        raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    replica = leader.remote_replicas.get(broker_id)
    if replica is None:
        raise PartitionError(ErrorCode.UNKNOWN_LEADER_EPOCH, f"broker {broker_id} is not a replica")
    return leader, replica


def maybe_shrink_isr(partition: LocalReplica) -> None:
    """Propose to remove followers that lag too long from the ISR; to be called every half of the longest lag."""
    leader = partition.leader
    if leader is None or not leader.remote_replicas:
        return
    _expand_isr_by_candidates(partition, leader)
    max_lag_s = partition.host.isr_rules.max_lag_s
    now_s = trio.current_time()
    out_of_sync = leader.out_of_sync_replicas(partition.log.log_end_offset, now_s, max_lag_s)
    if out_of_sync and partition.host.alter_partition_manager is not None:
        state = leader.partition_state
        assert isinstance(state, CommittedPartitionState)
        logger.info(
            "topic=%s partition=%d: shrinking ISR from %s to %s; leader high watermark %d, log end offset %d, %s",
            *partition.topic_partition,
            _list(state.isr),
            _list(each for each in state.isr if each not in out_of_sync),
            partition.high_watermark,
            partition.log.log_end_offset,
            ", ".join(f"broker {each} is at {leader.remote_replicas[each].log_end_offset}" for each in out_of_sync),
        )
        leader.partition_state = state.shrink(out_of_sync)
        _submit(partition, leader, leader.partition_state)
    maybe_increment_high_watermark(partition)  # it may have waited for a follower outside of the ISR, which lags now


def _expand_isr(partition: LocalReplica, leader: LeaderState, broker_id: int) -> None:
    state = leader.partition_state
    if partition.host.alter_partition_manager is None or not isinstance(state, CommittedPartitionState):
        return
    pending = leader.partition_state = state.expand(broker_id)
    logger.info(
        "topic=%s partition=%d: expanding ISR from %s to %s",
        *partition.topic_partition,
        _list(pending.isr),
        _list(pending.sent.isr),
    )
    _submit(partition, leader, pending)


def _expand_isr_by_candidates(partition: LocalReplica, leader: LeaderState) -> None:
    """Propose to add the first live follower that could not be proposed when it fetched, and is still caught up."""
    end, now_s, max_lag_s = partition.log.log_end_offset, trio.current_time(), partition.host.isr_rules.max_lag_s
    for broker_id in sorted(filter(partition.host.is_alive, leader.isr_candidates)):
        if not isinstance(leader.partition_state, CommittedPartitionState):
            return
        leader.isr_candidates.remove(broker_id)
        replica = leader.remote_replicas.get(broker_id)
        if (
            replica is not None
            and leader.may_join_isr(replica, partition.high_watermark)
            and replica.is_caught_up(end, now_s, max_lag_s)
        ):
            _expand_isr(partition, leader, broker_id)


def _submit(partition: LocalReplica, leader: LeaderState, pending: PendingExpandIsr | PendingShrinkIsr) -> None:
    manager = partition.host.alter_partition_manager
    if manager is not None:
        completed = partial(_completed, partition, leader, pending)
        manager.submit(AlterPartitionItem(partition.topic_partition, partition.topic_id, pending.sent, completed))


def _completed(
    partition: LocalReplica,
    leader: LeaderState,
    pending: PendingExpandIsr | PendingShrinkIsr,
    answer: LeaderAndIsr | ErrorCode,
) -> None:
    if partition.leader is not leader:
        return
    outcome = leader.complete(pending, answer)
    if isinstance(answer, ErrorCode):
        partition.host.topic_stats.failed_isr_updates += 1
    at = partition.topic_partition
    change = f"ISR {_list(pending.isr)} -> {_list(pending.sent.isr)}"
    if outcome is IsrOutcome.COMMITTED:
        if len(pending.sent.isr) > len(pending.isr):
            partition.host.topic_stats.isr_expands += 1
        else:
            partition.host.topic_stats.isr_shrinks += 1
        logger.info(
            "topic=%s partition=%d: ISR is %s, partition epoch %d",
            *at,
            _list(leader.partition_state.isr),
            leader.partition_state.committed.partition_epoch,
        )
        isr_changed(partition)
        _expand_isr_by_candidates(partition, leader)
    elif outcome is IsrOutcome.RETRY:
        assert isinstance(answer, ErrorCode)
        logger.warning("topic=%s partition=%d: %s failed with %s; trying again", *at, change, answer.name)
        _submit(partition, leader, pending)
    elif isinstance(answer, ErrorCode):
        if outcome is IsrOutcome.REVERTED:  # tried again with the next look for followers that lag
            leader.isr_candidates.update(each for each in pending.sent.isr if each not in pending.isr)
        logger.info(
            "topic=%s partition=%d: %s was refused with %s; %s",
            *at,
            change,
            answer.name,
            "nothing has changed"
            if outcome is IsrOutcome.REVERTED
            else "the next LeaderAndIsr of the controller says what is in effect",
        )


def _list(broker_ids: Iterable[int]) -> str:
    return ",".join(map(str, broker_ids))
