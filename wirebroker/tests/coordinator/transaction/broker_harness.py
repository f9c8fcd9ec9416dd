"""Handlers, coordinators, markers and logs of one broker, all real but the disk and the clock."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import trio

from wirebroker import clock
from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.coordinator.group.coordinator import GroupCoordinator
from wirebroker.coordinator.transaction import pending_requests
from wirebroker.coordinator.transaction.coordinator import TransactionCoordinator
from wirebroker.handlers import producers, transactions
from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.fetch import handle_fetch
from wirebroker.handlers.produce import handle_produce
from wirebroker.handlers.routes import RouteTable
from wirebroker.handlers.txn_offset_commit import handle_txn_offset_commit
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import ClusterImage, PartitionImage, TopicImage
from wirebroker.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from wirebroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from wirebroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from wirebroker.protocol.messages.end_txn import EndTxnRequest
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.protocol.messages.list_transactions import ListTransactionsRequest
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from wirebroker.quota.managers import QuotaManagers
from wirebroker.record.record_batch import batches
from wirebroker.replication.fetch_session_cache import FetchSessionCache
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.replication.txn_marker_writer import TxnMarkerWriter
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.replication.leader import NO_TOPICS, become_leader
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, batch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pytest


PARTITIONS = {"t": 3, "__consumer_offsets": 1, "__transaction_state": 2}
_CONFIG = SMALL._replace(segment_bytes=1_000_000, segment_index_bytes=2_000)
START_MS = 1_000_000_000


def virtual_ms() -> int:
    """The broker's clock: trio's, which a test may jump ahead."""
    return START_MS + int(trio.current_time() * 1000)


def use_virtual_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every module that asks for the time get `virtual_ms`.

    If trio's clock is the real one, responses wait for their transaction without limit: half a second may pass on a
    busy machine before the markers of a transaction are written.
    """
    for name, module in tuple(sys.modules.items()):
        if name.startswith("wirebroker.") and getattr(module, "now_ms", None) is clock.now_ms and module is not clock:
            monkeypatch.setattr(module, "now_ms", virtual_ms)
    if "autojump_clock" not in request.fixturenames:
        monkeypatch.setattr(pending_requests, "MAX_PENDING_MS", 1 << 31)


def _topic(name: str) -> TopicImage:
    return TopicImage(name, name.encode()[:16].ljust(16), (PartitionImage(0, 0, (0,), (0,)),) * PARTITIONS[name])


class BrokerHarness:
    """One broker; use `running`."""

    def __init__(self, disk: FakeDisk, version: int, first_id: int, settings: dict[str, object]) -> None:
        self.disk = disk
        logs = LogManager([DIR], _CONFIG, files=disk, clock=virtual_ms)
        logs.load()
        self.replicas = ReplicaManager(logs, NO_TOPICS, lambda: None)
        image = ClusterImage(topics={name: _topic(name) for name in PARTITIONS})
        for name, topic in image.topics.items():
            for index in range(PARTITIONS[name]):
                become_leader(self.replicas, topic, index, _CONFIG)
        self.config = broker_config(**settings)
        self.metadata = MetadataCache(image)
        self.groups = GroupCoordinator(self.config, self.metadata, self.replicas)
        self.markers = TxnMarkerWriter(self.replicas, self.groups.runtime.end_transaction)
        self.next_id = first_id
        self.coordinator = TransactionCoordinator(
            self.config, version, self.metadata, self.replicas, self.markers, self.allocate_producer_ids
        )
        self.services: Any = type("Services", (), {})()
        self.services.__dict__.update(
            quotas=QuotaManagers(),
            metadata=self.metadata,
            replicas=self.replicas,
            groups=self.groups,
            markers=self.markers,
            transactions=self.coordinator,
            txn_verifier=self.coordinator,
            administration=self,
            config=DynamicConfig(self.config),
            fetch_sessions=FetchSessionCache(10),
        )

    # -- what the controller does

    async def allocate_producer_ids(self) -> range:
        self.next_id += 10
        return range(self.next_id - 10, self.next_id)

    async def create_internal(self, _: str) -> None:
        """They are all here."""

    # -- clients

    def context(self, version: int) -> RequestContext:
        context = RequestContext(self.services, routes=RouteTable())
        context.version, context.client_id = version, "c"
        return context

    async def init(
        self,
        transactional_id: str | None = "x",
        expected: tuple[int, int] = (-1, -1),
        *,
        timeout_ms: int = 60_000,
        version: int = 4,
    ) -> Any:
        request = InitProducerIdRequest(transactional_id, timeout_ms, *expected)
        return await producers.handle_init_producer_id(self.context(version), request)

    async def started(self, transactional_id: str = "x", **more: Any) -> tuple[int, int]:
        """A producer that has just started."""
        answer = await self.init(transactional_id, **more)
        assert not answer.error_code
        return answer.producer_id, answer.producer_epoch

    async def add(
        self, producer: tuple[int, int], *indexes: int, topic: str = "t", transactional_id: str = "x", version: int = 3
    ) -> list[int]:
        """AddPartitionsToTxn of some partitions of a topic: their codes."""
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=transactional_id,
            v3_and_below_producer_id=producer[0],
            v3_and_below_producer_epoch=producer[1],
            v3_and_below_topics=[AddPartitionsToTxnTopic(topic, list(indexes))],
        )
        answer = await transactions.handle_add_partitions_to_txn(self.context(version), request)
        (result,) = answer.results_by_topic_v3_and_below
        return [each.partition_error_code for each in result.results_by_partition]

    async def add_batched(self, *wanted: tuple[str, tuple[int, int], list[int], bool], version: int = 4) -> Any:
        """AddPartitionsToTxn as brokers send it: (transactional id, producer, partitions of t, verify_only)."""
        request = AddPartitionsToTxnRequest(
            transactions=[
                AddPartitionsToTxnTransaction(name, *producer, verify, [AddPartitionsToTxnTopic("t", indexes)])
                for name, producer, indexes, verify in wanted
            ]
        )
        return await transactions.handle_add_partitions_to_txn(self.context(version), request)

    async def add_offsets(
        self, producer: tuple[int, int], group: str = "g", *, transactional_id: str = "x", version: int = 3
    ) -> int:
        request = AddOffsetsToTxnRequest(transactional_id, *producer, group)
        answer = await transactions.handle_add_offsets_to_txn(self.context(version), request)
        return answer.error_code

    async def commit_offset(
        self, producer: tuple[int, int], offset: int, *, transactional_id: str = "x", version: int = 3
    ) -> int:
        """TxnOffsetCommit of t-0 for group g."""
        topics = [TxnOffsetCommitRequestTopic("t", [TxnOffsetCommitRequestPartition(0, offset, -1, "")])]
        request = TxnOffsetCommitRequest(transactional_id, "g", *producer, -1, "", None, topics)
        answer = await handle_txn_offset_commit(self.context(version), request)
        return answer.topics[0].partitions[0].error_code

    async def end(
        self, producer: tuple[int, int], *, commit: bool = True, transactional_id: str = "x", version: int = 3
    ) -> Any:
        request = EndTxnRequest(transactional_id, *producer, commit)
        return await transactions.handle_end_txn(self.context(version), request)

    async def produce(
        self,
        producer: tuple[int, int],
        index: int = 0,
        *,
        sequence: int = 0,
        transactional_id: str = "x",
        version: int = 11,
        value: bytes = b"v",
    ) -> int:
        """One record in the transaction."""
        records = batch(value, producer=(*producer, sequence), transactional=True, timestamp=virtual_ms())
        data = PartitionProduceData(index, records.buffer)
        topic = TopicProduceData(name="t", topic_id=_topic("t").topic_id, partition_data=[data])
        answer = await handle_produce(self.context(version), ProduceRequest(transactional_id, -1, 1000, [topic]))
        assert answer is not None
        return answer.responses[0].partition_responses[0].error_code

    async def describe(self, *transactional_ids: str) -> list[Any]:
        request = DescribeTransactionsRequest(list(transactional_ids))
        return (await transactions.handle_describe_transactions(self.context(0), request)).transaction_states

    async def listed(self, *, version: int = 2, **filters: Any) -> Any:
        return await transactions.handle_list_transactions(self.context(version), ListTransactionsRequest(**filters))

    async def state(self, transactional_id: str = "x") -> str:
        return cast("str", (await self.describe(transactional_id))[0].transaction_state)

    # -- what is there

    async def values(self, index: int = 0, *, committed: bool = True) -> list[bytes]:
        """The values that a consumer of a partition of t sees, without aborted records."""
        request = FetchRequest(
            max_wait_ms=0,
            isolation_level=int(committed),
            topics=[
                FetchTopic(topic="t", partitions=[FetchPartition(index, fetch_offset=0, partition_max_bytes=99999)])
            ],
        )
        answer = (await handle_fetch(self.context(11), request)).responses[0].partitions[0]
        aborted = sorted((each.first_offset, each.producer_id) for each in answer.aborted_transactions or ())
        values: list[bytes] = []
        dropping: set[int] = set()
        records: Any = answer.records
        records = records if isinstance(records, bytes) else records.tobytes()
        for found in batches(memoryview(records)):
            while aborted and aborted[0][0] <= found.base_offset:
                dropping.add(aborted.pop(0)[1])
            if found.is_control:
                dropping.discard(found.producer_id)
            elif found.producer_id not in dropping:
                values += [record.value or b"" for record in found.records()]
        return values

    def ends(self, index: int) -> list[tuple[int, int]]:
        """(producer id, epoch) of each marker in a partition of t."""
        log = self.replicas.get("t", index).log
        harness = memoryview(log.read(0, 1 << 20, log.log_end_offset, True).tobytes())
        return [(each.producer_id, each.producer_epoch) for each in batches(harness) if each.is_control]

    def is_open(self, index: int) -> bool:
        producers = self.replicas.get("t", index).log.producer_state_manager.active_producers()
        return any(each.current_txn_first_offset >= 0 for each in producers)


@asynccontextmanager
async def running(
    disk: FakeDisk | None = None, *, version: int = 2, first_id: int = 100, **settings: object
) -> AsyncIterator[BrokerHarness]:
    """A broker on what *disk* holds; leaving it is a kill -9."""
    harness = BrokerHarness(disk or FakeDisk(), version, first_id, settings)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(harness.replicas.timer.run)
        nursery.start_soon(harness.groups.run)
        nursery.start_soon(harness.coordinator.run)
        await trio.lowlevel.checkpoint()
        await harness.groups.caught_up()
        await harness.coordinator.caught_up()
        yield harness
        nursery.cancel_scope.cancel()
