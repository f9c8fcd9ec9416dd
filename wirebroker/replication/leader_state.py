"""LeaderState: the leader role of a partition in one leader epoch: followers, ISR, and the rules of the high watermark.

This module does no I/O, and no method waits: the caller passes the time and the log's offsets, and submits proposed
changes of the ISR (`isr_updates.py`).  A LeaderState belongs to one leader epoch; the next epoch gets a new one.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.model import LeaderRecoveryState
from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.partition_state import CommittedPartitionState
from wirebroker.replication.replica import Replica

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.model import LeaderAndIsr
    from wirebroker.replication.partition_state import PartitionState, PendingExpandIsr, PendingShrinkIsr

_NOT_APPLIED: Final = frozenset({ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.INELIGIBLE_REPLICA})
"""Answers to a proposed ISR that say that nothing has changed."""
_OVERTAKEN: Final = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.INVALID_UPDATE_VERSION,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.NEW_LEADER_ELECTED,
    }
)
"""Answers after which only the next LeaderAndIsr says whether the proposal was applied: the change stays pending."""


class IsrRules(NamedTuple):
    """The settings that decide on the ISR and the high watermark."""

    max_lag_s: float = 30.0
    """``replica.lag.time.max.ms``, in seconds: a follower that has not caught up for so long leaves the ISR."""
    limits_min_isr_to_replicas: bool = True
    """Whether ``min.insync.replicas`` above the number of replicas asks for all of them (Apache Kafka since 3.7), or
    for more than there are."""
    holds_below_min_isr: bool = True
    """Whether the high watermark stays while fewer replicas than ``min.insync.replicas`` are in sync: in a cluster of
    3.7 or later, as consumers should see the same records whichever broker leads."""


class IsrOutcome(Enum):
    """The effect of the answer to a proposed ISR."""

    IGNORED = auto()
    """It is out of date, or leaves the change pending."""
    COMMITTED = auto()
    """The partition has a new committed state."""
    REVERTED = auto()
    """The last committed state holds."""
    RETRY = auto()
    """The same proposal is to be submitted again."""


class LeaderState:
    """The leader role in one leader epoch."""

    __slots__ = ("epoch_start_offset", "isr_candidates", "leader_epoch", "partition_state", "remote_replicas")

    def __init__(self, leader_and_isr: LeaderAndIsr, epoch_start_offset: int, now_s: float) -> None:
        """Lead from *epoch_start_offset*, the log end at the election, since *now_s*.

        Followers in the ISR count as caught up now.  Where their logs end is unknown until they fetch, even if this
        broker was the leader before: there may have been another one in between, of which only they know, and to whose
        log they have truncated theirs.
        """
        self.leader_epoch = leader_and_isr.leader_epoch
        self.epoch_start_offset = epoch_start_offset
        self.partition_state: PartitionState
        self.remote_replicas: dict[int, Replica] = {}
        """The followers by broker id; empty if the leader is the only replica."""
        self.isr_candidates: set[int] = set()
        """Followers that fetched before this broker knew that they live, or while another change of the ISR was in
        flight, which may have been their own removal, or whose addition was refused.

        One that has all records names the partition no more in the requests of its fetch session.
        """
        self.update(leader_and_isr)
        for broker_id in leader_and_isr.isr:
            if broker_id in self.remote_replicas:
                self.remote_replicas[broker_id].last_caught_up_s = now_s

    def update(self, leader_and_isr: LeaderAndIsr) -> None:
        """Replace assignment and ISR by those that the controller has decided; a pending change is forgotten.

        A leader that was elected unclean has nothing to recover.  The next change of the ISR tells the controller so,
        which refuses an ISR of more than a leader that recovers (KIP-704).
        """
        recovered = leader_and_isr._replace(leader_recovery_state=LeaderRecoveryState.RECOVERED)
        self.partition_state = CommittedPartitionState(recovered)
        followers = [each for each in leader_and_isr.replicas if each != leader_and_isr.leader]
        known = self.remote_replicas
        self.remote_replicas = {each: known.get(each) or Replica(each) for each in followers}

    # -- high watermark

    def is_waited_for(self, high_watermark: int) -> bool:
        """Return whether a replica of the maximal ISR has nothing above *high_watermark*, which stays as it is then.

        That is so after most appends, and takes a third of `high_watermark`.
        """
        maximal_isr = self.partition_state.maximal_isr
        for broker_id, replica in self.remote_replicas.items():
            if replica.log_end_offset <= high_watermark and broker_id in maximal_isr:
                return True
        return False

    def high_watermark(
        self, log_end_offset: int, now_s: float, rules: IsrRules, is_eligible: Callable[[int], bool]
    ) -> int:
        """Return the least log end of the leader and of the replicas that it waits for.

        These are the maximal ISR, and those outside that are caught up: without waiting for them they could never reach
        the high watermark of a partition that is written to, and so never join the ISR.
        """
        maximal_isr = self.partition_state.maximal_isr
        least = log_end_offset
        for broker_id, replica in self.remote_replicas.items():
            end = replica.log_end_offset
            if end < least and (
                broker_id in maximal_isr
                or (replica.is_caught_up(log_end_offset, now_s, rules.max_lag_s) and is_eligible(broker_id))
            ):
                least = end
        return least

    def effective_min_isr(self, min_insync_replicas: int, rules: IsrRules) -> int:
        """Return how many replicas have to be in sync for acks=all."""
        if rules.limits_min_isr_to_replicas:
            return min(min_insync_replicas, len(self.remote_replicas) + 1)
        return min_insync_replicas

    def low_watermark(self, log_start_offset: int, is_alive: Callable[[int], bool]) -> int:
        """Return the least log start of the leader, which is *log_start_offset*, and of its live followers."""
        least = log_start_offset
        for broker_id, replica in self.remote_replicas.items():
            if replica.log_start_offset < least and is_alive(broker_id):
                least = replica.log_start_offset
        return least

    # -- ISR

    def may_join_isr(self, replica: Replica, high_watermark: int) -> bool:
        """Whether a follower is in sync and not in the ISR: it has all that is committed, and all of former epochs."""
        state = self.partition_state
        return (
            replica.broker_id not in state.isr
            and replica.log_end_offset >= high_watermark
            and replica.log_end_offset >= self.epoch_start_offset
            and isinstance(state, CommittedPartitionState)
        )

    def out_of_sync_replicas(self, log_end_offset: int, now_s: float, max_lag_s: float) -> frozenset[int]:
        """Return the followers in the ISR that lag too long; none while a change is in flight."""
        state = self.partition_state
        if not isinstance(state, CommittedPartitionState):
            return frozenset()
        return frozenset(
            broker_id
            for broker_id, replica in self.remote_replicas.items()
            if broker_id in state.isr and not replica.is_caught_up(log_end_offset, now_s, max_lag_s)
        )

    def complete(self, pending: PendingExpandIsr | PendingShrinkIsr, outcome: LeaderAndIsr | ErrorCode) -> IsrOutcome:
        """Take the answer to *pending* into account, and return what follows."""
        if self.partition_state is not pending:
            return IsrOutcome.IGNORED
        if isinstance(outcome, ErrorCode):
            if outcome in _NOT_APPLIED:
                self.partition_state = CommittedPartitionState(pending.committed)
                return IsrOutcome.REVERTED
            return IsrOutcome.IGNORED if outcome in _OVERTAKEN else IsrOutcome.RETRY
        if outcome.leader_epoch != self.leader_epoch or outcome.partition_epoch < pending.committed.partition_epoch:
            return IsrOutcome.IGNORED
        self.partition_state = CommittedPartitionState(
            pending.committed._replace(
                isr=outcome.isr,
                leader_recovery_state=outcome.leader_recovery_state,
                partition_epoch=outcome.partition_epoch,
            )
        )
        return IsrOutcome.COMMITTED
