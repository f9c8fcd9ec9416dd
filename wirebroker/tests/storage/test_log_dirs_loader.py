"""A start after a crash: what it syncs, what it logs, and what it refuses."""

from __future__ import annotations

import logging
from itertools import count

import pytest

from wirebroker.storage.errors import LoadingStopped
from wirebroker.storage.load_progress import INTERVAL_S, LoadProgress
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.storage.fakes.disk import Crash, FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, Clock, batch, manager, values

PARTITIONS = 20


def killed(records: int = 1, *, flushed: bool = True) -> FakeDisk:
    """The disk of a broker with some partitions that was killed."""
    disk = FakeDisk()
    made = manager(disk)
    for partition in range(PARTITIONS):
        log = made.get_or_create("t", partition)
        log.assign_leader_epoch(0)
        for _ in range(records):
            log.append_as_leader(batch(), 0, 0)
        if flushed:
            log.flush()
    made.log_dirs.checkpoint_recovery_points()
    return disk.restarted()


def lead(made: LogManager, epoch: int) -> None:
    """Give every partition the new leader epoch that it gets after a crash."""
    for partition in range(PARTITIONS):
        made.get_or_create("t", partition).assign_leader_epoch(epoch)


def test_start_after_a_crash_syncs_nothing_for_each_partition() -> None:
    for records in (0, 1):
        disk = killed(records)
        lead(manager(disk), 1)
        assert [path for path in disk.syncs if "/t-" in path] == []


def test_leader_epochs_survive_power_failures_after_a_start() -> None:
    disk = killed()
    made = manager(disk)
    lead(made, 1)
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(), 1, 0)
    log.flush()
    made.log_dirs.checkpoint_recovery_points()
    for kept in (0, disk.unsynced):
        again = manager(disk.after_power_failure(kept))
        assert again.get_or_create("t", 0).leader_epoch_cache.entries == [(0, 0), (1, 1)]
        # nothing was written in epoch 1 here: the metadata journal knows it
        assert again.get_or_create("t", 1).leader_epoch_cache.entries == [(0, 0)]


def test_unclean_start_logs_one_line_whatever_the_number_of_logs(caplog: pytest.LogCaptureFixture) -> None:
    disk = killed(3)
    for partition in range(5):
        path = f"/data/t-{partition}/00000000000000000000.log"
        disk.overwrite(path, disk.content(path) + b"torn")
    with caplog.at_level(logging.INFO):
        manager(disk)
    (line,) = caplog.records
    assert line.levelno == logging.WARNING
    assert line.getMessage().startswith("/data: 20 logs recovered after an unclean shutdown in ")
    assert line.getMessage().endswith(", 5 truncated (t-0 to offset 3, t-1 to offset 3, t-2 to offset 3, ...)")


def test_progress_is_logged_every_few_seconds(caplog: pytest.LogCaptureFixture) -> None:
    now_s = 100.0
    progress = LoadProgress(40, monotonic=lambda: now_s)
    with caplog.at_level(logging.INFO):
        for number in range(20):
            progress.begin(f"/data/t-{number}")
            progress.check(1 << 20)
            now_s += 1
            progress.finish()
    assert [record.getMessage() for record in caplog.records] == [
        f"loading logs: {done} of 40 done in {done} s, {done}.0 MiB read, now at /data/t-{done}" for done in (5, 10, 15)
    ]
    assert INTERVAL_S == 5
    assert progress.elapsed_s == 20


@pytest.mark.parametrize("torn", [False, True])
def test_stop_ends_the_scan_of_a_large_segment(torn: bool) -> None:
    config = SMALL._replace(segment_bytes=1 << 30)
    disk = FakeDisk()
    log = manager(disk, config).get_or_create("t", 0)
    for _ in range(8):
        log.append_as_leader(batch(b"x" * 600_000), 0, 0)
    left = disk.restarted()
    path = "/data/t-0/00000000000000000000.log"
    if torn:
        left.overwrite(path, left.content(path) + b"torn")
    whole = left.content(path)
    asked = count()
    made = LogManager([DIR], config, files=left, clock=Clock())
    made.load(should_stop=lambda: next(asked) < 0)
    pieces = next(asked)
    assert pieces > 5
    made.close()
    for stop_at in range(pieces):
        left = disk.restarted()
        left.overwrite(path, whole)
        asked = count()
        stopped = LogManager([DIR], config, files=left, clock=Clock())
        with pytest.raises(LoadingStopped):
            stopped.load(should_stop=lambda stop_at=stop_at, asked=asked: next(asked) >= stop_at)  # type: ignore[misc]
        stopped.log_dirs.unlock()
        assert "/data/.kafka_cleanshutdown" not in left.names
        again = manager(left, config)
        assert not again.was_clean
        assert again.get_or_create("t", 0).log_end_offset == 8
        again.close()


def crashed_with_a_torn_end() -> tuple[FakeDisk, dict[int, int]]:
    """A killed broker's disk: flushed and unflushed segments, two epochs, a torn batch; with the epochs."""
    disk = FakeDisk()
    made = manager(disk)
    log = made.get_or_create("t", 0)
    epoch_of: dict[int, int] = {}
    for epoch in (0, 1):
        log.assign_leader_epoch(epoch)
        for sequence in range(8):
            appended = batch(b"x" * 150, producer=(epoch, 0, sequence), timestamp=1_000_000)
            epoch_of[log.append_as_leader(appended, epoch, 0).base_offset] = epoch
        if epoch == 0:
            log.flush()
            made.log_dirs.checkpoint_recovery_points()
    assert len(log.segments) > 3
    path = log.segments[-1].log_file.path
    left = disk.restarted()
    left.overwrite(path, left.content(path)[:-10])
    del epoch_of[max(epoch_of)]
    return left, epoch_of


def test_crash_at_every_step_of_recovery_loses_nothing() -> None:
    left, epoch_of = crashed_with_a_torn_end()
    step = 0
    while True:
        step += 1
        disk = left.restarted()
        disk.crash_at = step
        try:
            made = manager(disk)
            made.get_or_create("t", 0).assign_leader_epoch(2)
            made.close()
        except Crash:
            pass
        else:
            break
        for again in (disk.restarted(), *map(disk.after_power_failure, {0, disk.unsynced // 2, disk.unsynced})):
            recovered = manager(again)
            assert not recovered.refused()
            log = recovered.get_or_create("t", 0)
            assert [offset for offset, _ in values(log)] == list(epoch_of)
            assert {offset: log.leader_epoch_cache.epoch_for_offset(offset) for offset in epoch_of} == epoch_of
            producers = log.producer_state_manager.active_producers()
            assert {entry.producer_id: entry.last_sequence for entry in producers} == {0: 7, 1: 6}
            recovered.close()
    assert step > 20
