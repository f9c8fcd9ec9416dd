"""Replicas are compared batch by batch, below the least high watermark."""

from __future__ import annotations

from wirebroker.cli.replicas.comparison import BatchSummary, ReplicaBatches, compare
from wirebroker.model import TopicPartition

AT = TopicPartition("t", 0)


def replica(high_watermark: int, *batches: tuple[int, int]) -> ReplicaBatches:
    return ReplicaBatches(high_watermark, [BatchSummary(*each) for each in batches])


def test_equal_replicas_are_compared_up_to_the_least_high_watermark() -> None:
    found = {1: replica(10, (4, 7), (9, 8)), 2: replica(6, (4, 7), (9, 0))}
    assert compare(AT, found, 0) == (5, [])


def test_a_replica_that_lacks_a_batch_yet_is_not_different() -> None:
    assert compare(AT, {1: replica(10, (4, 7), (9, 8)), 2: replica(10, (4, 7))}, 0) == (5, [])
    assert compare(AT, {1: replica(10, (4, 7)), 2: replica(10, (4, 7), (9, 8))}, 0) == (5, [])


def test_differences_are_told_in_kafkas_words() -> None:
    assert compare(AT, {1: replica(9, (4, 7)), 2: replica(9, (4, 8))}, 0) == (
        0,
        ["partition t-0 has unmatched checksum at offset 4; replica 1's checksum 7; replica 2's checksum 8"],
    )
    assert compare(AT, {1: replica(9, (4, 7)), 2: replica(9, (3, 7))}, 0) == (
        0,
        ["partition t-0: replica 1's offset 4 doesn't match replica 2's offset 3"],
    )
