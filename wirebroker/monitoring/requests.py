"""Metrics of requests: by API and version, their times, sizes and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.metrics import catalogue
from wirebroker.metrics.metric import distribution
from wirebroker.metrics.request_metrics import RequestMetrics
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wirebroker.handlers.routes import RouteTable
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


def request_metrics(routes: RouteTable, control_plane: RouteTable | None = None) -> list[RequestMetrics]:
    """Return the metrics of all APIs that have had requests, and of those that always have some.

    An API that clients and the control plane listener have is that of the clients.  Fetch is there three times, as in
    Kafka: of consumers, of followers, and of both.
    """
    found: dict[str, RequestMetrics] = {}
    for route in (*(() if control_plane is None else control_plane.bound()), *routes.bound()):
        found[route.metrics.name] = route.metrics
        if route.metrics.followers is not None:
            found[route.metrics.followers.name] = route.metrics.followers
    for name in _ALWAYS:
        found.setdefault(name, RequestMetrics(name, 0))
    return [*found.values(), _both(found["FetchConsumer"], found["FetchFollower"])]


def _both(consumers: RequestMetrics, followers: RequestMetrics) -> RequestMetrics:
    both = RequestMetrics("Fetch", max(len(consumers.counts), len(followers.counts)) - 1)
    for each in (consumers, followers):
        for version, count in enumerate(each.counts):
            both.counts[version] += count
        both.kept.extend(each.kept)
        both.errors.update(each.errors)
    return both


def render_requests(metrics: Iterable[RequestMetrics]) -> Snapshot:
    """Return the metrics of requests; computes percentiles, so it is to be called in a thread."""
    times: list[Rows] = [[] for _ in _TIMES]
    requests: Rows = []
    errors: Rows = []
    for each in metrics:
        count = each.count
        requests += (((each.name, str(version)), number) for version, number in enumerate(each.counts) if number)
        if not count:
            requests.append(((each.name, "0"), 0))
        errors += (((each.name, name), number) for name, number in _errors(each, count))
        latest = each.latest()
        columns: tuple[list[float], ...] = (
            [1000 * one.total_s for one in latest],
            [1000 * one.queue_s for one in latest],
            [1000 * max(0.0, one.total_s - one.queue_s - one.remote_s - one.send_s) for one in latest],
            [1000 * one.remote_s for one in latest],
            [0.0] * len(latest),
            [1000 * one.send_s for one in latest],
            [one.throttle_ms for one in latest],
            [one.size_bytes for one in latest],
        )
        for rows, column in zip(times, columns, strict=True):
            rows.append(((each.name,), distribution(count, column)))
    return [(catalogue.REQUESTS, requests), (catalogue.REQUEST_ERRORS, errors), *zip(_TIMES, times, strict=True)]


def _errors(metrics: RequestMetrics, count: int) -> Iterator[tuple[str, int]]:
    """Yield name of an error -> number; NONE for the requests that are left, as a response may have many errors."""
    for code, number in tuple(metrics.errors.items()):
        try:
            yield ErrorCode(code).name, number
        except ValueError:
            yield str(code), number
    yield "NONE", max(0, count - metrics.errors.total())
