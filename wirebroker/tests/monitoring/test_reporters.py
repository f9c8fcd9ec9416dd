"""Reports to servers of Graphite and StatsD, and what is logged when there are none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import trio

from wirebroker.metrics import catalogue
from wirebroker.metrics.rates import Rates
from wirebroker.monitoring.idle_ratio import IdleRatio
from wirebroker.monitoring.reporters import Reporter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pytest

    from wirebroker.metrics.metric import Snapshot


async def collect(work: Callable[[Snapshot], Iterable[Any]]) -> list[Any]:
    return list(work([(catalogue.LEADER_COUNT, [((), 3)])]))


COLLECTOR: Any = SimpleNamespace(rates=Rates(), collect=collect)


async def test_graphite_gets_lines_over_tcp() -> None:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        reporter = Reporter(COLLECTOR, listener.socket.getsockname(), "p", over_udp=False)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(reporter.report)
            async with await listener.accept() as stream:
                data = b""
                async for piece in stream:
                    data += piece
    assert data.startswith(b"p.kafka.server.ReplicaManager.LeaderCount.Value 3 ")


async def test_statsd_gets_datagrams() -> None:
    with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as sock:
        await sock.bind(("127.0.0.1", 0))
        await Reporter(COLLECTOR, sock.getsockname(), "", over_udp=True).report()
        assert await sock.recv(2000) == b"kafka.server.ReplicaManager.LeaderCount.Value:3|g"


async def test_a_failure_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    host, port = listener.socket.getsockname()
    await listener.aclose()
    reporter = Reporter(COLLECTOR, (host, port), "", over_udp=False)
    await reporter.report()
    await reporter.report()
    (line,) = caplog.messages
    assert line.startswith(f"metrics cannot be sent to 127.0.0.1:{port}: ")


def test_the_idle_ratio_is_that_of_the_last_minute() -> None:
    now = idle = 0.0
    ratio = IdleRatio(lambda: idle, lambda: now)
    assert ratio.value == 1.0
    for _ in range(12):  # a busy minute
        now += 5
        ratio.tick()
    assert ratio.value < 0.01
    for _ in range(12):  # one of which a quarter is idle
        now, idle = now + 5, idle + 1.25
        ratio.tick()
    assert abs(ratio.value - 0.25) < 0.01
    assert ratio.total_s == 15
