"""Simulation: brokers, clients, faults and the observer together, for one seed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
import trio

from wirebroker.client import broker_channel
from wirebroker.client.broker_channel import ChannelError
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from wirebroker.tests.simulation.administrator import Administrator
from wirebroker.tests.simulation.broker import PROTOCOLS, SimulatedBroker, World
from wirebroker.tests.simulation.clients import Client, ClusterClient, SimulatedProducer
from wirebroker.tests.simulation.consumers import ReadCommittedConsumer, SimulatedConsumer
from wirebroker.tests.simulation.convergence import differences
from wirebroker.tests.simulation.faults import MEAN_PAUSE_S, Faults
from wirebroker.tests.simulation.group_member import GroupMember
from wirebroker.tests.simulation.network import SimulatedNetwork
from wirebroker.tests.simulation.observer import Observer
from wirebroker.tests.simulation.offsets_client import OffsetsClient
from wirebroker.tests.simulation.pace import Pace
from wirebroker.tests.simulation.processes import Process, pausable_processes
from wirebroker.tests.simulation.trace import Trace, Violation
from wirebroker.tests.simulation.transactional_producer import TransactionalProducer
from wirebroker.tests.simulation.virtual_clock import VirtualClock
from wirebroker.tests.simulation.virtual_time import deterministic_run, logged_to
from wirebroker.tests.simulation.zookeeper import SimulatedZooKeeper

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BROKERS: Final = (1, 2, 3, 4)
_CONVERGENCE_S: Final = 120.0
"""How long the cluster may take to come to rest after the last fault."""


class Summary(NamedTuple):
    """The figures of a run without a violation."""

    seed: int
    protocol: str
    virtual_s: float
    acknowledged: int
    consumed: int
    transactions: int
    generations: int
    faults: Mapping[str, int]
    lines: int
    digest: str

    def __str__(self) -> str:
        faults = ", ".join(f"{name} {count}" for name, count in sorted(self.faults.items()))
        return (
            f"seed {self.seed}, protocol {self.protocol}: {self.virtual_s:.1f} s,"
            f" {self.acknowledged} records acknowledged,"
            f" {self.consumed} consumed, {self.transactions} transactions, {self.generations} generations;"
            f" faults: {faults or 'none'}; trace of {self.lines} lines, {self.digest[:16]}"
        )


class Simulation:
    """One run."""

    def __init__(
        self,
        seed: int,
        seconds: float,
        trace: Trace,
        faults: Sequence[str] = (),
        protocol: str | None = None,
        *,
        mean_pause_s: float = MEAN_PAUSE_S,
        busy_s: float = math.inf,
    ) -> None:
        """Let faults happen for *seconds*, every *mean_pause_s* on average: all kinds, or those named in *faults*.

        Clients are busy for *busy_s* seconds around a fault, and rest otherwise.  The inter-broker protocol is
        *protocol*, or depends on the seed.
        """
        self._mean_pause_s, self._busy_s = mean_pause_s, busy_s
        self._seed, self._seconds, self.trace, self._faults = seed, seconds, trace, faults
        self._protocol = PROTOCOLS[seed % len(PROTOCOLS)] if protocol is None else protocol

    def run(self) -> Summary:
        """Run until the end.  Raises Violation."""
        clock = VirtualClock()
        with deterministic_run(self._seed), pausable_processes(), logged_to(self.trace):
            return trio.run(self._run, clock, clock=clock)

    async def _run(self, clock: VirtualClock) -> Summary:
        zookeeper = SimulatedZooKeeper(clock, self.trace, self._seed)
        network = SimulatedNetwork(clock, self._seed)
        world = World(network, zookeeper, self.trace, self._protocol)
        brokers = {each: SimulatedBroker(each, world, self._seed) for each in _BROKERS}
        observer = Observer(brokers, world)
        self.trace.on_traceback = lambda text: observer.fail(Violation(text))
        pace = Pace(self._busy_s)
        clients: list[Client] = [
            SimulatedProducer("producer-0", _BROKERS, observer, pace, self._seed),
            SimulatedProducer("producer-1", _BROKERS, observer, pace, self._seed),
            SimulatedConsumer("consumer-0", _BROKERS, observer, pace, self._seed),
            TransactionalProducer("transactional-0", _BROKERS, observer, pace, self._seed),
            TransactionalProducer("transactional-1", _BROKERS, observer, pace, self._seed),
            *(GroupMember(f"member-{each}", _BROKERS, observer, pace, self._seed) for each in range(3)),
            ReadCommittedConsumer("consumer-1", _BROKERS, observer, pace, self._seed),
            OffsetsClient("group-0", _BROKERS, observer, pace, self._seed),
        ]
        administrator = Administrator(_BROKERS, clients, world, pace, self._seed)
        faults = Faults(brokers, world, observer, self._seed, [each.name for each in clients], self._faults)
        faults.pace, faults.mean_pause_s = pace, self._mean_pause_s
        trio.lowlevel.add_instrument(observer)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trio, "open_tcp_stream", network.open_tcp_stream)
            patch.setattr(broker_channel, "ChannelSocket", lambda connected: connected)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(zookeeper.run)
                nursery.start_soon(self._raise_violation, observer, brokers)
                for broker in brokers.values():
                    nursery.start_soon(broker.run)
                await _create_topics(self._seed)
                async with trio.open_nursery() as running:
                    for client in clients:
                        running.start_soon(Process(client.name).run, client.run)
                    running.start_soon(Process(administrator.name).run, administrator.run)
                    await faults.run(self._seconds)
                    self.trace.note("no more faults")
                    pace.wake()
                    administrator.is_stopping = True
                    for client in clients:
                        client.is_stopping = True
                await self._converge(brokers, zookeeper, observer)
                observer.check_transactions()
                if observer.violation is not None:
                    raise observer.violation
                trio.lowlevel.remove_instrument(observer)
                summary = Summary(
                    self._seed,
                    self._protocol,
                    trio.current_time(),
                    observer.acknowledged,
                    observer.consumed,
                    observer.transactions.count,
                    observer.group.generations,
                    faults.counts,
                    self.trace.count,
                    self.trace.digest,
                )
                for broker in brokers.values():
                    broker.kill(stays_down=True)
                nursery.cancel_scope.cancel()
        return summary

    async def _raise_violation(self, observer: Observer, brokers: Mapping[int, SimulatedBroker]) -> None:
        await observer.has_violation.wait()
        assert observer.violation is not None
        for broker in brokers.values():
            if broker.process is not None:
                broker.process.go_on()  # the tasks of one that is paused could not be cancelled
        self.trace.note(f"VIOLATION {observer.violation}", "observer")
        raise observer.violation

    async def _converge(
        self, brokers: Mapping[int, SimulatedBroker], zookeeper: SimulatedZooKeeper, observer: Observer
    ) -> None:
        left = ["not looked at yet"]
        with trio.move_on_after(_CONVERGENCE_S):
            while left:
                await trio.sleep(0.5)
                left = list(differences(brokers, zookeeper, observer))
        if left:
            raise Violation(
                f"the cluster is not at rest {_CONVERGENCE_S:.0f} s after the last fault: " + "; ".join(left)
            )


async def _create_topics(seed: int) -> None:
    client = ClusterClient(_BROKERS, f"topics {seed}")
    while True:
        try:
            response = await client.send_to_any(CreateTopicsRequest([CreatableTopic("events", 2, 3)], 3000), 6)
            if response.topics[0].error_code in (0, 36):
                return
        except ChannelError:
            pass
        await trio.sleep(0.5)
