"""The partition of an internal topic for a group or a transactional id: Java's string hash, as in Kafka."""

from __future__ import annotations


def java_hash(text: str) -> int:
    """Return `String.hashCode`: over UTF-16 code units, wrapping at 32 bits, signed."""
    value = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for at in range(0, len(units), 2):
        value = (31 * value + (units[at] << 8 | units[at + 1])) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def partition_for(key: str, partitions: int) -> int:
    """Return the partition of *key*; the smallest int has no absolute value in Java and counts as 0."""
    value = java_hash(key)
    return (0 if value == -(1 << 31) else abs(value)) % partitions
