"""Metrics as lines of Graphite (`path value time`) and StatsD (`path:value|g`).

The path is the MBean's: kafka.server.BrokerTopicMetrics.MessagesInPerSec.topic.t.Count, as Kafka's Graphite reporters
name it; characters with a meaning in paths are replaced.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from wirebroker.metrics.jmx import attributes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.metrics.metric import Metric, Snapshot
    from wirebroker.metrics.rates import Rates

_UNSAFE: Final = re.compile(r"[^\w-]")
MAX_DATAGRAM_BYTES: Final = 1400
"""Of lines that are sent together over UDP: what fits into one Ethernet frame."""


def graphite_lines(snapshot: Snapshot, rates: Rates, prefix: str, now_s: int) -> Iterator[str]:
    """Yield a line for each attribute of each MBean."""
    for path, value in _paths(snapshot, rates, prefix):
        yield f"{path} {value:g} {now_s}\n"


def statsd_datagrams(snapshot: Snapshot, rates: Rates, prefix: str) -> Iterator[bytes]:
    """Yield lines of gauges, as many in a datagram as fit.  Counters are gauges, too: they are sums, not increments."""
    datagram = b""
    for path, value in _paths(snapshot, rates, prefix):
        line = f"{path}:{value:g}|g".encode()
        if datagram and len(datagram) + 1 + len(line) > MAX_DATAGRAM_BYTES:
            yield datagram
            datagram = b""
        datagram += b"\n" + line if datagram else line
    if datagram:
        yield datagram


def _paths(snapshot: Snapshot, rates: Rates, prefix: str) -> Iterator[tuple[str, float]]:
    for metric, rows in snapshot:
        for values, value in rows:
            path = _path(metric, values, prefix)
            for attribute, figure in attributes(metric, values, value, rates).items():
                yield f"{path}.{attribute}", figure


def _path(metric: Metric, values: tuple[str, ...], prefix: str) -> str:
    parts = [prefix] if prefix else []
    parts += [part for part in (metric.domain, metric.type) if part]
    if metric.name and not metric.type.islower():
        parts.append(metric.name)
    for tag, value in zip(metric.tags, values, strict=True):
        if value:
            parts += [tag, _UNSAFE.sub("_", value)]
    return ".".join(parts)
