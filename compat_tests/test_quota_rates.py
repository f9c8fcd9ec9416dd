"""The rates and throttle times of quotas beside those of Apache Kafka's own class Rate, at moments that a test chooses.

No broker and no clock takes part, so the busy machine that the rates of real clients depend on does not matter here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.versions import KAFKA
from tools.jvm import resolve
from tools.jvm.bridge import jvm
from wirebroker.quota.rate import QuotaWindow, Rate

if TYPE_CHECKING:
    from collections.abc import Iterator

START_MS = 1_700_000_000_000
SECONDS = 50
WINDOW = QuotaWindow()


@pytest.fixture(scope="module")
def kafka_packages() -> Iterator[Any]:
    jars = resolve([f"org.apache.kafka:kafka-clients:{KAFKA}", "org.slf4j:slf4j-nop:1.7.36"])
    with jvm(jars) as root:
        yield root


class KafkaRate:
    """Apache Kafka's Rate with the interface of wirebroker's; the throttle time is that of kafka.utils.QuotaUtils."""

    def __init__(self, root: Any, window: QuotaWindow) -> None:
        config = root.org.apache.kafka.common.metrics.MetricConfig()
        seconds = root.java.util.concurrent.TimeUnit.SECONDS
        self._config = config.samples(window.samples).timeWindow(window.size_s, seconds)
        self._rate = root.org.apache.kafka.common.metrics.stats.Rate()

    def record(self, value: float, now_ms: int) -> None:
        self._rate.record(self._config, float(value), now_ms)

    def measure(self, now_ms: int) -> float:
        return float(self._rate.measure(self._config, now_ms))

    def throttle_ms(self, limit: float, now_ms: int) -> int:
        excess = self.measure(now_ms) - limit
        if excess <= 0:
            return 0
        return math.floor(excess / limit * int(self._rate.windowSize(self._config, now_ms)) + 0.5)


@pytest.mark.parametrize("times", [1.1, 2, 20])
@pytest.mark.parametrize("limit", [100e3, 100e6])
def test_a_client_that_offers_more_than_its_quota_is_throttled_as_by_apache_kafka(
    kafka_packages: Any, limit: float, times: float
) -> None:
    ours, theirs = Rate(WINDOW), KafkaRate(kafka_packages, WINDOW)
    at_ms, size_bytes, throttled = float(START_MS), limit / 20, 0
    while at_ms < START_MS + SECONDS * 1000:
        at_ms += size_bytes / (times * limit) * 1000
        now_ms = int(at_ms)
        for rate in (ours, theirs):
            rate.record(size_bytes, now_ms)
        assert ours.measure(now_ms) == pytest.approx(theirs.measure(now_ms), rel=1e-9)
        pause_ms = ours.throttle_ms(limit, now_ms)
        assert pause_ms == theirs.throttle_ms(limit, now_ms)
        throttled += pause_ms > 0
        at_ms += pause_ms
    assert throttled > 1
