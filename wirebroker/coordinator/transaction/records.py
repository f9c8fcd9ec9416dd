"""Records of __transaction_state: one transactional id each, the newest counts, a null value removes it.

Values are written as version 0, or from transaction.version 1 on as version 1 with tagged fields, as Kafka does.
"""

from __future__ import annotations

from typing import Final

from wirebroker.coordinator.transaction.transaction_metadata import NO_ID, TransactionMetadata, TransactionState
from wirebroker.coordinator.turn import CoordinatorRecord
from wirebroker.model import TopicPartition, TransactionVersion, partitions_by_topic
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal.transaction_state import PartitionsSchema, TransactionLogKey, TransactionLogValue
from wirebroker.protocol.message import record_version

_KEY: Final = 0
_PLAIN: Final = 0
_TAGGED: Final = 1


def read(record: CoordinatorRecord) -> TransactionMetadata | None:
    """Parse a record; None for unknown kinds, which Kafka skips, too.

    Raises:
        ProtocolError: malformed.
    """
    if record_version(record.key) != _KEY:
        return None
    transactional_id = TransactionLogKey.from_record(record.key).transactional_id
    assert record.value is not None
    return _restore(transactional_id, TransactionLogValue.from_record(record.value))


def _restore(transactional_id: str, value: TransactionLogValue) -> TransactionMetadata:
    transaction = TransactionMetadata(
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


def record_of(transaction: TransactionMetadata, transaction_version: int) -> CoordinatorRecord:
    """The record of a transactional id as it is now.

    Args:
        transaction_version: level of the feature transaction.version.
    """
    tagged = transaction_version >= TransactionVersion.TV_1
    value = TransactionLogValue(
        producer_id=transaction.producer_id,
        previous_producer_id=transaction.previous_producer_id if tagged else NO_ID,
        next_producer_id=transaction.next_producer_id if tagged else NO_ID,
        producer_epoch=transaction.producer_epoch,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_status=transaction.state,
        transaction_partitions=(
            None
            if transaction.state == TransactionState.EMPTY
            else [PartitionsSchema(*each) for each in partitions_by_topic(transaction.partitions).items()]
        ),
        transaction_last_update_timestamp_ms=transaction.updated_ms,
        transaction_start_timestamp_ms=transaction.start_ms,
        client_transaction_version=transaction.client_version if tagged else 0,
    )
    key = TransactionLogKey(transaction.transactional_id).to_record(_KEY)
    return CoordinatorRecord(key, value.to_record(_TAGGED if tagged else _PLAIN))


def tombstone(transactional_id: str) -> CoordinatorRecord:
    """The record that removes a transactional id."""
    return CoordinatorRecord(TransactionLogKey(transactional_id).to_record(_KEY), None)
