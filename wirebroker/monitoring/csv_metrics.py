"""CsvMetrics: writes the metrics to CSV files at an interval, in place of Kafka's KafkaCSVMetricsReporter.

Kafka's reporter deletes its directory when a broker starts, and names files by the last part of a metric's name, which
others have, too.  Here files that are there are continued, and each MBean has one of its own.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.metrics.csv_reporter import CsvReporter
from wirebroker.metrics.jmx import mbeans

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wirebroker.metrics.metric import Snapshot
    from wirebroker.monitoring.collector import Collector

logger = logging.getLogger(__name__)

_FILES: Final = 256
"""Files that are written in one turn of a thread."""


class CsvMetrics:
    """Writes the metrics of *collector* to files in *directory*, which is made if need be."""

    def __init__(self, collector: Collector, directory: Path) -> None:
        self._collector, self._directory = collector, directory
        self._is_failing = False

    async def run(self, interval_s: float) -> None:
        """Write until cancelled."""
        while True:
            await trio.sleep(interval_s)
            await self.write()

    async def write(self) -> None:
        """Write a line to the file of each MBean; a failure is logged, not raised."""
        found = await self._collector.collect(self._mbeans)
        now_s = int(time.time())
        try:
            reporter = await trio.to_thread.run_sync(CsvReporter, self._directory)
            for start in range(0, len(found), _FILES):
                await trio.to_thread.run_sync(partial(reporter.write, found[start : start + _FILES], now_s))
        except OSError as problem:
            if not self._is_failing:
                logger.warning("metrics cannot be written to %s: %s", self._directory, problem.strerror or problem)
            self._is_failing = True
        else:
            if self._is_failing:
                logger.info("metrics are written to %s again", self._directory)
            self._is_failing = False

    def _mbeans(self, snapshot: Snapshot) -> Iterator[tuple[str, dict[str, float]]]:
        return mbeans(snapshot, self._collector.rates)
