"""FollowerConfig: the config keys of followers."""

from __future__ import annotations

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
