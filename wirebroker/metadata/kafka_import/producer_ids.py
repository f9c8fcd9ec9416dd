"""The highest producer id in imported logs; ids up to it must not be given to other producers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.model import TRANSACTION_STATE_TOPIC_NAME
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import batches
from wirebroker.storage.errors import CorruptLogError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.storage.log import Log

_PIECE = 1 << 20


def highest_producer_id(logs: Iterable[Log]) -> int:
    """Return the highest id of a producer in the state of *logs* or with a transactional id, -1 if there is none."""
    highest = -1
    for log in logs:
        highest = max(highest, max(log.producer_state_manager.entries, default=-1))
        if log.topic_partition.topic == TRANSACTION_STATE_TOPIC_NAME:
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
    except (ProtocolError, RecordError, CorruptLogError, StorageError):
        pass  # storage or the coordinator says so when it comes to it
    return highest
