"""ReplicationQuota: which replicas are throttled, and when the limit is exceeded (KIP-73)."""

from __future__ import annotations

import pytest

from wirebroker.quota.rate import QuotaWindow
from wirebroker.quota.replication_quota import ReplicationQuota


@pytest.mark.parametrize(
    ("replicas", "partition", "throttled"),
    [
        ((), 0, False),
        (("*",), 7, True),
        (("0:1", "3:2"), 0, True),
        (("0:1", "3:2"), 3, False),
        (("0:1", "3:2", "3:1"), 3, True),
        (("1:11",), 1, False),
    ],
)
def test_throttled_replicas_of_this_broker(replicas: tuple[str, ...], partition: int, throttled: bool) -> None:
    assert ReplicationQuota(1, QuotaWindow()).is_throttled(replicas, partition) == throttled


def test_the_limit_is_exceeded_while_the_rate_over_eleven_seconds_is_above_it() -> None:
    quota = ReplicationQuota(1, QuotaWindow(11, 1), limit=1000)
    assert not quota.is_exceeded(0)
    quota.record(10_000, 0)
    assert not quota.is_exceeded(0)
    quota.record(1, 0)
    assert quota.is_exceeded(0)
    assert not quota.is_exceeded(900)
    assert not quota.is_exceeded(10_100)
    quota.record(20_000, 10_100)
    assert quota.is_exceeded(10_100)
    assert quota.is_exceeded(20_000)
    assert not quota.is_exceeded(40_000)


def test_without_a_limit_nothing_is_exceeded() -> None:
    quota = ReplicationQuota(1, QuotaWindow())
    quota.record(1 << 40, 0)
    assert not quota.is_exceeded(0)
    quota.limit = 1.0
    assert quota.is_exceeded(0)
