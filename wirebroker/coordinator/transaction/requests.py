"""Requests to a transaction shard, their responses, and the markers that a shard wants sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wirebroker.model import TopicPartition
    from wirebroker.protocol.errors import ErrorCode


class InitProducer(NamedTuple):
    """InitProducerId with a transactional id.  Response: ProducerIdResult.

    *expected* is the id and epoch that the producer believes to have (KIP-360).
    """

    transactional_id: str
    timeout_ms: int
    expected: tuple[int, int] | None = None


class AddPartitions(NamedTuple):
    """AddPartitionsToTxn: add partitions to the transaction, and begin one if none is open.  Response: ErrorCode."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: tuple[TopicPartition, ...]
    client_version: int


class VerifyPartitions(NamedTuple):
    """AddPartitionsToTxn with verify_only: which partitions are in the transaction (KIP-890).

    Response: {TopicPartition: ErrorCode}.
    """

    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: tuple[TopicPartition, ...]


class EndTransaction(NamedTuple):
    """EndTxn.  Response: ProducerIdResult; clients of version 2 get a new epoch with every end."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    client_version: int


class MarkersWritten(NamedTuple):
    """Every partition of a transaction has its marker.  Response: None."""

    markers: PendingMarkers

    @property
    def transactional_id(self) -> str:
        """The transactional id of the transaction."""
        return self.markers.transactional_id


class DescribeTransaction(NamedTuple):
    """One transactional id of DescribeTransactions.  Response: TransactionDescription or None."""

    transactional_id: str


class ListTransactionalIds(NamedTuple):
    """ListTransactions: all transactional ids of the shard.  Response: [TransactionListing]."""


class ProducerIdResult(NamedTuple):
    """The producer id and epoch to go on with, or an error."""

    code: ErrorCode
    producer_id: int = -1
    producer_epoch: int = -1


class TransactionDescription(NamedTuple):
    """A transactional id as DescribeTransactions shows it."""

    state: str
    timeout_ms: int
    start_ms: int
    producer_id: int
    producer_epoch: int
    partitions: tuple[TopicPartition, ...]


class TransactionListing(NamedTuple):
    """A transactional id as ListTransactions shows it."""

    transactional_id: str
    producer_id: int
    state: str
    start_ms: int


class PendingMarkers(NamedTuple):
    """The markers of one decided transaction: each of *partitions* gets one, then the shard gets MarkersWritten."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    client_version: int
    partitions: tuple[TopicPartition, ...]
