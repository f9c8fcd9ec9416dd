"""RebalanceHistory: the latest rebalances of a group and their reasons."""

from __future__ import annotations

from wirebroker.coordinator.group.rebalance_history import RebalanceHistory
from wirebroker.coordinator.turn import Turn


def test_reasons_of_a_rebalance_that_was_not_completed_count_for_the_next() -> None:
    history = RebalanceHistory("g")
    history.start("a died", ["a", "b"], Turn(10, 10), 1, "Stable")
    history.start("b joins again", ["b"], Turn(20, 20), 1, "Stable")
    history.complete(2, ["b"], Turn(30, 30))
    assert list(history.rebalances[-1].reasons) == ["a died", "b joins again"]
    history.start("c joins", ["b"], Turn(40, 40), 1, "Stable")
    history.complete(3, ["b", "c"], Turn(50, 50))
    assert list(history.rebalances[-1].reasons) == ["c joins"]


def test_an_entry_has_the_wall_clock_of_the_start_and_the_monotonic_duration() -> None:
    history = RebalanceHistory("g")
    history.start("a joins", [], Turn(50, 1_000), 0, "Empty")
    history.complete(1, ["a"], Turn(80, 9_000))
    entry = history.rebalances[-1]
    assert entry[:3] == (1_000, 1_030, 1)
