"""The ISR of a partition as its leader knows it: committed, or with one change in flight (Kafka: PartitionState).

The controller and the leader agree on the committed ISR.  While a change is in flight the leader does not know whether
the controller has made it already, so it goes by the *maximal* ISR, which holds every replica that may be in sync: a
replica that is being added holds the high watermark back at once, and one that is being removed until the removal is
committed.  Otherwise the controller could elect a replica without a record that was acknowledged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wirebroker.model import LeaderAndIsr


class CommittedPartitionState(NamedTuple):
    """No change is in flight."""

    committed: LeaderAndIsr

    @property
    def isr(self) -> tuple[int, ...]:
        """The committed ISR."""
        return self.committed.isr

    @property
    def maximal_isr(self) -> tuple[int, ...]:
        """Every replica that may be in the ISR."""
        return self.committed.isr

    def expand(self, broker_id: int) -> PendingExpandIsr:
        """Propose to add *broker_id*."""
        sent = self.committed._replace(isr=(*self.committed.isr, broker_id))
        return PendingExpandIsr(self.committed, sent)

    def shrink(self, out_of_sync: frozenset[int]) -> PendingShrinkIsr:
        """Propose to remove *out_of_sync*, which the leader is not one of."""
        sent = self.committed._replace(isr=tuple(each for each in self.committed.isr if each not in out_of_sync))
        return PendingShrinkIsr(self.committed, sent)


class PendingExpandIsr(NamedTuple):
    """The addition of a replica is in flight."""

    committed: LeaderAndIsr
    """The last committed state."""
    sent: LeaderAndIsr

    @property
    def isr(self) -> tuple[int, ...]:
        """The committed ISR."""
        return self.committed.isr

    @property
    def maximal_isr(self) -> tuple[int, ...]:
        """Every replica that may be in the ISR: the new one may be already."""
        return self.sent.isr


class PendingShrinkIsr(NamedTuple):
    """The removal of replicas is in flight."""

    committed: LeaderAndIsr
    """The last committed state."""
    sent: LeaderAndIsr

    @property
    def isr(self) -> tuple[int, ...]:
        """The committed ISR."""
        return self.committed.isr

    @property
    def maximal_isr(self) -> tuple[int, ...]:
        """Every replica that may be in the ISR: the removed ones may still be."""
        return self.committed.isr


PartitionState = CommittedPartitionState | PendingExpandIsr | PendingShrinkIsr
