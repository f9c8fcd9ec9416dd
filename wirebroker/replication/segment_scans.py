"""SegmentScans: runs the scans that segments require before they are read for the first time, in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.replication.errors import translated_errors
from wirebroker.storage.errors import ScanRequired

if TYPE_CHECKING:
    from wirebroker.replication.partition import Partition
    from wirebroker.storage.errors import SegmentScan
    from wirebroker.storage.log_slice import LogSlice


class SegmentScans:
    """One scan runs at a time: each shares the interpreter with the event loop."""

    def __init__(self) -> None:
        self._limiter = trio.CapacityLimiter(1)

    async def run(self, scan: SegmentScan) -> None:
        """Run a scan that `Partition.read` requires.

        Cancelling the caller does not stop the scan: its findings serve the next reader.
        """
        await trio.to_thread.run_sync(scan.run, abandon_on_cancel=True, limiter=self._limiter)

    async def aborted_transactions(self, partition: Partition, offset: int, records: LogSlice) -> list[tuple[int, int]]:
        """Return `LogReader.aborted_transactions`; waits only while a segment is scanned.

        Raises:
            SegmentReplaced: the segment of *records* is gone: read again.
            PartitionError: KAFKA_STORAGE_ERROR, CORRUPT_MESSAGE.
        """
        while True:
            try:
                with translated_errors():
                    return partition.log.reader.aborted_transactions(offset, records, may_wait=False)
            except ScanRequired as required:
                await self.run(required.scan)
