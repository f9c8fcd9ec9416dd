"""FollowerConfig: the config keys of followers; FollowerSettings: those that a fetcher has."""

from __future__ import annotations

from typing import NamedTuple

from wirebroker.config.section import Section


class FollowerConfig(Section):
    """The settings of this broker as a follower; `num_replica_fetchers` may change while it runs."""

    num_replica_fetchers: int
    replica_fetch_backoff_ms: int
    replica_fetch_max_bytes: int
    replica_fetch_min_bytes: int
    replica_fetch_response_max_bytes: int
    replica_fetch_wait_max_ms: int
    replica_socket_receive_buffer_bytes: int
    replica_socket_timeout_ms: int

    FIELDS = __slots__ = tuple(__annotations__)


class FollowerSettings(NamedTuple):
    """The settings of fetchers beside the limits of their requests."""

    backoff_s: float
    """``replica.fetch.backoff.ms``, in seconds."""
    partition_max_bytes: int
    """``replica.fetch.max.bytes``."""
