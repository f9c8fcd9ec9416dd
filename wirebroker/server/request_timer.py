"""run_with_timer: runs a coroutine with a timer that stands while the coroutine waits."""

from __future__ import annotations

from functools import partial
from types import coroutine
from typing import TYPE_CHECKING, Any

from wirebroker.quota.request_time import REQUEST_TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

    from wirebroker.quota.request_time import RequestTime
    from wirebroker.server.serve_result import ServeResult


@coroutine
def run_with_timer(work: Coroutine[Any, Any, ServeResult], timer: RequestTime) -> Generator[Any, Any, ServeResult]:
    """Run *work* to its end, as `await` does, and return its result."""
    resume: Callable[[], Any] = partial(work.send, None)
    while True:
        token = REQUEST_TIME.set(timer)
        timer.start()
        try:
            trap = resume()
        except StopIteration as end:
            result: ServeResult = end.value
            return result
        finally:
            timer.stop()
            REQUEST_TIME.reset(token)
        try:
            value = yield trap
        except BaseException as fault:  # that is how the event loop cancels
            resume = partial(work.throw, fault)
        else:
            resume = partial(work.send, value)
