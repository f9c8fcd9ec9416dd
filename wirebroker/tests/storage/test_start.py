"""A start after a crash: what it syncs, what it logs, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import batch, manager

if TYPE_CHECKING:
    from wirebroker.storage.log_manager import LogManager

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
    made.checkpoint_recovery_points()
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
    made.checkpoint_recovery_points()
    for kept in (0, disk.unsynced):
        again = manager(disk.after_power_failure(kept))
        assert again.get_or_create("t", 0).leader_epochs.entries == [(0, 0), (1, 1)]
        # nothing was written in epoch 1 here: the metadata journal knows it
        assert again.get_or_create("t", 1).leader_epochs.entries == [(0, 0)]
