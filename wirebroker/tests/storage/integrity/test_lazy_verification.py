"""LazyVerification: a read that may not wait asks for a scan of a long range, and then gives the same answer."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from wirebroker.storage.errors import CorruptLogError, ScanRequired, StorageError
from wirebroker.storage.integrity import lazy_verification
from wirebroker.tests.storage.fakes.damage import damage
from wirebroker.tests.storage.fakes.sample_log_dir import PARTITIONS, load, sample_log_dir

if TYPE_CHECKING:
    from wirebroker.storage.log import Log
    from wirebroker.tests.storage.fakes.disk import FakeDisk


@pytest.fixture
def every_range_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_verification, "LONG_RANGE_BYTES", 0)


def loaded_logs(disk: FakeDisk) -> list[Log]:
    manager = load(disk)
    return [log for at in PARTITIONS if at not in manager.refused() and (log := manager.get(*at)) is not None]


def read(log: Log, offset: int, *, may_wait: bool) -> object:
    """The bytes that are served from *offset* on, or the error."""
    try:
        return log.reader.read(offset, 700, log.log_end_offset, True, may_wait=may_wait).tobytes()
    except CorruptLogError as error:
        return str(error)


def read_after_scans(log: Log, offset: int) -> tuple[object, int]:
    """As `read` without waiting, and how many scans were required."""
    for scans in range(5):
        try:
            return read(log, offset, may_wait=False), scans
        except ScanRequired as required:
            required.scan.run()
    raise AssertionError(f"no end of scans for offset {offset}")


@pytest.mark.parametrize("group", range(4))
def test_answers_do_not_depend_on_the_scanner(group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sample_log_dir(clean=True)
    scanned = 0
    for number in range(group * 10, group * 10 + 10):
        disk = whole.disk.restarted()
        if number:
            damage(disk, whole, Random(number + 900))
        logs = [loaded_logs(disk.restarted()) for _ in range(3)]
        for alone, waiting, scanning in zip(*logs, strict=True):
            offsets = range(alone.log_start_offset, alone.log_end_offset, 3)
            expected = [read(alone, offset, may_wait=False) for offset in offsets]
            with monkeypatch.context() as patch:
                patch.setattr(lazy_verification, "LONG_RANGE_BYTES", 0)
                assert [read(waiting, offset, may_wait=True) for offset in offsets] == expected, f"{number}: {waiting}"
                found = [read_after_scans(scanning, offset) for offset in offsets]
            assert [answer for answer, _ in found] == expected, f"{number}: {scanning}"
            scanned += sum(scans for _, scans in found)
    assert scanned > 100


@pytest.mark.usefixtures("every_range_is_long")
def test_range_is_scanned_once() -> None:
    (log, *_) = loaded_logs(sample_log_dir(clean=True).disk.restarted())
    assert read_after_scans(log, log.log_start_offset)[1] == 1
    assert read_after_scans(log, log.log_start_offset)[1] == 0


@pytest.mark.usefixtures("every_range_is_long")
def test_disk_that_fails_during_a_scan_fails_the_next_read() -> None:
    disk = sample_log_dir(clean=True).disk.restarted()
    (log, *_) = loaded_logs(disk)
    with pytest.raises(ScanRequired) as caught:
        read(log, log.log_start_offset, may_wait=False)
    disk.broken["pread"] = 5
    caught.value.scan.run()
    disk.broken.clear()
    with pytest.raises(StorageError):
        read(log, log.log_start_offset, may_wait=False)


def test_truncation_ends_the_verification() -> None:
    (log, *_) = loaded_logs(sample_log_dir(clean=True).disk.restarted())
    segment = log.segments[-1]
    verification = segment.verification
    assert verification is not None
    assert verification.truncated_to(segment.size_bytes) is verification
    assert verification.truncated_to(10) is verification
    assert verification.truncated_to(0) is None
