"""Keys land where Kafka puts them."""

from __future__ import annotations

import pytest

from wirebroker.metadata.partitioning import java_hash, partition_for


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", 0),
        ("a", 97),
        ("hello", 99162322),
        ("polygenelubricants", -(1 << 31)),  # the classic string whose hash has no absolute value
        ("\u00e9\U0001f600", 0xE9 * 31 * 31 + 0xD83D * 31 + 0xDE00),
    ],
)
def test_java_hash(text: str, value: int) -> None:
    assert java_hash(text) == value


def test_a_hash_without_absolute_value_is_partition_zero() -> None:
    assert partition_for("polygenelubricants", 50) == 0


def test_negative_hashes_count_as_positive() -> None:
    key = next(f"group-{i}" for i in range(10_000) if java_hash(f"group-{i}") < 0)
    assert partition_for(key, 50) == -java_hash(key) % 50
