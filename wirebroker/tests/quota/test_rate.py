"""Rates over samples, with figures worked out by hand from Kafka's formulas."""

from __future__ import annotations

import pytest

from wirebroker.quota.rate import LONGEST_MS, QuotaWindow, Rate

WINDOW = QuotaWindow(11, 1)
START_MS = 5_000_000


def test_a_new_rate_is_measured_over_ten_whole_samples() -> None:
    rate = Rate(WINDOW)
    assert rate.measure(START_MS) == 0.0
    rate.record(1000, START_MS)
    assert rate.window_ms(START_MS) == 10_000
    assert rate.measure(START_MS) == 100.0
    assert rate.window_ms(START_MS + 999) == 10_999
    assert rate.window_ms(START_MS + 1000) == 10_000


def test_a_steady_rate_is_measured_as_it_is() -> None:
    rate = Rate(WINDOW)
    for at_ms in range(0, 30_000, 100):
        rate.record(50, START_MS + at_ms)
    assert rate.measure(START_MS + 29_999) == pytest.approx(500, rel=0.1)


def test_a_sample_counts_while_anything_of_it_is_in_the_window() -> None:
    rate = Rate(WINDOW)
    rate.record(1100, START_MS)
    rate.record(1100, START_MS + 900)
    assert rate.measure(START_MS + 11_000) == 200.0
    assert rate.measure(START_MS + 11_899) == pytest.approx(2200 / 11.899)
    assert rate.measure(START_MS + 11_900) == 0.0


def test_a_value_can_be_taken_back() -> None:
    rate = Rate(WINDOW)
    rate.record(1000, START_MS)
    rate.record(-1000, START_MS + 5)
    assert rate.measure(START_MS + 6) == 0.0


def test_samples_are_used_again() -> None:
    rate = Rate(QuotaWindow(2, 1))
    for second in range(10):
        rate.record(second, START_MS + second * 1000)
    assert rate.window_ms(START_MS + 9000) == 1000  # the sample of second 7 has just left it
    assert rate.measure(START_MS + 9000) == 8 + 9
    rate.record(1, START_MS + 9500)
    rate.record(4, START_MS + 10_000)
    assert rate.measure(START_MS + 10_000) == 9 + 1 + 4
    assert rate.measure(START_MS + 10_900) == (9 + 1 + 4) / 1.9


@pytest.mark.parametrize(
    ("value", "at_ms", "throttle_ms"),
    [
        (5000, 0, 0),  # 500 a second is the limit
        (5001, 0, 2),  # excess 0.1, / 500 x 10,000
        (10_000, 0, 10_000),
        (10_000, 500, 9500),
        (1_000_000, 0, 1_990_000),
    ],
)
def test_the_throttle_time_is_excess_by_limit_times_window(value: int, at_ms: int, throttle_ms: int) -> None:
    rate = Rate(WINDOW)
    rate.record(value, START_MS)
    assert rate.throttle_ms(500, START_MS + at_ms) == throttle_ms


def test_after_the_throttle_time_the_rate_is_the_limit() -> None:
    rate = Rate(WINDOW)
    rate.record(5300, START_MS)
    throttle_ms = rate.throttle_ms(500, START_MS)
    assert throttle_ms == 600
    assert rate.measure(START_MS + throttle_ms) == pytest.approx(500)


def bytes_of_a_throttled_client(limit: float, offered: float, seconds: int) -> list[tuple[int, float]]:
    """(millisecond, bytes) of the requests of a client that offers more than its quota, and pauses when told to."""
    rate, at_ms, size_bytes = Rate(WINDOW), float(START_MS), limit / 20
    sent = []
    while at_ms < START_MS + seconds * 1000:
        at_ms += size_bytes / offered * 1000
        rate.record(size_bytes, int(at_ms))
        sent.append((int(at_ms) - START_MS, size_bytes))
        at_ms += rate.throttle_ms(limit, int(at_ms))
    return sent


def mean(sent: list[tuple[int, float]], from_s: int, to_s: int) -> float:
    return sum(size for at_ms, size in sent if from_s * 1000 <= at_ms < to_s * 1000) / (to_s - from_s)


@pytest.mark.parametrize("limit", [100e3, 100e6])
@pytest.mark.parametrize("times", [1.1, 1.5, 2, 5, 20, 100])
def test_a_throttled_client_gets_its_quota_in_the_long_run(limit: float, times: float) -> None:
    sent = bytes_of_a_throttled_client(limit, times * limit, 600)
    assert mean(sent, 10, 600) == pytest.approx(limit, rel=0.015)


@pytest.mark.parametrize("limit", [100e3, 1e6, 10e6, 100e6])
@pytest.mark.parametrize("times", [1.1, 1.5, 2])
def test_after_ten_seconds_a_client_that_offers_twice_its_quota_gets_it_within_5_percent(
    limit: float, times: float
) -> None:
    sent = bytes_of_a_throttled_client(limit, times * limit, 50)
    rates = [mean(sent, start, start + 22) for start in range(10, 21)]
    assert sum(rates) / len(rates) == pytest.approx(limit, rel=0.05)


def test_a_limit_of_0_throttles_for_as_long_as_a_response_can_tell() -> None:
    rate = Rate(QuotaWindow())
    assert rate.throttle_ms(0.0, 0) == 0
    rate.record(1, 0)
    assert rate.throttle_ms(0.0, 0) == LONGEST_MS
