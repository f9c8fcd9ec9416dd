"""LoopLagMonitor with a clock and a loop that the test moves by hand; the description of a real stack."""

from __future__ import annotations

import logging
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.messages.api_versions import ApiVersionsResponse
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.server.dispatch import Request, serve
from wirebroker.server.loop_lag import QUIET_S, WINDOW, LoopLag, LoopLagMonitor, describe_holder

if TYPE_CHECKING:
    from collections.abc import Callable


class Loop:
    """A loop that runs callbacks at once, or when the monitor asks what holds it, *held_s* later."""

    def __init__(self) -> None:
        self.now = 100.0
        self.held_s = 0.0
        self.pending: Callable[[], None] | None = None
        self.monitor = LoopLagMonitor(self.post, self.holder, warn_s=0.0, clock=lambda: self.now)

    def post(self, callback: Callable[[], None]) -> None:
        if self.held_s:
            self.pending = callback
        else:
            callback()

    def holder(self) -> str:
        assert self.pending is not None
        self.now += self.held_s
        self.pending()
        return "LIST_OFFSETS v7"

    def measure(self, held_s: float) -> None:
        self.held_s = held_s
        self.monitor.measure()


def test_lag_of_a_loop_that_answers_at_once_is_zero() -> None:
    loop = Loop()
    loop.measure(0.0)
    assert loop.monitor.lag == LoopLag(1, 0.0, 0.0, 0.0)


def test_a_held_loop_is_logged_with_its_holder_and_the_time(caplog: pytest.LogCaptureFixture) -> None:
    loop = Loop()
    with caplog.at_level(logging.WARNING, "wirebroker.loop.lag"):
        loop.measure(0.8)
    assert loop.monitor.lag.max_s == pytest.approx(0.8)
    (record,) = caplog.records
    assert "held for 800 ms by LIST_OFFSETS v7" in record.getMessage()


def test_warnings_come_at_a_bounded_rate_and_say_how_many_were_left_out(caplog: pytest.LogCaptureFixture) -> None:
    loop = Loop()
    with caplog.at_level(logging.WARNING, "wirebroker.loop.lag"):
        for _ in range(3):
            loop.measure(1.0)
        loop.now += QUIET_S
        loop.measure(1.0)
    assert ["2 times more" in record.getMessage() for record in caplog.records] == [False, True]


def test_window_is_bounded() -> None:
    loop = Loop()
    loop.measure(5.0)
    for _ in range(WINDOW):
        loop.measure(0.0)
    assert loop.monitor.lag == LoopLag(WINDOW, 0.0, 0.0, 0.0)


def test_percentiles() -> None:
    loop = Loop()
    for number in range(100):
        loop.measure(number / 1000)
    lag = loop.monitor.lag
    assert (lag.measurements, lag.p50_s, lag.p99_s, lag.max_s) == pytest.approx((100, 0.050, 0.099, 0.099))


def test_watch_ends_with_the_loop() -> None:
    def post(_: Callable[[], None]) -> None:
        raise trio.RunFinishedError

    LoopLagMonitor(post, str, interval_s=0.0).watch()


async def test_the_holder_of_a_request_is_its_api_and_the_line_that_runs() -> None:
    said = []

    async def handler(context: Any, request: Any) -> ApiVersionsResponse:
        said.append(describe_holder(sys._getframe()))
        return ApiVersionsResponse()

    route: Any = SimpleNamespace(
        handler=handler, flexible_from=9, writers=ApiVersionsResponse.WRITERS, searched_for_errors=None
    )
    context: Any = SimpleNamespace(
        api_key=ApiKey.LIST_OFFSETS,
        version=7,
        client_id="spark-1",
        client_host="10.0.0.7",
        loop_budget=None,
        request_time=None,
        delayed=None,
    )
    await serve(Request(route, 0, 1, None), context, WireBuffer())
    assert said[0].startswith("ListOffsets v7 of client_id=spark-1 peer=10.0.0.7 in ")
    assert "test_loop_lag, line " in said[0]


def test_the_holder_of_a_stack_without_our_code() -> None:
    assert describe_holder(None) == "something outside of wirebroker's code"
