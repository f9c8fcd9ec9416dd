"""Truncation of a log: at the end, before its first segment, of everything; and beside a flush."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.storage.log_segment import LogSegment
from wirebroker.storage.log_truncation import truncate_fully_and_start_at, truncate_to
from wirebroker.storage.retention import delete_old_segments
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import (
    SMALL,
    batch,
    filled,
    values,
)

if TYPE_CHECKING:
    import pytest


def test_a_flush_during_a_truncation_does_not_move_the_recovery_point(monkeypatch: pytest.MonkeyPatch) -> None:
    log = filled(FakeDisk(), 10)
    sync = LogSegment.sync

    def slow(segment: LogSegment) -> None:
        sync(segment)
        truncate_to(log, 4)

    monkeypatch.setattr(LogSegment, "sync", slow)
    log.flush()
    assert log.recovery_point == 0


def test_truncating_beyond_the_end_only_removes_epochs() -> None:
    log = filled(FakeDisk(), 5)
    log.assign_leader_epoch(9)
    assert truncate_to(log, 5) is False
    assert log.leader_epoch_cache.entries == [(0, 0)]
    assert log.log_end_offset == 5


def test_truncate_fully() -> None:
    log = filled(FakeDisk(), 40, SMALL)
    truncate_fully_and_start_at(log, 100)
    assert (log.log_start_offset, log.log_end_offset, len(log.segments), log.size_bytes) == (100, 100, 1, 0)
    log.append_as_leader(batch(b"new"), 1, 0)
    assert values(log) == [(100, b"new")]


def test_truncating_before_the_first_segment_starts_there() -> None:
    log = filled(FakeDisk(), 40, SMALL._replace(retention_bytes=1000))
    delete_old_segments(log, 0, 40)
    assert truncate_to(log, 2)
    assert (log.log_start_offset, log.log_end_offset) == (2, 2)
