"""The checks and conversions of a leader on append, from a topic's configuration."""

from __future__ import annotations

from typing import Any

import pytest

from wirebroker.config.topic import default_log_config
from wirebroker.record.compression import Codec
from wirebroker.replication.append_rules import append_rules


@pytest.mark.parametrize(
    ("settings", "codec", "level"),
    [
        ({}, None, None),
        ({"compression_type": "uncompressed"}, Codec.NONE, None),
        ({"compression_type": "snappy", "compression_gzip_level": 3}, Codec.SNAPPY, None),
        ({"compression_type": "gzip"}, Codec.GZIP, None),
        ({"compression_type": "gzip", "compression_gzip_level": 1}, Codec.GZIP, 1),
        ({"compression_type": "lz4"}, Codec.LZ4, None),
        ({"compression_type": "lz4", "compression_lz4_level": 1}, Codec.LZ4, 3),
        ({"compression_type": "lz4", "compression_lz4_level": 17}, Codec.LZ4, 17),
        ({"compression_type": "zstd"}, Codec.ZSTD, 3),
        ({"compression_type": "zstd", "compression_zstd_level": -5}, Codec.ZSTD, -5),
    ],
)
def test_codec_and_level(settings: dict[str, Any], codec: Codec | None, level: int | None) -> None:
    rules = append_rules(default_log_config(**settings))
    assert (rules.codec, rules.level) == (codec, level)
