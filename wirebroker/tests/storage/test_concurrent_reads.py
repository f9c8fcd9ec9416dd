"""Reads of a log that another thread changes: at every bytecode of the change a reader sees the log before or after it.

The change may come at every bytecode of a read, too.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from wirebroker.record.record_batch import batches
from wirebroker.storage.errors import (
    LogError,
    OffsetOutOfRangeError,
    SegmentReplaced,
)
from wirebroker.storage.log_truncation import truncate_fully_and_start_at, truncate_to
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.storage.retention import delete_old_segments
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, batch, manager, marker, new_log, values
from wirebroker.tests.storage.fakes.preemption import at_bytecode, at_every_bytecode
from wirebroker.tests.storage.test_future_logs import AT, TWO, manager_with_log, move

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.storage.log import Log

LARGE = SMALL._replace(segment_bytes=100_000, index_interval_bytes=150)


def last_offsets(log: Log, offset: int, bound: int) -> list[int]:
    """The last offsets of the batches that a reader gets who may read up to *bound*."""
    return [each.last_offset for each in batches(log.read(offset, 1 << 20, bound, min_one_batch=True).tobytes())]


def appended(log: Log, *batch_of: tuple[int, int, int], count: int = 6) -> None:
    for n in range(count):
        producer = (batch_of[0][0], batch_of[0][1], batch_of[0][2] + n) if batch_of else (-1, -1, -1)
        log.append_as_leader(batch(b"%030d" % n, timestamp=1000 + n, producer=producer), 0, 0)


@pytest.mark.parametrize("producer", [(-1, -1, -1), (7, 0, 6)], ids=["plain", "idempotent"])
@pytest.mark.parametrize("config", [LARGE, SMALL], ids=["appended", "rolled"])
def test_a_read_ends_below_its_bound_while_a_batch_is_appended(producer: tuple[int, int, int], config: object) -> None:
    log = new_log(FakeDisk(), config)  # type: ignore[arg-type]
    appended(log, (7, 0, 0), count=6)
    bound = log.log_end_offset

    def look() -> None:
        for start in (bound - 1, bound - 3, 0):
            assert last_offsets(log, start, bound)[-1] == bound - 1
        end = log.view.log_end_offset
        assert last_offsets(log, end - 1, end) == [end - 1]
        assert log.reader.find_max_timestamp() == (999 + end, end - 1, 0)
        assert log.reader.find_timestamp(999 + end) == (999 + end, end - 1, 0)
        assert log.reader.find_timestamp(1000 + end) is None

    written = batch(b"%0400d" % 6, timestamp=1000 + bound, producer=producer)
    assert at_every_bytecode(lambda: log.append_as_leader(written, 0, 0), look) > 100
    assert log.log_end_offset == bound + 1


@pytest.mark.parametrize("committed", [False, True])
def test_the_last_stable_offset_stays_at_a_transaction_until_its_marker_is_replicated(committed: bool) -> None:
    log = new_log(FakeDisk(), LARGE)
    log.append_as_leader(batch(producer=(7, 0, 0), transactional=True), 0, 0)
    log.producer_state_manager.on_high_watermark_updated(1)

    def look() -> None:
        assert log.reader.last_stable_offset(1) == 0
        assert log.reader.last_stable_offset(log.log_end_offset) == (0 if log.log_end_offset == 1 else 2)

    end = marker(7, 0, committed=committed)
    at_every_bytecode(lambda: log.append_as_leader(end, 0, 0, AppendOrigin.COORDINATOR), look)
    assert log.reader.last_stable_offset(2) == 2


def test_the_last_stable_offset_stops_where_a_transaction_begins() -> None:
    log = new_log(FakeDisk(), LARGE)
    appended(log)
    log.producer_state_manager.on_high_watermark_updated(6)
    begins = batch(producer=(7, 0, 0), transactional=True)
    ends = []
    at_every_bytecode(
        lambda: log.append_as_leader(begins, 0, 0),
        lambda: ends.append(log.reader.last_stable_offset(log.log_end_offset)),
    )
    assert set(ends) == {6}


def test_aborted_transactions_are_listed_while_another_one_is_aborted() -> None:
    log = new_log(FakeDisk(), LARGE)
    for producer in (7, 8):
        log.append_as_leader(batch(producer=(producer, 0, 0), transactional=True), 0, 0)
    log.append_as_leader(marker(7, 0, committed=False), 0, 0, AppendOrigin.COORDINATOR)
    log.producer_state_manager.on_high_watermark_updated(3)

    def look() -> None:
        piece = log.read(0, 1 << 20, log.reader.last_stable_offset(3), True)
        assert log.reader.aborted_transactions(0, piece)[0] == (7, 0)
        assert log.reader.last_stable_offset(3) == 1

    end = marker(8, 0, committed=False)
    at_every_bytecode(lambda: log.append_as_leader(end, 0, 0, AppendOrigin.COORDINATOR), look)


def every_reader(log: Log, refused: set[type[LogError]]) -> None:
    """Read in every way that there is; only *refused* may be answered."""
    start, end = log.view.log_start_offset, log.view.log_end_offset
    piece = None

    def aborted() -> object:
        try:
            return piece and log.reader.aborted_transactions(start, piece)
        except SegmentReplaced:
            read()
            return None

    def read() -> None:
        nonlocal piece
        piece = log.read(start, 4000, end, True)
        assert (piece.size_bytes > 0) == (start < end)
        if piece.size_bytes:
            assert piece.tobytes()[:8] == piece.first_offset.to_bytes(8, "big")

    looks: tuple[Callable[[], object], ...] = (
        read,
        aborted,
        log.reader.segment_starts,
        log.reader.find_max_timestamp,
        lambda: log.reader.find_timestamp(1),
        lambda: log.reader.find_timestamp(1_000_000),
        lambda: log.size_bytes,
        lambda: log.end_offset_for_epoch(0),
        lambda: log.leader_epoch_cache.epoch_for_offset(start),
        lambda: log.reader.last_stable_offset(end),
    )
    for look in looks:
        try:
            look()
        except LogError as error:
            if type(error) not in refused:
                raise
    assert log.failure is None or type(log.failure) in refused, log.failure


def log_with_everything(disk: FakeDisk) -> Log:
    """Some segments, an aborted transaction in most, epochs and producers."""
    log = new_log(disk, SMALL)
    for n in range(24):
        if n % 3 == 2:
            log.append_as_leader(marker(7, 0, committed=False), n // 6, 0, AppendOrigin.COORDINATOR)
        else:
            data = batch(b"%080d" % n, timestamp=10 + n, producer=(7, 0, n - n // 3), transactional=True)
            log.append_as_leader(data, n // 6, 0)
    log.producer_state_manager.on_high_watermark_updated(log.log_end_offset)
    assert len(log.segments) > 3
    return log


CHANGES: dict[str, tuple[Callable[[Log], object], set[type[LogError]]]] = {
    "retention": (
        lambda log: delete_old_segments(log, 1_000_000_000_000, log.log_end_offset),
        {OffsetOutOfRangeError},
    ),
    "delete_records": (lambda log: log.delete_records(9), {OffsetOutOfRangeError}),
    "roll": (lambda log: log.roll(), set()),
    "flush": (lambda log: log.flush(), set()),
    "truncate": (lambda log: truncate_to(log, 10), {OffsetOutOfRangeError}),
    "truncate to the start of a segment": (
        lambda log: truncate_to(log, log.segments[2].base_offset),
        {OffsetOutOfRangeError},
    ),
    "truncate fully": (lambda log: truncate_fully_and_start_at(log, 0), {OffsetOutOfRangeError}),
    "start elsewhere": (lambda log: truncate_fully_and_start_at(log, 100), {OffsetOutOfRangeError}),
    "expiry": (lambda log: log.producer_state_manager.remove_expired_producers(10**15, 1), set()),
}


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_readers_find_the_log_before_or_after_a_change(change: str) -> None:
    log = log_with_everything(FakeDisk())
    log.config = log.config._replace(retention_ms=1000)
    make, refused = CHANGES[change]
    assert at_every_bytecode(lambda: make(log), lambda: every_reader(log, refused), log.local_log.name_lock) > 20
    assert log.failure is None
    values(log)


def test_readers_find_a_log_that_changes_its_directory() -> None:
    made, log = manager_with_log(FakeDisk(), count=12)
    future = made.future_logs.get_or_create(log, TWO)
    future.append_as_follower(memoryview(bytearray(log.read(0, 1 << 20, 12, True).tobytes())))
    expected = values(log)
    start = [(0, expected[0][1])]

    def look() -> None:
        every_reader(log, set())
        for segment in log.view.segments:
            segment.close()  # as when descriptors are short: files are opened by their names
        assert values(log, 0)[:1] == start

    assert at_every_bytecode(lambda: move(made, log), look, log.local_log.name_lock) > 1000
    assert log.directory.parent == TWO
    assert values(log) == expected
    assert not any(made.log_dirs.is_offline(each) for each in made.log_dirs.paths)
    assert made.get(*AT) is log


def reopened(disk: FakeDisk) -> Log:
    log = manager(disk.restarted(), SMALL).get("t", 0)
    assert log is not None
    return log


QUESTIONS: dict[str, Callable[[Log], object]] = {
    "by time": lambda log: log.reader.find_timestamp(25),
    "largest timestamp": lambda log: (log.reader.find_max_timestamp() or (0,))[0] >= 32,
    "last batch": lambda log: last_offsets(log, 23, 24),
    "first batch": lambda log: last_offsets(log, 0, 24),
    "aborted": lambda log: log.reader.aborted_transactions(21, log.read(21, 500, 24, True)),
}
WRITES: dict[str, Callable[[Log], object]] = {
    "append": lambda log: [log.append_as_leader(batch(b"%0150d" % n, timestamp=100 + n), 0, 0) for n in range(3)],
    "abort": lambda log: [
        log.append_as_leader(batch(timestamp=99, producer=(8, 0, 0), transactional=True), 0, 0),
        log.append_as_leader(marker(8, 0, committed=False), 0, 0, AppendOrigin.COORDINATOR),
    ],
    "roll": lambda log: log.roll(),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("clean", [True, False], ids=["clean", "crashed"])
def test_a_log_is_written_to_while_its_files_are_verified(question: str, write: str, clean: bool) -> None:
    """The writer appends at the right place while a reader verifies files that were there at start."""
    disk = FakeDisk()
    log = log_with_everything(disk)
    log.close() if clean else None
    if clean:
        disk.open("/data/.kafka_cleanshutdown")
    ask, change = QUESTIONS[question], WRITES[write]
    expected = ask(reopened(disk))
    total = at_every_bytecode(lambda: ask(reopened(disk)), lambda: None)
    assert total > 40
    for number in (*range(30), *range(30, total, max(total // 30, 1))):
        log = reopened(disk)
        answers: list[object] = []

        def look(log: Log = log, answers: list[object] = answers) -> None:
            answers.append(ask(log))

        if not at_bytecode(number, look, partial(change, log)):
            change(log)
        assert answers == [expected]
        end = log.log_end_offset
        last = log.reader.find_max_timestamp()
        assert ask(log) == expected
        if write == "append":
            assert last == (102, 26, 0)
        for segment in log.segments:
            assert segment.offset_index.count <= segment.size_bytes // 60
            assert segment.time_index.count <= segment.size_bytes // 60 + 1
        if write == "abort":
            assert log.reader.aborted_transactions(end - 2, log.read(end - 2, 500, end, True)) == [(8, end - 2)]
