"""Leader epochs are saved beside a running log: at once for a new log, without a sync for each of many."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from wirebroker.storage.epoch_saving import save_leader_epochs
from wirebroker.storage.leader_epoch_cache import FILE_NAME
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import manager

if TYPE_CHECKING:
    from wirebroker.storage.log import Log


def logs_with_epochs(disk: FakeDisk, count: int) -> list[Log]:
    made = manager(disk)
    logs = [made.get_or_create("t", partition) for partition in range(count)]
    for log in logs:
        log.assign_leader_epoch(3)
    return logs


def saved(disk: FakeDisk, log: Log) -> bytes:
    return disk.content(f"{log.directory}/{FILE_NAME}")


@pytest.mark.parametrize("count", [1, 16, 17, 40])
def test_epochs_are_saved(count: int) -> None:
    disk = FakeDisk()
    logs = logs_with_epochs(disk, count)
    written_back: list[int] = []
    assert save_leader_epochs(logs, lambda: written_back.append(1)) == []
    assert [saved(disk, log) for log in logs] == [b"0\n1\n3 0\n"] * count
    assert not any(log.leader_epoch_cache.has_unsaved_changes for log in logs)
    assert len(written_back) == (count > 16)


def test_a_new_log_shows_its_epoch_before_anything_is_synced() -> None:
    disk = FakeDisk()
    (log,) = logs_with_epochs(disk, 1)
    with log.local_log.writing_by_name():
        log.leader_epoch_cache.write_first()
    assert saved(disk, log) == b"0\n1\n3 0\n"
    assert log.leader_epoch_cache.has_unsaved_changes


def test_a_synced_file_is_not_replaced_without_a_sync() -> None:
    disk = FakeDisk()
    (log,) = logs_with_epochs(disk, 1)
    save_leader_epochs([log], lambda: None)
    log.assign_leader_epoch(4)
    log.leader_epoch_cache.write_first()
    assert saved(disk, log) == b"0\n1\n3 0\n"


@pytest.mark.parametrize("count", [2, 20])
def test_a_deleted_log_is_left_out_and_a_broken_one_reported(count: int) -> None:
    disk = FakeDisk()
    logs = logs_with_epochs(disk, count)
    logs[0].local_log.mark_deleted()
    disk.fail_next["create"] = errno.EIO
    ((failed, _),) = save_leader_epochs(logs, lambda: None)
    assert failed is logs[1]
    assert not any(log.leader_epoch_cache.has_unsaved_changes for log in logs[2:])
