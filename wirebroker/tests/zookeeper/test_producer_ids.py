"""ZkProducerIdBlocks on the fake ZooKeeper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.zookeeper.fake_client import LostAnswer, LostRequest
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.producer_ids import ZkProducerIdBlocks
from wirebroker.zookeeper.znodes.cluster import PRODUCER_ID_BLOCK_PATH, ProducerIdBlock

if TYPE_CHECKING:
    from trio.testing import MockClock


async def test_brokers_never_get_the_same_ids() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as first, member(zookeeper) as second:
        blocks: list[range] = []

        async def allocate(allocator: ZkProducerIdBlocks) -> None:
            blocks.extend([await allocator.allocate() for _ in range(5)])

        first.client.faults += [LostAnswer(PRODUCER_ID_BLOCK_PATH, "set"), LostRequest(PRODUCER_ID_BLOCK_PATH)] * 2
        async with trio.open_nursery() as nursery:
            nursery.start_soon(allocate, ZkProducerIdBlocks(first.session, 1))
            nursery.start_soon(allocate, ZkProducerIdBlocks(second.session, 2))
        assert {len(block) for block in blocks} == {1000}
        assert len({block.start for block in blocks}) == 10
        assert min(block.start for block in blocks) == 0
        newest = ProducerIdBlock.decode(zookeeper.read(PRODUCER_ID_BLOCK_PATH))
        assert newest.last_id == max(block.stop for block in blocks) - 1


async def test_ids_that_are_used_up_or_corrupt_are_an_error() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        allocator = ZkProducerIdBlocks(this.session, 1)
        for data in (ProducerIdBlock(1, 2**63 - 2000, 2**63 - 500).encode(), b"", b"{}"):
            zookeeper.put(PRODUCER_ID_BLOCK_PATH, data)
            with pytest.raises(ApiError) as caught:
                await allocator.allocate()
            assert caught.value.code is ErrorCode.UNKNOWN_SERVER_ERROR


async def test_a_missing_znode_is_created() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        await this.client.delete(PRODUCER_ID_BLOCK_PATH)
        assert await ZkProducerIdBlocks(this.session, 1).allocate() == range(1000)


async def test_a_producer_does_not_wait_for_ever(autojump_clock: MockClock) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        zookeeper.down()
        with pytest.raises(ApiError) as caught:
            await ZkProducerIdBlocks(this.session, 1).allocate()
        assert caught.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
