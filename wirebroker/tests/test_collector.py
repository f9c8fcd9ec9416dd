"""Full collections stay short: what survives a long one is not looked at again."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from wirebroker.collector import LONGEST_S, short_collections

if TYPE_CHECKING:
    from collections.abc import Callable


def clock_of(took_s: float) -> Callable[[], float]:
    """A clock that goes on by *took_s* with every other look."""
    looks = 0

    def look() -> float:
        nonlocal looks
        looks += 1
        return looks // 2 * took_s

    return look


@pytest.mark.parametrize(("took_s", "generation", "frozen"), [(0.2, 2, 2), (0.2, 1, 1), (LONGEST_S / 2, 2, 1)])
def test_survivors_of_a_long_full_collection_are_frozen(took_s: float, generation: int, frozen: int) -> None:
    freezes: list[None] = []
    gc.disable()  # no collection but ours
    try:
        with short_collections(lambda: freezes.append(None), clock_of(took_s)):
            gc.collect(generation)
    finally:
        gc.enable()
    assert len(freezes) == frozen


def test_frozen_objects_are_freed_by_their_reference_count() -> None:
    try:
        with short_collections():
            kept = [[number] for number in range(10_000)]
            gc.freeze()
            frozen = gc.get_freeze_count()
            del kept
            assert gc.get_freeze_count() <= frozen - 10_000
    finally:
        gc.unfreeze()


def test_callback_is_removed() -> None:
    before = gc.callbacks.copy()
    with short_collections(lambda: None):
        assert len(gc.callbacks) == len(before) + 1
    assert gc.callbacks == before
