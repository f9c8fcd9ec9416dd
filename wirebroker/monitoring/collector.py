"""Collector: the snapshot of all metrics of a broker.

State is read in the event loop, which it belongs to, and rendered there, with a yield to other tasks after each half
of a millisecond.  A thread for the text would hold the interpreter for up to five (sys.getswitchinterval).
"""

from __future__ import annotations

from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Final, cast

import trio

from wirebroker.loop_budget import LoopBudget
from wirebroker.metrics.rates import TICK_S, Rates
from wirebroker.monitoring.broker_state import collect_broker_state, collect_controller
from wirebroker.monitoring.fetchers import collect_fetchers
from wirebroker.monitoring.groups import collect_groups, collect_transactions
from wirebroker.monitoring.partitions import collect_partitions, collect_traffic
from wirebroker.monitoring.process import collect_process
from wirebroker.monitoring.requests import collect_requests, request_metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeVar

    from wirebroker.metrics.metric import Snapshot
    from wirebroker.monitoring.sources import Sources

    T = TypeVar("T")

_BUDGET_S: Final = 0.0005
_TURNS: Final = 3
"""Turns of the loop that other tasks get after each: a scrape can wait, a request should not wait for it twice."""


class Collector:
    """Reads the metrics of one broker.

    Attributes:
        sources: The parts of the broker.
        rates: The rates of all counters, as long as `run` runs.
    """

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.rates = Rates()

    async def collect(self, work: Callable[[Snapshot], Iterable[T]], *, rates_only: bool = False) -> list[T]:
        """Return what *work* yields of a snapshot, with turns of other tasks between two results.

        *rates_only* leaves gauges of partitions out.
        """
        budget = LoopBudget(_BUDGET_S, _TURNS)
        snapshot = await self._snapshot(budget, rates_only=rates_only)
        results: list[T] = []
        for result in work(snapshot):
            results.append(result)
            await budget.yield_if_due()
        return results

    async def _snapshot(self, budget: LoopBudget, *, rates_only: bool) -> Snapshot:
        sources = self.sources
        services = sources.services
        snapshot = collect_broker_state(sources)
        snapshot += await collect_controller(sources, budget)
        if rates_only:
            snapshot += await collect_traffic(services.replicas, budget)
        else:
            longest_transaction_ms = cast(int, services.config.current.value("transaction.max.timeout.ms"))
            snapshot += await collect_partitions(services.replicas, budget, longest_transaction_ms)
            snapshot += await collect_groups(services.groups, services.replicas, budget)
            snapshot += await collect_transactions(services.transactions, budget)
        snapshot += collect_fetchers(services.fetchers, self.rates)
        snapshot += await collect_requests(request_metrics(services.routes), budget)
        snapshot += await collect_process(sources.started_s)
        return snapshot

    async def run(self) -> None:
        """Take the counters into the rates every five seconds, until cancelled."""
        services = self.sources.services
        while True:
            self.sources.idle_ratio.tick()
            for metrics in request_metrics(services.routes).values():
                metrics.refresh(perf_counter())
            await self.collect(self._tick, rates_only=True)
            await trio.sleep(TICK_S)

    def _tick(self, snapshot: Snapshot) -> Iterator[None]:
        return self.rates.tick(snapshot, monotonic())
