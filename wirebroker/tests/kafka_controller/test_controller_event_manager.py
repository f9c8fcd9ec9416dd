"""The event queue of the controller: order, errors, and the end of a term."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.kafka_controller.controller_event_manager import ControllerEventManager
from wirebroker.kafka_controller.errors import ControllerMoved
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable


class Queue:
    """An event queue of a controller that may resign."""

    def __init__(self) -> None:
        self.is_active = True
        self.ran: list[str] = []
        self.gate = trio.Event()
        self.events = ControllerEventManager(lambda: self.is_active, self.resign)

    def resign(self) -> None:
        """End the term, as the controller does."""
        self.is_active = False
        self.events.end_term()

    def event(self, name: str) -> Callable[[], Awaitable[None]]:
        """An event that waits for the gate and is then in `ran`."""

        async def run() -> None:
            await self.gate.wait()
            self.ran.append(name)

        return run

    async def ask(self, name: str, codes: dict[str, int]) -> None:
        """Wait for an event, and note its error code, 0 without an error."""
        try:
            await self.events.run_and_wait(name, self.event(name))
        except ApiError as error:
            codes[name] = error.code
        else:
            codes[name] = 0


@asynccontextmanager
async def running() -> AsyncIterator[tuple[Queue, trio.Nursery]]:
    queue = Queue()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(queue.events.run)
        yield queue, nursery
        nursery.cancel_scope.cancel()


async def test_events_run_one_after_the_other_and_those_of_a_name_once_while_they_wait() -> None:
    async with running() as (queue, _):
        queue.events.put("first", queue.event("first"))
        await wait_all_tasks_blocked()
        for name in ("second", "third", "second", "first"):
            queue.events.put_once(name, queue.event(name))
        assert (queue.ran, queue.events.queue_size) == ([], 3)
        queue.gate.set()
        await wait_all_tasks_blocked()
        assert queue.ran == ["first", "second", "third", "first"]
        assert queue.events.is_idle


async def test_the_end_of_a_term_refuses_what_runs_and_what_waits_but_for_elections() -> None:
    async with running() as (queue, nursery):
        codes: dict[str, int] = {}
        for name in ("runs", "waits"):
            nursery.start_soon(queue.ask, name, codes)
            await wait_all_tasks_blocked()
        queue.events.put("elect", queue.event("elect"), is_for_active=False)
        queue.events.put("notification", queue.event("notification"))
        queue.resign()
        assert queue.events.queue_size == 1
        queue.is_active = True  # the next term begins before any of them has its turn
        queue.gate.set()
        await wait_all_tasks_blocked()
        assert codes == {"runs": ErrorCode.NOT_CONTROLLER, "waits": ErrorCode.NOT_CONTROLLER}
        assert queue.ran == ["elect"]


async def test_an_event_that_finds_another_controller_ends_the_term() -> None:
    async with running() as (queue, nursery):
        codes: dict[str, int] = {}

        async def find() -> None:
            await queue.gate.wait()
            raise ControllerMoved("epoch 9")

        queue.events.put("find", find)
        nursery.start_soon(queue.ask, "waits", codes)
        await wait_all_tasks_blocked()
        queue.gate.set()
        await wait_all_tasks_blocked()
        assert (queue.is_active, codes, queue.ran) == (False, {"waits": ErrorCode.NOT_CONTROLLER}, [])
        await queue.ask("later", codes)
        assert codes["later"] == ErrorCode.NOT_CONTROLLER


async def test_an_error_reaches_the_caller_and_the_next_event_runs(caplog: pytest.LogCaptureFixture) -> None:
    async with running() as (queue, _):

        async def fail() -> None:
            await trio.lowlevel.checkpoint()
            raise KeyError("no such partition")

        with pytest.raises(KeyError):
            await queue.events.run_and_wait("AlterPartition", fail)
        assert "error while it processed event AlterPartition" in caplog.text
        queue.gate.set()
        await queue.events.run_and_wait("next", queue.event("next"))
        assert queue.ran == ["next"]
        assert queue.events.times_ms["IsrChange"].count == 1


async def test_a_caller_that_is_cancelled_does_not_withdraw_its_event() -> None:
    async with running() as (queue, _):
        with trio.move_on_after(0):
            await queue.events.run_and_wait("asked", queue.event("asked"))
        queue.gate.set()
        await wait_all_tasks_blocked()
        assert queue.ran == ["asked"]


async def test_callers_that_wait_when_the_broker_stops_are_refused() -> None:
    codes: dict[str, int] = {}
    queue = Queue()
    async with trio.open_nursery() as callers, trio.open_nursery() as nursery:
        nursery.start_soon(queue.events.run)
        for name in ("runs", "waits"):
            callers.start_soon(queue.ask, name, codes)
            await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert codes == {"runs": ErrorCode.NOT_CONTROLLER, "waits": ErrorCode.NOT_CONTROLLER}
