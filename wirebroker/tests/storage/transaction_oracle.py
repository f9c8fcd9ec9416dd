"""The transactions of a log, found by reading its whole history for each question: slow, and plainly right."""

from __future__ import annotations

from typing import NamedTuple


class Written(NamedTuple):
    """One batch as it was appended; markers have a decision."""

    base: int
    last: int
    producer_id: int
    epoch: int
    sequence: int
    timestamp: int
    transactional: bool
    committed: bool | None = None
    coordinator_epoch: int = -1


class Producer(NamedTuple):
    """The state of one producer in a snapshot."""

    epoch: int = -1
    last_sequence: int = -1
    last_offset: int = -1
    offset_delta: int = 0
    timestamp: int = -1
    coordinator_epoch: int = -1
    open_since: int = -1


class Aborted(NamedTuple):
    """A transaction that was aborted: its first offset and its marker's."""

    producer_id: int
    first: int
    marker: int


def producer(history: list[Written], producer_id: int) -> Producer | None:
    """One producer's state at the end of *history*; None if it never wrote."""
    state: Producer | None = None
    for batch in history:
        if batch.producer_id != producer_id:
            continue
        before = state or Producer()
        if batch.epoch != before.epoch:
            before = before._replace(epoch=batch.epoch, last_sequence=-1, last_offset=-1, offset_delta=0)
        state = before._replace(timestamp=batch.timestamp)
        if batch.committed is not None:
            state = state._replace(coordinator_epoch=batch.coordinator_epoch, open_since=-1)
            continue
        count = batch.last - batch.base
        state = state._replace(
            last_sequence=(batch.sequence + count) & 0x7FFFFFFF, last_offset=batch.last, offset_delta=count
        )
        if batch.transactional and state.open_since < 0:
            state = state._replace(open_since=batch.base)
    return state


def aborted(history: list[Written]) -> list[Aborted]:
    """All that were aborted, in the order of their markers."""
    begun: dict[int, int] = {}
    found = []
    for batch in history:
        if batch.committed is None:
            if batch.transactional:
                begun.setdefault(batch.producer_id, batch.base)
            continue
        first = begun.pop(batch.producer_id, None)
        if first is not None and not batch.committed:
            found.append(Aborted(batch.producer_id, first, batch.base))
    return found


def visible(history: list[Written], from_offset: int, stable: int) -> list[int]:
    """The offsets that a reader of committed records gets, from *from_offset* up to the last stable offset."""
    gone = aborted(history)
    return [
        offset
        for batch in history
        if batch.committed is None
        for offset in range(max(batch.base, from_offset), min(batch.last + 1, stable))
        if not (
            batch.transactional
            and any(each.producer_id == batch.producer_id and each.first <= batch.base < each.marker for each in gone)
        )
    ]
