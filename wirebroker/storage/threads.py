"""Run callables in threads of their own, and wait for all of them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def run_all(work: Sequence[Callable[[], None]]) -> None:
    """Run every callable, the last in this thread and each other in one of its own; raise the first error."""
    failures: list[BaseException] = []

    def run(each: Callable[[], None]) -> None:
        try:
            each()
        except BaseException as failure:
            failures.append(failure)

    started = [threading.Thread(target=run, args=(each,), name="recovery") for each in work[:-1]]
    for thread in started:
        thread.start()
    for each in work[-1:]:
        run(each)
    for thread in started:
        thread.join()
    if failures:
        raise failures[0]
