"""Metrics of the fetchers, which follow the partitions that other brokers lead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.metrics import catalogue

if TYPE_CHECKING:
    from wirebroker.metrics.metric import Rows, Snapshot
    from wirebroker.metrics.rates import Rates
    from wirebroker.replication.fetcher.replica_fetcher_manager import ReplicaFetcherManager

_CLIENT_ID: Final = ("Replica",)
_OF_ALL: Final = (
    catalogue.FETCHER_MAX_LAG,
    catalogue.FETCHER_MIN_RATE,
    catalogue.FETCHER_FAILED,
    catalogue.FETCHER_DEAD,
)
"""The metrics of all fetchers together."""


def collect_fetchers(fetchers: ReplicaFetcherManager | None, rates: Rates) -> Snapshot:
    """Return the lags and the traffic of the fetchers; zeros on a broker that has none, as Apache Kafka shows them."""
    if fetchers is None:
        return [(each, [(_CLIENT_ID, 0)]) for each in _OF_ALL]
    requests: Rows = []
    size_bytes: Rows = []
    lags: Rows = []
    most = 0
    slowest: list[float] = []
    for each in fetchers.figures():
        tags = (each.name, each.leader.host, str(each.leader.port))
        requests.append((tags, each.stats.requests))
        size_bytes.append((tags, each.stats.size_bytes))
        slowest.append(rates.of(catalogue.FETCHER_REQUESTS, tags).by_minutes[0])
        for (topic, index), lag in each.lags:
            lags.append(((each.name, topic, str(index)), lag))
            most = max(most, lag)
    return [
        (catalogue.FETCHER_MAX_LAG, [(_CLIENT_ID, most)]),
        (catalogue.FETCHER_MIN_RATE, [(_CLIENT_ID, min(slowest, default=0.0))]),
        (catalogue.FETCHER_FAILED, [(_CLIENT_ID, len(fetchers.failed))]),
        (catalogue.FETCHER_DEAD, [(_CLIENT_ID, fetchers.dead)]),
        (catalogue.FETCHER_REQUESTS, requests),
        (catalogue.FETCHER_BYTES, size_bytes),
        (catalogue.FETCHER_LAG, lags),
    ]
