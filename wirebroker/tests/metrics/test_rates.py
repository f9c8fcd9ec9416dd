"""Rates of counters over 1, 5 and 15 minutes, and the MBeans that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.metrics import catalogue
from wirebroker.metrics.jmx import mbeans
from wirebroker.metrics.metric import distribution
from wirebroker.metrics.rates import TICK_S, Rates

if TYPE_CHECKING:
    from wirebroker.metrics.metric import Snapshot


def tick(rates: Rates, snapshot: Snapshot, now_s: float) -> None:
    for _ in rates.tick(snapshot, now_s):
        pass


def test_a_steady_counter_has_its_rate_everywhere() -> None:
    rates = Rates()
    for number in range(10):
        tick(rates, [(catalogue.MESSAGES_IN, [(("t",), 1000 + 50 * number)])], number * TICK_S)
    found = rates.of(catalogue.MESSAGES_IN, ("t",))
    assert found.mean == pytest.approx(10)
    assert found.by_minutes == pytest.approx((10, 10, 10))


def test_the_rate_of_one_minute_follows_more_quickly() -> None:
    rates = Rates()
    count = 0
    for number in range(25):
        count += 500 if number < 13 else 0  # a minute of load, a minute of silence
        tick(rates, [(catalogue.MESSAGES_IN, [(("t",), count)])], number * TICK_S)
    one, five, fifteen = rates.of(catalogue.MESSAGES_IN, ("t",)).by_minutes
    assert one == pytest.approx(100 / 2.718, rel=0.01)
    assert one < five < fifteen < 100


def test_a_counter_that_is_gone_is_forgotten() -> None:
    rates = Rates()
    for number in range(3):
        tick(rates, [(catalogue.MESSAGES_IN, [(("t",), 10 * number)])], number * TICK_S)
    tick(rates, [(catalogue.MESSAGES_IN, [])], 3 * TICK_S)
    assert rates.of(catalogue.MESSAGES_IN, ("t",)).by_minutes == (0, 0, 0)


def test_a_counter_that_begins_between_two_ticks_has_begun_with_0() -> None:
    rates = Rates()
    tick(rates, [], 0.0)
    tick(rates, [(catalogue.MESSAGES_IN, [(("t",), 10)])], TICK_S)
    assert rates.of(catalogue.MESSAGES_IN, ("t",)).by_minutes == (2, 2, 2)


def test_attributes_are_those_of_kafka_s_mbeans() -> None:
    found = dict(
        mbeans(
            [
                (catalogue.MESSAGES_IN, [(("",), 4), (("t",), 4)]),
                (catalogue.TOTAL_TIME, [(("Produce",), distribution(1, [2.0]))]),
                (catalogue.CONNECTION_COUNT, [(("PLAINTEXT", "0"), 3)]),
                (catalogue.GROUP_LAG_SUM, [(("g", "t"), 9)]),
            ],
            Rates(),
        )
    )
    meter = {"Count": 4, "MeanRate": 0.0, "OneMinuteRate": 0.0, "FiveMinuteRate": 0.0, "FifteenMinuteRate": 0.0}
    assert found["kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec"] == meter
    assert found["kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec,topic=t"] == meter
    histogram = found["kafka.network:type=RequestMetrics,name=TotalTimeMs,request=Produce"]
    assert [name for name in histogram if name.endswith("Percentile")] == [
        *("50thPercentile", "75thPercentile", "95thPercentile"),
        *("98thPercentile", "99thPercentile", "999thPercentile"),
    ]
    assert found["kafka.server:type=socket-server-metrics,listener=PLAINTEXT,networkProcessor=0"] == {
        "connection-count": 3
    }
    assert found["kafka_consumergroup_lag_sum:consumergroup=g,topic=t"] == {"Value": 9}
