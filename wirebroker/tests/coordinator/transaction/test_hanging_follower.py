"""Transactional ids while a follower in the ISR hangs: only requests for the id of an uncommitted record wait.

As in Apache Kafka, DescribeTransactions and ListTransactions tell of what replicas have, without a wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.coordinator.transaction.requests import (
    AddPartitions,
    DescribeTransaction,
    EndTransaction,
    InitProducer,
    ListTransactionalIds,
    MarkersWritten,
    VerifyPartitions,
)
from wirebroker.coordinator.transaction.shard import TransactionShard
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.coordinator.test_runtime import FakePartition
from wirebroker.tests.coordinator.transaction.txn_shard_harness import T0, T1, transaction_config
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from wirebroker.replication.partition import Partition

E = ErrorCode
TIMEOUT_MS = 5000


class TransactionRuntime:
    """One shard of transactional ids; replicas have the records up to the high watermark of its partition."""

    def __init__(self) -> None:
        self.partition = FakePartition(0)
        self.partition.high_watermark = 0
        self.timer = Timer()
        ids = iter(range(100, 200))
        self.pending_markers: list[Any] = []
        self.runtime = CoordinatorRuntime(
            "__transaction_state",
            lambda _: TransactionShard(transaction_config(), lambda: next(ids)),
            lambda _: cast("Partition", self.partition),
            send_markers=lambda *markers: self.pending_markers.append(markers[2]),
            timer=self.timer,
        )
        self.answers: list[Any] = []

    async def ask(self, request: Any) -> Any:
        """Return the response to *request*, the code of an error."""
        try:
            return await self.runtime.request(0, request)
        except ApiError as error:
            return error.code

    async def note(self, request: Any) -> None:
        """Note the response to a request that waits."""
        self.answers.append(await self.ask(request))

    async def state(self, name: str) -> str | None:
        """The state of a transactional id, as it is described; as it is listed, too."""
        found = await self.runtime.read(0, DescribeTransaction(name))
        listed = {each.transactional_id: each.state for each in await self.runtime.read(0, ListTransactionalIds())}
        assert listed.get(name) == (None if found is None else found.state)
        return None if found is None else found.state

    def replicate(self) -> None:
        """Have replicas have all records."""
        self.partition.commit(len(self.partition.appended))


@pytest.fixture
async def ids(nursery: trio.Nursery) -> AsyncIterator[TransactionRuntime]:
    """The idle transactional ids a and b, with producers 100 and 101."""
    ids = TransactionRuntime()
    nursery.start_soon(ids.timer.run)
    nursery.start_soon(ids.runtime.run)
    ids.runtime.follow({0: cast("Partition", ids.partition)})
    await ids.runtime.first_loads()
    for name in ("a", "b"):
        nursery.start_soon(ids.note, InitProducer(name, TIMEOUT_MS))
        await wait_all_tasks_blocked()
        ids.replicate()
    await wait_all_tasks_blocked()
    assert [each.code for each in ids.answers] == [E.NONE, E.NONE]
    ids.answers.clear()
    yield ids
    nursery.cancel_scope.cancel()


async def test_the_state_before_is_described_until_replicas_have_the_record(
    ids: TransactionRuntime, nursery: trio.Nursery
) -> None:
    nursery.start_soon(ids.note, AddPartitions("a", 100, 0, (T0,), 0))
    nursery.start_soon(ids.note, InitProducer("new", TIMEOUT_MS))
    await wait_all_tasks_blocked()
    assert [await ids.state(name) for name in ("a", "b", "new")] == ["Empty", "Empty", None]
    assert not ids.answers
    ids.replicate()
    await wait_all_tasks_blocked()
    assert [await ids.state(name) for name in ("a", "b", "new")] == ["Ongoing", "Empty", "Empty"]
    nursery.start_soon(ids.note, EndTransaction("a", 100, 0, committed=True, client_version=0))
    await wait_all_tasks_blocked()
    assert await ids.state("a") == "Ongoing"
    ids.replicate()
    await wait_all_tasks_blocked()
    assert await ids.state("a") == "PrepareCommit"
    nursery.start_soon(ids.note, MarkersWritten(ids.pending_markers[0]))
    await wait_all_tasks_blocked()
    assert await ids.state("a") == "PrepareCommit"
    ids.replicate()
    await wait_all_tasks_blocked()
    assert await ids.state("a") == "CompleteCommit"


async def test_a_request_without_a_record_waits_for_records_of_its_own_id_only(
    ids: TransactionRuntime, nursery: trio.Nursery
) -> None:
    nursery.start_soon(ids.note, AddPartitions("a", 100, 0, (T0,), 0))
    await wait_all_tasks_blocked()
    ids.replicate()
    nursery.start_soon(ids.note, InitProducer("b", TIMEOUT_MS))
    await wait_all_tasks_blocked()
    assert ids.answers == [E.NONE]
    assert await ids.ask(AddPartitions("a", 100, 0, (T0,), 0)) == E.NONE
    assert await ids.ask(VerifyPartitions("a", 100, 0, (T0, T1))) == {T0: E.NONE, T1: E.TRANSACTION_ABORTABLE}
    assert await ids.ask(AddPartitions("a", 7, 0, (T0,), 0)) == E.INVALID_PRODUCER_ID_MAPPING
    nursery.start_soon(ids.note, AddPartitions("b", 101, 0, (T0,), 0))
    await wait_all_tasks_blocked()
    assert ids.answers == [E.NONE], "whether the producer is fenced is not committed"
    ids.replicate()
    await wait_all_tasks_blocked()
    first, second = sorted(ids.answers[1:], key=lambda each: each == E.PRODUCER_FENCED)
    assert (first.code, second) == (E.NONE, E.PRODUCER_FENCED)


async def test_a_request_is_late_when_its_transaction_would_have_timed_out(
    ids: TransactionRuntime, autojump_clock: trio.testing.MockClock
) -> None:
    before = trio.current_time()
    assert await ids.ask(AddPartitions("a", 100, 0, (T0,), 0)) == E.COORDINATOR_NOT_AVAILABLE
    assert trio.current_time() - before == pytest.approx(TIMEOUT_MS / 1000, abs=0.1)
