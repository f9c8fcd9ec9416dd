"""Deletion, recreation and moves of a log while other threads flush it, read it or write checkpoints of its directory.

Renames and deletions by the broker never take a directory offline, and nothing is written into another log's directory.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from wirebroker.storage.errors import (
    LogDeletedError,
    StorageError,
    UnwritableLogError,
)
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, batch, manager, marker, values
from wirebroker.tests.storage.fakes.preemption import at_bytecode, at_every_bytecode
from wirebroker.tests.storage.test_concurrent_reads import every_reader, log_with_everything
from wirebroker.tests.storage.test_future_logs import AT, ONE, TWO, manager_with_log, move

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.storage.log import Log
    from wirebroker.storage.log_manager import LogManager

OLD, NEW = b"1" * 16, b"2" * 16


def opened(disk: FakeDisk) -> tuple[LogManager, Log]:
    """The log t-0 with several epochs, in several segments that are not flushed."""
    made = manager(disk)
    log = made.get_or_create("t", 0, OLD)
    for n in range(20):
        log.append_as_leader(batch(b"%0100d" % n, producer=(7, 0, n)), n // 5, 0)
    return made, log


def bytecodes_of(first: Callable[[LogManager, Log], object]) -> range:
    made, log = opened(FakeDisk())
    return range(at_every_bytecode(lambda: first(made, log), lambda: None, log.local_log.name_lock))


def delete(made: LogManager) -> None:
    made.delete("t", 0)


def delete_at_once(made: LogManager) -> None:
    made.delete("t", 0)
    made.delete_due_files(10**15)


def make_again(made: LogManager) -> None:
    delete_at_once(made)
    log = made.get_or_create("t", 0, NEW)
    log.append_as_leader(batch(b"new"), 9, 0)


@pytest.mark.parametrize("end", [delete, delete_at_once, make_again])
def test_a_log_is_deleted_while_it_is_flushed(end: Callable[[LogManager], None]) -> None:
    for number in bytecodes_of(lambda _, log: log.flush())[::3]:
        disk = FakeDisk()
        made, log = opened(disk)
        at_bytecode(number, log.flush, lambda made=made: end(made), log.local_log.name_lock)  # type: ignore[misc]
        assert not made.log_dirs.is_offline(DIR)
        again = made.get("t", 0)
        if end is make_again and again is not None:
            assert values(again) == [(0, b"new")]
            assert again.leader_epoch_cache.entries == [(9, 0)]
            again.close()
            assert disk.content("/data/t-0/leader-epoch-checkpoint") == b"0\n1\n9 0\n"


def test_a_log_is_flushed_and_read_while_it_is_deleted() -> None:
    disk = FakeDisk()
    log = log_with_everything(disk)
    made = manager(disk.restarted())
    found = made.get("t", 0)
    assert found is not None
    log = found

    def look() -> None:
        every_reader(log, {LogDeletedError})
        for segment in log.segments:
            segment.close()
        log.flush()

    assert at_every_bytecode(lambda: delete(made), look, log.local_log.name_lock) > 100
    assert not made.log_dirs.is_offline(DIR)
    with pytest.raises(LogDeletedError):
        log.append_as_leader(marker(7, 0, committed=True), 0, 0)


def test_a_log_is_moved_while_it_is_flushed() -> None:
    for number in bytecodes_of(lambda _, log: log.flush())[::5]:
        made, log = manager_with_log(FakeDisk(), count=12)
        expected = values(log)
        at_bytecode(number, log.flush, lambda m=made, log=log: move(m, log), log.local_log.name_lock)  # type: ignore[misc]
        assert not any(made.log_dirs.is_offline(each) for each in (ONE, TWO))
        assert made.get(*AT) is log
        assert values(log) == expected
        log.flush()
        assert log.recovery_point == log.log_end_offset


def test_a_foreign_deletion_is_a_fault() -> None:
    disk = FakeDisk()
    _, log = opened(disk)
    for segment in log.segments:
        segment.close()
    disk.unlink([path for path in disk.names if path.endswith(".log")])
    with pytest.raises(StorageError):
        log.flush()


def test_a_damaged_log_can_be_deleted() -> None:
    disk = FakeDisk()
    made, log = opened(disk)
    log.local_log.fail(UnwritableLogError("an index cannot be written to"))
    made.delete("t", 0)
    assert made.get("t", 0) is None
    assert not made.log_dirs.is_offline(DIR)


class HeldRename(FakeDisk):
    """A disk on which the first rename of a checkpoint waits until it is told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def rename(self, old: str, new: str) -> None:
        if new.endswith("-checkpoint") and not self.reached.is_set() and not self.go_on.is_set():
            self.reached.set()
            assert self.go_on.wait(10)
        super().rename(old, new)


@pytest.mark.parametrize("what", ["recovery points", "log starts", "high watermarks"])
def test_a_topic_is_made_again_while_checkpoints_are_written(what: str) -> None:
    disk = HeldRename()
    made = manager(disk, SMALL)
    log = made.get_or_create("t", 0, OLD)
    log.append_as_leader(batch(), 0, 0)
    log.delete_records(1)
    made.log_dirs.checkpoint_recovery_points()
    log.append_as_leader(batch(), 0, 0)
    log.delete_records(2)
    made.delete("t", 0)
    writes = {
        "recovery points": made.log_dirs.checkpoint_recovery_points,
        "log starts": made.log_dirs.checkpoint_log_starts,
        "high watermarks": lambda: made.log_dirs.checkpoint_high_watermarks({}),
    }
    disk.go_on.clear()
    scheduler = threading.Thread(target=writes[what])
    scheduler.start()
    assert disk.reached.wait(10)
    again = threading.Thread(target=lambda: made.get_or_create("t", 0, NEW))
    again.start()
    again.join(0.1)
    disk.go_on.set()
    scheduler.join(10)
    again.join(10)
    assert not made.log_dirs.is_offline(DIR)
    assert made.get("t", 0) is not None
    left = manager(disk.restarted())
    assert left.refused() == {}
