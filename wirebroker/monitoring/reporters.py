"""Reporter: sends the metrics to Graphite over TCP, or to StatsD over UDP, at an interval.

Metrics that cannot be sent are dropped, with one line in the log when that begins and one when it ends.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.metrics.lines import graphite_lines, statsd_datagrams

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.metrics.metric import Snapshot
    from wirebroker.monitoring.collector import Collector

logger = logging.getLogger(__name__)

_LINES: Final = 1000
"""Lines that are sent at a time."""
_SEND_S: Final = 5.0
"""For a connection, and for everything to be taken."""


class Reporter:
    """Sends the metrics of *collector* to one address.

    Args:
        collector: Reads the metrics.
        address: Host and port.
        prefix: The beginning of every path.
        over_udp: Whether StatsD listens there, or Graphite.
    """

    def __init__(self, collector: Collector, address: tuple[str, int], prefix: str, *, over_udp: bool) -> None:
        self._collector, self._address, self._prefix = collector, address, prefix
        self._over_udp = over_udp
        self._is_failing = False

    async def run(self, interval_s: float) -> None:
        """Report until cancelled."""
        while True:
            await trio.sleep(interval_s)
            await self.report()

    async def report(self) -> None:
        """Send every metric once; a failure is logged, not raised."""
        host, port = self._address
        try:
            with trio.fail_after(_SEND_S):
                if self._over_udp:
                    await self._send_datagrams(await self._collector.collect(self._datagrams))
                else:
                    lines = await self._collector.collect(self._lines)
                    async with await trio.open_tcp_stream(host, port) as stream:
                        for start in range(0, len(lines), _LINES):
                            await stream.send_all("".join(lines[start : start + _LINES]).encode())
        except (OSError, trio.BrokenResourceError, trio.TooSlowError) as problem:
            if not self._is_failing:
                reason = problem or "timeout"
                logger.warning("metrics cannot be sent to %s:%d: %s; they are dropped", host, port, reason)
            self._is_failing = True
        else:
            if self._is_failing:
                logger.info("metrics are sent to %s:%d again", host, port)
            self._is_failing = False

    async def _send_datagrams(self, datagrams: list[bytes]) -> None:
        found = await trio.socket.getaddrinfo(*self._address, type=trio.socket.SOCK_DGRAM)
        family, kind, protocol, _, address = found[0]
        with trio.socket.socket(family, kind, protocol) as sock:
            for datagram in datagrams:
                await sock.sendto(datagram, address)

    def _lines(self, snapshot: Snapshot) -> Iterator[str]:
        return graphite_lines(snapshot, self._collector.rates, self._prefix, int(time.time()))

    def _datagrams(self, snapshot: Snapshot) -> Iterator[bytes]:
        return statsd_datagrams(snapshot, self._collector.rates, self._prefix)
