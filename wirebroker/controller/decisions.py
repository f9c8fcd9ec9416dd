"""The controller's inbox: decisions are made one after the other, by one task, whoever asks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)

T = TypeVar("T")


class _Decision(Generic[T]):
    """One thing to decide, and whoever waits for it."""

    __slots__ = ("decide", "done", "error", "result")

    def __init__(self, decide: Callable[[], Awaitable[T]]) -> None:
        self.decide = decide
        self.done = trio.Event()
        self.result: T | None = None
        self.error: Exception | None = None


class DecisionQueue:
    """Runs one async function at a time, in the order of asking.  *limit* is how many may wait."""

    def __init__(self, limit: int = 1000) -> None:
        self._inbox, self._decisions = trio.open_memory_channel[_Decision[Any]](limit)

    async def decide(self, decide: Callable[[], Awaitable[T]]) -> T:
        """Run *decide* in the owner task and return or raise what it does.

        Cancelling the caller after it was queued does not undo it.

        Raises:
            ApiError: NOT_CONTROLLER when the owner task has ended.
        """
        decision = _Decision(decide)
        try:
            await self._inbox.send(decision)
        except trio.BrokenResourceError:
            raise ApiError(ErrorCode.NOT_CONTROLLER, "the controller has stopped") from None
        await decision.done.wait()
        if decision.error is not None:
            raise decision.error
        return decision.result  # type: ignore[return-value]  # set, since there is no error

    def decide_nowait(self, decide: Callable[[], Awaitable[None]]) -> bool:
        """Have *decide* run some time soon; False when the queue is full or ended, and it will not."""
        try:
            self._inbox.send_nowait(_Decision(decide))
        except (trio.WouldBlock, trio.BrokenResourceError):
            return False
        return True

    async def run(self) -> None:
        """The owner task: works until it is cancelled.  Those who still wait then get NOT_CONTROLLER."""
        with self._decisions:
            try:
                async for decision in self._decisions:
                    await self._run_one(decision)
            finally:
                self._refuse_rest()

    async def _run_one(self, decision: _Decision[Any]) -> None:
        decision.error = ApiError(ErrorCode.NOT_CONTROLLER, "the controller was stopped")  # unless something else comes
        try:
            decision.result = await decision.decide()
            decision.error = None
        except Exception as error:
            decision.error = error
            if not isinstance(error, ApiError):
                log.exception("a decision failed")
        finally:
            decision.done.set()

    def _refuse_rest(self) -> None:
        while True:
            try:
                decision = self._decisions.receive_nowait()
            except (trio.WouldBlock, trio.EndOfChannel):
                return
            decision.error = ApiError(ErrorCode.NOT_CONTROLLER, "the controller was stopped")
            decision.done.set()
