"""Handlers over real logs, real markers and a real group coordinator; only the transaction coordinator is a fake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from wirebroker.clock import now_ms
from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.coordinator.group.coordinator import GroupCoordinator
from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.fetch import handle_fetch
from wirebroker.handlers.group_offsets import handle_offset_fetch
from wirebroker.handlers.produce import handle_produce
from wirebroker.handlers.routes import RouteTable
from wirebroker.handlers.txn_offset_commit import handle_txn_offset_commit
from wirebroker.metadata.image import PartitionImage, TopicImage
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from wirebroker.quota.managers import QuotaManagers
from wirebroker.releases.profile import WIREBROKER, ReleaseProfile
from wirebroker.replication.fetch_session_cache import FetchSessionCache
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.replication.txn_marker_writer import TxnMarker, TxnMarkerWriter
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.replication.leader import NO_TOPICS, become_leader
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, Clock, batch

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wirebroker.metadata.cache import MetadataCache

OFFSETS = "__consumer_offsets"
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
GROUPS = TopicPartition(OFFSETS, 0)
PARTITIONS = {"t": 2, "stamped": 1, OFFSETS: 1}
LARGE = SMALL._replace(segment_bytes=1_000_000)


class FakeCoordinator:
    """Knows one transaction: partitions of ("x", 7, 0) unless a test says otherwise."""

    def __init__(self) -> None:
        self.transactional_id, self.producer_id, self.epoch = "x", 7, 0
        self.partitions: set[TopicPartition] = set()
        self.refuses: ErrorCode = ErrorCode.NONE
        self.asked: list[tuple[list[TopicPartition], bool]] = []
        self.before_answer: Callable[[], Awaitable[object]] | None = None

    async def verify_partitions(
        self, transactional_id: str, producer_id: int, epoch: int, partitions: list[TopicPartition], *, add: bool
    ) -> dict[TopicPartition, ErrorCode]:
        self.asked.append((partitions, add))
        code = self.refuses
        if not code and (transactional_id, producer_id) != (self.transactional_id, self.producer_id):
            code = ErrorCode.INVALID_PRODUCER_ID_MAPPING
        if not code and epoch != self.epoch:
            code = ErrorCode.PRODUCER_FENCED
        if add and not code:
            self.partitions.update(partitions)
        verdicts = {
            at: code or (ErrorCode.NONE if at in self.partitions else ErrorCode.TRANSACTION_ABORTABLE)
            for at in partitions
        }
        if self.before_answer is not None:
            await self.before_answer()
        return verdicts


class Image:
    """The cluster image of topics in PARTITIONS, each partition led by broker 0."""

    def topic(self, name: str) -> TopicImage | None:
        count = PARTITIONS.get(name)
        if count is None:
            return None
        return TopicImage(name, name.encode().ljust(16)[:16], (PartitionImage(0, 0, (0,), (0,)),) * count)

    def partition(self, topic: str, partition: int) -> PartitionImage | None:
        image = self.topic(topic)
        return image.partitions[partition] if image is not None and 0 <= partition < len(image.partitions) else None

    def topic_by_id(self, topic_id: bytes) -> TopicImage | None:
        return self.topic(topic_id.decode().strip())


class TxnHarness:
    """One broker's data plane.  Use `await TxnHarness.open()`."""

    def __init__(self, disk: FakeDisk, settings: dict[str, object], profile: ReleaseProfile) -> None:
        self.disk = disk
        self.coordinator = FakeCoordinator()
        logs = LogManager([DIR], LARGE, files=disk, clock=Clock())
        logs.load()
        self.replicas = ReplicaManager(logs, NO_TOPICS, lambda: None)
        for name, count in PARTITIONS.items():
            topic = Image().topic(name)
            assert topic is not None
            config = LARGE._replace(message_timestamp_type="LogAppendTime") if name == "stamped" else LARGE
            for index in range(count):
                become_leader(self.replicas, topic, index, config)
        self.config = broker_config(**settings)
        self.routes = RouteTable(profile)
        metadata = type("Metadata", (), {"image": Image()})()
        self.groups = GroupCoordinator(self.config, cast("MetadataCache", metadata), self.replicas)
        self.markers = TxnMarkerWriter(self.replicas, self.groups.runtime.end_transaction)
        self.services: Any = type("Services", (), {})()
        self.services.__dict__.update(
            quotas=QuotaManagers(),
            metadata=metadata,
            replicas=self.replicas,
            groups=self.groups,
            markers=self.markers,
            transactions=self.coordinator,
            txn_verifier=self.coordinator,
            config=DynamicConfig(self.config),
            fetch_sessions=FetchSessionCache(10),
        )

    @classmethod
    async def open(
        cls, disk: FakeDisk | None = None, *, profile: ReleaseProfile = WIREBROKER, **settings: object
    ) -> TxnHarness:
        harness = cls(disk or FakeDisk(), settings, profile)
        await harness.groups.runtime.load(0, harness.replicas.get(OFFSETS, 0))
        return harness

    async def killed(self) -> TxnHarness:
        """The same disk, another process."""
        return await TxnHarness.open(self.disk.restarted())

    def context(self, version: int) -> RequestContext:
        context = RequestContext(self.services, routes=self.routes)
        context.version, context.client_id = version, "c"
        return context

    async def produce(
        self,
        *partitions: int,
        topic: str = "t",
        sequence: int = 0,
        epoch: int = 0,
        producer_id: int = 7,
        transactional_id: str | None = "x",
        transactional: bool = True,
        version: int = 11,
        records: bytes | None = None,
        acks: int = -1,
    ) -> Any:
        """The answer for the first of *partitions* (0), to each of which one record is sent."""
        indexes = partitions or (0,)
        data = [
            PartitionProduceData(
                index,
                memoryview(bytearray(records))
                if records is not None
                else batch(
                    producer=(producer_id, epoch, sequence), transactional=transactional, timestamp=now_ms()
                ).buffer,
            )
            for index in indexes
        ]
        request = ProduceRequest(
            transactional_id,
            acks,
            1000,
            [TopicProduceData(name=topic, topic_id=topic.encode().ljust(16), partition_data=data)],
        )
        response = await handle_produce(self.context(version), request)
        if response is None:
            return None
        answers = response.responses[0].partition_responses
        return answers[0] if len(indexes) == 1 else answers

    async def end(
        self,
        *partitions: TopicPartition,
        committed: bool = True,
        epoch: int = 0,
        coordinator_epoch: int = 0,
        version: int = 0,
    ) -> list[ErrorCode]:
        """Markers to *partitions* (or all of the transaction)."""
        where = partitions or tuple(sorted(self.coordinator.partitions))
        codes = await self.markers.write(TxnMarker(7, epoch, coordinator_epoch, committed, version), where)
        if not partitions:
            self.coordinator.partitions.clear()
        return list(codes.values())

    async def fetch(
        self, at: TopicPartition = T0, offset: int = 0, *, committed: bool = True, version: int = 11
    ) -> Any:
        """The answer to a Fetch of one partition."""
        request = FetchRequest(
            max_wait_ms=0,
            min_bytes=0,
            isolation_level=int(committed),
            topics=[
                FetchTopic(
                    topic=at.topic,
                    partitions=[
                        FetchPartition(partition=at.partition, fetch_offset=offset, partition_max_bytes=1 << 20)
                    ],
                )
            ],
        )
        response = await handle_fetch(self.context(version), request)
        return response.responses[0].partitions[0]

    async def commit_offset(
        self,
        offset: int = 5,
        *,
        topic: str = "t",
        partition: int = 0,
        group: str = "g",
        version: int = 3,
        epoch: int = 0,
        producer_id: int = 7,
        transactional_id: str = "x",
        generation: int = -1,
        member: str = "",
        metadata: str | None = "",
    ) -> ErrorCode:
        """TxnOffsetCommit of one offset."""
        wanted = TxnOffsetCommitRequestPartition(partition, offset, 3, metadata)
        request = TxnOffsetCommitRequest(
            transactional_id,
            group,
            producer_id,
            epoch,
            generation,
            member,
            None,
            [TxnOffsetCommitRequestTopic(topic, [wanted])],
        )
        response = await handle_txn_offset_commit(self.context(version), request)
        return ErrorCode(response.topics[0].partitions[0].error_code)

    async def committed_offset(self, *, group: str = "g", stable: bool = True) -> tuple[int, ErrorCode]:
        """OffsetFetch of t-0: the offset and the code."""
        topics = [OffsetFetchRequestTopic("t", [0])]
        request = OffsetFetchRequest(group_id=group, topics=topics, require_stable=stable)
        response = await handle_offset_fetch(self.context(7), request)
        found = response.topics[0].partitions[0]
        return found.committed_offset, ErrorCode(found.error_code)
