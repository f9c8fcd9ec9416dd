"""Who is measured when: starts first, each broker alone; then both up and one loaded at a time, A B A B.

An idle broker of either kind takes about nothing from the other's turn, while a restart per turn would measure
cold code. The first round of every workload is thrown away as warm-up.  A workload that one broker cannot serve
is reported as such and the rest goes on.
"""

import copy
import gc
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tools.bench.brokers import BROKERS, Broker, StartError, scratch
from tools.bench.client_workloads import CLIENTS
from tools.bench.clients import ClientFailed
from tools.bench.metrics import Metric, Workload, at_most
from tools.bench.raw import BenchError
from tools.bench.site import Site, first_acknowledged
from tools.bench.workloads import RAW

FAILURES = (BenchError, ClientFailed, StartError, OSError)
SETTLE_S = 5
START = {
    "port": Metric("start to port open", "s", 2, at_most(0.3, absolute=True)),
    "acked": Metric("start to first acknowledged record", "s", 2),
    "idle": Metric("resident memory, idle", "MB", 0, at_most(50, absolute=True)),
}
MEMORY = {
    "loaded": Metric("resident memory after all of the above", "MB", 0, at_most(0.2)),
    "peak": Metric("resident memory, highest", "MB"),
}
WORKLOADS: Sequence[Workload] = (*RAW, *CLIENTS)
NAMES = ("start", *(workload.name for workload in WORKLOADS), "memory")

Say = Callable[[str], None]


@dataclass(slots=True)
class Row:
    """One metric's figures of both brokers, in the order they were taken; *trouble* says why there are none."""

    workload: str
    metric: Metric
    kafka: list[float] = field(default_factory=list)
    wirebroker: list[float] = field(default_factory=list)
    trouble: str = ""

    def of(self, broker: str) -> list[float]:
        return self.kafka if broker == "kafka" else self.wirebroker


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: workload names (empty: all), how often, how much, against whom, and where data goes."""

    only: Sequence[str] = ()
    rounds: int = 5
    quick: bool = False
    brokers: Sequence[str] = tuple(BROKERS)
    directory: Path | None = None

    def wants(self, name: str) -> bool:
        return not self.only or any(name.startswith(wanted) for wanted in self.only)


def compare(plan: Plan, say: Say) -> list[Row]:
    """Run *plan* and return its rows."""
    rows: list[Row] = []
    with scratch(plan.directory) as directory:
        if plan.wants("start"):
            rows += _starts(plan, directory, say)
        if any(plan.wants(name) for name in NAMES[1:]):
            rows += _loads(plan, directory, say)
    return rows


def _starts(plan: Plan, directory: Path, say: Say) -> list[Row]:
    rows = {key: Row("start", metric) for key, metric in START.items()}
    for number in range(plan.rounds):
        for name in plan.brokers:
            broker = BROKERS[name](directory / f"start-{name}-{number}")
            try:
                figures = _start(broker, 1 if plan.quick else SETTLE_S)
            except FAILURES as error:
                _trouble(rows.values(), name, error, say)
            else:
                _take(rows, name, figures)
                say(f"start, round {number + 1} of {plan.rounds}, {broker.name}: {_words(START, figures)}")
            finally:
                broker.stop()
    return list(rows.values())


def _start(broker: Broker, settle_s: float) -> dict[str, float]:
    port_s = broker.start()
    began = time.perf_counter()
    first_acknowledged(broker.address)
    acked_s = port_s + time.perf_counter() - began
    time.sleep(settle_s)
    return {"port": port_s, "acked": acked_s, "idle": broker.memory_mb()}


def _loads(plan: Plan, directory: Path, say: Say) -> list[Row]:
    rows: list[Row] = []
    with ExitStack() as stack:
        sites: dict[str, Site] = {}
        for name in plan.brokers:
            broker = BROKERS[name](directory / name)
            stack.callback(broker.stop)
            broker.start()
            sites[name] = Site(broker, plan.quick)
        for workload in WORKLOADS:
            if plan.wants(workload.name):
                rows += _workload(workload, sites, plan.rounds, say)
        rows += _memory(sites, say)
    return rows


def _memory(sites: Mapping[str, Site], say: Say) -> list[Row]:
    rows = {key: Row("memory", metric) for key, metric in MEMORY.items()}
    for name, site in sites.items():
        try:
            figures = {"loaded": site.broker.memory_mb(), "peak": site.broker.memory_mb("VmHWM")}
        except OSError as error:
            _trouble(rows.values(), name, error, say)
            continue
        _take(rows, name, figures)
        say(f"memory, {site.broker.name}: {_words(MEMORY, figures)}")
    return list(rows.values())


def _workload(workload: Workload, sites: dict[str, Site], rounds: int, say: Say) -> list[Row]:
    rows = {key: Row(workload.name, metric) for key, metric in workload.metrics.items()}
    own = {name: copy.copy(workload) for name in sites}  # each broker has its own topics
    failed: set[str] = set()

    def attempt(name: str, action: Callable[[Site], object]) -> object:
        if name in failed:
            return None
        gc.collect()
        gc.disable()
        try:
            return action(sites[name])
        except FAILURES as error:
            failed.add(name)
            _trouble(rows.values(), name, error, say)
            say(f"its last lines:\n{sites[name].broker.output()}")
            return None
        finally:
            gc.enable()

    for name, mine in own.items():
        attempt(name, mine.prepare)
    for number in range(rounds + 1):
        for name, mine in own.items():
            figures = attempt(name, mine.measure)
            if number and isinstance(figures, dict):
                _take(rows, name, figures)
                where = sites[name].broker.name
                say(f"{workload.name}, round {number} of {rounds}, {where}: {_words(workload.metrics, figures)}")
    for name, mine in own.items():
        attempt(name, mine.clean)
    return list(rows.values())


def _take(rows: Mapping[str, Row], broker: str, figures: Mapping[str, float]) -> None:
    for key, figure in figures.items():
        rows[key].of(broker).append(figure)


def _trouble(rows: Iterable[Row], broker: str, error: Exception, say: Say) -> None:
    for row in rows:
        row.trouble = f"{broker}: {error}".splitlines()[0]
    say(f"{broker} failed: {error}")


def _words(metrics: Mapping[str, Metric], figures: Mapping[str, float]) -> str:
    return ", ".join(f"{key} {figure:,.{metrics[key].digits}f} {metrics[key].unit}" for key, figure in figures.items())
