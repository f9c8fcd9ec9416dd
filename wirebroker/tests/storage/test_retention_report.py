"""explain_retention: its verdicts are what retention and the log cleaner then do, at the times that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wirebroker.storage.cleaner.planning import cleanable_range
from wirebroker.storage.retention import delete_old_segments
from wirebroker.storage.retention_report import (
    CleaningFacts,
    RetentionReport,
    SegmentAction,
    SegmentReport,
    Verdict,
    explain_retention,
)
from wirebroker.tests.storage.cleaner.compacted_log import CompactedLog
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, Clock, batch, manager

if TYPE_CHECKING:
    from wirebroker.storage.log import Log

NOW_MS = 1_000_000
DAY_MS = 86_400_000


def report(log: Log, now_ms: int = NOW_MS, high_watermark: int | None = None, **facts: Any) -> RetentionReport:
    mark = log.log_end_offset if high_watermark is None else high_watermark
    found = explain_retention(log.view, log.config, CleaningFacts(mark, facts.pop("checkpoint", None), **facts), now_ms)
    assert RetentionReport.from_object(found.as_object()) == found
    return found


def of(segment: SegmentReport, action: SegmentAction) -> list[Verdict]:
    return [each for each in segment.verdicts if each.action is action]


def log_with(timestamps: list[int], **config: Any) -> Log:
    """A log with a segment for each timestamp, of one record; the last one is active."""
    made = manager(FakeDisk(), SMALL._replace(**config), Clock(NOW_MS))
    log = made.get_or_create("t", 0)
    for number, timestamp in enumerate(timestamps):
        if number:
            log.roll()
        log.append_as_leader(batch(b"v" * 50, timestamp=timestamp), 0, 0)
    return log


@given(
    ages=st.lists(st.integers(0, 100), min_size=1, max_size=6),
    retention_ms=st.sampled_from([-1, 0, 50]),
    retention_bytes=st.sampled_from([-1, 0, 150, 400]),
    deleted=st.integers(0, 6),
    unreplicated=st.integers(0, 6),
)
@example(ages=[0], retention_ms=0, retention_bytes=0, deleted=0, unreplicated=0)
def test_due_deletions_are_what_retention_deletes(
    ages: list[int], retention_ms: int, retention_bytes: int, deleted: int, unreplicated: int
) -> None:
    log = log_with([NOW_MS - age for age in ages], retention_ms=retention_ms, retention_bytes=retention_bytes)
    mark = max(log.log_end_offset - unreplicated, 0)
    log.delete_records(min(deleted, mark))
    found = report(log, NOW_MS, mark)
    due = [each.base_offset for each in found.segments if any(one.is_due for one in of(each, SegmentAction.DELETE))]
    bases = [each.base_offset for each in log.segments]
    assert due == bases[: delete_old_segments(log, NOW_MS, mark)]


@given(ages=st.lists(st.integers(0, 100), min_size=1, max_size=6), retention_ms=st.integers(0, 120))
def test_a_segment_goes_at_the_time_that_is_named_and_not_before(ages: list[int], retention_ms: int) -> None:
    log = log_with([NOW_MS - age for age in ages], retention_ms=retention_ms)
    named = {
        each.base_offset: verdict.due_ms
        for each in report(log).segments
        for verdict in of(each, SegmentAction.DELETE)
        if verdict.due_ms is not None
    }
    for base, due_ms in named.items():
        for now_ms, goes in ((due_ms - 1, False), (due_ms, True)):
            later = {each.base_offset: of(each, SegmentAction.DELETE) for each in report(log, now_ms).segments}
            assert any(each.is_due for each in later[base]) == goes


def test_the_bytes_that_are_missing_until_a_segment_goes_by_size() -> None:
    log = log_with([NOW_MS] * 4, retention_ms=-1, retention_bytes=300)
    size = log.segments[0].size_bytes
    (verdict,) = of(report(log).segments[1], SegmentAction.DELETE)
    missing = 2 * size + 300 - 4 * size
    assert (verdict.setting, verdict.why) == ("retention.bytes", f"goes when the log is {missing} bytes larger")


@pytest.mark.parametrize(
    ("config", "setting"),
    [({"retention_ms": -1, "retention_bytes": -1}, "retention.ms"), ({"retention_ms": DAY_MS}, "retention.ms")],
)
def test_the_setting_that_keeps_a_segment(config: dict[str, int], setting: str) -> None:
    (verdict,) = of(report(log_with([NOW_MS, NOW_MS], **config)).segments[0], SegmentAction.DELETE)
    assert (verdict.is_due, verdict.setting) == (False, setting)


def test_records_that_are_not_replicated_stay_whatever_the_settings() -> None:
    (verdict,) = of(report(log_with([1, 1], retention_ms=0), high_watermark=0).segments[0], SegmentAction.DELETE)
    assert (verdict.is_due, verdict.setting) == (False, None)
    assert "from offset 0 on are not replicated" in verdict.why


def test_the_active_segment_rolls_by_time_and_size() -> None:
    log = log_with([NOW_MS - 100], segment_ms=70, segment_bytes=500)
    (segment,) = report(log).segments
    by_time, by_size = of(segment, SegmentAction.ROLL)
    assert (segment.state, by_time.is_due, by_time.due_ms) == ("active", True, NOW_MS - 30)
    assert (by_time.setting, by_size.setting) == ("segment.ms", "segment.bytes")
    assert f" {500 - log.size_bytes} bytes" in by_size.why
    before = log.segments[-1].base_offset
    log.append_as_leader(batch(b"v", timestamp=NOW_MS - 30), 0, 0)
    assert log.segments[-1].base_offset == before
    log.append_as_leader(batch(b"v", timestamp=NOW_MS - 29), 0, 0)
    assert log.segments[-1].base_offset > before


def test_the_active_segment_of_a_compacted_log_rolls_by_its_greatest_lag() -> None:
    log = log_with([NOW_MS - 100], segment_ms=700, max_compaction_lag_ms=70, cleanup_policy=("compact",))
    (segment,) = report(log).segments
    by_lag = of(segment, SegmentAction.ROLL)[0]
    assert (by_lag.setting, by_lag.is_due, by_lag.due_ms) == ("max.compaction.lag.ms", True, NOW_MS - 30)


# -- compaction


def compacted(count: int = 4, **config: Any) -> CompactedLog:
    """Closed segments with one record each, of one key, and an empty active one."""
    log = CompactedLog(FakeDisk(), **config)
    for number in range(count):
        log.append((b"a", b"%d" % number))
        log.log.roll()
    return log


def compactions(found: RetentionReport) -> list[tuple[str, bool, str | None]]:
    return [
        (each.state, verdict.is_due, verdict.setting)
        for each in found.segments
        for verdict in of(each, SegmentAction.COMPACT)
    ]


def test_dirty_and_clean_segments_and_the_ratio() -> None:
    log = compacted(min_cleanable_dirty_ratio=0.6)
    clean, dirty = ("clean", False, "cleanup.policy"), ("dirty", False, "min.cleanable.dirty.ratio")
    found = report(log.log, checkpoint=2)
    assert (found.first_dirty_offset, found.dirty_ratio) == (2, 0.5)
    assert compactions(found) == [clean, clean, dirty, dirty]
    assert "50.0% of what a round reads are dirty, not more than 60.0%" in found.segments[2].verdicts[0].why
    due = ("dirty", True, "min.cleanable.dirty.ratio")
    assert compactions(report(log.log, checkpoint=1)) == [clean, due, due, due]


def test_the_cleaner_may_be_off_or_unable() -> None:
    log = compacted(1)
    assert compactions(report(log.log, is_cleaner_enabled=False)) == [("dirty", False, "log.cleaner.enable")]
    found = report(log.log, uncleanable_reason="cannot be compacted: a checksum is wrong")
    assert compactions(found) == [("dirty", False, None)]
    assert found.segments[0].verdicts[0].why == "cannot be compacted: a checksum is wrong"


def test_an_open_transaction_and_the_last_stable_offset() -> None:
    log = compacted(1)
    log.append_in_transaction(20, (b"a", b"2"))
    log.log.roll()
    found = report(log.log)
    assert found.last_stable_offset == 1
    assert compactions(found)[1] == ("dirty", False, None)
    assert "since the last stable offset 1" in found.segments[1].verdicts[0].why


def test_records_that_are_not_replicated_are_not_compacted() -> None:
    found = report(compacted(2).log, high_watermark=1)
    assert "from the high watermark 1 on are not replicated yet" in found.segments[1].verdicts[0].why


@pytest.mark.parametrize("lag_ms", [1, 400, 10_000_000])
def test_the_time_of_min_compaction_lag_is_when_the_segment_becomes_cleanable(lag_ms: int) -> None:
    log = compacted(2, min_compaction_lag_ms=lag_ms)
    now_ms = 1  # the timestamp of all records
    for segment in report(log.log, now_ms).segments[:-1]:
        (verdict,) = segment.verdicts
        assert (verdict.setting, verdict.due_ms) == ("min.compaction.lag.ms", 1 + lag_ms)
    assert cleanable_range(log.log, None, 2, lag_ms).uncleanable_offset == 0
    assert cleanable_range(log.log, None, 2, 1 + lag_ms).uncleanable_offset == 2
    assert "in the segment at 0, before which none is skipped" in report(log.log, now_ms).segments[1].verdicts[0].why


def test_max_compaction_lag_forces_a_round() -> None:
    log = compacted(2, max_compaction_lag_ms=500, min_cleanable_dirty_ratio=1.0)
    ratio, lag = report(log.log, 500).segments[0].verdicts
    assert (ratio.setting, ratio.is_due) == ("min.cleanable.dirty.ratio", False)
    assert (lag.setting, lag.is_due, lag.due_ms) == ("max.compaction.lag.ms", False, 501)
    assert compactions(report(log.log, 502)) == [("dirty", True, "max.compaction.lag.ms")] * 2


def test_tombstones_have_the_time_of_their_horizon() -> None:
    log = CompactedLog(FakeDisk(), delete_retention_ms=500)
    log.append((b"a", None))
    log.append_legacy(1, (b"b", None))
    log.log.roll()
    log.clean()
    horizon_ms = log.clock.now_ms + 500
    for now_ms, is_due in ((horizon_ms - 1, False), (horizon_ms, True)):
        found = report(log.log, now_ms, checkpoint=2)
        (verdict,) = of(found.segments[0], SegmentAction.REMOVE_TOMBSTONES)
        assert (verdict.is_due, verdict.due_ms, verdict.setting) == (is_due, horizon_ms, "delete.retention.ms")


def test_compact_and_delete_have_both() -> None:
    log = compacted(1, cleanup_policy=("compact", "delete"), retention_ms=DAY_MS)
    actions = [each.action for each in report(log.log, 1).segments[0].verdicts]
    assert actions == [SegmentAction.DELETE, SegmentAction.COMPACT]
