"""Partitions without a directory: lost ones are refused until the loss is accepted, others begin empty."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from wirebroker.cli.main import main
from wirebroker.model import TopicPartition
from wirebroker.storage.errors import StorageError
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.storage.fakes.disk import Crash, FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, Clock, batch, manager

ZERO, ONE = TopicPartition("t", 0), TopicPartition("t", 1)
TWO_DIRS = (Path("/one"), Path("/two"))


def start(disk: FakeDisk, *expected: TopicPartition, dirs: tuple[Path, ...] = (DIR,)) -> LogManager:
    made = LogManager(dirs, SMALL, files=disk, clock=Clock())
    made.load(expected=expected)
    return made


def written(disk: FakeDisk, *dirs: Path) -> LogManager:
    """A broker with two partitions of three records each."""
    made = manager(disk, SMALL, None, *dirs)
    for at in (ZERO, ONE):
        log = made.get_or_create(*at, is_new=True)
        for _ in range(3):
            log.append_as_leader(batch(), 0, 0)
    return made


def stopped(made: LogManager, how: str) -> None:
    if how == "clean":
        made.close()
    elif how == "flushed":
        for log in made.logs():
            log.flush()
        made.log_dirs.checkpoint_recovery_points()
    elif how == "replicated":
        made.log_dirs.checkpoint_recovery_points()
        made.log_dirs.checkpoint_high_watermarks({ZERO: 3, ONE: 3})


@pytest.mark.parametrize("how", ["clean", "flushed", "replicated"])
def test_lost_partition_is_refused_at_every_start(how: str, caplog: pytest.LogCaptureFixture) -> None:
    disk = FakeDisk()
    stopped(written(disk), how)
    disk = disk.restarted()
    disk.remove_directory("/data/t-0")
    for _ in range(3):
        caplog.clear()
        made = start(disk, ZERO, ONE)
        with pytest.raises(StorageError, match="records up to offset 3"):
            made.get_or_create("t", 0)
        assert made.get_or_create("t", 1).log_end_offset == 3
        errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
        assert errors == [
            "/data: the directories of 1 partitions with records are missing: t-0 up to offset 3; they are not served:"
            " put them back, or accept the loss with `wirebroker log repair /data`"
        ]
        made.log_dirs.checkpoint_high_watermarks({ONE: 3})
        made.close()
        disk = disk.restarted()
    assert "/data/t-0" not in disk.directories


def test_partition_that_never_had_records_begins_empty(caplog: pytest.LogCaptureFixture) -> None:
    disk = FakeDisk()
    made = manager(disk)
    for at in (ZERO, ONE):
        made.get_or_create(*at, is_new=True)
    made.log_dirs.checkpoint_recovery_points()
    made.log_dirs.checkpoint_high_watermarks({ZERO: 0, ONE: 0})
    disk = disk.restarted()
    disk.remove_directory("/data/t-0")  # the metadata journal was synced, the new directory was not
    made = start(disk, ZERO, ONE)
    assert made.get_or_create("t", 0).log_end_offset == 0
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING] == [
        "1 partitions have no directory and no records in any checkpoint; they begin empty: t-0"
    ]


def test_lost_partition_may_be_in_a_directory_that_is_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = FakeDisk()
    made = written(disk, *TWO_DIRS)
    where = {log.topic_partition.partition: log.directory.parent for log in made.logs()}
    made.close()
    disk = disk.restarted()
    real = disk.list

    def failing(path: str) -> list[tuple[str, bool]]:
        if path == str(where[0]):
            raise OSError(5, "Input/output error", path)
        return real(path)

    monkeypatch.setattr(disk, "list", failing)
    made = start(disk, ZERO, ONE, dirs=TWO_DIRS)
    with pytest.raises(StorageError, match="offline"):
        made.get_or_create("t", 0)
    assert made.refused() == {}


def test_lost_partition_can_be_deleted_and_made_again() -> None:
    disk = FakeDisk()
    written(disk).close()
    disk = disk.restarted()
    disk.remove_directory("/data/t-0")
    made = start(disk, ZERO, ONE)
    made.delete("t", 0)
    made.log_dirs.remove_deleted_partitions()
    assert made.get_or_create("t", 0, is_new=True).log_end_offset == 0
    assert start(disk.restarted(), ZERO, ONE).refused() == {}


def test_checkpoints_of_a_deleted_topic_prove_nothing_of_a_new_one() -> None:
    """At every step of deleting a topic and making one of that name, with and without the last changes of names."""
    step = 0
    while True:
        step += 1
        disk = FakeDisk()
        made = written(disk)
        stopped(made, "flushed")
        made.log_dirs.checkpoint_high_watermarks({ZERO: 3, ONE: 3})
        disk.crash_at = disk.steps + step
        deleted = False
        try:
            for at in (ZERO, ONE):
                made.delete(*at)
            made.log_dirs.remove_deleted_partitions()
            deleted = True
            made.delete_due_files(1 << 60)
            for at in (ZERO, ONE):
                made.get_or_create(*at, is_new=True)
        except Crash:
            pass
        else:
            break
        if deleted:  # only now the controller writes that there is a new topic
            for left in (disk.restarted(), disk.after_power_failure(0), disk.after_power_failure(disk.unsynced)):
                assert start(left, ZERO, ONE).refused() == {}
    assert step > 10


def test_repair_accepts_the_loss(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    made = LogManager([data], SMALL)
    made.load()
    for at in (ZERO, ONE):
        made.get_or_create(*at, is_new=True).append_as_leader(batch(), 0, 0)
    made.log_dirs.checkpoint_high_watermarks({ZERO: 1, ONE: 1})
    made.close()
    for path in (data / "t-0").iterdir():
        path.unlink()
    (data / "t-0").rmdir()
    assert main(["log", "verify", str(data)]) == 1
    assert "t-0 is at offset 1 in it, and has no directory" in capsys.readouterr().out
    assert main(["log", "repair", str(data), "--execute", "--keep-in", str(tmp_path / "side")]) == 0
    assert "remove the line of t-0, which then begins empty" in capsys.readouterr().out
    assert "t 0 1" in (tmp_path / "side" / "recovery-point-offset-checkpoint").read_text()
    again = LogManager([data], SMALL)
    again.load(expected=[ZERO, ONE])
    assert [again.get_or_create(*at).log_end_offset for at in (ZERO, ONE)] == [0, 1]
    again.close()
