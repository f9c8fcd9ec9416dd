"""RequestMetrics: the number, times and sizes of the requests of one API (Kafka: RequestMetrics).

This is the only work that metrics cost for each request: a subtraction, and now and then a record of 24 bytes that is
written into a ring.  Everything else is computed when somebody asks.  The ring has 1,024 requests, as many as Kafka's
histograms keep: the first ones, and from then on about twenty a second, so that it spans a minute of a busy API, and
more of others.  An interval between two of them is a number of requests and not a time, as a time would prefer requests
that take long.
"""

from __future__ import annotations

from collections import Counter
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEPT: Final = 1024
RECORDED_EVERY_S: Final = 0.05
"""The time between two requests of one version that are recorded, once KEPT have been."""
STALE_S: Final = 5.0
"""After so long without a record the next request is recorded, as the rate of requests has fallen."""
LARGEST_PART: Final = 256
"""Python makes no objects for integers up to this."""
_RECORD: Final = Struct("4f2I")
_MOST: Final = 0xFFFF_FFFF


class RequestTimes(NamedTuple):
    """One request; times are in seconds."""

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


class RequestCounter:
    """The number of requests of one version of an API.

    A request is counted by taking one from `left`; if that becomes 0, `restart` is called, which says whether the
    request is to be recorded.

    Attributes:
        left: The number of requests until the next call of `restart`, that of the call included.
        metrics: The metrics of the API.
        of_followers: The counter of Fetch requests of followers; None for other APIs.
    """

    __slots__ = ("_before", "_interval", "_other_parts", "_part", "_restarted_s", "left", "metrics", "of_followers")

    def __init__(self, metrics: RequestMetrics, of_followers: RequestCounter | None = None) -> None:
        self.metrics, self.of_followers = metrics, of_followers
        self._before = 0
        self._interval = 1
        self._restarted_s = 0.0
        self._part = self.left = 1
        self._other_parts = 0

    @property
    def count(self) -> int:
        """The number of requests."""
        return self._before + self._part - self.left

    def restart(self, now_s: float) -> RequestMetrics | None:
        """Go on counting at *now_s*; return the metrics that the request is to be recorded in, None at other times.

        Intervals are counted in parts of LARGEST_PART requests.

        The new interval takes about RECORDED_EVERY_S at the rate of the last one.  It is odd, as an even number may be
        a multiple of the number of requests that a client has in flight, and is twice the last one at most.
        """
        self._before += self._part
        if self._other_parts:
            self._begin_part(self._other_parts)
            return None
        last, elapsed_s = self._interval, now_s - self._restarted_s
        if self.metrics.recorded >= KEPT:
            wanted = 2 * last if elapsed_s <= 0 else min(2 * last, int(last * RECORDED_EVERY_S / elapsed_s))
            self._interval = wanted | 1
        self._restarted_s = now_s
        self._begin_part(self._interval)
        return self.metrics

    def _begin_part(self, requests: int) -> None:
        self._part = self.left = min(requests, LARGEST_PART)
        self._other_parts = requests - self._part

    def refresh(self, now_s: float) -> None:
        """Have the next request recorded if none was for STALE_S."""
        if self._interval > 1 and now_s - self._restarted_s > STALE_S:
            self._before += self._part - self.left
            self._interval = 1
            self._begin_part(1)


class RequestMetrics:
    """The requests of one API.

    Attributes:
        name: Kafka's name of the API.
        counters: The numbers of requests, by version.
        recorded: The number of requests that were recorded.
        errors: The number of responses with an error, by code; those without any are not counted.
        followers: The Fetch requests of followers, which are counted apart; None for other APIs.
    """

    __slots__ = ("_ring", "counters", "errors", "followers", "name", "recorded")

    def __init__(self, name: str, max_version: int, followers: RequestMetrics | None = None) -> None:
        self.name, self.followers = name, followers
        of_followers: Sequence[RequestCounter | None] = [None] * (max_version + 1)
        if followers is not None:
            of_followers = followers.counters
        self.counters: list[RequestCounter] = [RequestCounter(self, each) for each in of_followers]
        self.recorded = 0
        self._ring = bytearray()
        self.errors: Counter[int] = Counter()

    @property
    def counts(self) -> list[int]:
        """The numbers of requests, by version."""
        return [each.count for each in self.counters]

    def record(
        self, total_s: float, queue_s: float, remote_s: float, send_s: float, throttle_ms: int, size_bytes: int
    ) -> None:
        """Keep the times and the size of one request, in the place of the oldest one; see `RequestTimes`."""
        at, ring = self.recorded % KEPT * _RECORD.size, self._ring
        if at == len(ring):  # 12 kB for each API when KEPT are recorded
            ring += bytes(_RECORD.size)
        _RECORD.pack_into(ring, at, total_s, queue_s, remote_s, send_s, min(throttle_ms, _MOST), size_bytes)
        self.recorded += 1

    def refresh(self, now_s: float) -> None:
        """Have the next request of each version recorded if none was for STALE_S."""
        for each in self.counters:
            each.refresh(now_s)

    def latest(self) -> list[RequestTimes]:
        """Return the requests that are kept, in no order."""
        return [RequestTimes._make(each) for each in self._rows()]

    def columns(self) -> list[tuple[float, ...]]:
        """Return the fields of `RequestTimes`, each of all requests that are kept, in no order."""
        return list(zip(*self._rows(), strict=True)) or [()] * len(RequestTimes._fields)

    def _rows(self) -> Iterator[tuple[float, ...]]:
        return _RECORD.iter_unpack(bytes(self._ring[: min(self.recorded, KEPT) * _RECORD.size]))
