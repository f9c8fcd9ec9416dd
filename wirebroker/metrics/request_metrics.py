"""RequestMetrics: the number, times and sizes of the requests of one API (Kafka: RequestMetrics).

This is the only work that metrics cost for each request: an addition, and now and then an append.  Everything else is
computed when somebody asks.  Percentiles are of 1,024 requests, as many as Kafka's histograms keep: of the first ones,
and from then on of each eighth, as an append costs 1 us where the processor's cache has forgotten the oldest one.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Final, NamedTuple

KEPT: Final = 1024
PART_RECORDED: Final = 8
"""Of so many requests of one version one is recorded, once KEPT have been."""


class RequestTimes(NamedTuple):
    """One request; times are in seconds.  Recorded as a plain tuple, which is quicker to make."""

    total_s: float
    """From when its bytes had come until its response was handed over."""
    queue_s: float
    """Until it was looked at."""
    remote_s: float
    """Waiting for other clients, for replicas, or for a thread."""
    send_s: float
    """Handing the response to the socket."""
    throttle_ms: int
    """For how long its connection is muted then, because of a quota."""
    size_bytes: int


class RequestMetrics:
    """The requests of one API.

    Attributes:
        name: Kafka's name of the API.
        counts: The number of requests by version.
        record: Takes a RequestTimes, or a plain tuple of its fields.
        errors: The number of responses with an error, by code; those without any are not counted.
        followers: The Fetch requests of followers, which are counted apart; None for other APIs.
    """

    __slots__ = ("counts", "errors", "followers", "kept", "name", "record")

    def __init__(self, name: str, max_version: int) -> None:
        self.name = name
        self.counts = [0] * (max_version + 1)
        self.kept: deque[tuple[float, float, float, float, int, int]] = deque(maxlen=KEPT)
        self.record = self.kept.append
        self.errors: Counter[int] = Counter()
        self.followers: RequestMetrics | None = None

    @property
    def count(self) -> int:
        """The number of requests."""
        return sum(self.counts)

    def latest(self) -> list[RequestTimes]:
        """Return the requests that are kept, oldest first."""
        return [RequestTimes(*each) for each in tuple(self.kept)]
