"""LogConfig: the settings that the logs of one topic obey.  The keys, with defaults, are in `sections/topic.py`."""

from __future__ import annotations

from typing import NamedTuple


class LogConfig(NamedTuple):
    """The settings of one topic, parsed; build another with `_replace`.

    The field `segment_bytes` is the topic key `segment.bytes`, and so on.
    """

    cleanup_policy: tuple[str, ...]
    compression_type: str
    compression_gzip_level: int
    compression_lz4_level: int
    compression_zstd_level: int
    delete_retention_ms: int
    file_delete_delay_ms: int
    flush_messages: int
    flush_ms: int
    follower_replication_throttled_replicas: tuple[str, ...]
    index_interval_bytes: int
    leader_replication_throttled_replicas: tuple[str, ...]
    local_retention_bytes: int
    local_retention_ms: int
    max_compaction_lag_ms: int
    max_message_bytes: int
    message_downconversion_enable: bool
    message_format_version: str
    message_timestamp_after_max_ms: int
    message_timestamp_before_max_ms: int
    message_timestamp_difference_max_ms: int
    message_timestamp_type: str
    min_cleanable_dirty_ratio: float
    min_compaction_lag_ms: int
    min_insync_replicas: int
    preallocate: bool
    remote_log_copy_disable: bool
    remote_log_delete_on_disable: bool
    remote_storage_enable: bool
    retention_bytes: int
    retention_ms: int
    segment_bytes: int
    segment_index_bytes: int
    segment_jitter_ms: int
    segment_ms: int
    unclean_leader_election_enable: bool

    @property
    def compacts(self) -> bool:
        """Whether the log is compacted (and perhaps deleted from, too)."""
        return "compact" in self.cleanup_policy

    @property
    def deletes(self) -> bool:
        """Whether old segments are deleted by age and size."""
        return "delete" in self.cleanup_policy

    @property
    def max_segment_ms(self) -> int:
        """The longest time that a segment takes records: max.compaction.lag.ms counts the active one in (KIP-354)."""
        if self.max_compaction_lag_ms < self.segment_ms and self.compacts:
            return self.max_compaction_lag_ms
        return self.segment_ms

    @property
    def log_append_time(self) -> bool:
        """Whether the broker's clock replaces the producers' timestamps."""
        return self.message_timestamp_type == "LogAppendTime"

    @property
    def record_version(self) -> int:
        """The magic of written records by ``message.format.version``: 0 before 0.10, 1 before 0.11, else 2."""
        release = [int(part) for part in self.message_format_version.partition("-")[0].split(".")]
        if release[0] > 0 or release[1] > 10:
            return 2
        return 1 if release[1] == 10 else 0
