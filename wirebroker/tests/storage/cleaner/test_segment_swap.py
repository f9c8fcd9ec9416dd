"""swap_in: stopped at every change that a round makes to the disk, and refused when the log is another one by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.storage.cleaner.cleaning import Cleaner
from wirebroker.storage.cleaner.segment_swap import is_unchanged, swap_in
from wirebroker.storage.log_truncation import truncate_fully_and_start_at, truncate_to
from wirebroker.tests.storage.cleaner.compacted_log import LIMITS, CompactedLog, committed
from wirebroker.tests.storage.fakes.disk import Crash, FakeDisk
from wirebroker.tests.storage.fakes.logs import run_retention

if TYPE_CHECKING:
    from collections.abc import Callable

VARIANTS = {
    "one segment": {"writes": 4},
    "several segments": {"writes": 14},
    "several groups": {"writes": 26, "value_bytes": 90},
    "nothing stays of the end": {"writes": 12, "keys": 1},
    "large keys": {"writes": 12, "value_bytes": 400, "keys": 9},
    "transactions": {"writes": 8, "transactions": True},
    "tombstones": {"writes": 12, "tombstones": True},
    "cleaned before": {"writes": 10, "rounds": 2},
    "transactions, cleaned before": {"writes": 8, "transactions": True, "rounds": 2},
    "everything": {"writes": 12, "transactions": True, "tombstones": True, "rounds": 2},
}


def scenario(
    writes: int,
    keys: int = 5,
    value_bytes: int = 30,
    rounds: int = 1,
    *,
    transactions: bool = False,
    tombstones: bool = False,
) -> CompactedLog:
    """A log whose last segment is new, flushed, with a round of cleaning due; all but the last one are done."""
    log = CompactedLog(FakeDisk())
    for number in range(rounds):
        if number:
            log.clean()
            log.clock.now_ms += 1000
            log.manager.delete_due_files(log.clock.now_ms)
        for write in range(writes):
            key, value = b"k%d" % (write % keys), b"%d:%d" % (number, write) + bytes(value_bytes)
            log.append((key, None if tombstones and write % 4 == 3 else value), producer=7)
            if transactions and write % 5 == 2:
                log.append_in_transaction(20, (key, b"committed"), (b"t", b"%d" % write))
                log.end_transaction(20, commit=True)
                log.append_in_transaction(21, (key, b"aborted"), (b"only aborted", b"%d" % write))
                log.end_transaction(21, commit=False)
        log.log.roll()
    log.log.flush()
    log.manager.log_dirs.checkpoint_recovery_points()
    return log


def cleaned_completely(log: CompactedLog) -> list[object]:
    log.clean()
    return list(committed(log.log))


@pytest.mark.parametrize("power_failure", [False, True], ids=["kill", "power failure"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_stop_at_every_change_loses_and_doubles_nothing(variant: str, power_failure: bool) -> None:
    fields = VARIANTS[variant]
    whole = scenario(**fields)  # type: ignore[arg-type]
    before = whole.disk.steps
    expected = cleaned_completely(whole)
    whole.verify()
    steps = whole.disk.steps - before
    assert steps > 10
    for step in range(1, steps + 1):
        log = scenario(**fields)  # type: ignore[arg-type]
        disk = log.disk
        disk.crash_at = disk.steps + step
        with pytest.raises(Crash):
            log.clean()
        kept = (0, disk.unsynced // 2, disk.unsynced)[step % 3]
        log.restart(disk.after_power_failure(kept) if power_failure else disk.restarted())
        assert log.temporary_files() == []
        log.verify()
        assert cleaned_completely(log) == expected
        log.verify()


def _truncated_and_written_again(log: CompactedLog) -> None:
    truncate_to(log.log, 3)
    for _ in range(6):
        log.append((b"a", bytes(200)))


def _oldest_segment_deleted(log: CompactedLog) -> None:
    log.log.delete_records(log.log.segments[1].base_offset)
    assert run_retention(log.manager, log.clock.now_ms) == 1


CHANGES: dict[str, Callable[[CompactedLog], object]] = {
    "truncated": lambda log: truncate_to(log.log, 3),
    "truncated and written again": _truncated_and_written_again,
    "begun anew": lambda log: truncate_fully_and_start_at(log.log, 0),
    "oldest segment deleted": _oldest_segment_deleted,
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_log_that_has_changed_keeps_its_own_segments(change: str) -> None:
    log = CompactedLog(FakeDisk())
    for _ in range(6):
        log.append((b"a", bytes(200)))
    log.log.roll()
    job = log.job()
    assert is_unchanged(log.log, job)
    cleaned = next(Cleaner(job, log.disk).run())
    CHANGES[change](log)
    assert not is_unchanged(log.log, job)
    before = list(log.log.segments)
    assert not swap_in(log.log, cleaned, job)
    assert list(log.log.segments) == before
    assert [name for name in log.temporary_files() if not name.endswith(".deleted")] == []
    committed(log.log)  # can be read


def test_the_modified_time_and_the_size_are_those_of_the_new_segment() -> None:
    log = scenario(writes=12)
    for each in log.log.segments:
        each.log_file.open().set_modified_ms(77)
    size = log.log.size_bytes
    assert log.clean(LIMITS) == log.log.segments[-1].base_offset
    assert log.log.size_bytes < size
    assert log.log.segments[0].modified_ms() == 77
    assert log.log.segments[0].size_bytes == log.log.segments[0].log_file.open().size_bytes()
