"""Inbox and Future: order, groups, outcomes, and what cancelling a caller or the owner does."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from wirebroker.inbox import Future, Inbox, InboxClosed


class Number(Future[int]):
    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Doubler:
    """An owner that doubles numbers; zero is an error."""

    def __init__(self, capacity: int = 100) -> None:
        self.inbox: Inbox[Number] = Inbox(capacity)
        self.groups: list[list[int]] = []
        self.gate = trio.Event()
        self.gate.set()

    async def handle(self, group: list[Number]) -> None:
        self.groups.append([each.number for each in group])
        await self.gate.wait()
        for each in group:
            if each.number:
                each.set_result(2 * each.number)
            else:
                each.set_error(ValueError("zero"))

    async def double(self, number: int) -> int:
        request = Number(number)
        await self.inbox.put(request)
        return await request.wait()


async def test_each_caller_gets_the_outcome_of_its_request(nursery: trio.Nursery) -> None:
    doubler = Doubler()
    nursery.start_soon(doubler.inbox.run, doubler.handle)
    assert await doubler.double(4) == 8
    with pytest.raises(ValueError, match="zero"):
        await doubler.double(0)
    assert await doubler.double(5) == 10


async def test_requests_are_handled_in_groups_and_in_order(nursery: trio.Nursery) -> None:
    doubler = Doubler(capacity=3)
    for number in range(1, 9):  # five of them wait for room
        nursery.start_soon(doubler.double, number)
        await trio.testing.wait_all_tasks_blocked()
    assert not doubler.inbox.is_empty
    nursery.start_soon(doubler.inbox.run, doubler.handle, InboxClosed, 6)
    await trio.testing.wait_all_tasks_blocked()
    assert doubler.groups == [[1, 2, 3, 4, 5, 6], [7, 8]]
    assert doubler.inbox.is_empty


async def test_a_caller_that_is_cancelled_gives_up_the_outcome_and_not_the_work(nursery: trio.Nursery) -> None:
    doubler = Doubler()
    doubler.gate = trio.Event()
    nursery.start_soon(doubler.inbox.run, doubler.handle)
    with trio.move_on_after(0) as scope:
        await doubler.double(1)
    assert scope.cancelled_caught
    doubler.gate.set()
    assert await doubler.double(2) == 4
    assert [number for group in doubler.groups for number in group] == [2]  # the first was not even queued

    doubler.gate = trio.Event()
    async with trio.open_nursery() as callers:
        callers.start_soon(doubler.double, 3)
        await trio.testing.wait_all_tasks_blocked()
        callers.cancel_scope.cancel()
    doubler.gate.set()
    await trio.testing.wait_all_tasks_blocked()
    assert doubler.groups[-1] == [3]


async def test_close_lets_the_owner_finish_what_is_queued() -> None:
    doubler = Doubler()
    requests = [Number(1), Number(2)]
    assert all(map(doubler.inbox.put_nowait, requests))
    doubler.inbox.close()
    await doubler.inbox.run(doubler.handle)
    assert [await each.wait() for each in requests] == [2, 4]
    assert not doubler.inbox.put_nowait(Number(3))
    with pytest.raises(InboxClosed):
        await doubler.inbox.put(Number(3))


@pytest.mark.parametrize("crashes", [False, True], ids=["cancelled", "crashes"])
async def test_an_owner_that_ends_fails_every_request_without_an_outcome(crashes: bool) -> None:
    doubler = Doubler(capacity=2)
    errors: list[str] = []

    async def call(number: int) -> None:
        try:
            await doubler.double(number)
        except LookupError as error:
            errors.append(f"{number}: {error.args[0]}")

    async def handle(group: list[Number]) -> None:
        if not crashes:
            await trio.sleep_forever()
        raise RuntimeError("crash")

    async def own() -> None:
        with pytest.raises(RuntimeError) if crashes else trio.CancelScope() as scope:
            if isinstance(scope, trio.CancelScope):
                scopes.append(scope)
            await doubler.inbox.run(handle, lambda: LookupError("ended"), 1)

    scopes: list[trio.CancelScope] = []
    async with trio.open_nursery() as nursery:
        for number in range(1, 5):  # 1 is handled, 2 and 3 are queued, 4 waits for room
            nursery.start_soon(call, number)
            await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(own)
        await trio.testing.wait_all_tasks_blocked()
        for scope in scopes:
            scope.cancel()
    assert sorted(errors) == ["1: ended", "2: ended", "3: ended", "4: ended"]
    with pytest.raises(InboxClosed):
        await doubler.double(5)


async def test_an_inbox_has_one_owner(nursery: trio.Nursery) -> None:
    doubler = Doubler()
    nursery.start_soon(doubler.inbox.run, doubler.handle)
    await trio.testing.wait_all_tasks_blocked()
    with pytest.raises(trio.BusyResourceError):
        await doubler.inbox.run(doubler.handle)
    assert await doubler.double(1) == 2


async def test_the_first_outcome_of_a_future_counts() -> None:
    future: Future[int] = Future()
    assert not future.is_done
    future.set_result(1)
    future.set_result(2)
    future.set_error(ValueError())
    assert future.is_done
    assert await future.wait() == 1
    failed: Future[int] = Future()
    failed.set_error(ValueError("first"))
    failed.set_result(1)
    with pytest.raises(ValueError, match="first"):
        await failed.wait()


async def test_several_tasks_may_wait_for_one_future(nursery: trio.Nursery) -> None:
    future: Future[int] = Future()
    results: list[int] = []

    async def wait() -> None:
        results.append(await future.wait())

    for _ in range(3):
        nursery.start_soon(wait)
    await trio.testing.wait_all_tasks_blocked()
    future.set_result(7)
    await trio.testing.wait_all_tasks_blocked()
    assert results == [7, 7, 7]
