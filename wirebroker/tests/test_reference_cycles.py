"""Objects that a broker drops are freed by their reference counts, as a cycle of frozen objects stays in memory."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from trio.testing import wait_all_tasks_blocked

from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
from wirebroker.coordinator.group.shard import GroupShard
from wirebroker.coordinator.shard_context import ShardContext
from wirebroker.coordinator.transaction.shard import TransactionShard
from wirebroker.coordinator.transaction.transaction_state_manager import TransactionStateManager
from wirebroker.protocol.messages.fetch import FetchPartition
from wirebroker.replication.fetch_session import CachedPartition, FetchSession, ReaderKind, TopicKey
from wirebroker.replication.fetcher.replica_fetcher import ReplicaFetcher
from wirebroker.server.connection import Connection
from wirebroker.tests.coordinator.runtime_harness import RecordingShard, RuntimeHarness
from wirebroker.tests.coordinator.shard_harness import group_config
from wirebroker.tests.coordinator.transaction.txn_shard_harness import transaction_config
from wirebroker.tests.replication.fetcher.follower_harness import T0, FollowerHarness, settle
from wirebroker.tests.replication.fetcher.leader_harness import LeaderHarness
from wirebroker.tests.server.processor_harness import ProcessorHarness, answers, produce, running_processor

if TYPE_CHECKING:
    from collections.abc import Iterator

    import trio
    from trio.testing import MockClock


@contextmanager
def no_cycles(*kinds: type) -> Iterator[None]:
    """Fail if objects of *kinds* become unreachable in the block, and are not freed."""
    gc.collect()
    gc.disable()
    try:
        yield
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        left = [type(each).__name__ for each in gc.garbage if isinstance(each, kinds)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not left


def test_a_cycle_is_found() -> None:
    class Cycle:
        def __init__(self) -> None:
            self.itself = self

    with pytest.raises(AssertionError, match="Cycle"), no_cycles(Cycle):
        Cycle()


async def test_a_connection(nursery: trio.Nursery) -> None:
    async with running_processor(nursery, ProcessorHarness()) as harness:
        with no_cycles(Connection):
            for number in range(2):  # a local variable of the processor has the last one
                peer = harness.connect()
                await wait_all_tasks_blocked()
                peer.send(produce("one", number, b"records"))
                await wait_all_tasks_blocked()
                assert answers(peer) == [number]
                harness.peers.remove(peer)
                peer.close()
                await wait_all_tasks_blocked()
            assert not harness.processor.connections


class WaitingRequest:
    """A request that waits for a change of its session's partitions."""

    def __init__(self) -> None:
        self.changed: list[CachedPartition] = []

    def partition_changed(self, entry: CachedPartition) -> None:
        self.changed.append(entry)

    def high_watermark_changed(self, entry: CachedPartition) -> None:
        self.changed.append(entry)


@pytest.mark.parametrize("is_waiting", [False, True], ids=["idle", "waiting"])
def test_a_fetch_session(is_waiting: bool) -> None:
    with no_cycles(FetchSession, CachedPartition):
        session = FetchSession(1, ReaderKind(11, -1, 0), 0, uses_topic_ids=False, follower=False)
        topic = TopicKey("t", bytes(16))
        for each in range(3):
            session.add(CachedPartition(topic, FetchPartition(each)))
        first = next(iter(session))
        session.remove(topic, 2)
        request = WaitingRequest()
        if is_waiting:  # the client begins another session while a request of this one reads, and then waits
            session.close()
            session.add_delayed(request)
            first.partition_changed()
            assert request.changed == [first]
            session.delayed.discard(request)
            request.changed.clear()
        session.close()
        first.partition_changed()
        assert not request.changed
        del session, first


async def test_a_fetcher(autojump_clock: MockClock) -> None:
    leader = LeaderHarness()
    leader.lead(T0, 5)
    leader.append(T0, b"a")
    follower = FollowerHarness({2: leader}, "3.9")
    with no_cycles(ReplicaFetcher):
        async with follower.running():
            follower.follow(5)
            await settle(1)
            assert follower.partition().log.log_end_offset == 1
            follower.fetchers.remove_fetcher_for_partitions([T0])
            follower.fetchers.shutdown_idle_fetchers()
            await settle(1)


async def test_a_shard_of_the_runtime(nursery: trio.Nursery) -> None:
    harness = await RuntimeHarness.started(nursery, delays=False)
    with no_cycles(ShardContext, RecordingShard):
        for name in ("one", "two"):  # a local variable of the runtime has the last one
            await harness.ask(name, "write")
            assert name in harness.answers
            harness.runtime.unload(0)
            harness.follow()
            await harness.runtime.first_loads()


def test_a_shard_that_is_dropped_before_it_is_loaded() -> None:
    with no_cycles(GroupShard, GroupMetadataManager, TransactionShard, TransactionStateManager):
        groups = GroupShard(group_config(), lambda *_: True)
        transactions = TransactionShard(transaction_config(), lambda: 100)
        assert not groups.manager.groups
        assert not transactions.manager.transactions
        del groups, transactions
