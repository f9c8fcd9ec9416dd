"""SegmentScans: runs the scans that segments require before they are read for the first time, in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from wirebroker.storage.errors import SegmentScan


class SegmentScans:
    """One scan runs at a time: each shares the interpreter with the event loop."""

    def __init__(self) -> None:
        self._limiter = trio.CapacityLimiter(1)

    async def run(self, scan: SegmentScan) -> None:
        """Run a scan that `Partition.read` requires.

        Cancelling the caller does not stop the scan: its findings serve the next reader.
        """
        await trio.to_thread.run_sync(scan.run, abandon_on_cancel=True, limiter=self._limiter)
