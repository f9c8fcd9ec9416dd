"""random_uuid: UUIDs of version 4, all different."""

from __future__ import annotations

from uuid import RFC_4122, UUID

from wirebroker.metadata.random_uuid import random_uuid


def test_they_are_of_version_4_and_all_different() -> None:
    made = [UUID(bytes=random_uuid()) for _ in range(1000)]
    assert {(each.version, each.variant) for each in made} == {(4, RFC_4122)}
    assert len(set(made)) == len(made)


def test_all_other_bits_are_random() -> None:
    every, none = 0, (1 << 128) - 1
    for _ in range(1000):
        value = int.from_bytes(random_uuid())
        every, none = every | value, none & value
    # the version is 0b0100, the variant 0b10
    assert (every.bit_count(), none.bit_count()) == (128 - 4, 2)
