"""Collector: the snapshot of all metrics of a broker.

State is read in the event loop, which it belongs to, with a yield to other tasks every few milliseconds; percentiles
and text are made in a thread.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.loop_budget import LoopBudget
from wirebroker.metrics.rates import TICK_S, Rates
from wirebroker.monitoring.broker_state import collect_broker_state, collect_controller
from wirebroker.monitoring.groups import collect_groups, collect_transactions
from wirebroker.monitoring.partitions import collect_partitions
from wirebroker.monitoring.process import collect_process
from wirebroker.monitoring.requests import render_requests, request_metrics

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from wirebroker.metrics.metric import Snapshot
    from wirebroker.monitoring.sources import Sources

    T = TypeVar("T")


_BUDGET_S: Final = 0.001


class Collector:
    """Reads the metrics of one broker.

    Attributes:
        sources: The parts of the broker.
        rates: The rates of all counters, as long as `run` runs.
    """

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.rates = Rates()
        self._threads = trio.CapacityLimiter(1)  # two scrapes at a time would take turns anyway

    async def collect(self, work: Callable[[Snapshot], T]) -> T:
        """Return what *work* makes of a snapshot, in a thread."""
        sources, budget = self.sources, LoopBudget(_BUDGET_S)
        services = sources.services
        snapshot = collect_broker_state(sources)
        snapshot += await collect_controller(sources, budget)
        snapshot += await collect_partitions(services.replicas, budget)
        snapshot += await collect_groups(services.groups, services.replicas, budget)
        snapshot += await collect_transactions(services.transactions, budget)
        requests = request_metrics(services.routes, services.control_plane_routes)

        def render() -> T:
            return work([*snapshot, *render_requests(requests), *collect_process(sources.started_s)])

        return await trio.to_thread.run_sync(render, limiter=self._threads)

    async def run(self) -> None:
        """Take the counters into the rates every five seconds, until cancelled."""
        while True:
            self.sources.idle_ratio.tick()
            await self.collect(self._tick)
            await trio.sleep(TICK_S)

    def _tick(self, snapshot: Snapshot) -> None:
        self.rates.tick(snapshot, monotonic())
