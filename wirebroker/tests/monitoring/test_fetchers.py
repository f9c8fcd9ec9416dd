"""The figures of fetchers: lags, traffic, failures."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from wirebroker.metrics import catalogue
from wirebroker.metrics.rates import Rates
from wirebroker.model import BrokerEndpoint, TopicPartition
from wirebroker.monitoring.fetchers import collect_fetchers
from wirebroker.replication.fetcher.fetcher_stats import FetcherStats
from wirebroker.replication.fetcher.replica_fetcher_manager import FetcherFigures

NAME = "ReplicaFetcherThread-0-2"
TAGS = (NAME, "b", "9092")


def fetchers(requests: int = 7) -> Any:
    lags = [(TopicPartition("t", 0), 5), (TopicPartition("t", 1), 9)]
    figures = FetcherFigures(NAME, BrokerEndpoint(2, "b", 9092), FetcherStats(requests, 100), lags)
    return SimpleNamespace(figures=lambda: [figures], failed={TopicPartition("u", 0)}, dead=0)


def test_without_fetchers_the_figures_of_all_of_them_are_zero() -> None:
    of_all = (catalogue.FETCHER_MAX_LAG, catalogue.FETCHER_MIN_RATE, catalogue.FETCHER_FAILED, catalogue.FETCHER_DEAD)
    assert dict(collect_fetchers(None, Rates())) == {each: [(("Replica",), 0)] for each in of_all}
    none: Any = SimpleNamespace(figures=list, failed=set(), dead=0)
    assert dict(collect_fetchers(none, Rates()))[catalogue.FETCHER_MIN_RATE] == [(("Replica",), 0.0)]


def test_lags_by_partition_and_the_largest() -> None:
    found = dict(collect_fetchers(fetchers(), Rates()))
    assert found[catalogue.FETCHER_LAG] == [((NAME, "t", "0"), 5), ((NAME, "t", "1"), 9)]
    assert found[catalogue.FETCHER_MAX_LAG] == [(("Replica",), 9)]
    assert found[catalogue.FETCHER_FAILED] == [(("Replica",), 1)]
    assert found[catalogue.FETCHER_REQUESTS] == [(TAGS, 7)]
    assert found[catalogue.FETCHER_BYTES] == [(TAGS, 100)]


def test_the_rate_of_the_slowest_fetcher() -> None:
    rates = Rates()
    for second, requests in ((0.0, 10), (5.0, 60)):
        list(rates.tick(collect_fetchers(fetchers(requests), rates), second))
    assert dict(collect_fetchers(fetchers(), rates))[catalogue.FETCHER_MIN_RATE] == [(("Replica",), 10.0)]
