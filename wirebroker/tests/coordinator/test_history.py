"""What a group remembers of its rebalances."""

from __future__ import annotations

from wirebroker.coordinator.group.history import History
from wirebroker.coordinator.shard import Now


def test_the_reasons_of_a_rebalance_that_came_to_nothing_are_the_next_ones_too() -> None:
    history = History("g")
    history.begin("a died", ["a", "b"], Now(10, 10), 1, "Stable")
    history.begin("b joins again", ["b"], Now(20, 20), 1, "Stable")
    history.end(2, ["b"], Now(30, 30))
    assert list(history.rebalances[-1].reasons) == ["a died", "b joins again"]
    history.begin("c joins", ["b"], Now(40, 40), 1, "Stable")
    history.end(3, ["b", "c"], Now(50, 50))
    assert list(history.rebalances[-1].reasons) == ["c joins"]
