"""A disk that is full or broken: nothing acknowledged is lost, the directory goes offline, others serve on."""

from __future__ import annotations

import errno
import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wirebroker.model import TopicPartition
from wirebroker.storage.errors import DiskFullError, StorageError
from wirebroker.storage.log_manager import LogManager
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.storage.retention import delete_old_segments
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import (
    SMALL,
    Clock,
    batch,
    high_watermarks,
    manager,
    new_log,
    run_flush,
    run_retention,
    values,
)

if TYPE_CHECKING:
    from collections.abc import Callable

TWO = (Path("/one"), Path("/two"))


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_failed_append_leaves_what_was_there(code: int) -> None:
    disk = FakeDisk()
    log = new_log(disk)
    log.append_as_leader(batch(b"kept"), 0, 0)
    disk.fail_next["pwrite"] = code
    with pytest.raises(StorageError) as caught:
        log.append_as_leader(batch(b"lost", b"lost"), 0, 0)
    assert isinstance(caught.value.__cause__, OSError)
    assert log.log_end_offset == 1
    with pytest.raises(StorageError):  # the disk would work again, but who knows
        log.append_as_leader(batch(b"too late"), 0, 0)
    with pytest.raises(StorageError):
        log.read(0, 100, 1, min_one_batch=True)
    assert values(manager(disk.restarted()).get_or_create("t", 0)) == [(0, b"kept")]


def test_records_that_cannot_be_read_put_the_log_out_of_service() -> None:
    disk = FakeDisk()
    log = new_log(disk)
    log.append_as_leader(batch(b"kept"), 0, 0)
    whole = log.reader.read_bytes(0, 1 << 20, 1)
    assert len(whole) == disk.size_bytes(str(log.directory / f"{0:020d}.log"))
    assert log.reader.read_bytes(1, 1 << 20, 1) == b""
    disk.fail_next["pread"] = errno.EIO
    with pytest.raises(StorageError) as caught:
        log.reader.read_bytes(0, 1 << 20, 1)
    assert isinstance(caught.value.__cause__, OSError)
    with pytest.raises(StorageError):  # the disk would work again, but who knows
        log.reader.read_bytes(0, 1 << 20, 1)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_coordinators_batch_for_which_there_is_no_room_is_refused_and_the_log_serves_on(code: int) -> None:
    disk = FakeDisk()
    made = manager(disk)
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(b"kept"), 0, 0)
    size = disk.size_bytes(str(log.directory / f"{0:020d}.log"))
    disk.capacity_bytes = sum(len(inode.data) for inode in disk.names.values()) + 10  # the batch is written in part
    with pytest.raises(DiskFullError):
        log.append_as_leader(batch(b"refused" * 20), 0, 0, AppendOrigin.COORDINATOR)
    assert disk.size_bytes(str(log.directory / f"{0:020d}.log")) == size, "nothing of it is left"
    disk.capacity_bytes = None
    disk.fail_next["pwrite"] = code
    with pytest.raises(DiskFullError):
        log.append_as_leader(batch(b"refused"), 0, 0, AppendOrigin.COORDINATOR)
    assert not made.log_dirs.is_offline(log.directory.parent)
    assert log.append_as_leader(batch(b"later"), 0, 0).base_offset == 1
    assert values(log) == [(0, b"kept"), (1, b"later")]
    assert values(manager(disk.restarted()).get_or_create("t", 0)) == [(0, b"kept"), (1, b"later")]


def test_other_failures_of_a_coordinators_batch_put_the_log_out_of_service() -> None:
    disk = FakeDisk()
    log = new_log(disk)
    disk.fail_next["pwrite"] = errno.EIO
    with pytest.raises(StorageError):
        log.append_as_leader(batch(b"lost"), 0, 0, AppendOrigin.COORDINATOR)
    with pytest.raises(StorageError):
        log.append_as_leader(batch(b"too late"), 0, 0, AppendOrigin.COORDINATOR)


@pytest.mark.parametrize("verb", ["make_directory", "create"])
def test_a_new_log_for_which_there_is_no_room_leaves_its_directory_in_service(verb: str) -> None:
    disk = FakeDisk()
    made = manager(disk)
    old = made.get_or_create("old", 0)
    disk.fail_next[verb] = errno.ENOSPC
    with pytest.raises(StorageError, match="no room"):
        made.get_or_create("new", 0, is_new=True)
    assert not made.log_dirs.is_offline(old.directory.parent)
    assert made.get("new", 0) is None
    assert not [path for path in disk.directories if path.endswith("new-0")]
    assert made.get_or_create("new", 0, is_new=True).append_as_leader(batch(b"later"), 0, 0).base_offset == 0


def test_a_checkpoint_for_which_there_is_no_room_is_written_later(caplog: pytest.LogCaptureFixture) -> None:
    disk = FakeDisk()
    made = manager(disk)
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(b"kept"), 0, 0)
    log.flush()
    disk.broken["create"] = errno.ENOSPC
    made.log_dirs.checkpoint_recovery_points()
    made.log_dirs.checkpoint_high_watermarks({TopicPartition("t", 0): 1})
    assert not made.log_dirs.is_offline(log.directory.parent)
    assert caplog.text.count("a checkpoint is not written, it is tried again") == 2
    disk.broken.clear()
    made.log_dirs.checkpoint_high_watermarks({TopicPartition("t", 0): 1})
    assert high_watermarks(made) == {TopicPartition("t", 0): 1}
    disk.broken["create"] = errno.EIO
    made.log_dirs.checkpoint_recovery_points()
    assert made.log_dirs.is_offline(log.directory.parent)


def test_a_disk_that_fills_up_keeps_every_acknowledged_record() -> None:
    for capacity in range(1100, 2400, 37):
        disk = FakeDisk()
        log = new_log(disk)
        disk.capacity_bytes = capacity
        acknowledged = []
        for n in itertools.count():
            value = b"%d" % n * 40
            try:
                offset = log.append_as_leader(batch(value, producer=(1, 0, n)), 0, 0).base_offset
            except StorageError:
                break
            acknowledged.append((offset, value))
        left = disk.restarted()
        found = values(manager(left).get_or_create("t", 0))
        assert found[: len(acknowledged)] == acknowledged
        assert len(found) - len(acknowledged) in (0, 1)  # one may be there that was not answered


@pytest.mark.parametrize("verb", ["pread", "sync", "rename", "create"])
def test_any_failing_verb_takes_the_directory_offline(verb: str) -> None:
    disk = FakeDisk()
    made = manager(disk)
    log = made.get_or_create("t", 0)
    for _ in range(10):
        log.append_as_leader(batch(b"x" * 150), 0, 0)
    other = made.get_or_create("u", 0)
    disk.broken[verb] = errno.EIO
    acts: dict[str, Callable[[], object]] = {
        "pread": lambda: log.read(1, 10, 2, min_one_batch=True),
        "sync": log.flush,
        "rename": lambda: delete_old_segments(log, 1 << 60, log.log_end_offset),
        "create": log.roll,
    }
    with pytest.raises(StorageError) as caught:
        acts[verb]()
    made.log_dirs.mark_offline(log.directory.parent, caught.value)
    assert made.logs() == []
    with pytest.raises(StorageError):
        made.get("u", 0)
    with pytest.raises(StorageError):
        other.append_as_leader(batch(), 0, 0)


def two_dirs(disk: FakeDisk, told: list[Path] | None = None) -> LogManager:
    made = LogManager(TWO, SMALL, files=disk, clock=Clock())
    if told is not None:
        made.log_dirs.on_offline = lambda path, _: told.append(path)
    made.load()
    return made


def test_one_directory_fails_and_the_other_serves_on() -> None:
    disk, told = FakeDisk(), list[Path]()
    made = two_dirs(disk, told)
    logs = [made.get_or_create("t", partition) for partition in range(4)]
    assert [log.directory.parent for log in logs] == [TWO[0], TWO[1], TWO[0], TWO[1]]
    for log in logs:
        log.append_as_leader(batch(b"x"), 0, 0)
    made.log_dirs.mark_offline(TWO[0], OSError(errno.EIO, "broken"))
    made.log_dirs.mark_offline(TWO[0], OSError(errno.EIO, "broken"))
    assert told == [TWO[0]]
    assert [made.log_dirs.is_offline(path) for path in TWO] == [True, False]
    assert made.logs() == [logs[1], logs[3]]
    assert logs[1].append_as_leader(batch(b"y"), 0, 0).base_offset == 1
    with pytest.raises(StorageError, match="may be in a log directory that is offline"):
        made.get_or_create("unknown", 0)
    assert made.get_or_create("new", 0, is_new=True).directory.parent == TWO[1]
    made.close()
    assert "/two/.kafka_cleanshutdown" in disk.names
    assert "/one/.kafka_cleanshutdown" not in disk.names


def test_a_flush_that_fails_is_noticed_by_the_manager() -> None:
    disk, told = FakeDisk(), list[Path]()
    made = two_dirs(disk, told)
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(b"x"), 0, 0)
    log.roll()
    disk.fail_next["sync"] = errno.EIO
    run_flush(made, 0)
    assert told == [TWO[0]]
    run_flush(made, 0)
    assert run_retention(made, 0) == 0


@pytest.mark.parametrize("whole_log", [False, True])
def test_a_deletion_that_fails_takes_its_directory_offline_and_those_of_others_go_on(whole_log: bool) -> None:
    """As Apache Kafka does; the next start finds the files by their suffix."""
    disk, told = FakeDisk(), list[Path]()
    made = two_dirs(disk, told)
    for partition in range(6):
        log = made.get_or_create("t", partition)
        log.append_as_leader(batch(b"x"), 0, 0)
        if whole_log:
            made.delete("t", partition)
        else:
            log.roll()
            assert delete_old_segments(log, 1 << 60, log.log_end_offset)
    left = [path for path in {*disk.names, *disk.directories} if path.endswith(("-delete", ".deleted"))]
    disk.fail_next["remove_directory" if whole_log else "unlink"] = errno.EIO
    made.delete_due_files(1 << 61)
    assert told == [TWO[0]]
    kept = [path for path in {*disk.names, *disk.directories} if path.endswith(("-delete", ".deleted"))]
    assert sorted(kept) == sorted(path for path in left if path.startswith("/one/")), (
        "none is removed from there any more"
    )
    assert kept
    assert made.delete_due_files(1 << 61) == 0
    assert [log.directory.parent for log in made.logs()] == ([] if whole_log else [TWO[1]] * 3)
    disk = disk.restarted()
    two_dirs(disk).delete_due_files(1 << 61)
    assert not [path for path in {*disk.names, *disk.directories} if path.endswith(("-delete", ".deleted"))]


def test_a_directory_that_cannot_be_read_at_start_is_offline() -> None:
    disk = FakeDisk()
    two_dirs(disk).close()
    disk.fail_next["list"] = errno.EIO
    made = two_dirs(disk)
    assert [made.log_dirs.is_offline(path) for path in TWO] == [True, False]


def test_no_directory_left_is_no_start() -> None:
    disk = FakeDisk()
    disk.broken["list"] = errno.EIO
    with pytest.raises(StorageError, match="no log directory"):
        two_dirs(disk)


def test_a_closing_that_fails_leaves_no_clean_marker() -> None:
    disk = FakeDisk()
    made = manager(disk)
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(b"x"), 0, 0)
    disk.fail_next["sync"] = errno.EIO
    made.close()
    assert "/data/.kafka_cleanshutdown" not in disk.names
    assert values(manager(disk.restarted()).get_or_create("t", 0)) == [(0, b"x")]
