"""Short pauses of Python's garbage collector in a broker with many objects.

A full collection visits every object that can be part of a cycle: 0.2 s with 10,000 partitions, during which no client
is served, and it frees almost nothing, since reference counts free the objects of the broker.  So the survivors of a
full collection that took longer than `LONGEST_S` are frozen (gc.freeze): later collections visit only newer objects.
Frozen objects are freed by their reference counts as before; a cycle among them stays in memory.  So what a broker
drops while it runs, such as connections, fetch sessions, fetchers and shards, has no cycles by then
(tests/test_reference_cycles.py).
"""

from __future__ import annotations

import gc
import logging
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

logger = logging.getLogger(__name__)

LONGEST_S: Final = 0.005
GENERATIONS: Final = 3
"""Collections of the middle generation to each full one; with Python's 10 a full one meets more new objects."""
_FULL: Final = 2


class _Freezer:
    """A callback for gc.callbacks that freezes what survived a long full collection."""

    def __init__(self, freeze: Callable[[], None], clock: Callable[[], float]) -> None:
        self._freeze = freeze
        self._clock = clock
        self._started = 0.0

    def __call__(self, phase: str, details: dict[str, Any]) -> None:
        if details["generation"] != _FULL:
            return
        if phase == "start":
            self._started = self._clock()
            return
        took_s = self._clock() - self._started
        if took_s > LONGEST_S:
            self._freeze()
            # Not how many: gc.get_freeze_count walks through all of them, 0.1 s for a million committed offsets.
            logger.debug("a full garbage collection took %.0f ms; froze what it left", took_s * 1e3)


@contextmanager
def short_collections(
    freeze: Callable[[], None] = gc.freeze, clock: Callable[[], float] = perf_counter
) -> Iterator[None]:
    """Freeze what is there now, and after long full collections as long as the context is open."""
    gc.collect()
    freeze()
    freezer = _Freezer(freeze, clock)
    thresholds = gc.get_threshold()
    gc.set_threshold(*thresholds[:2], GENERATIONS)
    gc.callbacks.append(freezer)
    try:
        yield
    finally:
        gc.callbacks.remove(freezer)
        gc.set_threshold(*thresholds)
