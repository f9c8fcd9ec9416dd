"""Logs that move to another directory: copies, the exchange, and a crash or a fault at every step of both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wirebroker.model import TopicPartition
from wirebroker.storage.errors import (
    StorageError,
    TopicNameTooLongError,
)
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.storage.fakes.disk import Crash, FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, Clock, batch, manager, marker, run_flush, values

if TYPE_CHECKING:
    from wirebroker.storage.log import Log

ID = bytes(range(16))
AT = TopicPartition("t", 0)
ONE, TWO = Path("/one"), Path("/two")


def fill(log: Log, count: int, first: int = 0) -> None:
    for n in range(first, first + count):
        log.append_as_leader(batch(b"%05d" % n, timestamp=1_000_000), 0, 0)


def manager_with_log(disk: FakeDisk, count: int = 30) -> tuple[LogManager, Log]:
    """Two directories, the log t-0 in the first of them."""
    made = manager(disk, SMALL, None, ONE, TWO)
    log = made.get_or_create("t", 0, ID, is_new=True)
    log.assign_leader_epoch(0)
    fill(log, count)
    assert log.directory == ONE / "t-0"
    return made, log


def copy_some(log: Log, future: Log, max_bytes: int = 200) -> None:
    piece = log.read(future.log_end_offset, max_bytes, log.log_end_offset, True)
    future.append_as_follower(memoryview(bytearray(piece.tobytes())))


def move(made: LogManager, log: Log) -> None:
    future = made.future_logs.get_or_create(log, TWO)
    while not made.future_logs.maybe_replace_current(log, future):
        copy_some(log, future)


def names(disk: FakeDisk) -> list[str]:
    """The names in the two directories, without hex numbers."""
    found = []
    for path in ("/one", "/two"):
        for name, is_directory in sorted(disk.list(path)):
            if is_directory:
                stem, dot, rest = name.partition(".")
                found.append(f"{path}/{stem}{dot and '.x' + rest[32:]}")
    return found


def test_a_log_moves_with_all_that_is_known_of_it() -> None:
    disk = FakeDisk()
    clock = Clock()
    made = manager(disk, SMALL, clock, ONE, TWO)
    log = made.get_or_create("t", 0, ID, is_new=True)
    fill(log, 1)
    log.append_as_leader(batch(b"a", producer=(7, 0, 0), transactional=True), 0, 0)
    log.append_as_leader(marker(7, 0, committed=False), 0, 0)
    fill(log, 30)
    log.append_as_leader(batch(b"open", producer=(8, 0, 0), transactional=True), 3, 0)
    log.delete_records(1)
    before = values(log)
    entry = log.leader_epoch_cache.entries
    aborted = log.reader.aborted_transactions(1, log.read(1, 10_000, 34, True))

    move(made, log)
    assert made.get("t", 0) is log
    assert log.directory == TWO / "t-0"
    assert names(disk) == ["/one/t-0.x-delete", "/two/t-0"]
    assert (values(log), log.leader_epoch_cache.entries, log.reader.last_stable_offset(34)) == (before, entry, 33)
    assert log.log_start_offset == 1
    assert log.reader.aborted_transactions(1, log.read(1, 10_000, 34, True)) == aborted == [(7, 1)]
    assert log.append_as_leader(batch(b"open", producer=(8, 0, 0), transactional=True), 3, 0).duplicate
    fill(log, 10)

    clock.now_ms += SMALL.file_delete_delay_ms
    made.delete_due_files(clock.now_ms)
    assert names(disk) == ["/two/t-0"]
    made.close()
    again = manager(disk, SMALL, clock, ONE, TWO)
    assert again.was_clean
    found = again.get("t", 0)
    assert found is not None
    assert len(values(found)) == len(before) + 10
    assert found.log_start_offset == 1
    assert again.topic_id("t", 0) == ID


def test_appends_go_on_while_it_is_copied() -> None:
    disk = FakeDisk()
    made, log = manager_with_log(disk)
    future = made.future_logs.get_or_create(log, TWO)
    assert made.log_dirs.future_logs() == {AT: future}
    assert made.future_logs.get_or_create(log, TWO) is future
    assert names(disk) == ["/one/t-0", "/two/t-0.x-future"]
    for n in range(20):
        copy_some(log, future)
        fill(log, 1, 30 + n)
    assert made.future_logs.maybe_replace_current(log, future)
    assert made.log_dirs.future_log(AT) is None
    assert [int(value or b"-1") for _, value in values(log)] == list(range(50))


def test_too_much_to_wait_for_is_left_to_be_copied() -> None:
    made, log = manager_with_log(FakeDisk(), 30)
    future = made.future_logs.get_or_create(log, TWO)
    assert not made.future_logs.maybe_replace_current(log, future, 500)
    while future.log_end_offset < 27:
        copy_some(log, future)
    assert made.future_logs.maybe_replace_current(log, future, 500)


def test_the_copy_follows_the_log_s_ends() -> None:
    made, log = manager_with_log(FakeDisk(), 30)
    future = made.future_logs.get_or_create(log, TWO)
    copy_some(log, future, 600)
    assert future.log_end_offset > 5
    log.delete_records(3)
    made.future_logs.align(log, future)
    assert future.log_start_offset == 3
    made.truncate_to(log, 5)
    made.future_logs.align(log, future)
    assert future.log_end_offset == 5
    fill(log, 20)
    log.delete_records(20)
    made.future_logs.align(log, future)
    assert (future.log_start_offset, future.log_end_offset) == (20, 20)
    assert made.future_logs.maybe_replace_current(log, future)
    assert [offset for offset, _ in values(log)] == list(range(20, 25))


@pytest.mark.parametrize("kept", [12, 3, 0])
@pytest.mark.parametrize("last_epoch", [2, 5])
def test_the_copy_loses_the_records_that_a_truncated_log_has_replaced(kept: int, last_epoch: int) -> None:
    made, log = manager_with_log(FakeDisk(), 0)
    fill(log, 10)
    for n in range(10, 20):
        log.append_as_leader(batch(b"%05d" % n), 2, 0)
    future = made.future_logs.get_or_create(log, TWO)
    while future.log_end_offset < 20:
        copy_some(log, future)
    made.truncate_to(log, kept)
    for n in range(kept, 40):
        log.append_as_leader(batch(b"new %d" % n), last_epoch + 1, 0)
    made.future_logs.align(log, future)
    assert future.log_end_offset == kept
    assert made.future_logs.maybe_replace_current(log, future, 1 << 20)
    assert log.directory.parent == TWO
    assert [value for _, value in values(log)][kept:] == [b"new %d" % n for n in range(kept, 40)]


def test_a_move_is_cancelled_and_deleted_with_its_topic() -> None:
    disk = FakeDisk()
    made, log = manager_with_log(disk)
    copy_some(log, made.future_logs.get_or_create(log, TWO))
    made.future_logs.delete(AT)
    made.future_logs.delete(AT)
    assert names(disk) == ["/one/t-0", "/two/t-0.x-delete"]
    copy_some(log, made.future_logs.get_or_create(log, TWO))
    made.delete("t", 0)
    assert names(disk) == ["/one/t-0.x-delete", "/two/t-0.x-delete", "/two/t-0.x-delete"]
    assert made.log_dirs.future_logs() == {}


def test_a_topic_whose_name_is_too_long_stays() -> None:
    made = manager(FakeDisk(), SMALL, None, ONE, TWO)
    log = made.get_or_create("t" * 240, 0, ID, is_new=True)
    with pytest.raises(TopicNameTooLongError):
        made.future_logs.get_or_create(log, TWO)


@pytest.mark.parametrize("clean", [True, False])
def test_a_start_continues_the_copy(clean: bool) -> None:
    disk = FakeDisk()
    made, log = manager_with_log(disk)
    future = made.future_logs.get_or_create(log, TWO)
    copy_some(log, future, 700)
    end = future.log_end_offset
    assert end > 5
    if clean:
        made.close()
    disk = disk.restarted()
    again = manager(disk, SMALL, None, ONE, TWO)
    found, resumed = again.get("t", 0), again.log_dirs.future_log(AT)
    assert found is not None
    assert resumed is not None
    assert (found.directory, resumed.log_end_offset) == (ONE / "t-0", end)
    move(again, found)
    assert len(values(found)) == 30
    assert names(disk) == ["/one/t-0.x-delete", "/two/t-0"]


def test_deleted_records_are_deleted_from_the_copy() -> None:
    disk = FakeDisk()
    made, log = manager_with_log(disk)
    future = made.future_logs.get_or_create(log, TWO)
    while future.log_end_offset < 30:
        copy_some(log, future)
    future.flush()
    disk = disk.after_power_failure(0)
    again = manager(disk, SMALL, None, ONE, TWO)
    found, resumed = again.get("t", 0), again.log_dirs.future_log(AT)
    if found is not None and resumed is not None:
        assert resumed.log_end_offset <= found.log_end_offset


def test_what_was_deleted_from_the_copy_is_removed_from_its_place() -> None:
    """A copy that begins at a later offset deletes its empty first segment before it has its final directory."""
    disk, clock = FakeDisk(), Clock()
    made = manager(disk, SMALL, clock, ONE, TWO)
    log = made.get_or_create("t", 0, ID, is_new=True)
    fill(log, 30)
    log.delete_records(20)
    move(made, log)
    deleted = [name for name, _ in disk.list("/two/t-0") if name.endswith(".deleted")]
    assert "00000000000000000000.log.deleted" in deleted
    made.delete_due_files(clock.now_ms + SMALL.file_delete_delay_ms - 1)
    assert {name for name, _ in disk.list("/two/t-0")} >= set(deleted)
    made.delete_due_files(clock.now_ms + SMALL.file_delete_delay_ms)
    assert not [name for name, _ in disk.list("/two/t-0") if name.endswith(".deleted")]


def test_an_invalid_copy_is_made_again() -> None:
    disk = FakeDisk()
    made, log = manager_with_log(disk)
    future = made.future_logs.get_or_create(log, TWO)
    while future.log_end_offset < 30:
        copy_some(log, future)
    path = f"{future.directory}/{future.segments[0].base_offset:020}.log"
    made.close()
    disk.overwrite("/two/.kafka_cleanshutdown", b"")
    disk.unlink(["/two/.kafka_cleanshutdown"])
    content = bytearray(disk.content(path))
    content[100] ^= 1
    disk.overwrite(path, bytes(content))
    disk.unlink(["/two/recovery-point-offset-checkpoint"])
    again = manager(disk.restarted(), SMALL, None, ONE, TWO)
    resumed, found = again.log_dirs.future_log(AT), again.get("t", 0)
    assert found is not None
    assert len(values(found)) == 30
    assert resumed is not None
    move(again, found)
    assert len(values(found)) == 30


def moved_until(crash_at: int) -> tuple[FakeDisk, int]:
    """A disk on which a move was stopped at that step of it (0: never), and how many records were flushed before."""
    disk = FakeDisk()
    made, log = manager_with_log(disk, 12)
    run_flush(made, 0)
    log.flush()
    made.log_dirs.checkpoint_recovery_points()
    fill(log, 2, 12)
    start = disk.steps
    disk.crash_at = start + crash_at if crash_at else 0
    try:
        future = made.future_logs.get_or_create(log, TWO)
        for n in range(4):
            copy_some(log, future, 400)
            fill(log, 1, 14 + n)
        assert made.future_logs.maybe_replace_current(log, future)
        fill(log, 1, 18)
    except Crash:
        return disk, 12
    return disk, disk.steps - start


STEPS = moved_until(0)[1]


def check(again: LogManager, least: int) -> None:
    """One log with a prefix of the records, at least so many; and it can be moved."""
    log = again.get_or_create("t", 0, ID)
    found = [int(value or b"-1") for _, value in values(log)]
    assert found == list(range(len(found)))
    assert len(found) >= least
    future = again.log_dirs.future_log(AT)
    if future is not None:
        copied = values(future)
        assert copied == values(log)[: len(copied)]
    other = ONE if log.directory.parent == TWO else TWO
    future = again.future_logs.get_or_create(log, other)
    while not again.future_logs.maybe_replace_current(log, future):
        copy_some(log, future)
    assert [int(value or b"-1") for _, value in values(log)] == found
    assert log.directory == other / "t-0"


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_a_kill_at_any_step_costs_nothing(step: int) -> None:
    disk, _ = moved_until(step)
    assert disk.crash_at
    check(manager(disk.restarted(), SMALL, None, ONE, TWO), 14)


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_a_power_failure_at_any_step_costs_nothing_that_was_flushed(step: int) -> None:
    disk, flushed = moved_until(step)
    for kept in range(0, disk.unsynced + 1, 3):
        check(manager(disk.after_power_failure(kept), SMALL, None, ONE, TWO), flushed)


@pytest.mark.parametrize("verb", ["rename", "pwrite", "write_whole", "sync_directory", "sync"])
@pytest.mark.parametrize("after", range(3))
def test_a_disk_that_fails_takes_one_directory_offline(verb: str, after: int) -> None:
    disk = FakeDisk()
    made, log = manager_with_log(disk)
    future = made.future_logs.get_or_create(log, TWO)
    while future.log_end_offset < 30 - after:
        copy_some(log, future, 100)
    disk.fail_next[verb] = 5
    try:
        assert made.future_logs.maybe_replace_current(log, future)
    except StorageError as fault:
        for each in (log, future):
            if each.failure is not None:  # as the one who appends to logs does
                made.log_dirs.mark_offline(each.directory.parent, fault)
        offline = [each for each in (ONE, TWO) if made.log_dirs.is_offline(each)]
        assert len(offline) == 1
        assert (log.failure is None) == (log.directory.parent not in offline)
    disk.fail_next.clear()
    if log.failure is None:
        fill(log, 1, 30)
        assert len(values(log)) == 31
    check(manager(disk.restarted(), SMALL, None, ONE, TWO), 30)


def test_the_directory_it_leaves_fails_and_the_copy_stays() -> None:
    disk = FakeDisk()
    made, log = manager_with_log(disk)
    future = made.future_logs.get_or_create(log, TWO)
    copy_some(log, future)
    made.log_dirs.mark_offline(ONE, OSError(5, "gone"))
    with pytest.raises(StorageError):
        made.future_logs.maybe_replace_current(log, future)
    assert not made.log_dirs.is_offline(TWO)
    again = LogManager((ONE, TWO), SMALL, files=disk.restarted(), clock=Clock())
    again.log_dirs.mark_offline(ONE, OSError(5, "gone"))
    again.load()
    assert again.log_dirs.future_logs() == {}  # the log is where we cannot look: its copy is not taken for it
    with pytest.raises(StorageError):
        again.get_or_create("t", 0, ID)


def test_a_copy_without_its_log_is_not_taken_for_it(caplog: pytest.LogCaptureFixture) -> None:
    disk = FakeDisk()
    made, log = manager_with_log(disk)
    copy_some(log, made.future_logs.get_or_create(log, TWO))
    disk = disk.restarted()
    disk.remove_directory("/one/t-0")
    again = manager(disk, SMALL, None, ONE, TWO)
    assert "a future log without its current log" in caplog.text
    assert again.get("t", 0) is None
    assert values(again.get_or_create("t", 0, ID)) == []


def test_a_preferred_directory_is_where_the_log_is_made() -> None:
    made = manager(FakeDisk(), SMALL, None, ONE, TWO)
    made.set_preferred_log_dir("t", 0, TWO)
    assert made.get_or_create("t", 0, ID, is_new=True).directory.parent == TWO
    made.set_preferred_log_dir("t", 1, TWO)
    made.log_dirs.mark_offline(TWO, OSError(5, "gone"))
    assert made.get_or_create("t", 1, ID, is_new=True).directory.parent == ONE


def test_flush_messages_does_not_slow_the_copying() -> None:
    disk = FakeDisk()
    made, log = manager_with_log(disk, 5)
    log.config = SMALL._replace(flush_messages=1)
    future = made.future_logs.get_or_create(log, TWO)
    disk.broken["sync"] = 5
    copy_some(log, future, 10_000)
    del disk.broken["sync"]
    assert made.future_logs.maybe_replace_current(log, future)
    assert log.config.flush_messages == 1


def test_a_log_that_starts_inside_a_batch_is_served_after_its_move_and_a_crash() -> None:
    disk = FakeDisk()
    made = manager(disk, SMALL, None, ONE, TWO)
    log = made.get_or_create("t", 0, ID, is_new=True)
    log.append_as_leader(batch(b"0", b"1", b"2", b"3"), 0, 0)
    fill(log, 20, 4)
    log.delete_records(2)
    before = values(log)
    assert before[0][0] == 2
    move(made, log)
    assert log.segments[0].base_offset == 0
    assert values(log) == before
    again = manager(disk.restarted(), SMALL, None, ONE, TWO)
    assert not again.refused()
    log = again.get_or_create("t", 0, ID)
    assert (log.directory, log.log_start_offset, values(log)) == (TWO / "t-0", 2, before)
