"""Sequences, epochs and transactions: tables of what one producer sends and what it is told (KIP-98)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.storage.errors import (
    InvalidProducerEpochError,
    InvalidTxnStateError,
    LogError,
    OutOfOrderSequenceError,
    TransactionCoordinatorFencedError,
)
from wirebroker.storage.log_truncation import truncate_to
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, Clock, batch, manager, marker, new_log, values

if TYPE_CHECKING:
    from wirebroker.storage.log import Log

LARGE = SMALL._replace(segment_bytes=1_000_000)
MAX = (1 << 31) - 1
DUPLICATE = "duplicate"
EPOCH = InvalidProducerEpochError
ORDER = OutOfOrderSequenceError

#: name -> steps of (epoch, first sequence, records, expected: base offset, (DUPLICATE, its offset), or code)
TABLE: dict[str, list[tuple[int, int, int, object]]] = {
    "in order": [(0, 0, 1, 0), (0, 1, 3, 1), (0, 4, 1, 4)],
    "a gap": [(0, 0, 1, 0), (0, 2, 1, ORDER), (0, 1, 1, 1)],
    "sent again": [(0, 0, 2, 0), (0, 0, 2, (DUPLICATE, 0)), (0, 2, 1, 2), (0, 0, 2, (DUPLICATE, 0))],
    "the same start, another length": [(0, 0, 2, 0), (0, 0, 1, ORDER), (0, 1, 1, ORDER)],
    "five are remembered": [
        *[(0, n, 1, n) for n in range(6)],
        *[(0, n, 1, (DUPLICATE, n)) for n in range(1, 6)],
        (0, 0, 1, ORDER),
    ],
    "an unknown producer begins anywhere": [(3, 77, 2, 0), (3, 79, 1, 2), (3, 77, 2, (DUPLICATE, 0))],
    "wraps to zero": [(0, MAX - 1, 1, 0), (0, MAX, 1, 1), (0, 0, 1, 2), (0, MAX, 1, (DUPLICATE, 1)), (0, 1, 1, 3)],
    "a batch across the wrap": [(0, MAX, 3, 0), (0, 2, 1, 3), (0, MAX, 3, (DUPLICATE, 0)), (0, MAX, 1, ORDER)],
    "zero is no successor but of the largest": [(0, 5, 1, 0), (0, 0, 1, ORDER)],
    "a new epoch begins at zero": [(0, 0, 1, 0), (1, 1, 1, ORDER), (1, 0, 1, 1), (1, 1, 1, 2)],
    "a new epoch forgets the old batches": [(0, 0, 1, 0), (1, 0, 1, 1), (1, 0, 1, (DUPLICATE, 1)), (0, 0, 1, EPOCH)],
    "an old epoch is fenced": [(5, 0, 1, 0), (4, 1, 1, EPOCH), (4, 0, 1, EPOCH)],
    "an epoch far ahead": [(0, 0, 1, 0), (100, 0, 1, 1)],
}


def sent(log: Log, epoch: int, sequence: int, records: int, **more: bool) -> object:
    values_ = [b"v"] * records
    try:
        result = log.append_as_leader(
            batch(*values_, producer=(1, epoch, sequence), timestamp=50 + sequence, **more), 0, 9
        )
    except LogError as error:
        return type(error)
    if result.duplicate:
        assert result.log_append_time in (50 + sequence, 1)  # the first one's largest timestamp, as Kafka answers
        assert result.last_offset == result.base_offset + records - 1
        return DUPLICATE, result.base_offset
    return result.base_offset


@pytest.mark.parametrize("name", TABLE)
def test_sequences(name: str) -> None:
    log = new_log(FakeDisk(), LARGE)
    for number, (epoch, sequence, records, expected) in enumerate(TABLE[name]):
        assert sent(log, epoch, sequence, records) == expected, f"step {number}"


@pytest.mark.parametrize("name", TABLE)
def test_sequences_across_a_crash_before_each_step(name: str) -> None:
    """Replaying the log gives all five batches back; a start in another way than by replay keeps the last."""
    steps = TABLE[name]
    for crash in range(1, len(steps)):
        disk = FakeDisk()
        log = new_log(disk, LARGE)
        for number, (epoch, sequence, records, expected) in enumerate(steps):
            if number == crash:
                log = manager(disk.restarted(), LARGE).get_or_create("t", 0)
            assert sent(log, epoch, sequence, records) == expected, f"step {number}, crash before {crash}"


def test_a_snapshot_keeps_the_last_batch() -> None:
    disk = FakeDisk()
    made = manager(disk, LARGE)
    log = made.get_or_create("t", 0)
    for sequence in range(3):
        sent(log, 0, sequence, 1)
    made.close()
    log = manager(disk, LARGE).get_or_create("t", 0)
    assert sent(log, 0, 2, 1) == (DUPLICATE, 2)
    assert sent(log, 0, 1, 1) is ORDER
    assert sent(log, 0, 3, 1) == 3


def test_coordinators_number_no_sequences_but_their_epochs_count() -> None:
    log = new_log(FakeDisk(), LARGE)
    for epoch in (0, 0, 2):
        log.append_as_leader(batch(producer=(1, epoch, -1)), 0, 0, AppendOrigin.COORDINATOR)
    with pytest.raises(EPOCH):
        log.append_as_leader(batch(producer=(1, 1, -1)), 0, 0, AppendOrigin.COORDINATOR)


def test_followers_believe_their_leader() -> None:
    log = new_log(FakeDisk(), LARGE)
    for offset, (epoch, sequence) in enumerate([(5, 0), (5, 7), (4, 3)]):
        data = batch(producer=(1, epoch, sequence), base_offset=offset, leader_epoch=0).buffer
        log.append_as_follower(data)
    assert log.log_end_offset == 3
    assert log.producer_state_manager.entries[1].last_sequence == 3


def test_producers_stay_when_their_records_go() -> None:
    """DeleteRecords and retention leave the sequences alone (rule 59 as corrected)."""
    log = new_log(FakeDisk(), LARGE)
    for sequence in range(3):
        sent(log, 0, sequence, 1)
    log.delete_records(3)
    assert sent(log, 0, 2, 1) == (DUPLICATE, 2)
    assert sent(log, 0, 9, 1) is ORDER


DAY_MS = 86_400_000


def test_idle_producers_expire() -> None:
    log = new_log(FakeDisk(), LARGE)
    log.append_as_leader(batch(producer=(1, 0, 0), timestamp=9), 0, 1000)
    log.append_as_leader(batch(producer=(2, 0, 0), timestamp=9, transactional=True), 0, 1000)
    log.append_as_leader(batch(producer=(3, 0, 0), timestamp=9), 0, 2000)
    log.producer_state_manager.remove_expired_producers(1000 + DAY_MS - 1, DAY_MS)
    assert set(log.producer_state_manager.entries) == {1, 2, 3}
    log.producer_state_manager.remove_expired_producers(1000 + DAY_MS, DAY_MS)
    assert set(log.producer_state_manager.entries) == {2, 3}  # an open transaction stays


@pytest.mark.parametrize("clean", [True, False])
def test_a_producer_of_old_events_does_not_expire_at_a_restart(clean: bool) -> None:
    disk, clock = FakeDisk(), Clock(50 * DAY_MS)
    made = manager(disk, LARGE, clock)
    log = made.get_or_create("t", 0)
    for sequence in range(3):
        log.append_as_leader(batch(producer=(1, 0, sequence), timestamp=1), 0, clock.now_ms)
        log.roll()
    if clean:
        made.close()
    else:
        disk = disk.restarted()
    clock.now_ms += 1000
    log = manager(disk, LARGE, clock).get_or_create("t", 0)
    log.producer_state_manager.remove_expired_producers(clock.now_ms + DAY_MS - 1, DAY_MS)
    assert sent(log, 0, 2, 1) == (DUPLICATE, 2)
    log.producer_state_manager.remove_expired_producers(clock.now_ms + DAY_MS, DAY_MS)
    assert log.producer_state_manager.active_producers() == []


class Transactions:
    """A log to which transactions are written in a few letters."""

    def __init__(self) -> None:
        self.disk = FakeDisk()
        self.log = new_log(self.disk, LARGE)
        self.sequences: dict[int, int] = {}

    def write(self, producer_id: int) -> int:
        sequence = self.sequences.get(producer_id, 0)
        self.sequences[producer_id] = sequence + 1
        appended = batch(producer=(producer_id, 0, sequence), transactional=True)
        return self.log.append_as_leader(appended, 0, 0).base_offset

    def end(self, producer_id: int, *, committed: bool, coordinator_epoch: int = 0) -> int:
        done = marker(producer_id, 0, committed=committed, coordinator_epoch=coordinator_epoch)
        return self.log.append_as_leader(done, 0, 0, AppendOrigin.COORDINATOR).base_offset

    def stable(self, high_watermark: int | None = None) -> int:
        return self.log.reader.last_stable_offset(self.log.log_end_offset if high_watermark is None else high_watermark)

    def aborted(self, start: int, end: int) -> list[tuple[int, int]]:
        piece = self.log.read(start, 1 << 20, end, min_one_batch=True)
        return self.log.reader.aborted_transactions(start, piece)


def test_the_last_stable_offset_is_where_the_first_open_transaction_begins() -> None:
    story = Transactions()
    assert story.stable() == 0
    story.log.append_as_leader(batch(), 0, 0)
    assert story.stable() == 1
    story.write(1)
    story.write(2)
    story.write(1)
    assert (story.stable(), story.stable(1)) == (1, 1)
    assert story.log.producer_state_manager.ongoing_transactions() == {1: 1, 2: 2}
    story.end(1, committed=True)  # at 4
    assert story.stable(4) == 1  # its marker is not replicated
    assert story.stable(5) == 2
    story.end(2, committed=False)  # at 5
    assert story.stable(5) == 2
    assert story.stable(6) == 6


def test_the_last_stable_offset_is_not_below_the_log_start() -> None:
    story = Transactions()
    story.write(1)
    story.write(1)
    story.log.delete_records(1)
    assert story.stable() == 1


def test_aborted_transactions_come_in_the_order_of_their_markers() -> None:
    story = Transactions()
    story.write(1)  # 0
    story.write(2)  # 1
    story.write(3)  # 2
    story.end(2, committed=False)  # 3
    story.end(3, committed=True)  # 4
    story.end(1, committed=False)  # 5
    assert story.aborted(0, 6) == [(2, 1), (1, 0)]
    assert story.aborted(4, 6) == [(1, 0)]
    index = story.disk.content("/data/t-0/00000000000000000000.txnindex")
    assert index.hex(" ", 1).replace(" ", "") == (
        "0000" + "0000000000000002" + "0000000000000001" + "0000000000000003" + "0000000000000000"
        "0000" + "0000000000000001" + "0000000000000000" + "0000000000000005" + "0000000000000006"
    )


def test_transactions_are_found_again_after_a_crash() -> None:
    story = Transactions()
    story.write(1)
    story.write(2)
    story.end(2, committed=False)
    story.log = manager(story.disk.restarted(), LARGE).get_or_create("t", 0)
    assert story.stable() == 0
    assert story.aborted(0, 3) == [(2, 1)]
    story.end(1, committed=False)
    assert story.stable() == 4
    assert story.aborted(0, 4) == [(2, 1), (1, 0)]


def test_a_plain_write_during_a_transaction_is_refused() -> None:
    story = Transactions()
    story.write(1)
    with pytest.raises(InvalidTxnStateError):
        story.log.append_as_leader(batch(producer=(1, 0, 1)), 0, 0)
    assert story.write(1) == 1


def test_an_old_coordinator_is_fenced() -> None:
    story = Transactions()
    story.write(1)
    story.end(1, committed=True, coordinator_epoch=5)
    story.write(1)
    with pytest.raises(TransactionCoordinatorFencedError):
        story.end(1, committed=True, coordinator_epoch=4)
    assert story.end(1, committed=True, coordinator_epoch=5) == 3


def test_a_marker_with_a_newer_epoch_fences_the_producer() -> None:
    story = Transactions()
    story.write(1)
    story.log.append_as_leader(marker(1, 1, committed=False), 0, 0, AppendOrigin.COORDINATOR)
    with pytest.raises(EPOCH):
        story.write(1)
    assert sent(story.log, 1, 0, 1, transactional=True) == 2


def test_truncating_opens_a_transaction_again() -> None:
    story = Transactions()
    story.write(1)
    story.write(1)
    story.end(1, committed=False)
    truncate_to(story.log, 2)
    assert story.stable() == 0
    assert story.aborted(0, 2) == []
    assert story.write(1) == 2
    assert len(values(story.log)) == 3


def test_sequences_survive_every_way_of_starting() -> None:
    """Rolled segments, snapshots, a crash, a clean stop: the next sequence is always known."""
    disk, clock = FakeDisk(), Clock()
    made = manager(disk, SMALL, clock)
    log = made.get_or_create("t", 0)
    for sequence in range(60):
        assert sent(log, 0, sequence, 1) == sequence
        if sequence % 7 == 3:
            disk = disk.restarted()
        if sequence % 11 == 5:
            made.close()
        if sequence % 7 == 3 or sequence % 11 == 5:
            made = manager(disk, SMALL, clock)
            log = made.get_or_create("t", 0)
    assert len(log.segments) > 3
    assert len(log.producer_state_manager.snapshots.offsets) >= len(log.segments) - 1


@pytest.mark.parametrize("has_older_snapshot", [True, False])
def test_records_stay_unstable_across_a_clean_stop_until_their_marker_is_replicated(has_older_snapshot: bool) -> None:
    """Without an older snapshot to begin with, the producers are known after the start, as with Apache Kafka."""
    disk = FakeDisk()
    made = manager(disk, LARGE)
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(producer=(2, 0, 0)), 0, 0)
    if has_older_snapshot:
        log.roll()
    log.append_as_leader(batch(producer=(1, 0, 0), transactional=True), 0, 0)
    log.append_as_leader(marker(1, 0, committed=True), 0, 0, AppendOrigin.COORDINATOR)
    log.producer_state_manager.on_high_watermark_updated(2)
    made.close()
    log = manager(disk, LARGE).get_or_create("t", 0)
    assert set(log.producer_state_manager.entries) == {1, 2}
    assert log.reader.view.last_stable_offset(2) == (1 if has_older_snapshot else 2)
    assert log.reader.view.last_stable_offset(3) == 3
    assert sent(log, 0, 1, 1, transactional=True) == 3


def test_a_clean_stop_keeps_producers_whose_records_and_snapshots_are_deleted() -> None:
    disk = FakeDisk()
    made = manager(disk, LARGE)
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(producer=(2, 0, 0)), 0, 0)
    log.roll()
    log.append_as_leader(batch(producer=(1, 0, 0), transactional=True), 0, 0)
    log.append_as_leader(marker(1, 0, committed=True), 0, 0, AppendOrigin.COORDINATOR)
    log.producer_state_manager.on_high_watermark_updated(2)
    log.delete_records(2)
    made.close()
    log = manager(disk, LARGE).get_or_create("t", 0)
    assert set(log.producer_state_manager.entries) == {1, 2}


def test_a_clean_stop_leaves_a_snapshot_of_the_end_when_all_markers_are_replicated() -> None:
    disk = FakeDisk()
    made = manager(disk, LARGE)
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(), 0, 0)
    log.roll()
    log.append_as_leader(batch(producer=(1, 0, 0), transactional=True), 0, 0)
    log.append_as_leader(marker(1, 0, committed=True), 0, 0, AppendOrigin.COORDINATOR)
    log.producer_state_manager.on_high_watermark_updated(3)
    made.close()
    assert log.producer_state_manager.snapshots.offsets == [1, 3]
