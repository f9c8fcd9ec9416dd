"""FetcherStats: the traffic of one fetcher."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class FetcherStats:
    """The traffic of one fetcher (Kafka: FetcherStats)."""

    requests: int = 0
    """Fetch requests that the leader has answered."""
    size_bytes: int = 0
    """Bytes of records in the responses."""
