"""Figures of a performance test: rates and latencies of a window and of the run, as Apache Kafka computes them."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

MB: Final = 1024 * 1024
_MOST_LATENCIES: Final = 500_000
"""Latencies that are kept for percentiles; of more records every nth is."""
PERCENTILES: Final = (0.5, 0.95, 0.99, 0.999)


class Figures(NamedTuple):
    """The rates and latencies of some records."""

    records_sent: int
    records_per_sec: float
    mb_per_sec: float
    avg_latency_ms: float
    max_latency_ms: float
    percentiles_ms: tuple[int, ...] = ()
    """The 50th, 95th, 99th and 99.9th; empty for a window."""

    def line(self) -> str:
        """Return the line of kafka-producer-perf-test.sh."""
        if not self.percentiles_ms:
            return (
                f"{self.records_sent} records sent, "
                f"{self.records_per_sec:.1f} records/sec ({self.mb_per_sec:.2f} MB/sec), "
                f"{self.avg_latency_ms:.1f} ms avg latency, {self.max_latency_ms:.1f} ms max latency."
            )
        p50, p95, p99, p999 = self.percentiles_ms
        return (
            f"{self.records_sent} records sent, {self.records_per_sec:f} records/sec ({self.mb_per_sec:.2f} MB/sec), "
            f"{self.avg_latency_ms:.2f} ms avg latency, {self.max_latency_ms:.2f} ms max latency, "
            f"{p50} ms 50th, {p95} ms 95th, {p99} ms 99th, {p999} ms 99.9th."
        )

    def document(self) -> dict[str, Any]:
        """Return the figures by name; those of a window have no percentiles."""
        found: dict[str, Any] = {
            "records_sent": self.records_sent,
            "records_per_sec": round(self.records_per_sec, 3),
            "mb_per_sec": round(self.mb_per_sec, 3),
            "avg_latency_ms": round(self.avg_latency_ms, 3),
            "max_latency_ms": round(self.max_latency_ms, 3),
        }
        names = ("p50_latency_ms", "p95_latency_ms", "p99_latency_ms", "p999_latency_ms")
        return found | dict(zip(names, self.percentiles_ms or (None,) * len(names), strict=True))


class LatencyStatistics:
    """Sums of a run and of its newest window.  Times are in seconds, of any clock."""

    def __init__(self, num_records: int, started_s: float) -> None:
        self._every = max(1, num_records // min(max(num_records, 1), _MOST_LATENCIES))
        self._latencies = array("d")
        self._started_s = self.window_started_s = started_s
        self.count = self._bytes = self._window_count = self._window_bytes = 0
        self._total = self._max = self._window_total = self._window_max = 0.0

    def record(self, latency_s: float, size_bytes: int) -> None:
        """Count a delivered record."""
        if self.count % self._every == 0:
            self._latencies.append(latency_s)
        self.count += 1
        self._window_count += 1
        self._window_bytes += size_bytes
        self._window_total += latency_s
        if latency_s > self._window_max:
            self._window_max = latency_s

    def window(self, now_s: float) -> Figures:
        """Return the figures since the last window, and begin another one."""
        found = _figures(
            self._window_count, self._window_bytes, now_s - self.window_started_s, self._window_total, self._window_max
        )
        self._close_window()
        self.window_started_s = now_s
        return found

    def _close_window(self) -> None:
        self._bytes += self._window_bytes
        self._total += self._window_total
        self._max = max(self._max, self._window_max)
        self._window_count = self._window_bytes = 0
        self._window_total = self._window_max = 0.0

    def total(self, now_s: float) -> Figures:
        """Return the figures of the run."""
        self._close_window()
        figures = _figures(self.count, self._bytes, now_s - self._started_s, self._total, self._max)
        return figures._replace(percentiles_ms=percentiles_ms(self._latencies))


def _figures(count: int, size_bytes: int, elapsed_s: float, total_s: float, max_s: float) -> Figures:
    elapsed_s = max(elapsed_s, 1e-9)
    average_s = total_s / count if count else 0.0
    return Figures(count, count / elapsed_s, size_bytes / MB / elapsed_s, average_s * 1000, max_s * 1000)


def percentiles_ms(latencies_s: Sequence[float], percentiles: Sequence[float] = PERCENTILES) -> tuple[int, ...]:
    """Return percentiles in whole milliseconds, rounded down, each the value at that part of the sorted list."""
    if not latencies_s:
        return (0,) * len(percentiles)
    ordered = sorted(latencies_s)
    return tuple(int(ordered[int(each * len(ordered))] * 1000) for each in percentiles)
