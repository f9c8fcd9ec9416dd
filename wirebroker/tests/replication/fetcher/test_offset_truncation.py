"""Truncation: two logs that diverge in any history of elections become equal; KIP-101's and KIP-279's scenarios."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.replication.fetcher.offset_truncation import (
    EpochEnd,
    LogEnds,
    OffsetReset,
    OffsetTruncation,
    reset_to_leader_end,
    reset_to_leader_start,
    truncation_by_epoch,
    truncation_to_high_watermark,
)
from wirebroker.storage.leader_epoch_cache import LeaderEpochCache
from wirebroker.tests.storage.fakes.disk import FakeDisk


class Record(NamedTuple):
    epoch: int
    leader: str
    number: int


class Replica:
    """A log as a list of records, with the epochs that a Log keeps."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.records: list[Record] = []
        self.high_watermark = 0
        self.epochs = LeaderEpochCache(FakeDisk(), "/x")

    @property
    def end(self) -> int:
        return len(self.records)

    def ends(self) -> LogEnds:
        return LogEnds(self.high_watermark, self.end)

    def lead(self, epoch: int, count: int) -> None:
        self.epochs.assign(epoch, self.end)
        self.records += [Record(epoch, self.name, number) for number in range(count)]

    def truncate_to(self, offset: int) -> None:
        del self.records[offset:]
        self.epochs.truncate_from_end(offset)
        self.high_watermark = min(self.high_watermark, offset)

    def fetch(self, leader: Replica, count: int) -> None:
        for record in leader.records[self.end : self.end + count]:
            self.epochs.assign(record.epoch, self.end)
            self.records.append(record)
        self.high_watermark = max(self.high_watermark, min(leader.high_watermark, self.end))

    def follow_by_requests(self, leader: Replica) -> int:
        """OffsetForLeaderEpoch until the truncation is complete; returns how often the leader was asked."""
        for asked in range(1, 100):
            if self.epochs.latest_epoch < 0:
                self.truncate_to(truncation_to_high_watermark(self.ends()).offset)
                return asked
            answer = EpochEnd(*leader.epochs.end_offset_for(self.epochs.latest_epoch, leader.end))
            truncation = truncation_by_epoch(answer, self.epochs, self.ends())
            self.truncate_to(truncation.offset)
            if truncation.is_completed:
                return asked
        raise AssertionError("the truncation does not end")

    def follow_by_fetches(self, leader: Replica) -> int:
        """Fetch 12 until the leader names no diverging epoch; returns how often it did."""
        for asked in range(100):
            epoch = self.epochs.latest_epoch
            answer = EpochEnd(*leader.epochs.end_offset_for(epoch, leader.end))
            if epoch < 0 or (answer.epoch == epoch and answer.end_offset >= self.end):
                return asked
            self.truncate_to(truncation_by_epoch(answer, self.epochs, self.ends()).offset)
        raise AssertionError("the truncation does not end")


HISTORY = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 4), st.integers(0, 6)), max_size=12)
"""Per leader epoch: which replica leads, whether the other one follows, records written, records fetched."""


@given(HISTORY, st.booleans(), st.booleans())
def test_divergent_logs_converge_to_the_leaders(
    history: list[tuple[bool, bool, int, int]], last_leader: bool, by_fetches: bool
) -> None:
    replicas = Replica("a"), Replica("b")
    for epoch, (leads, follows, written, fetched) in enumerate(history):
        leader, follower = replicas[leads], replicas[not leads]
        leader.lead(epoch, written)
        if follows:
            if follower.epochs.latest_epoch >= 0:
                follower.follow_by_fetches(leader) if by_fetches else follower.follow_by_requests(leader)
            assert follower.records == leader.records[: follower.end]
            follower.fetch(leader, fetched)
    leader, follower = replicas[last_leader], replicas[not last_leader]
    leader.lead(len(history), 0)
    before = list(follower.records)
    common = next(
        (at for at, (one, two) in enumerate(zip(before, leader.records, strict=False)) if one != two),
        min(len(before), leader.end),
    )
    if follower.epochs.latest_epoch >= 0:
        follower.follow_by_fetches(leader) if by_fetches else follower.follow_by_requests(leader)
    assert follower.records == before[:common], "all that both have is kept, and nothing else"
    follower.fetch(leader, 100)
    assert follower.records == leader.records
    with_records = [[each for each in log.epochs.entries if each[1] < log.end] for log in (follower, leader)]
    assert with_records[0] == with_records[1]


def replica(epochs: list[int], high_watermark: int = 0) -> Replica:
    made = Replica("x")
    for offset, epoch in enumerate(epochs):
        made.epochs.assign(epoch, offset)
        made.records.append(Record(epoch, "", offset))
    made.high_watermark = high_watermark
    return made


def test_a_message_that_is_committed_but_not_known_to_be_so_is_lost_without_epochs_and_kept_with_them() -> None:
    """KIP-101, scenario 1: the follower restarts before it learns the high watermark, and then leads."""
    follower, leader = replica([0, 0], high_watermark=1), replica([0, 0], high_watermark=2)
    leader.lead(1, 0)
    assert truncation_to_high_watermark(follower.ends()) == (1, True)
    answer = EpochEnd(*leader.epochs.end_offset_for(0, leader.end))
    assert truncation_by_epoch(answer, follower.epochs, follower.ends()) == (2, True)


def test_logs_that_diverge_below_one_end_offset_are_cut_by_epochs_only() -> None:
    """KIP-101, scenario 2: both replicas have two records, of which the second ones are of different epochs."""
    follower, leader = replica([0, 0], high_watermark=2), replica([0, 1], high_watermark=2)
    assert truncation_to_high_watermark(follower.ends()).offset == 2
    answer = EpochEnd(*leader.epochs.end_offset_for(0, leader.end))
    assert truncation_by_epoch(answer, follower.epochs, follower.ends()) == (1, True)


def test_fast_failovers_need_a_second_question() -> None:
    """KIP-279: the leader answers with an epoch that the follower has not, so what is left is asked for again."""
    follower, leader = replica([1, 1, 3, 3]), replica([1, 2, 2, 4])
    answer = EpochEnd(*leader.epochs.end_offset_for(3, leader.end))
    assert answer == (2, 3)
    assert truncation_by_epoch(answer, follower.epochs, follower.ends()) == (2, False)
    assert follower.follow_by_requests(leader) == 2
    assert [record.epoch for record in follower.records] == [1]


CASES = [
    # the leader's answer, the follower's epochs, its high watermark -> truncation
    (EpochEnd(-1, -1), [0, 0, 1], 1, OffsetTruncation(1, True)),
    (EpochEnd(-1, -1), [0], 5, OffsetTruncation(1, True)),
    (EpochEnd(-1, 2), [0, 0, 1], 0, OffsetTruncation(2, True)),
    (EpochEnd(-1, 9), [0, 0, 1], 0, OffsetTruncation(3, True)),
    (EpochEnd(1, 9), [0, 0, 1], 0, OffsetTruncation(3, True)),
    (EpochEnd(0, 1), [0, 0, 1], 0, OffsetTruncation(1, True)),
    (EpochEnd(0, 9), [0, 0, 1], 0, OffsetTruncation(2, True)),
    (EpochEnd(1, 1), [0, 0, 2, 2], 0, OffsetTruncation(2, False)),
    (EpochEnd(1, 7), [3, 3], 0, OffsetTruncation(0, True)),
]


@pytest.mark.parametrize(("answer", "epochs", "high_watermark", "expected"), CASES)
def test_cases(answer: EpochEnd, epochs: list[int], high_watermark: int, expected: OffsetTruncation) -> None:
    follower = replica(epochs, high_watermark)
    assert truncation_by_epoch(answer, follower.epochs, follower.ends()) == expected


def test_a_follower_without_epochs_is_cut_where_the_leader_ends_the_epoch() -> None:
    follower = replica([])
    follower.records = [Record(-1, "", 0)] * 5
    assert truncation_by_epoch(EpochEnd(0, 3), follower.epochs, follower.ends()) == (3, True)


@pytest.mark.parametrize(
    ("leader_start", "leader_end", "log_end", "expected"),
    [
        (0, 4, 9, OffsetReset(4, truncates=True)),
        (0, 0, 1, OffsetReset(0, truncates=True)),
        (5, 9, 3, OffsetReset(5, restarts=True)),
        (5, 9, 5, OffsetReset(5)),
        (0, 9, 9, OffsetReset(9)),
    ],
)
def test_out_of_range(leader_start: int, leader_end: int, log_end: int, expected: OffsetReset) -> None:
    assert (reset_to_leader_end(leader_end, log_end) or reset_to_leader_start(leader_start, log_end)) == expected
