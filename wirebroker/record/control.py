"""Control records: the markers that a transaction coordinator writes into the partitions of a transaction.

A control batch holds one record and takes one offset.  Key: version i16, type i16 (0 abort, 1 commit; KRaft has
more).  Value of a transaction marker: version i16, coordinator_epoch i32.  Readers take higher versions and read the
fields they know; unknown types are skipped.  (KIP-98)
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.record.builder import build_batch
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import CONTROL, TRANSACTIONAL, BatchProducer, Record

if TYPE_CHECKING:
    from wirebroker.record.record_batch import RecordBatch

_KEY = Struct(">hh")
_MARKER = Struct(">hi")


class ControlType(IntEnum):
    """The type of a control record; only the first two occur in a cluster with ZooKeeper."""

    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6
    UNKNOWN = -1


class EndTxnMarker(NamedTuple):
    """The end of a transaction, and the epoch of the coordinator that decided it."""

    committed: bool
    coordinator_epoch: int


def control_type_id(key: bytes | None) -> int:
    """Return the type number in a control record's key."""
    if key is None or len(key) < _KEY.size:
        raise RecordError("a control record without a type")
    version, type_id = _KEY.unpack_from(key)
    if version < 0:
        raise RecordError(f"control record version {version}")
    return int(type_id)


def control_type(key: bytes | None) -> ControlType:
    """Return the type in a control record's key, UNKNOWN for numbers without a name here."""
    try:
        return ControlType(control_type_id(key))
    except ValueError as fault:
        if isinstance(fault, RecordError):
            raise
        return ControlType.UNKNOWN


def parse_marker(record: Record) -> EndTxnMarker | None:
    """Return the marker in *record* of a control batch; None for another type.  Raises RecordError."""
    kind = control_type(record.key)
    if kind not in (ControlType.ABORT, ControlType.COMMIT):
        return None
    if record.value is None or len(record.value) < _MARKER.size:
        raise RecordError("a transaction marker without a value")
    version, coordinator_epoch = _MARKER.unpack_from(record.value)
    if version < 0:
        raise RecordError(f"transaction marker version {version}")
    return EndTxnMarker(kind is ControlType.COMMIT, coordinator_epoch)


def read_marker(batch: RecordBatch) -> EndTxnMarker | None:
    """Return the marker in a control batch; None for another type, or if compaction has emptied the batch."""
    record = next(batch.records(), None)
    return None if record is None else parse_marker(record)


def build_marker(
    *,
    committed: bool,
    producer_id: int,
    producer_epoch: int,
    coordinator_epoch: int,
    timestamp: int,
    base_offset: int = 0,
) -> bytes:
    """Build the control batch that ends the transaction of a producer in one partition."""
    key = _KEY.pack(0, ControlType.COMMIT if committed else ControlType.ABORT)
    value = _MARKER.pack(0, coordinator_epoch)
    return build_batch(
        [Record(base_offset, timestamp, key, value, [])],
        producer=BatchProducer(producer_id, producer_epoch),
        attributes=TRANSACTIONAL | CONTROL,
    )
