"""Metrics of requests: by API and version, their times, sizes and errors."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from wirebroker.metrics import catalogue
from wirebroker.metrics.metric import distribution
from wirebroker.metrics.request_metrics import RequestMetrics
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wirebroker.handlers.routes import RouteTable
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.metrics.metric import Rows, Snapshot

_ALWAYS = ("Produce", "FetchConsumer", "FetchFollower", "Metadata")
"""APIs that have metrics before their first request, as dashboards show them all the time."""
_TIMES = (
    catalogue.TOTAL_TIME,
    catalogue.REQUEST_QUEUE_TIME,
    catalogue.LOCAL_TIME,
    catalogue.REMOTE_TIME,
    catalogue.RESPONSE_QUEUE_TIME,
    catalogue.RESPONSE_SEND_TIME,
    catalogue.THROTTLE_TIME,
    catalogue.REQUEST_BYTES,
)


def request_metrics(routes: RouteTable) -> dict[str, RequestMetrics]:
    """Return by name the metrics of all APIs that have had requests, and of those that always have some."""
    found: dict[str, RequestMetrics] = {}
    for metrics in routes.metrics():
        found[metrics.name] = metrics
        if metrics.followers is not None:
            found[metrics.followers.name] = metrics.followers
    for name in _ALWAYS:
        found.setdefault(name, RequestMetrics(name, 0))
    return found


class _Requests:
    """The metrics of requests: by API and version, their times, sizes and errors."""

    def __init__(self) -> None:
        self._times: list[Rows] = [[] for _ in _TIMES]
        self._requests: Rows = []
        self._errors: Rows = []

    def add(self, name: str, *parts: RequestMetrics) -> None:
        """Add the API *name*, of which there are metrics in *parts*; computes percentiles, which takes up to 1 ms."""
        counts: Counter[int] = Counter()
        errors: Counter[int] = Counter()
        for each in parts:
            counts.update(dict(enumerate(each.counts)))
            errors.update(each.errors)
        count = counts.total()
        self._requests += [((name, str(version)), number) for version, number in counts.items() if number]
        if not count:
            self._requests.append(((name, "0"), 0))
        self._errors += [((name, error), number) for error, number in _errors(errors, count)]
        found = zip(*(each.columns() for each in parts), strict=True)
        total, queue, remote, send, throttle, size = (list(chain(*columns)) for columns in found)
        local = [max(0.0, all_of_it - a - b - c) for all_of_it, a, b, c in zip(total, queue, remote, send, strict=True)]
        for rows, seconds in zip(self._times, (total, queue, local, remote, (), send), strict=False):
            rows.append(((name,), distribution(count, [1000 * each for each in seconds])))
        self._times[-2].append(((name,), distribution(count, throttle)))
        self._times[-1].append(((name,), distribution(count, size)))

    def snapshot(self) -> Snapshot:
        """Return the metrics of all APIs that were added."""
        return [
            (catalogue.REQUESTS, self._requests),
            (catalogue.REQUEST_ERRORS, self._errors),
            *zip(_TIMES, self._times, strict=True),
        ]


async def collect_requests(apis: Mapping[str, RequestMetrics], budget: LoopBudget) -> Snapshot:
    """Return the metrics of requests; other tasks run meanwhile.

    Fetch is there three times, as in Kafka: of consumers, of followers, and of both.
    """
    found = _Requests()
    for name, metrics in apis.items():
        found.add(name, metrics)
        await budget.yield_if_due()
    found.add("Fetch", apis["FetchConsumer"], apis["FetchFollower"])
    return found.snapshot()


def _errors(errors: Counter[int], count: int) -> Iterator[tuple[str, int]]:
    """Yield name of an error -> number; NONE for the requests that are left, as a response may have many errors."""
    for code, number in errors.items():
        try:
            yield ErrorCode(code).name, number
        except ValueError:
            yield str(code), number
    yield "NONE", max(0, count - errors.total())
