"""Checkpoints and lists of logs in one thread, while another one creates and deletes logs."""

from __future__ import annotations

import errno
import logging
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wirebroker.model import TopicPartition
from wirebroker.storage import checkpoints
from wirebroker.storage.checkpoints import read_offsets
from wirebroker.storage.log_dir import LogDir
from wirebroker.storage.verification_guard import VerificationGuards
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, batch, manager
from wirebroker.tests.storage.fakes.preemption import at_every_collection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wirebroker.storage.log import Log
    from wirebroker.storage.log_manager import LogManager

COUNT = 3000
"""More than the tuples that Python keeps for reuse, whose creation begins no collection."""
ONE, TWO = Path("/one"), Path("/two")


def in_turn(table: dict[TopicPartition, Log], log: Log) -> Callable[[], None]:
    """Return a function that adds a log to *table* and removes an older one."""
    numbers: Iterator[int] = iter(range(COUNT, 1_000_000))

    def replace() -> None:
        number = next(numbers)
        table[TopicPartition("t", number)] = log
        table.pop(TopicPartition("t", number - COUNT + 1), None)

    return replace


@pytest.mark.parametrize(
    "reader",
    [
        lambda made: made.log_dirs[DIR].checkpoint(),
        lambda made: made.log_dirs[DIR].checkpoint_log_starts(),
        lambda made: made.log_dirs[DIR].checkpoint_high_watermarks(dict.fromkeys(made.log_dirs[DIR].logs, 1)),
        lambda made: made.log_dirs[DIR].forget_deleted(),
        lambda made: made.log_dirs.future_logs(),
        lambda made: made.logs(),
        lambda made: made.log_dirs.mark_offline(DIR, OSError(errno.EIO, "gone")),
    ],
    ids=["checkpoint", "log starts", "high watermarks", "deleted", "future logs", "logs", "offline"],
)
def test_logs_are_created_and_deleted_while_they_are_listed(reader: Callable[[LogManager], object]) -> None:
    made = manager(FakeDisk())
    log = made.get_or_create("t", 0)
    log_dir = made.log_dirs[DIR]
    tables = (made._table.logs, log_dir.logs, log_dir.future_logs)
    for table in tables:
        table.update({TopicPartition("t", number): log for number in range(COUNT)})
    changes = [in_turn(table, log) for table in tables]

    def change_all() -> None:
        for change in changes:
            change()

    assert at_every_collection(lambda: reader(made), change_all) > 0


def test_verification_guards_are_created_while_old_ones_expire() -> None:
    guards = VerificationGuards()
    for number in range(COUNT):
        guards.maybe_create(number, 0, 0, number)
    numbers = iter(range(COUNT, 1_000_000))
    at_every_collection(lambda: guards.expire(COUNT - 1), lambda: guards.maybe_create(next(numbers), 0, 0, COUNT))
    assert guards.get(COUNT - 1) is None
    assert guards.count == next(numbers) - COUNT


def test_a_checkpoint_that_fails_does_not_keep_the_others_from_being_written(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    disk = FakeDisk()
    made = manager(disk, SMALL, None, ONE, TWO)
    for index in range(2):
        log = made.get_or_create("t", index, is_new=True)
        log.append_as_leader(batch(), 0, 0)
        log.flush()

    write = LogDir.checkpoint

    def write_or_fail(log_dir: LogDir) -> None:
        if log_dir.path == ONE:
            raise RuntimeError("a fault")
        write(log_dir)

    monkeypatch.setattr(LogDir, "checkpoint", write_or_fail)
    with caplog.at_level(logging.ERROR):
        made.log_dirs.checkpoint_recovery_points()
    assert [record.getMessage() for record in caplog.records] == [
        "log_dir=/one: a checkpoint is not written, it is tried again"
    ]
    assert read_offsets(disk, f"/two/{checkpoints.RECOVERY_POINTS}") == {TopicPartition("t", 1): 1}
