"""Error codes: every exception of storage and record is in the table, or never leaves these rooms."""

from __future__ import annotations

import inspect

import pytest

from wirebroker.protocol.errors import ErrorCode
from wirebroker.record import errors as record_errors
from wirebroker.record.errors import InvalidRecordError, RecordValidationError
from wirebroker.replication.errors import ERROR_MAPPINGS, PartitionError, to_partition_error, translated_errors
from wirebroker.storage import errors as storage_errors
from wirebroker.storage.errors import LogError, OffsetOutOfRangeError
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, batch, new_log

BASES = {LogError, RecordValidationError}
"""Raised as one of their subclasses only."""

INTERNAL = {
    storage_errors.CorruptFileError: "a log raises CorruptLogError or UnwritableLogError in its place",
    storage_errors.DamagedLogError: "as UnrecoverableLogError, or a follower truncates the log",
    storage_errors.LoadingStopped: "ends a start, before there are requests",
    storage_errors.UnrecoverableLogError: "a log that cannot be loaded is refused with a StorageError",
    storage_errors.ScanRequired: "the read is done again after the scan",
    storage_errors.SegmentReplaced: "the read is done again",
    storage_errors.WouldBlock: "the append is done again where it may wait",
    record_errors.RecordError: "validation raises a RecordValidationError, a log CorruptLogError",
    record_errors.IncompleteBatchError: "as RecordError",
    record_errors.DecompressionLimitError: "as RecordError",
    record_errors.HeaderLimitError: "the batch is checked again in a thread",
}
"""Exceptions that no handler sees, and what becomes of them."""


def exceptions() -> list[type[Exception]]:
    """All exception classes of the two rooms: their errors modules', and what the others derive from them."""
    found = {
        member
        for module in (storage_errors, record_errors)
        for _, member in inspect.getmembers(module, inspect.isclass)
        if issubclass(member, Exception) and member.__module__ == module.__name__
    }
    todo = list(found)
    while todo:
        derived = [each for each in todo.pop().__subclasses__() if each.__module__.startswith("wirebroker.")]
        todo += derived
        found.update(derived)
    return sorted(found, key=lambda each: (each.__module__, each.__name__))


@pytest.mark.parametrize("error", exceptions(), ids=lambda error: error.__name__)
def test_an_exception_has_a_code_or_stays_inside(error: type[Exception]) -> None:
    places = (error in ERROR_MAPPINGS, error in INTERNAL, error in BASES)
    assert sum(places) == 1, "it belongs into ERROR_MAPPINGS, or into INTERNAL with the reason"
    assert (error in ERROR_MAPPINGS or error in BASES) == issubclass(error, LogError | RecordValidationError)


def test_the_table_has_nothing_else() -> None:
    assert {*ERROR_MAPPINGS, *INTERNAL} <= {*exceptions()}
    assert all(code is not ErrorCode.NONE for code, _ in ERROR_MAPPINGS.values())


@pytest.mark.parametrize("error", ERROR_MAPPINGS, ids=lambda error: error.__name__)
def test_translation(error: type[LogError | RecordValidationError]) -> None:
    log = new_log(FakeDisk(), SMALL)
    log.append_as_leader(batch(b"0", b"1", b"2"), 0, 0)
    log.delete_records(2)
    answer = to_partition_error(error("what happened"), log)
    assert (answer.code, answer.detail, str(answer)) == (ERROR_MAPPINGS[error].code, "what happened", "what happened")
    assert answer.log_start_offset == (2 if ERROR_MAPPINGS[error].has_log_start_offset else -1)
    assert to_partition_error(error("what happened")).log_start_offset == -1


def test_the_records_at_fault_are_passed_on() -> None:
    assert to_partition_error(InvalidRecordError("no key", [1, 3])).record_indexes == [1, 3]
    assert to_partition_error(OffsetOutOfRangeError("7")).record_indexes == ()


def test_errors_are_translated_with_their_cause() -> None:
    error = OffsetOutOfRangeError("7 is not in 0 to 3")
    with pytest.raises(PartitionError) as raised, translated_errors():
        raise error
    assert raised.value.code is ErrorCode.OFFSET_OUT_OF_RANGE
    assert raised.value.__cause__ is error
    with pytest.raises(OSError, match="of another kind"), translated_errors():
        raise OSError("of another kind")
