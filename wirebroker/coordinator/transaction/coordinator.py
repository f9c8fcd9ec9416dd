"""TransactionCoordinator: the shards of `__transaction_state` that this broker leads, and their API for handlers.

The classes of requests are imported with the first one: 2 ms and 0.1 MB that a broker without transactions saves.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.coordinator.service import CoordinatorService
from wirebroker.coordinator.transaction.producer_id_manager import ProducerIdManager
from wirebroker.coordinator.transaction.transaction_config import TransactionConfig
from wirebroker.model import TRANSACTION_STATE_TOPIC_NAME, TransactionVersion
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wirebroker.config.server import BrokerConfig
    from wirebroker.coordinator.runtime import CoordinatorRuntime
    from wirebroker.coordinator.shard import CoordinatorShard
    from wirebroker.coordinator.transaction.requests import ProducerIdResult, TransactionDescription, TransactionListing
    from wirebroker.coordinator.transaction.txn_marker_sender import MarkerWriter, TxnMarkerSender
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.model import TopicPartition
    from wirebroker.replication.replica_manager import ReplicaManager

_MAX_ID_BYTES: Final = 32767
"""The longest transactional id that a record's key can hold."""


class TransactionCoordinator(CoordinatorService):
    """Transactional ids whose `__transaction_state` partition this broker leads, and producer ids.

    Args:
        config: the broker's configuration.
        version: level of the feature transaction.version.
        metadata: which partitions there are.
        replicas: the partitions of `__transaction_state`.
        markers: writes to the partitions of a transaction whose end is decided.
        allocate_producer_ids: returns a block of producer ids that no other call returns.
    """

    def __init__(
        self,
        config: BrokerConfig,
        version: int,
        metadata: MetadataCache,
        replicas: ReplicaManager,
        markers: MarkerWriter,
        allocate_producer_ids: Callable[[], Awaitable[range]],
    ) -> None:
        super().__init__(TRANSACTION_STATE_TOPIC_NAME, metadata, replicas, "wirebroker.coordinator.transaction.shard")
        self.config = TransactionConfig(config.value, version)
        self.producer_ids = ProducerIdManager(allocate_producer_ids)
        self._markers = markers

    def _new_runtime(self) -> CoordinatorRuntime:
        runtime = super()._new_runtime()
        runtime.check_load = self._check_partition_count
        return runtime

    @cached_property
    def _marker_sender(self) -> TxnMarkerSender:
        from wirebroker.coordinator.transaction.txn_marker_sender import TxnMarkerSender

        return TxnMarkerSender(self._markers, self.runtime)

    @property
    def pending_markers(self) -> int:
        """The number of transactions that wait for a marker."""
        return 0 if self._runtime is None else self._marker_sender.pending

    def _new_shard(self, index: int) -> CoordinatorShard:
        # imported with the first transaction: 15 ms that a broker without transactions saves
        from wirebroker.coordinator.transaction.shard import TransactionShard

        return TransactionShard(self.config, self.producer_ids.generate_producer_id)

    def _check_partition_count(self) -> None:
        """Refuse to load from a topic whose number of partitions has changed since, as Apache Kafka does.

        A transactional id may belong to another partition then, where its epoch is not known: zombies would write.

        Raises:
            ApiError: COORDINATOR_NOT_AVAILABLE.
        """
        topic = self._metadata.image.topic(self.topic)
        if self.partition_count is not None and topic is not None and len(topic.partitions) != self.partition_count:
            raise ApiError(
                ErrorCode.COORDINATOR_NOT_AVAILABLE,
                f"{self.topic} has {len(topic.partitions)} partitions, and had {self.partition_count} when this broker"
                " started or the topic was created; if that is intended, stop all transactional producers and restart"
                " all brokers",
            )

    def _shard_unloaded(self, index: int) -> None:
        self._marker_sender.remove_shard(index)

    def _send_markers(self, index: int, leader_epoch: int, markers: Any) -> None:
        self._marker_sender.send(index, leader_epoch, markers)

    async def run(self) -> None:
        """Coordinate until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._send_all_markers)
            await super().run()

    async def _send_all_markers(self) -> None:
        await self._runtime_made.wait()
        await self._marker_sender.run()

    # -- Produce and TxnOffsetCommit -----------------------------------------------------------------------------

    async def verify_partitions(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: list[TopicPartition],
        *,
        add: bool,
    ) -> dict[TopicPartition, ErrorCode]:
        """Return for each of *partitions* whether the producer may write to it in its open transaction (KIP-890).

        With *add* the partitions are added to the transaction (version 2 of the protocol), after a short wait for the
        end of the one before.  Without, partitions that are not in the transaction get TRANSACTION_ABORTABLE.

        Each partition gets NONE or a coordinator's code, for the caller to translate: INVALID_PRODUCER_ID_MAPPING,
        PRODUCER_FENCED, CONCURRENT_TRANSACTIONS, TRANSACTION_ABORTABLE, INVALID_REQUEST (empty transactional id),
        COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE or NOT_COORDINATOR.
        """
        from wirebroker.coordinator.transaction.requests import VerifyPartitions

        try:
            if not transactional_id:
                raise ApiError(ErrorCode.INVALID_REQUEST)
            if not add:
                request = VerifyPartitions(transactional_id, producer_id, producer_epoch, tuple(partitions))
                codes: dict[TopicPartition, ErrorCode] = await self.request(transactional_id, request)
                return codes
            code = await self.add_partitions(
                transactional_id, producer_id, producer_epoch, partitions, client_version=TransactionVersion.TV_2
            )
        except ApiError as fault:
            code = fault.code
        return dict.fromkeys(partitions, code)

    # -- transaction APIs ----------------------------------------------------------------------------------------

    async def add_partitions(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: list[TopicPartition],
        *,
        client_version: int = TransactionVersion.TV_0,
    ) -> ErrorCode:
        """Add *partitions* to the transaction; begins one if none is open.

        Raises:
            ApiError: coordinator codes.
        """
        from wirebroker.coordinator.transaction.requests import AddPartitions

        if not transactional_id:
            return ErrorCode.INVALID_REQUEST
        request = AddPartitions(transactional_id, producer_id, producer_epoch, tuple(partitions), client_version)
        code: ErrorCode = await self.request(transactional_id, request)
        return code

    async def init_producer_id(
        self, transactional_id: str | None, timeout_ms: int, expected: tuple[int, int] | None
    ) -> ProducerIdResult:
        """A producer id and epoch; with a transactional id they fence every earlier producer of that id.

        Args:
            transactional_id: None for an idempotent producer, which gets a new id.
            timeout_ms: transaction.timeout.ms of the producer.
            expected: the id and epoch that the producer has (KIP-360).

        Raises:
            ApiError: coordinator codes, KAFKA_STORAGE_ERROR if no producer id can be allocated.
        """
        from wirebroker.coordinator.transaction.requests import InitProducer, ProducerIdResult

        if transactional_id is None:
            await self.producer_ids.ensure_available()
            return ProducerIdResult(ErrorCode.NONE, self.producer_ids.generate_producer_id(), 0)
        if not transactional_id or len(transactional_id.encode()) > _MAX_ID_BYTES:
            return ProducerIdResult(ErrorCode.INVALID_REQUEST)
        if not 0 < timeout_ms <= self.config.transaction_max_timeout_ms:
            return ProducerIdResult(ErrorCode.INVALID_TRANSACTION_TIMEOUT)
        await self.producer_ids.ensure_available()
        result: ProducerIdResult = await self.request(
            transactional_id, InitProducer(transactional_id, timeout_ms, expected)
        )
        return result

    async def end_transaction(
        self, transactional_id: str, producer_id: int, producer_epoch: int, *, committed: bool, client_version: int
    ) -> ProducerIdResult:
        """Commit or abort; returns when every partition has its marker, or when the end is decided and that takes long.

        Raises:
            ApiError: coordinator codes.
        """
        from wirebroker.coordinator.transaction.requests import EndTransaction, ProducerIdResult

        if not transactional_id:
            return ProducerIdResult(ErrorCode.INVALID_REQUEST)
        await self.producer_ids.ensure_available()
        result: ProducerIdResult = await self.request(
            transactional_id, EndTransaction(transactional_id, producer_id, producer_epoch, committed, client_version)
        )
        return result

    async def describe(self, transactional_id: str) -> TransactionDescription:
        """One transactional id.

        Raises:
            ApiError: INVALID_REQUEST, TRANSACTIONAL_ID_NOT_FOUND, coordinator codes.
        """
        from wirebroker.coordinator.transaction.requests import DescribeTransaction

        if not transactional_id:
            raise ApiError(ErrorCode.INVALID_REQUEST)
        found: TransactionDescription | None = await self.read(transactional_id, DescribeTransaction(transactional_id))
        if found is None:
            raise ApiError(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
        return found

    async def list_all(self) -> list[TransactionListing]:
        """All transactional ids of this broker.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS while a shard is loading, other coordinator codes.
        """
        from wirebroker.coordinator.transaction.requests import ListTransactionalIds

        listings: list[TransactionListing] = []
        for index in self.shards():
            listings += await self.runtime.read(index, ListTransactionalIds())
        return listings
