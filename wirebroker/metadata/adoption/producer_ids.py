"""Which producer ids the logs know: a broker that takes over must not give one of them to somebody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.faults import ProtocolError
from wirebroker.record.faults import RecordError
from wirebroker.record.record_batch import batches
from wirebroker.storage.faults import DamagedError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.storage.log import Log

TRANSACTION_STATE = "__transaction_state"
_PIECE = 1 << 20


def highest_producer_id(logs: Iterable[Log]) -> int:
    """The highest id of a producer that has written to one of *logs* lately, or has a transactional id; -1 if none."""
    highest = -1
    for log in logs:
        highest = max(highest, max(log.producers.entries, default=-1))
        if log.topic == TRANSACTION_STATE:
            highest = max(highest, _highest_in(log))
    return highest


def _highest_in(log: Log) -> int:
    from wirebroker.protocol.internal.transaction_state import TransactionLogValue  # not needed at other starts

    highest, offset = -1, log.log_start_offset
    try:
        while offset < log.log_end_offset:
            piece = log.read(offset, _PIECE, log.log_end_offset, min_one_batch=True)
            before = offset
            for batch in batches(piece.tobytes()):
                for _, _, value in batch.keyed_records() if not batch.is_control else ():
                    if value is not None:
                        state = TransactionLogValue.from_record(value)
                        highest = max(highest, state.producer_id, state.next_producer_id)
                offset = max(offset, batch.next_offset)
            if offset == before:
                break
    except (ProtocolError, RecordError, DamagedError, StorageError):
        pass  # storage or the coordinator says so when it comes to it
    return highest
