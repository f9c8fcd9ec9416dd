"""Every request is counted, and as many are recorded as span about a minute."""

from __future__ import annotations

from wirebroker.metrics.request_metrics import KEPT, RECORDED_EVERY_S, STALE_S, RequestCounter, RequestMetrics


def serve(counter: RequestCounter, count: int, now_s: float, every_s: float) -> float:
    """Count *count* requests as the server does; return the time of the last one."""
    for _ in range(count):
        now_s += every_s
        counter.left -= 1
        if not counter.left and (metrics := counter.restart(now_s)) is not None:
            metrics.record(now_s, 0.0, 0.0, 0.0, 0, 10)
    return now_s


def counter_with_full_ring() -> tuple[RequestMetrics, RequestCounter, float]:
    metrics = RequestMetrics("Produce", 3)
    now_s = serve(metrics.counters[3], KEPT, 0.0, 0.001)
    assert metrics.recorded == KEPT
    return metrics, metrics.counters[3], now_s


def test_the_first_requests_are_all_recorded() -> None:
    metrics = RequestMetrics("Produce", 3)
    serve(metrics.counters[3], 3, 0.0, 1.0)
    assert [each.total_s for each in metrics.latest()] == [1.0, 2.0, 3.0]
    assert metrics.counts == [0, 0, 0, 3]


def test_every_request_is_counted_whatever_is_recorded() -> None:
    metrics, counter, now_s = counter_with_full_ring()
    for count in range(1, 50):
        before = metrics.counts[3]
        now_s = serve(counter, count, now_s, 0.001)
        assert metrics.counts[3] == before + count
    assert metrics.counts[3] == KEPT + sum(range(1, 50))


def test_a_busy_api_has_about_twenty_requests_a_second_recorded() -> None:
    metrics, counter, now_s = counter_with_full_ring()
    now_s = serve(counter, 100_000, now_s, 0.0001)
    recorded = metrics.recorded
    serve(counter, 100_000, now_s, 0.0001)
    assert 0.8 < (metrics.recorded - recorded) * RECORDED_EVERY_S / 10 < 1.25
    assert len(metrics.latest()) == KEPT


def test_a_slow_api_has_all_requests_recorded() -> None:
    metrics, counter, now_s = counter_with_full_ring()
    serve(counter, 100, now_s, 2 * RECORDED_EVERY_S)
    assert metrics.recorded == KEPT + 100


def test_an_interval_is_odd_so_that_no_place_of_a_pipeline_is_left_out() -> None:
    metrics, counter, now_s = counter_with_full_ring()
    places = {0: 0, 1: 0}
    for number in range(200_000):
        recorded = metrics.recorded
        now_s = serve(counter, 1, now_s, 0.0001)
        places[number % 2] += metrics.recorded - recorded
    assert min(places.values()) > 0.9 * max(places.values())


def test_after_a_fall_of_the_rate_the_next_request_is_recorded() -> None:
    metrics, counter, now_s = counter_with_full_ring()
    now_s = serve(counter, 100_000, now_s, 0.00001)
    recorded, count = metrics.recorded, metrics.counts[3]
    metrics.refresh(now_s)
    serve(counter, 1, now_s, 0.0)
    assert metrics.recorded == recorded
    metrics.refresh(now_s + STALE_S + 1)
    serve(counter, 1, now_s + STALE_S + 1, 0.0)
    assert metrics.recorded == recorded + 1
    assert metrics.counts[3] == count + 2


def test_the_ring_keeps_the_latest() -> None:
    metrics = RequestMetrics("Fetch", 0)
    for number in range(KEPT + 3):
        metrics.record(0.0, 0.0, 0.0, 0.0, 0, number)
    assert {each.size_bytes for each in metrics.latest()} == set(range(3, KEPT + 3))


def test_fetches_of_followers_have_counters_of_their_own() -> None:
    followers = RequestMetrics("FetchFollower", 2)
    consumers = RequestMetrics("FetchConsumer", 2, followers)
    assert [each.of_followers for each in consumers.counters] == followers.counters
