"""FetchResults: the data of the partitions of a Fetch response, and that of a partition that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import PartitionData
from wirebroker.protocol.primitives import BUFFERS

if TYPE_CHECKING:
    from wirebroker.protocol.primitives import RecordData
    from wirebroker.replication.fetch_session import CachedPartition

_UNREAD: Final = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
        ErrorCode.UNSUPPORTED_VERSION,
        ErrorCode.UNKNOWN_SERVER_ERROR,
    }
)
"""Errors before the log is read, which have an empty list of aborted transactions (seen on 3.9.1)."""

_NULL_RECORDS: Final = frozenset({ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, ErrorCode.UNSUPPORTED_VERSION})


class FetchResults:
    """The data of each partition of a Fetch response, in the order of the response."""

    __slots__ = ("by_partition", "has_error", "records_bytes")

    def __init__(self) -> None:
        self.by_partition: dict[CachedPartition, PartitionData] = {}
        self.records_bytes = 0
        """The size of the records of all partitions."""
        self.has_error = False
        """A partition has an error, a diverging epoch or a preferred replica: the request is answered at once."""

    def put(self, entry: CachedPartition, data: PartitionData) -> None:
        """Set the data of one partition, which comes last if it is new."""
        before = self.by_partition.get(entry)
        if before is not None and before.records:
            self.records_bytes -= records_size(before.records)
        self.by_partition[entry] = data
        if data.records:
            self.records_bytes += records_size(data.records)
        elif data.error_code or data.diverging_epoch.epoch >= 0 or data.preferred_read_replica >= 0:
            self.has_error = True


def records_size(records: RecordData) -> int:
    """Return the size of the records of one partition in bytes."""
    return len(records) if isinstance(records, BUFFERS) else records.size_bytes


def partition_error(index: int, code: int) -> PartitionData:
    """Return the response data of a partition that cannot be read."""
    return PartitionData(
        partition_index=index,
        error_code=code,
        high_watermark=-1,
        last_stable_offset=-1,
        log_start_offset=-1,
        aborted_transactions=[] if code in _UNREAD else None,
        records=None if code in _NULL_RECORDS else b"",
    )
