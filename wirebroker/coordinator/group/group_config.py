"""GroupCoordinatorConfig: limits and times of the group coordinator."""

from __future__ import annotations

from typing import Final

from wirebroker.config.section import Section


class GroupCoordinatorConfig(Section):
    """The configuration keys of the group coordinator."""

    group_initial_rebalance_delay_ms: int
    group_max_session_timeout_ms: int
    group_max_size: int
    group_min_session_timeout_ms: int
    offset_metadata_max_bytes: int
    offsets_commit_timeout_ms: int
    offsets_retention_check_interval_ms: int
    offsets_retention_minutes: int
    offsets_topic_compression_codec: int

    FIELDS = __slots__ = tuple(__annotations__)

    @property
    def offsets_retention_ms(self) -> int:
        """offsets.retention.minutes in milliseconds."""
        return self.offsets_retention_minutes * 60_000


NEW_MEMBER_JOIN_TIMEOUT_MS: Final = 300_000
"""How long a member that has never completed a join may wait for its first one (Kafka's constant)."""
