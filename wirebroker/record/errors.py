"""Exceptions of the record room: bytes that are no record batch, and batches that a leader does not append.

None of them knows an error code of the wire: `replication/errors.py` has the table.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class RecordError(ValueError):
    """The bytes are not the record batch, or not the records, that their header says they are."""


class IncompleteBatchError(RecordError):
    """The buffer ends inside a batch: a torn write at a log's end, or a fetch that was cut at its size limit."""


class DecompressionLimitError(RecordError):
    """Decompressed records would be larger than the caller allows (a decompression bomb, or a limit set too low), or
    they are compressed in more pieces."""


class HeaderLimitError(Exception):
    """Records have more headers than may be read at once; the batch is to be checked in a thread."""


class ValidationFailure(Enum):
    """The failures of validation that Kafka counts (LogValidator.MetricsRecorder)."""

    INVALID_MAGIC = "a message has another format than the others, or than its wrapper"
    INVALID_CHECKSUM = "a checksum does not match"
    INVALID_OFFSET_OR_SEQUENCE = "offsets and number of records differ, or an idempotent producer has no sequence"
    NO_KEY = "a record of a compacted topic has no key"


class RecordValidationError(Exception):
    """A leader refuses the records of one partition in a Produce request; raised as one of the classes below.

    Attributes:
        record_indexes: The places in the batch of the records that are at fault, ascending; empty when the batch is
            refused as a whole (KIP-467).
        failure: The failure that is counted; None for others.
    """

    def __init__(
        self, message: str, record_indexes: Sequence[int] = (), failure: ValidationFailure | None = None
    ) -> None:
        super().__init__(message)
        self.record_indexes, self.failure = record_indexes, failure


class BatchFramingError(RecordValidationError):
    """The records are not one whole batch of the format that the request's version carries."""


class CorruptRecordError(RecordValidationError):
    """A checksum does not match, or a length or a magic is impossible."""


class InvalidRecordError(RecordValidationError):
    """A header or a record breaks a rule of the format, or a record lacks the key that a compacted topic needs."""


class InvalidTimestampError(RecordValidationError):
    """A timestamp is too far from the leader's clock, or of a type that a producer may not set."""


class RecordTooLargeError(RecordValidationError):
    """The batch, or what it becomes when it is decompressed or converted, is above its limit in bytes."""


class UnsupportedCompressionTypeError(RecordValidationError):
    """The version of Produce, or the message format of the log, does not have the batch's codec."""


class UnsupportedForMessageFormatError(RecordValidationError):
    """The message format of the log cannot hold what the batch has: headers, or a producer id."""


class DecompressionError(RecordValidationError):
    """The codec of the batch is unknown, or cannot read the records."""
