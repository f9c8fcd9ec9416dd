"""Requests to a transaction shard, and the errands it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wirebroker.model import TopicPartition
    from wirebroker.protocol.errors import ErrorCode


class InitProducer(NamedTuple):
    """Give me a producer id and an epoch that fences everybody before me.  Answer: ProducerAnswer or NEEDS_ID.

    *expected* is the id and epoch that the producer believes to have (KIP-360).
    """

    transactional_id: str
    timeout_ms: int
    expected: tuple[int, int] | None = None
    fresh_id: int | None = None


class AddPartitions(NamedTuple):
    """These partitions belong to my transaction.  Answer: ErrorCode."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: tuple[TopicPartition, ...]
    client_version: int


class VerifyPartitions(NamedTuple):
    """Do they?  Answer: {TopicPartition: ErrorCode} (KIP-890)."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: tuple[TopicPartition, ...]


class EndTransaction(NamedTuple):
    """Commit or abort.  Answer: ProducerAnswer or NEEDS_ID; clients of version 2 get a new epoch with every end."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    client_version: int
    fresh_id: int | None = None


class MarkersWritten(NamedTuple):
    """Every partition of this transaction knows how it ended.  Answer: None."""

    errand: WriteMarkers


class DescribeTransaction(NamedTuple):
    """Answer: Description or None."""

    transactional_id: str


class ListTransactionalIds(NamedTuple):
    """All of the shard.  Answer: [Listing]."""


class ProducerAnswer(NamedTuple):
    """The producer id and epoch to go on with, or why not."""

    code: ErrorCode
    producer_id: int = -1
    producer_epoch: int = -1


class Description(NamedTuple):
    """A transactional id as DescribeTransactions shows it."""

    state: str
    timeout_ms: int
    start_ms: int
    producer_id: int
    producer_epoch: int
    partitions: tuple[TopicPartition, ...]


class Listing(NamedTuple):
    """A transactional id as ListTransactions shows it."""

    transactional_id: str
    producer_id: int
    state: str
    start_ms: int


class WriteMarkers(NamedTuple):
    """Errand: tell these partitions how the transaction ended, then send MarkersWritten."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    client_version: int
    partitions: tuple[TopicPartition, ...]


class NeedsId:
    """Answer of a shard that must be asked again with a fresh producer id."""


NEEDS_ID = NeedsId()
