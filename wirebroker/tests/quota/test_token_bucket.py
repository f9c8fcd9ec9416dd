"""Token buckets, with figures worked out by hand from Kafka's formulas."""

from __future__ import annotations

from wirebroker.quota.rate import LONGEST_MS
from wirebroker.quota.token_bucket import TokenBucket

START_MS = 5_000_000


def test_a_bucket_is_full_at_first_and_owes_what_was_taken_beyond() -> None:
    bucket = TokenBucket(11)
    assert bucket.throttle_ms(2, START_MS) == 0
    bucket.take(22, 2, START_MS)
    assert bucket.throttle_ms(2, START_MS) == 0
    bucket.take(5, 2, START_MS)
    assert bucket.throttle_ms(2, START_MS) == 2500
    assert bucket.throttle_ms(2, START_MS + 2400) == 100
    assert bucket.throttle_ms(2, START_MS + 2500) == 0


def test_tokens_do_not_pile_up() -> None:
    bucket = TokenBucket(11)
    bucket.take(22, 2, START_MS)
    bucket.take(20, 2, START_MS + 60_000)
    bucket.take(4, 2, START_MS + 60_000)
    assert bucket.throttle_ms(2, START_MS + 60_000) == 1000


def test_a_limit_of_0_throttles_for_as_long_as_a_response_can_tell() -> None:
    bucket = TokenBucket(10.0)
    assert bucket.throttle_ms(0.0, 0) == 0
    bucket.take(1, 0.0, 1)
    assert bucket.throttle_ms(0.0, 2) == LONGEST_MS
