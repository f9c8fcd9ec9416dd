"""read_log: the log that a broker had, out of its files, without a change of any of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirebroker.model import TopicPartition
from wirebroker.storage.log_snapshot import read_log
from wirebroker.storage.retention_report import CleaningFacts, explain_retention
from wirebroker.tests.storage.cleaner.compacted_log import DIRS, CompactedLog
from wirebroker.tests.storage.fakes.disk import FakeDisk

AT = TopicPartition("t", 0)


def log_with_transactions() -> CompactedLog:
    """Cleaned once, with log start 1, an aborted transaction, and one that is open since offset 9."""
    log = CompactedLog(FakeDisk())
    for number in range(5):
        log.append((b"k%d" % (number % 2), b"%d" % number), producer=7)
    log.log.roll()
    log.clean()
    log.append_in_transaction(21, (b"k", b"aborted"), (b"l", b"aborted"))
    log.end_transaction(21, commit=False)
    log.append_legacy(1, (b"old", b"1"))
    log.append_in_transaction(20, (b"k", b"open"))
    log.append((b"last", b"1"))
    log.delete_records(1)
    return log


@pytest.mark.parametrize("clean", [False, True])
def test_the_snapshot_is_explained_as_the_log_itself(clean: bool) -> None:
    log = log_with_transactions()
    end = log.log.log_end_offset
    facts = CleaningFacts(end, log.manager.log_dirs.cleaner_offset(log.log))
    expected = explain_retention(log.log.view, log.config, facts, log.clock.now_ms)
    assert expected.last_stable_offset == 9
    disk = log.disk
    if clean:
        log.manager.log_dirs.checkpoint_high_watermarks({AT: end})
        log.manager.close()
    disk = disk.restarted()
    before = disk.steps
    found = read_log(disk, DIRS[0], AT, log.config, log.clock.now_ms)
    assert found is not None
    assert (found.high_watermark, found.cleaner_offset) == (end, 5)
    facts = CleaningFacts(found.high_watermark, found.cleaner_offset)
    assert explain_retention(found.view, log.config, facts, log.clock.now_ms) == expected
    assert disk.steps == before


def test_a_torn_end_and_a_directory_without_segments() -> None:
    log = log_with_transactions()
    disk = log.disk
    path = f"{log.log.directory}/{log.log.segments[-1].base_offset:020}.log"
    disk.overwrite(path, disk.content(path)[:-7])
    found = read_log(disk, DIRS[0], AT, log.config, 1)
    assert found is not None
    assert found.view.log_end_offset == log.log.log_end_offset - 1
    disk.make_directory(f"{DIRS[0]}/t-1")
    assert read_log(disk, Path(DIRS[0]), TopicPartition("t", 1), log.config, 1) is None
