"""ProducerIdManager: ids are unique, blocks are allocated one at a time, and a failure is of those that need an id."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from wirebroker.coordinator.transaction.producer_id_manager import ProducerIdManager
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError


class Allocator:
    """Blocks of ten ids; waits for *gate*, fails with *error*."""

    def __init__(self) -> None:
        self.next_id = 0
        self.gate: trio.Event | None = None
        self.error: ApiError | None = None
        self.calls = 0

    async def allocate(self) -> range:
        self.calls += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        self.next_id += 10
        return range(self.next_id - 10, self.next_id)


async def generate(manager: ProducerIdManager, given: list[int]) -> None:
    await manager.ensure_available()
    given.append(manager.generate_producer_id())


async def test_ids_are_given_in_order_and_a_block_is_one_allocation() -> None:
    allocator = Allocator()
    manager = ProducerIdManager(allocator.allocate)
    given: list[int] = []
    for _ in range(25):
        await generate(manager, given)
    assert (given, allocator.calls) == (list(range(25)), 3)


async def test_tasks_that_wait_share_an_allocation_until_it_is_used_up() -> None:
    allocator = Allocator()
    allocator.gate = trio.Event()
    manager = ProducerIdManager(allocator.allocate)
    given: list[int] = []
    async with trio.open_nursery() as nursery:
        for _ in range(15):
            nursery.start_soon(generate, manager, given)
        await trio.testing.wait_all_tasks_blocked()
        assert allocator.calls == 1
        allocator.gate.set()
    assert (sorted(given), allocator.calls) == (list(range(15)), 2)


async def test_a_cancelled_allocation_leaves_it_to_the_next_task() -> None:
    allocator = Allocator()
    allocator.gate = trio.Event()
    manager = ProducerIdManager(allocator.allocate)
    given: list[int] = []
    async with trio.open_nursery() as nursery:
        with trio.move_on_after(0):
            await manager.ensure_available()
        nursery.start_soon(generate, manager, given)
        await trio.testing.wait_all_tasks_blocked()
        allocator.gate.set()
    assert (given, allocator.calls) == ([0], 2)


async def test_an_allocation_that_fails_is_the_error_of_a_request_that_needs_an_id() -> None:
    allocator = Allocator()
    allocator.error = ApiError(ErrorCode.KAFKA_STORAGE_ERROR)
    manager = ProducerIdManager(allocator.allocate)
    await manager.ensure_available()
    with pytest.raises(ApiError) as refused:
        manager.generate_producer_id()
    assert refused.value.code == ErrorCode.KAFKA_STORAGE_ERROR
    allocator.error = None
    await manager.ensure_available()
    assert manager.generate_producer_id() == 0


def test_without_a_block_a_client_has_to_retry() -> None:
    with pytest.raises(ApiError) as refused:
        ProducerIdManager(Allocator().allocate).generate_producer_id()
    assert refused.value.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
