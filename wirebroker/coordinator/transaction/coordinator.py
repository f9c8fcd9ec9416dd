"""The transaction coordinator of one broker: the shards of `__transaction_state`, and the door to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.coordinator.host import CoordinatorHost
from wirebroker.coordinator.transaction.markers import MarkerSender, MarkerWriter
from wirebroker.coordinator.transaction.requests import (
    NEEDS_ID,
    AddPartitions,
    DescribeTransaction,
    Description,
    EndTransaction,
    InitProducer,
    Listing,
    ListTransactionalIds,
    ProducerAnswer,
    VerifyPartitions,
)
from wirebroker.coordinator.transaction.settings import TransactionSettings
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wirebroker.config.server import BrokerConfig
    from wirebroker.coordinator.shard import Shard
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.model import TopicPartition
    from wirebroker.replication.replica_manager import ReplicaManager

TRANSACTION_TOPIC: Final = "__transaction_state"
_VERSION_2: Final = 2
_LONGEST_ID_BYTES: Final = 32767
"""What a record's key can hold."""


class TransactionCoordinator(CoordinatorHost):
    """Transactional ids whose `__transaction_state` partition this broker leads.

    Args:
        version: the feature transaction.version.
        markers: writes to the partitions of a transaction that has ended.
        next_producer_id: a producer id that nobody ever had.
    """

    def __init__(
        self,
        config: BrokerConfig,
        version: int,
        metadata: MetadataCache,
        replicas: ReplicaManager,
        markers: MarkerWriter,
        next_producer_id: Callable[[], Awaitable[int]],
    ) -> None:
        super().__init__(
            TRANSACTION_TOPIC,
            metadata,
            replicas,
            self._new_shard,
            "wirebroker.coordinator.transaction.shard",
            self._start_errand,
        )
        self.settings = _settings(config, version)
        self._next_producer_id = next_producer_id
        self._markers = MarkerSender(markers, self.runtime)

    def _new_shard(self, _: int) -> Shard:
        # Imported with the first transaction: a broker without any starts sooner and stays smaller.
        from wirebroker.coordinator.transaction.shard import TransactionShard

        return TransactionShard(self.settings)

    def _start_errand(self, index: int, coordinator_epoch: int, errand: Any) -> None:
        self._markers.start(index, coordinator_epoch, errand)

    def _unloaded(self, index: int) -> None:
        self._markers.forget(index)

    async def run(self) -> None:
        """Coordinate until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._markers.run)
            await super().run()

    @property
    def markers_under_way(self) -> int:
        """How many transactions are decided but not complete."""
        return self._markers.under_way

    # -- the data plane asks -------------------------------------------------------------------------------------

    def partition_for(self, transactional_id: str) -> int:
        """The partition of __transaction_state that owns *transactional_id*.

        Raises:
            ApiError: NOT_COORDINATOR while the topic is not there.
        """
        return self.shard_of(transactional_id)

    async def verify(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: list[TopicPartition],
        *,
        add: bool,
    ) -> dict[TopicPartition, ErrorCode]:
        """Whether the producer may write to *partitions* in its open transaction.

        With *add* they become part of it (the version-2 protocol); that waits, for a while, for the transaction before
        to be complete.  Otherwise those that are no part of it get TRANSACTION_ABORTABLE.

        Each gets NONE or a code as the coordinator says it, for the caller to translate: INVALID_PRODUCER_ID_MAPPING,
        PRODUCER_FENCED, CONCURRENT_TRANSACTIONS, TRANSACTION_ABORTABLE, INVALID_REQUEST (empty id), or 14, 15, 16.
        """
        try:
            if not transactional_id:
                raise ApiError(ErrorCode.INVALID_REQUEST)
            if not add:
                request = VerifyPartitions(transactional_id, producer_id, producer_epoch, tuple(partitions))
                codes: dict[TopicPartition, ErrorCode] = await self.request(transactional_id, request)
                return codes
            code = await self.add_partitions(
                transactional_id, producer_id, producer_epoch, partitions, client_version=_VERSION_2
            )
        except ApiError as fault:
            code = fault.code
        return dict.fromkeys(partitions, code)

    # -- handlers ask --------------------------------------------------------------------------------------------

    async def add_partitions(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: list[TopicPartition],
        *,
        client_version: int = 0,
    ) -> ErrorCode:
        """Make *partitions* part of the transaction; opens one if none is.

        Raises:
            ApiError: coordinator codes.
        """
        if not transactional_id:
            return ErrorCode.INVALID_REQUEST
        request = AddPartitions(transactional_id, producer_id, producer_epoch, tuple(partitions), client_version)
        code: ErrorCode = await self.request(transactional_id, request)
        return code

    async def init_producer(
        self, transactional_id: str, timeout_ms: int, expected: tuple[int, int] | None
    ) -> ProducerAnswer:
        """A producer id and epoch that fence every earlier producer with this transactional id.

        Raises:
            ApiError: coordinator codes.
        """
        if not transactional_id or len(transactional_id.encode()) > _LONGEST_ID_BYTES:
            return ProducerAnswer(ErrorCode.INVALID_REQUEST)
        if not 0 < timeout_ms <= self.settings.max_timeout_ms:
            return ProducerAnswer(ErrorCode.INVALID_TRANSACTION_TIMEOUT)
        return await self._ask_with_id(InitProducer(transactional_id, timeout_ms, expected))

    async def end(
        self, transactional_id: str, producer_id: int, producer_epoch: int, *, committed: bool, client_version: int
    ) -> ProducerAnswer:
        """Commit or abort; answers when every partition knows, or when that takes too long, for it is decided.

        Raises:
            ApiError: coordinator codes.
        """
        if not transactional_id:
            return ProducerAnswer(ErrorCode.INVALID_REQUEST)
        return await self._ask_with_id(
            EndTransaction(transactional_id, producer_id, producer_epoch, committed, client_version)
        )

    async def _ask_with_id(self, request: InitProducer | EndTransaction) -> ProducerAnswer:
        """Ask; most requests need no new producer id, those that do are asked again with one."""
        answer = await self.request(request.transactional_id, request)
        while answer is NEEDS_ID:
            request = request._replace(fresh_id=await self._next_producer_id())
            answer = await self.request(request.transactional_id, request)
        assert isinstance(answer, ProducerAnswer)
        return answer

    async def describe(self, transactional_id: str) -> Description:
        """One transactional id.

        Raises:
            ApiError: INVALID_REQUEST, TRANSACTIONAL_ID_NOT_FOUND, coordinator codes.
        """
        if not transactional_id:
            raise ApiError(ErrorCode.INVALID_REQUEST)
        found: Description | None = await self.request(transactional_id, DescribeTransaction(transactional_id))
        if found is None:
            raise ApiError(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
        return found

    async def list_all(self) -> list[Listing]:
        """All transactional ids here.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS while some shard is loading, other coordinator codes.
        """
        listings: list[Listing] = []
        for index in self.runtime.shards():
            listings += await self.runtime.request(index, ListTransactionalIds())
        return listings


def _settings(config: BrokerConfig, version: int) -> TransactionSettings:
    return TransactionSettings(
        version=version,
        max_timeout_ms=config.transaction_max_timeout_ms,
        id_expiration_ms=config.transactional_id_expiration_ms,
        remove_interval_ms=config.transaction_remove_expired_transaction_cleanup_interval_ms,
        abort_interval_ms=config.transaction_abort_timed_out_transaction_cleanup_interval_ms,
    )
