"""PartitionError, and the one table from the exceptions of storage and record to Kafka's error codes.

Below this room an exception says what is wrong with a log or a batch; above it, an ApiError says what the client is
answered.  `Partition` and `ReplicaManager` raise `PartitionError` in place of everything that the table has.  The codes
are those of Apache Kafka 3.9.1; handlers replace those that the version of a request does not have.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.record import errors as record
from wirebroker.record.errors import RecordValidationError
from wirebroker.storage import errors as storage
from wirebroker.storage.errors import LogError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wirebroker.storage.log import Log


class ErrorMapping(NamedTuple):
    """How an exception is answered."""

    code: ErrorCode
    has_log_start_offset: bool = False
    """Whether the answer to a Produce request carries the log start offset; else it says -1."""


ERROR_MAPPINGS: Final[dict[type[LogError | RecordValidationError], ErrorMapping]] = {
    storage.StorageError: ErrorMapping(ErrorCode.KAFKA_STORAGE_ERROR),
    storage.DiskFullError: ErrorMapping(ErrorCode.KAFKA_STORAGE_ERROR),
    storage.CorruptLogError: ErrorMapping(ErrorCode.CORRUPT_MESSAGE),
    storage.UnwritableLogError: ErrorMapping(ErrorCode.KAFKA_STORAGE_ERROR),
    storage.LogDeletedError: ErrorMapping(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    storage.OffsetOutOfRangeError: ErrorMapping(ErrorCode.OFFSET_OUT_OF_RANGE),
    storage.RecordBatchTooLargeError: ErrorMapping(ErrorCode.RECORD_LIST_TOO_LARGE),
    storage.TopicNameTooLongError: ErrorMapping(ErrorCode.INVALID_TOPIC_EXCEPTION),
    storage.InvalidProducerEpochError: ErrorMapping(ErrorCode.INVALID_PRODUCER_EPOCH, has_log_start_offset=True),
    storage.OutOfOrderSequenceError: ErrorMapping(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, has_log_start_offset=True),
    storage.InvalidTxnStateError: ErrorMapping(ErrorCode.INVALID_TXN_STATE, has_log_start_offset=True),
    storage.TransactionCoordinatorFencedError: ErrorMapping(ErrorCode.TRANSACTION_COORDINATOR_FENCED),
    record.BatchFramingError: ErrorMapping(ErrorCode.INVALID_RECORD),
    record.CorruptRecordError: ErrorMapping(ErrorCode.CORRUPT_MESSAGE),
    record.InvalidRecordError: ErrorMapping(ErrorCode.INVALID_RECORD, has_log_start_offset=True),
    record.InvalidTimestampError: ErrorMapping(ErrorCode.INVALID_TIMESTAMP, has_log_start_offset=True),
    record.RecordTooLargeError: ErrorMapping(ErrorCode.MESSAGE_TOO_LARGE),
    record.UnsupportedCompressionTypeError: ErrorMapping(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
    record.UnsupportedForMessageFormatError: ErrorMapping(ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT),
    record.DecompressionError: ErrorMapping(ErrorCode.UNKNOWN_SERVER_ERROR, has_log_start_offset=True),
}
"""Every exception of storage and record that an operation on a partition may end with."""


class PartitionError(ApiError):
    """An operation on a partition failed; its `__cause__` is the exception of storage or record, if there was one.

    Attributes:
        code: The error code of the answer.
        detail: The error message of the answer.
        log_start_offset: The log start offset in the answer to a Produce request, -1 for none.
        record_indexes: The records of a produced batch that are at fault (KIP-467), empty for the batch as a whole.
    """

    def __init__(
        self, code: ErrorCode, detail: str | None = None, log_start_offset: int = -1, record_indexes: Sequence[int] = ()
    ) -> None:
        super().__init__(code, detail)
        self.log_start_offset = log_start_offset
        self.record_indexes = record_indexes

    def __str__(self) -> str:
        return self.code.name if self.detail is None else self.detail


def to_partition_error(error: LogError | RecordValidationError, log: Log | None = None) -> PartitionError:
    """Translate *error* for the client; *log*, the one that was appended to, has the log start offset."""
    code, has_log_start_offset = ERROR_MAPPINGS[type(error)]
    return PartitionError(
        code,
        str(error),
        log.log_start_offset if log is not None and has_log_start_offset else -1,
        error.record_indexes if isinstance(error, RecordValidationError) else (),
    )


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise PartitionError in place of a LogError or a RecordValidationError; takes 1 us, too much for an append."""
    try:
        yield
    except (LogError, RecordValidationError) as error:
        raise to_partition_error(error) from error
