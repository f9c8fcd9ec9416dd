"""OffsetFetch from version 8 on: a request that names one group many times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.coordinator.group.requests import FetchOffsets, OffsetFetchResult
from wirebroker.handlers.group_offsets import handle_offset_fetch
from wirebroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
)
from wirebroker.tests.handlers.txn_harness import TxnHarness

if TYPE_CHECKING:
    import pytest

OFFSETS = 200


class Groups:
    """Coordinates groups with offsets of `OFFSETS` partitions, and counts the requests."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def read(self, group_id: str, request: FetchOffsets) -> OffsetFetchResult:
        self.asked.append(group_id)
        indexes = range(OFFSETS) if request.topics is None else next(iter(request.topics))[1]
        return OffsetFetchResult(0, [("t", index, None, 0) for index in indexes])


async def fetch(harness: TxnHarness, *groups: OffsetFetchRequestGroup) -> tuple[Any, list[OffsetFetchResponseGroup]]:
    context = harness.context(8)
    return context, (await handle_offset_fetch(context, OffsetFetchRequest(groups=list(groups)))).groups


def all_of(group_id: str) -> OffsetFetchRequestGroup:
    return OffsetFetchRequestGroup(group_id=group_id, topics=None)


def some_of(group_id: str, *indexes: int) -> OffsetFetchRequestGroup:
    topics = [OffsetFetchRequestTopics(name="t", partition_indexes=list(indexes))]
    return OffsetFetchRequestGroup(group_id=group_id, topics=topics)


def partitions(group: OffsetFetchResponseGroup) -> list[int]:
    return [each.partition_index for topic in group.topics for each in topic.partitions]


async def test_a_group_is_answered_as_often_as_it_is_named() -> None:
    harness = await TxnHarness.open()
    harness.services.groups = groups = Groups()
    asked = (all_of("g"), some_of("g", 1), all_of("h"), all_of("g"), some_of("g", 2))
    _, answers = await fetch(harness, *asked)
    assert [(each.group_id, partitions(each)) for each in answers] == [
        ("g", [*range(OFFSETS)]),
        ("g", [1]),
        ("h", [*range(OFFSETS)]),
        ("g", [*range(OFFSETS)]),
        ("g", [2]),
    ]
    assert groups.asked == ["g", "g", "h", "g"]


async def test_a_large_group_is_described_once_and_its_repetitions_are_encoded_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = 0
    make = OffsetFetchResponsePartitions.__init__

    def count(self: OffsetFetchResponsePartitions, *arguments: Any, **fields: Any) -> None:
        nonlocal made
        made += 1
        make(self, *arguments, **fields)

    monkeypatch.setattr(OffsetFetchResponsePartitions, "__init__", count)
    monkeypatch.setattr("wirebroker.loop_budget.perf_counter", lambda: 0.0)  # only what is charged counts
    harness = await TxnHarness.open()
    harness.services.groups = Groups()
    context, answers = await fetch(harness, *[all_of("g")] * 100)
    assert (len(answers), made) == (100, OFFSETS)
    assert context.loop_budget.yields == 99 * OFFSETS * 1e-6 // 0.005
