"""The rules by which a leader validates produced batches, from the configuration of a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.record.compression import Codec
from wirebroker.record.validate import AppendRules

if TYPE_CHECKING:
    from wirebroker.config.log import LogConfig


def append_rules(config: LogConfig, *, refuses_log_append_time: bool = False) -> AppendRules:
    """Return the rules for batches of a topic; make them anew when its configuration changes.

    *refuses_log_append_time* is `ReleaseProfile.refuses_log_append_time`.
    """
    return AppendRules(
        max_message_bytes=config.max_message_bytes,
        compacted=config.compacts,
        log_append_time=config.message_timestamp_type == "LogAppendTime",
        timestamp_before_max_ms=config.message_timestamp_before_max_ms,
        timestamp_after_max_ms=config.message_timestamp_after_max_ms,
        codec=_codec(config.compression_type),
        level=_level(config),
        refuses_log_append_time=refuses_log_append_time,
        magic=config.record_version,
    )


def _level(config: LogConfig) -> int | None:
    """The compression level of the topic's own codec (KIP-390), None for the codec's default."""
    if config.compression_type == "gzip":
        return None if config.compression_gzip_level == -1 else config.compression_gzip_level
    if config.compression_type == "lz4":
        # In Java level 9 selects the fast compressor, every other level the high compression one, which begins at 3.
        return None if config.compression_lz4_level == 9 else max(config.compression_lz4_level, 3)
    return config.compression_zstd_level if config.compression_type == "zstd" else None


def _codec(name: str) -> Codec | None:
    """The codec that a ``compression.type`` demands, None when batches keep the producer's."""
    if name == "producer":
        return None
    if name == "uncompressed":
        return Codec.NONE
    return Codec[name.upper()]
