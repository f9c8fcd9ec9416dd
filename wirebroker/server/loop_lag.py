"""LoopLagMonitor: measures how late the event loop runs a callback that is due, and logs what held it.

A thread posts a callback to the loop every `INTERVAL_S` and notes how long the loop took to run it.  That costs the
loop ten short callbacks a second and requests nothing at all, where a trio instrument would cost every turn.  While a
callback is overdue the thread looks at the stack of the loop's thread, so the log names the request that held the loop
and the line it was at, not only that there was one.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections import Counter, deque
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.protocol.api import API

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

logger = logging.getLogger("wirebroker.loop.lag")

INTERVAL_S: Final = 0.1
WARN_S: Final = 0.25
"""A callback that is later than this is worth a line in the log."""
QUIET_S: Final = 10.0
"""At most one line in so much time; the next one says how many there were in between."""
_MOST_HOLDERS: Final = 50
WINDOW: Final = 600
"""Measurements that are kept: those of the last minute."""


class LoopLag(NamedTuple):
    """Percentiles of the measurements in the window, in seconds."""

    measurements: int
    p50_s: float
    p99_s: float
    max_s: float


class LoopLagMonitor:
    """The lag of one event loop.

    Args:
        post: has a callback run by the loop; raises trio.RunFinishedError when the loop has ended.
        holder: describes what the loop is doing at this moment; called in the monitor's thread.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        post: Callable[[Callable[[], None]], None],
        holder: Callable[[], str],
        *,
        interval_s: float = INTERVAL_S,
        warn_s: float = WARN_S,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._post = post
        self._holder = holder
        self._interval_s = interval_s
        self._warn_s = warn_s
        self._clock = clock
        self._window: deque[float] = deque(maxlen=WINDOW)
        self.measured = 0
        """The number of measurements so far."""
        self._stop = threading.Event()
        self._done = threading.Event()
        self._done_at = 0.0
        self._last_warning: float | None = None
        self._not_logged = 0
        self.holds: Counter[str] = Counter()
        """API, or function, -> how often it held the loop for so long that it is worth a line in the log."""

    @property
    def lag(self) -> LoopLag:
        """The lag over the window."""
        ordered = sorted(self._window.copy())
        if not ordered:
            return LoopLag(0, 0.0, 0.0, 0.0)
        count = len(ordered)
        return LoopLag(count, ordered[count // 2], ordered[min(count - 1, count * 99 // 100)], ordered[-1])

    def latest_s(self) -> list[float]:
        """Return the measurements in the window, in seconds."""
        return list(self._window.copy())

    def watch(self) -> None:
        """Measure until `stop` is called or the loop has ended; runs in a thread."""
        while not self._stop.wait(self._interval_s):
            try:
                self.measure()
            except trio.RunFinishedError:
                return

    def stop(self) -> None:
        """End `watch`."""
        self._stop.set()

    def measure(self) -> None:
        """Post one callback, wait until the loop has run it, and log what held the loop if that took long."""
        self._done.clear()
        posted = self._clock()
        self._post(self._run_in_loop)
        holder = None
        if not self._done.wait(self._warn_s):
            holder = self._holder()
            while not self._done.wait(self._interval_s) and not self._stop.is_set():
                pass
        if self._stop.is_set():
            return
        lag_s = self._done_at - posted
        self._window.append(lag_s)
        self.measured += 1
        if holder is not None and lag_s >= self._warn_s:
            self._warn(lag_s, holder)

    def _run_in_loop(self) -> None:
        self._done_at = self._clock()
        self._done.set()

    def _warn(self, lag_s: float, holder: str) -> None:
        name = _name_of(holder)
        self.holds[name if name in self.holds or len(self.holds) < _MOST_HOLDERS else "other"] += 1
        now = self._clock()
        if self._last_warning is not None and now - self._last_warning < QUIET_S:
            self._not_logged += 1
            return
        self._last_warning = now
        more, self._not_logged = self._not_logged, 0
        logger.warning(
            "the event loop was held for %.0f ms by %s; no client was answered meanwhile%s",
            lag_s * 1000,
            holder,
            f" (and {more} times more since the last such line)" if more else "",
        )


def loop_lag_monitor() -> LoopLagMonitor:
    """Return a monitor of the running event loop."""
    token = trio.lowlevel.current_trio_token()
    thread_id = threading.get_ident()
    return LoopLagMonitor(token.run_sync_soon, lambda: describe_holder(sys._current_frames().get(thread_id)))


async def monitor_loop_lag(monitor: LoopLagMonitor) -> None:
    """Have *monitor* measure until cancelled."""
    thread = threading.Thread(target=monitor.watch, name="loop-lag", daemon=True)
    thread.start()
    try:
        await trio.sleep_forever()
    finally:
        monitor.stop()


def _name_of(holder: str) -> str:
    """Return the API in the description of a holder, or its function."""
    request, found, _ = holder.partition(" of client_id=")
    return request.rpartition(" v")[0] if found else holder.partition(" (")[0]


def describe_holder(frame: FrameType | None) -> str:
    """The innermost place in wirebroker's code of a stack, and the request that is served there if there is one."""
    place = request = None
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("wirebroker."):
            if place is None:
                place = f"{frame.f_code.co_qualname} ({module}, line {frame.f_lineno})"
            if module == "wirebroker.server.dispatch" and frame.f_code.co_name == "serve":
                request = _describe_request(frame)
                break
        frame = frame.f_back
    if place is None:
        return "something outside of wirebroker's code"
    return f"{request} in {place}" if request else place


def _describe_request(frame: FrameType) -> str:
    context = frame.f_locals.get("context")
    api = API.get(getattr(context, "api_key", -1))
    return (
        f"{api.name if api else 'a request'} v{getattr(context, 'version', '?')}"
        f" of client_id={getattr(context, 'client_id', None)} peer={getattr(context, 'client_host', None)}"
    )
