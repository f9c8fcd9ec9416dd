"""The limits of the group coordinator, as the broker's configuration gives them."""

from __future__ import annotations

from typing import NamedTuple


class GroupSettings(NamedTuple):
    """Kafka's `group.*` and `offset*` keys; times in milliseconds."""

    min_session_timeout_ms: int = 6_000
    max_session_timeout_ms: int = 1_800_000
    initial_rebalance_delay_ms: int = 3_000
    max_size: int = 2**31 - 1
    offset_metadata_max_bytes: int = 4096
    offsets_retention_ms: int = 7 * 24 * 60 * 60 * 1000
    offsets_retention_check_ms: int = 600_000


NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000
"""How long a member that has never completed a join may wait for its first one (Kafka's constant)."""
