"""Work for several threads at once, each its own kind, all of it done on return."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def run_all(work: Sequence[Callable[[], None]]) -> None:
    """Run every callable, the last in this thread and each other in one of its own; raises what one of them does."""
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
