"""A transaction index that is not what the log says: noticed before a reader of committed records relies on it."""

from __future__ import annotations

import logging
from struct import Struct
from typing import TYPE_CHECKING

import pytest

from wirebroker.record.legacy import any_batches
from wirebroker.storage.errors import CorruptLogError, ScanRequired, StorageError
from wirebroker.storage.log_truncation import truncate_to
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import batch, marker
from wirebroker.tests.storage.fakes.sample_log_dir import CONFIG, load, sample_log_dir

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.storage.log import Log

_ENTRY = Struct(">hqqqq")
TOPIC = "transactions"


def log_on(disk: FakeDisk) -> Log:
    log = load(disk).get(TOPIC, 0)
    assert log is not None
    return log


def listed(log: Log, *, may_wait: bool = True) -> list[tuple[int, list[tuple[int, int]]]]:
    """(offset, aborted transactions) for each piece of the log, read from its start."""
    found, offset = [], log.log_start_offset
    while offset < log.log_end_offset:
        piece = log.read(offset, 700, log.log_end_offset, min_one_batch=True)
        found.append((offset, log.reader.aborted_transactions(offset, piece, may_wait)))
        offset = list(any_batches(piece.tobytes()))[-1].last_offset + 1
    return found


WHOLE = sample_log_dir(clean=True).disk
RIGHT = listed(log_on(WHOLE.restarted()))
INDEXES = sorted(name for name in WHOLE.names if f"/{TOPIC}-0/" in name and name.endswith(".txnindex"))


def entries(disk: FakeDisk, path: str) -> list[tuple[int, ...]]:
    return list(_ENTRY.iter_unpack(disk.content(path)))


def changed(path: str, change: Callable[[list[tuple[int, ...]]], list[tuple[int, ...]]]) -> FakeDisk:
    disk = WHOLE.restarted()
    disk.overwrite(path, b"".join(_ENTRY.pack(*each) for each in change(entries(disk, path))))
    return disk


def test_a_long_scan_is_left_to_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller gets the scan to run; afterwards the answer is the same, and a wrong index is noticed."""
    monkeypatch.setattr("wirebroker.storage.integrity.lazy_verification.LONG_SCAN_BYTES", 0)
    log = log_on(changed(INDEXES[-1], lambda known: known[1:]))
    scans = 0
    while True:
        try:
            assert listed(log, may_wait=False) == RIGHT
            break
        except ScanRequired as required:
            assert log.segments
            scans += 1
            required.scan.run()
            required.scan.run()  # done already
    assert len(INDEXES) <= scans <= len(log.segments)
    log = log_on(changed(INDEXES[-1], lambda known: known[1:]))
    assert listed(log) == RIGHT, "a caller that may wait runs the scans"


def test_a_disk_that_fails_during_the_scan_fails_the_next_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.storage.integrity.lazy_verification.LONG_SCAN_BYTES", 0)
    disk = WHOLE.restarted()
    log = log_on(disk)
    with pytest.raises(ScanRequired) as caught:
        listed(log, may_wait=False)
    disk.broken["pread"] = 5
    caught.value.scan.run()
    disk.broken.clear()
    with pytest.raises(StorageError):
        listed(log, may_wait=False)


def test_the_sample_has_what_the_tests_need() -> None:
    assert len(INDEXES) >= 3
    assert max(len(entries(WHOLE, path)) for path in INDEXES) >= 2
    assert sum(bool(aborted) for _, aborted in RIGHT) > 5


def test_a_correct_index_is_used(caplog: pytest.LogCaptureFixture) -> None:
    disk = WHOLE.restarted()
    assert listed(log_on(disk)) == RIGHT
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("number", range(len(INDEXES)))
def test_cut_between_two_entries(number: int, caplog: pytest.LogCaptureFixture) -> None:
    path = INDEXES[number]
    for left in range(len(entries(WHOLE, path))):
        caplog.clear()
        disk = changed(path, lambda found, left=left: found[:left])  # type: ignore[misc]
        assert listed(log_on(disk)) == RIGHT
        (said,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
        assert path in said
        assert len(entries(disk, path)) == left, "the file is evidence"


WRONG: dict[str, Callable[[tuple[int, ...]], tuple[int, ...]]] = {
    "version": lambda each: (1, *each[1:]),
    "producer": lambda each: (0, each[1] ^ 4, *each[2:]),
    "begins later": lambda each: (*each[:2], each[2] + 1, *each[3:]),
    "begins earlier": lambda each: (*each[:2], each[2] - 1, *each[3:]),
    "marker": lambda each: (*each[:3], each[3] - 1, each[4]),
}


@pytest.mark.parametrize("what", WRONG)
def test_one_entry_is_wrong(what: str, caplog: pytest.LogCaptureFixture) -> None:
    for path in INDEXES:
        for number in range(len(entries(WHOLE, path))):
            caplog.clear()

            def change(found: list[tuple[int, ...]], number: int = number) -> list[tuple[int, ...]]:
                return [WRONG[what](each) if at == number else each for at, each in enumerate(found)]

            log = log_on(changed(path, change))
            base = int(path.rpartition("/")[2][:20])
            began_earlier = entries(WHOLE, path)[number][2] < base
            if began_earlier and what.startswith("begins"):
                continue  # nothing but the index tells
            assert listed(log) == RIGHT
            assert [record for record in caplog.records if path in record.getMessage()]


_OFFSET_ENTRY = Struct(">ii")
WRONG_ENTRIES: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "offset too small": lambda offset, position: (offset - 3, position),
    "position too large": lambda offset, position: (offset, position | 1 << 30),
    "position too small": lambda offset, position: (offset, position - 1),
    "nothing": lambda offset, position: (0, 0),
}


@pytest.mark.parametrize("what", WRONG_ENTRIES)
def test_an_offset_index_that_would_hide_some(what: str, caplog: pytest.LogCaptureFixture) -> None:
    whole = log_on(WHOLE.restarted())
    pieces = [(offset, whole.read(offset, 700, whole.log_end_offset, True), right) for offset, right in RIGHT]
    seen = 0
    for path in (each.replace(".txnindex", ".index") for each in INDEXES[:-1]):
        found = list(_OFFSET_ENTRY.iter_unpack(WHOLE.content(path)))
        for number in range(len(found)):
            caplog.clear()
            wrong = [WRONG_ENTRIES[what](*each) if at == number else each for at, each in enumerate(found)]
            disk = WHOLE.restarted()
            disk.overwrite(path, b"".join(_OFFSET_ENTRY.pack(*each) for each in wrong))
            log = log_on(disk)
            for offset, piece, right in pieces:
                piece.segment = log.view.segments_between(offset, offset + 1)[0]
                assert set(right) <= set(log.reader.aborted_transactions(offset, piece)), (path, number, offset)
            seen += any(path in record.getMessage() for record in caplog.records)
    assert seen > 3


def spanning() -> FakeDisk:
    """A transaction of producer 7 that begins at offset 1 in the first segment, and is aborted in the third."""
    disk = FakeDisk()
    manager = load(disk)
    log = manager.get_or_create(TOPIC, 0, None, CONFIG)
    log.append_as_leader(batch(b"v"), 0, 0)
    log.append_as_leader(batch(b"v", producer=(7, 0, 0), transactional=True), 0, 0)
    log.append_as_leader(batch(b"v", producer=(8, 0, 0), transactional=True), 0, 0)
    while len(log.segments) < 3:
        log.append_as_leader(batch(bytes(100)), 0, 0)
    log.append_as_leader(marker(8, 0, committed=True), 0, 0, AppendOrigin.COORDINATOR)
    log.append_as_leader(marker(7, 0, committed=False), 0, 0, AppendOrigin.COORDINATOR)
    for sequence in (1, 2):
        log.append_as_leader(batch(b"v", producer=(7, 0, sequence), transactional=True), 0, 0)
    log.append_as_leader(marker(7, 0, committed=False), 0, 0, AppendOrigin.COORDINATOR)
    while len(log.segments) < 6:  # of the last two a start makes the snapshots anew
        log.append_as_leader(batch(bytes(100)), 0, 0)
    manager.close()
    return disk.restarted()


@pytest.mark.parametrize("left", [0, 1, 2])
@pytest.mark.parametrize("has_snapshot", [True, False])
def test_transactions_that_began_in_an_earlier_segment(left: int, has_snapshot: bool) -> None:
    """Of such a transaction only the index and the snapshot know: without both nothing is made up."""
    disk = spanning()
    right = listed(log_on(disk))
    (path,) = [name for name in disk.names if name.endswith(".txnindex")]
    assert len(entries(disk, path)) == 2
    disk.overwrite(path, disk.content(path)[: left * _ENTRY.size])
    if not has_snapshot:
        disk.unlink([path.replace(".txnindex", ".snapshot")])
    log = log_on(disk)
    if left or has_snapshot:
        assert listed(log) == right
        return
    piece = log.read(1, 700, log.log_end_offset, min_one_batch=True)
    with pytest.raises(CorruptLogError, match="does not tell all"):
        log.reader.aborted_transactions(1, piece)


def test_transactions_aborted_later_are_listed() -> None:
    path = INDEXES[-1]
    disk = changed(path, lambda found: found[:0])
    logs = log_on(disk), log_on(WHOLE.restarted())
    for log in logs:
        assert listed(log) == RIGHT
        for _ in range(2):
            entry = log.producer_state_manager.entries[10]
            sequence = entry.batches[-1].last_sequence + 1 if entry.batches else 0
            log.append_as_leader(batch(b"v", producer=(10, 0, sequence), transactional=True), 2, 0)
            log.append_as_leader(marker(10, 0, committed=False), 2, 0, AppendOrigin.COORDINATOR)
    assert listed(logs[0]) == listed(logs[1]) != RIGHT
    for log in logs:
        truncate_to(log, RIGHT[-1][0])
    assert listed(logs[0]) == listed(logs[1])
