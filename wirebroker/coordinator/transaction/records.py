"""Records of __transaction_state: one transactional id each, the newest counts, a null value removes it.

Values are written as version 0, or from transaction.version 1 on as version 1 with tagged fields, as Kafka does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.coordinator.shard import CoordinatorRecord
from wirebroker.coordinator.transaction.state import NO_ID, Transaction, TransactionState
from wirebroker.model import TopicPartition
from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.internal.transaction_state import PartitionsSchema, TransactionLogKey, TransactionLogValue
from wirebroker.protocol.message import record_version

if TYPE_CHECKING:
    from collections.abc import Iterable

_KEY: Final = 0
_PLAIN: Final = 0
_TAGGED: Final = 1


def read(record: CoordinatorRecord) -> Transaction | None:
    """The state of a transactional id; None for kinds of records that we do not know, as Kafka skips them, too.

    Raises:
        ProtocolError: it is no such record.
    """
    if record_version(record.key) != _KEY:
        return None
    transactional_id = TransactionLogKey.from_record(record.key).transactional_id
    assert record.value is not None
    return _restore(transactional_id, TransactionLogValue.from_record(record.value))


def _restore(transactional_id: str, value: TransactionLogValue) -> Transaction:
    transaction = Transaction(
        transactional_id,
        value.producer_id,
        value.transaction_timeout_ms,
        value.transaction_last_update_timestamp_ms,
    )
    try:
        transaction.state = TransactionState(value.transaction_status)
    except ValueError:
        raise ProtocolError(f"{transactional_id}: transaction status {value.transaction_status}") from None
    transaction.producer_epoch = value.producer_epoch
    transaction.previous_producer_id = value.previous_producer_id
    transaction.next_producer_id = value.next_producer_id
    transaction.start_ms = value.transaction_start_timestamp_ms
    transaction.client_version = value.client_transaction_version
    transaction.partitions = {
        TopicPartition(topic.topic, index): None
        for topic in value.transaction_partitions or ()
        for index in topic.partition_ids
    }
    return transaction


def record_of(transaction: Transaction, transaction_version: int) -> CoordinatorRecord:
    """A transactional id as it is now.

    Args:
        transaction_version: the feature level that the cluster runs with.
    """
    tagged = transaction_version >= 1
    value = TransactionLogValue(
        producer_id=transaction.producer_id,
        previous_producer_id=transaction.previous_producer_id if tagged else NO_ID,
        next_producer_id=transaction.next_producer_id if tagged else NO_ID,
        producer_epoch=transaction.producer_epoch,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_status=transaction.state,
        transaction_partitions=(
            None if transaction.state == TransactionState.EMPTY else by_topic(transaction.partitions)
        ),
        transaction_last_update_timestamp_ms=transaction.updated_ms,
        transaction_start_timestamp_ms=transaction.start_ms,
        client_transaction_version=transaction.client_version if tagged else 0,
    )
    key = TransactionLogKey(transaction.transactional_id).to_record(_KEY)
    return CoordinatorRecord(key, value.to_record(_TAGGED if tagged else _PLAIN))


def tombstone(transactional_id: str) -> CoordinatorRecord:
    """The transactional id is gone."""
    return CoordinatorRecord(TransactionLogKey(transactional_id).to_record(_KEY), None)


def by_topic(partitions: Iterable[TopicPartition]) -> list[PartitionsSchema]:
    """Partitions grouped by topic, in the order in which they came."""
    topics: dict[str, list[int]] = {}
    for topic, index in partitions:
        indexes = topics.get(topic)
        if indexes is None:
            topics[topic] = [index]
        else:
            indexes.append(index)
    return [PartitionsSchema(topic, indexes) for topic, indexes in topics.items()]
