"""Election rules as tables: assignment, ISR and live brokers in; leader, ISR and recipients out."""

from __future__ import annotations

import pytest

from wirebroker.kafka_controller.context import ControllerContext, LiveBroker
from wirebroker.kafka_controller.election import ElectionStrategy, elect, has_live_in_sync_replica
from wirebroker.model import TopicPartition
from wirebroker.zookeeper.znodes.brokers import BrokerInfo
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, ReplicaAssignment

TP = TopicPartition("t", 0)
OFFLINE, UNCLEAN = ElectionStrategy.OFFLINE, ElectionStrategy.UNCLEAN
REASSIGN, PREFERRED = ElectionStrategy.REASSIGN, ElectionStrategy.PREFERRED
SHUTDOWN = ElectionStrategy.CONTROLLED_SHUTDOWN


def _context(live: str, assignment: ReplicaAssignment, shutting_down: str = "") -> ControllerContext:
    context = ControllerContext()
    context.epoch = 9
    context.set_live_brokers(LiveBroker(BrokerInfo(int(each), ()), 1) for each in live)
    context.shutting_down_broker_ids = set(_ids(shutting_down))
    context.update_assignment(TP, assignment)
    return context


def _ids(digits: str) -> tuple[int, ...]:
    return tuple(map(int, digits))


@pytest.mark.parametrize(
    ("strategy", "assignment", "isr", "live", "shutting_down", "leader", "new_isr", "recipients"),
    [
        # the first live replica of the ISR in the order of the assignment, not of the ISR
        (OFFLINE, "012", "210", "12", "", 1, "21", "12"),
        (OFFLINE, "012", "21", "12", "", 1, "21", "12"),
        (OFFLINE, "012", "0", "12", "", None, "", "12"),
        (OFFLINE, "012", "012", "", "", None, "", ""),
        (OFFLINE, "012", "012", "012", "0", 1, "12", "12"),
        (UNCLEAN, "012", "0", "12", "", 1, "1", "12"),
        (UNCLEAN, "012", "2", "12", "", 2, "2", "12"),
        (UNCLEAN, "012", "0", "", "", None, "", ""),
        # the ISR stays as it is, and all replicas are told
        (PREFERRED, "012", "12", "012", "", None, "", "012"),
        (PREFERRED, "012", "102", "012", "", 0, "102", "012"),
        (PREFERRED, "012", "102", "12", "", None, "", "012"),
        (SHUTDOWN, "012", "012", "012", "0", 1, "12", "012"),
        (SHUTDOWN, "012", "0", "012", "0", None, "", "012"),
        (SHUTDOWN, "012", "012", "012", "01", 2, "2", "012"),
        (SHUTDOWN, "012", "02", "02", "0", 2, "2", "02"),
    ],
)
def test_a_leader_is_elected_by_the_rule_of_its_strategy(
    strategy: ElectionStrategy,
    assignment: str,
    isr: str,
    live: str,
    shutting_down: str,
    leader: int | None,
    new_isr: str,
    recipients: str,
) -> None:
    context = _context(live, ReplicaAssignment(_ids(assignment)), shutting_down)
    state = LeaderIsrAndControllerEpoch(0, 5, _ids(isr), 8, partition_epoch=3)
    result = elect(context, TP, state, strategy)
    assert result.live_replicas == _ids(recipients)
    if leader is None:
        assert result.leader_and_isr is None
    else:
        # the partition epoch is that of the znode to be replaced
        expected = LeaderIsrAndControllerEpoch(leader, 6, _ids(new_isr), 9, partition_epoch=3)
        assert result.leader_and_isr == expected


@pytest.mark.parametrize(
    ("isr", "live", "leader"),
    [("123", "123456", None), ("1236", "123456", 6), ("123456", "123456", 4), ("1245", "1235", 5)],
)
def test_a_reassignment_elects_among_the_replicas_that_remain(isr: str, live: str, leader: int | None) -> None:
    context = _context(live, ReplicaAssignment(_ids("456123"), _ids("456"), _ids("123")))
    result = elect(context, TP, LeaderIsrAndControllerEpoch(1, 5, _ids(isr), 8), REASSIGN)
    expected = None if leader is None else LeaderIsrAndControllerEpoch(leader, 6, _ids(isr), 9)
    assert result == (expected, _ids("456"))


@pytest.mark.parametrize("is_supported", [False, True])
def test_an_unclean_leader_recovers_if_brokers_know_that(is_supported: bool) -> None:
    context = _context("1", ReplicaAssignment((0, 1)))
    state = LeaderIsrAndControllerEpoch(0, 0, (0,), 1)
    assert not has_live_in_sync_replica(context, TP, state)
    elected = elect(
        context, TP, state, OFFLINE, is_unclean_allowed=True, is_leader_recovery_supported=is_supported
    ).leader_and_isr
    assert elected is not None
    assert (elected.leader, elected.isr, elected.is_recovering) == (1, (1,), is_supported)
    # a clean election afterwards leaves the recovery as it is
    again = elect(context, TP, elected, OFFLINE, is_leader_recovery_supported=is_supported).leader_and_isr
    assert again is not None
    assert again.is_recovering == is_supported
