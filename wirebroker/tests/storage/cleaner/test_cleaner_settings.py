"""The settings of the log cleaner, each by its effect on a round."""

from __future__ import annotations

import pytest

from wirebroker.storage.cleaner.cleaning import Cleaner
from wirebroker.storage.cleaner.throttle import Throttle
from wirebroker.tests.storage.cleaner.compacted_log import LIMITS, CompactedLog, committed
from wirebroker.tests.storage.fakes.disk import FakeDisk


def log_of(keys: int, **config: object) -> CompactedLog:
    log = CompactedLog(FakeDisk(), **config)
    for number in range(keys):
        log.append((b"k%d" % number, bytes(50)))
    log.log.roll()
    return log


@pytest.mark.parametrize(("slots", "load_factor", "rounds"), [(100, 0.9, 1), (20, 0.5, 4), (20, 1.0, 3)])
def test_the_dedupe_buffer_and_its_load_factor_bound_the_keys_of_a_round(
    slots: int, load_factor: float, rounds: int
) -> None:
    log = log_of(40)
    count = 0
    while log.clean(LIMITS._replace(dedupe_buffer_bytes=24 * slots, load_factor=load_factor)) is not None:
        count += 1
    assert count == rounds
    assert len(committed(log.log)) == 40


@pytest.mark.parametrize("io_buffer_bytes", [200, 800])
def test_the_io_buffer_is_the_size_of_a_read_and_bounds_a_write(io_buffer_bytes: int) -> None:
    log = log_of(40, segment_bytes=10_000)
    pieces: list[int] = []

    class Pieces(Throttle):
        def pay(self, size_bytes: int) -> None:
            pieces.append(size_bytes)

    throttle = Pieces(1e308)
    list(Cleaner(log.job(LIMITS._replace(io_buffer_bytes=io_buffer_bytes)), log.disk, throttle=throttle).run())
    assert max(pieces) == io_buffer_bytes


def test_the_throttle_holds_the_rate() -> None:
    log = log_of(40)
    now_s = 0.0
    paid = 0

    def sleep(seconds: float) -> None:
        nonlocal now_s
        now_s += seconds

    def clock() -> float:
        nonlocal now_s
        now_s += 0.01
        return now_s

    throttle = Throttle(1000.0, clock, sleep)
    pay = throttle.pay

    def count(size_bytes: int) -> None:
        nonlocal paid
        paid += size_bytes
        pay(size_bytes)

    throttle.pay = count  # type: ignore[method-assign]
    list(Cleaner(log.job(LIMITS._replace(io_buffer_bytes=200)), log.disk, throttle=throttle).run())
    assert paid > 8000
    assert paid / now_s < 1400


@pytest.mark.parametrize(("rate", "slept_s"), [(0.0, 86_400), (1e-9, 86_400), (-1.0, 0), (1e308, 0)])
def test_a_limit_of_nothing_holds_a_round_up_for_good_and_one_below_that_is_none(rate: float, slept_s: float) -> None:
    now_s = 0.0
    sleeps: list[float] = []

    def clock() -> float:
        return now_s

    throttle = Throttle(rate, clock, sleeps.append)
    now_s = 0.4
    throttle.pay(1000)
    assert sum(sleeps) == slept_s


def test_a_disk_that_reads_a_log_at_once_is_held_to_the_rate_as_well() -> None:
    sleeps: list[float] = []
    throttle = Throttle(1000.0, lambda: 0.0, sleeps.append)
    throttle.pay(299)
    assert not sleeps
    throttle.pay(4701)
    assert sleeps == [5.0]
    throttle.pay(299)
    assert sleeps == [5.0], "what was slept for is paid"


@pytest.mark.parametrize("load_factor", [0.0, -1.0])
def test_a_load_factor_without_room_for_a_key_is_a_fault_with_a_reason(load_factor: float) -> None:
    log = log_of(3)
    with pytest.raises(ValueError, match="have no room for a key"):
        log.clean(LIMITS._replace(load_factor=load_factor))


def test_tombstones_stay_for_delete_retention_ms_after_the_round_that_met_them() -> None:
    log = CompactedLog(FakeDisk(), delete_retention_ms=500)

    def clean_after(ms: int) -> list[bytes | None]:
        log.clock.now_ms += ms
        log.append((b"other", b"%d" % ms))
        log.log.roll()
        log.clean()
        return [each.key for each in committed(log.log) if each.value is None]

    log.append((b"gone", b"1"))
    log.append((b"gone", None))
    assert clean_after(10_000) == [b"gone"]
    assert clean_after(499) == [b"gone"]
    assert clean_after(1) == []


def clean_after(log: CompactedLog, ms: int) -> list[bytes | None]:
    """Append a segment that stays, clean after *ms*, and return the keys of the tombstones that are left."""
    log.clock.now_ms += ms
    log.append((b"%d" % ms, bytes(150)))
    log.log.roll()
    log.clean()
    return [each.key for each in committed(log.log) if each.value is None]


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_before_3_1_and_in_old_formats_tombstones_go_by_the_age_of_their_segment(magic: int) -> None:
    log = CompactedLog(FakeDisk(), delete_retention_ms=500, segment_bytes=250)
    log.marks_horizon = False
    for value in (bytes(150), None):
        if magic == 2:
            log.append((b"gone", value))
        else:
            log.append_legacy(magic, (b"gone", value))
    assert clean_after(log, 0) == [b"gone"]
    # the segment of the tombstone must be delete.retention.ms older than the newest one that was cleaned before
    assert clean_after(log, 499) == [b"gone"]
    assert clean_after(log, 1) == [b"gone"]
    assert clean_after(log, 10_000) == []


def test_the_end_of_the_log_stays_though_its_last_tombstone_of_an_old_format_went() -> None:
    log = CompactedLog(FakeDisk(), delete_retention_ms=0, segment_bytes=100)
    log.append_legacy(1, (b"a", b"1"))
    log.log.roll()
    log.clean()
    log.append_legacy(1, (b"gone", None))
    log.log.roll()
    for each in log.log.segments:
        each.log_file.open().set_modified_ms(5)
    assert log.clean() == 2
    assert [each.key for each in committed(log.log)] == [b"a"]
    log.restart(log.disk.restarted())
    assert log.log.log_end_offset == 2
    assert log.append((b"b", b"1")) == 2
