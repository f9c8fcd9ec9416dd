"""LogConfig: what one topic's logs obey, with the defaults of Apache Kafka 3.9.

A field is a topic config key with its dots turned into underscores (`segment.bytes` -> `segment_bytes`), so the two
need no table.  Facts: Kafka's documented topic configs (names, types, defaults).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

FOREVER = (1 << 63) - 1
"""Kafka's "never": the largest int64."""

HOUR_MS = 3_600_000
WEEK_MS = 7 * 24 * HOUR_MS


@dataclass(frozen=True, slots=True)
class LogConfig:
    """The settings of one topic, already parsed; build another with `dataclasses.replace`."""

    cleanup_policy: tuple[str, ...] = ("delete",)
    compression_type: str = "producer"
    compression_gzip_level: int = -1
    compression_lz4_level: int = 9
    compression_zstd_level: int = 3
    delete_retention_ms: int = 24 * HOUR_MS
    file_delete_delay_ms: int = 60_000
    flush_messages: int = FOREVER
    flush_ms: int = FOREVER
    follower_replication_throttled_replicas: tuple[str, ...] = ()
    index_interval_bytes: int = 4096
    leader_replication_throttled_replicas: tuple[str, ...] = ()
    local_retention_bytes: int = -2
    local_retention_ms: int = -2
    max_compaction_lag_ms: int = FOREVER
    max_message_bytes: int = 1_048_588
    message_downconversion_enable: bool = True
    message_format_version: str = "3.0-IV1"
    message_timestamp_after_max_ms: int = FOREVER
    message_timestamp_before_max_ms: int = FOREVER
    message_timestamp_difference_max_ms: int = FOREVER
    message_timestamp_type: str = "CreateTime"
    min_cleanable_dirty_ratio: float = 0.5
    min_compaction_lag_ms: int = 0
    min_insync_replicas: int = 1
    preallocate: bool = False
    remote_log_copy_disable: bool = False
    remote_log_delete_on_disable: bool = False
    remote_storage_enable: bool = False
    retention_bytes: int = -1
    retention_ms: int = WEEK_MS
    segment_bytes: int = 1 << 30
    segment_index_bytes: int = 10 << 20
    segment_jitter_ms: int = 0
    segment_ms: int = WEEK_MS
    unclean_leader_election_enable: bool = False

    @property
    def compacts(self) -> bool:
        """Is the log (also) compacted?"""
        return "compact" in self.cleanup_policy

    @property
    def deletes(self) -> bool:
        """Do old segments go by age and size?"""
        return "delete" in self.cleanup_policy

    @property
    def log_append_time(self) -> bool:
        """Does the broker's clock replace the producers' timestamps?"""
        return self.message_timestamp_type == "LogAppendTime"

    @property
    def record_version(self) -> int:
        """The message format that ``message.format.version`` asks for: 0 before 0.10, 1 before 0.11, else 2."""
        release = [int(part) for part in self.message_format_version.partition("-")[0].split(".")]
        if release[0] > 0 or release[1] > 10:
            return 2
        return 1 if release[1] == 10 else 0


TOPIC_KEYS: dict[str, str] = {field.name.replace("_", "."): field.name for field in fields(LogConfig)}
"""Kafka's dotted topic config key -> field of LogConfig."""
