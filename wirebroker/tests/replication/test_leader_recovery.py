"""A leader that was elected unclean: it has recovered when it leads, and says so with its first change of the ISR."""

from __future__ import annotations

from wirebroker.model import LeaderRecoveryState
from wirebroker.tests.replication.replica_set import ReplicaSet

RECOVERED, RECOVERING = LeaderRecoveryState.RECOVERED, LeaderRecoveryState.RECOVERING


async def test_the_first_change_of_the_isr_ends_the_recovery() -> None:
    """An ISR of more than one, with a leader that recovers, would be refused (KIP-704)."""
    cluster = ReplicaSet()
    await cluster.send()
    cluster.state = cluster.state._replace(isr=(1,), leader_recovery_state=RECOVERING)
    await cluster.elect(1, isr=(1,))
    assert cluster.state.leader_recovery_state is RECOVERING
    await cluster.leader.append(b"x")
    await cluster.catch_up(2)
    (proposal,) = cluster.leader.submitted
    assert proposal.leader_and_isr.isr == (1, 2)
    assert proposal.leader_and_isr.leader_recovery_state is RECOVERED
    cluster.answer_all()
    assert cluster.state.isr == (1, 2)
    assert cluster.state.leader_recovery_state is RECOVERED
