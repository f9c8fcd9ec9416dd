"""The order of measurements: starts first, each broker alone; then both running and one loaded at a time, A B A B.

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

from tools.bench.broker_session import BrokerSession, first_acknowledged
from tools.bench.brokers import BROKERS, Broker, StartError, scratch
from tools.bench.client_processes import ClientFailed
from tools.bench.client_workloads import CLIENTS
from tools.bench.metrics import Metric, Workload, at_most
from tools.bench.raw_client import BenchError
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

Report = Callable[[str], None]


@dataclass(slots=True)
class Row:
    """One metric's figures of both brokers, in the order they were taken; *failure* says why there are none."""

    workload: str
    metric: Metric
    kafka: list[float] = field(default_factory=list)
    wirebroker: list[float] = field(default_factory=list)
    failure: str = ""

    def of(self, broker: str) -> list[float]:
        return self.kafka if broker == "kafka" else self.wirebroker


@dataclass(frozen=True, slots=True)
class Plan:
    """The run: names of workloads (empty: all), rounds, size, brokers, and the directory for data."""

    only: Sequence[str] = ()
    rounds: int = 5
    quick: bool = False
    brokers: Sequence[str] = tuple(BROKERS)
    directory: Path | None = None

    def wants(self, name: str) -> bool:
        return not self.only or any(name.startswith(wanted) for wanted in self.only)


def compare(plan: Plan, report: Report) -> list[Row]:
    """Run *plan* and return its rows."""
    rows: list[Row] = []
    with scratch(plan.directory) as directory:
        if plan.wants("start"):
            rows += _starts(plan, directory, report)
        if any(plan.wants(name) for name in NAMES[1:]):
            rows += _loads(plan, directory, report)
    return rows


def _starts(plan: Plan, directory: Path, report: Report) -> list[Row]:
    rows = {key: Row("start", metric) for key, metric in START.items()}
    for number in range(plan.rounds):
        for name in plan.brokers:
            broker = BROKERS[name](directory / f"start-{name}-{number}")
            try:
                figures = _start(broker, 1 if plan.quick else SETTLE_S)
            except FAILURES as error:
                _record_failure(rows.values(), name, error, report)
            else:
                _record(rows, name, figures)
                report(f"start, round {number + 1} of {plan.rounds}, {broker.name}: {_format(START, figures)}")
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


def _loads(plan: Plan, directory: Path, report: Report) -> list[Row]:
    rows: list[Row] = []
    with ExitStack() as stack:
        sessions: dict[str, BrokerSession] = {}
        for name in plan.brokers:
            broker = BROKERS[name](directory / name)
            stack.callback(broker.stop)
            broker.start()
            sessions[name] = BrokerSession(broker, plan.quick)
        for workload in WORKLOADS:
            if plan.wants(workload.name):
                rows += _workload(workload, sessions, plan.rounds, report)
        rows += _memory(sessions, report)
    return rows


def _memory(sessions: Mapping[str, BrokerSession], report: Report) -> list[Row]:
    rows = {key: Row("memory", metric) for key, metric in MEMORY.items()}
    for name, session in sessions.items():
        try:
            figures = {"loaded": session.broker.memory_mb(), "peak": session.broker.memory_mb("VmHWM")}
        except OSError as error:
            _record_failure(rows.values(), name, error, report)
            continue
        _record(rows, name, figures)
        report(f"memory, {session.broker.name}: {_format(MEMORY, figures)}")
    return list(rows.values())


def _workload(workload: Workload, sessions: dict[str, BrokerSession], rounds: int, report: Report) -> list[Row]:
    rows = {key: Row(workload.name, metric) for key, metric in workload.metrics.items()}
    own = {name: copy.copy(workload) for name in sessions}  # each broker has its own topics
    failed: set[str] = set()

    def attempt(name: str, action: Callable[[BrokerSession], object]) -> object:
        if name in failed:
            return None
        gc.collect()
        gc.disable()
        try:
            return action(sessions[name])
        except FAILURES as error:
            failed.add(name)
            _record_failure(rows.values(), name, error, report)
            report(f"its last lines:\n{sessions[name].broker.output()}")
            return None
        finally:
            gc.enable()

    for name, mine in own.items():
        attempt(name, mine.prepare)
    for number in range(rounds + 1):
        for name, mine in own.items():
            figures = attempt(name, mine.measure)
            if number and isinstance(figures, dict):
                _record(rows, name, figures)
                where = sessions[name].broker.name
                report(f"{workload.name}, round {number} of {rounds}, {where}: {_format(workload.metrics, figures)}")
    for name, mine in own.items():
        attempt(name, mine.clean)
    return list(rows.values())


def _record(rows: Mapping[str, Row], broker: str, figures: Mapping[str, float]) -> None:
    for key, figure in figures.items():
        rows[key].of(broker).append(figure)


def _record_failure(rows: Iterable[Row], broker: str, error: Exception, report: Report) -> None:
    for row in rows:
        row.failure = f"{broker}: {error}".splitlines()[0]
    report(f"{broker} failed: {error}")


def _format(metrics: Mapping[str, Metric], figures: Mapping[str, float]) -> str:
    return ", ".join(f"{key} {figure:,.{metrics[key].digits}f} {metrics[key].unit}" for key, figure in figures.items())
