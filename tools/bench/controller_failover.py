"""``python -m tools.bench.controller_failover``: one controller, many partitions, simulated brokers, a real ZooKeeper.

The brokers are registrations and sockets in the same process that answer every request without reading it, so the
figures are those of the controller: creation of all partitions, failover to a controller that reads them, and the
failure of a broker.  The lag is the longest turn of the event loop meanwhile.
"""

from __future__ import annotations

import argparse
import logging
import struct
import tempfile
import time
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import trio

from tools.jvm.kafka import KafkaDist
from tools.jvm.zookeeper import ZooKeeper
from wirebroker.collector import short_collections
from wirebroker.config.endpoints import Listener
from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
from wirebroker.kafka_controller.assembly import AssembledController, ControllerSettings, build_kafka_controller
from wirebroker.kafka_controller.kafka_controller import RebalanceSettings
from wirebroker.kafka_controller.pipelined import pipelined
from wirebroker.kafka_controller.states import PartitionState
from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrResponse
from wirebroker.protocol.messages.stop_replica import StopReplicaResponse
from wirebroker.protocol.messages.update_metadata import UpdateMetadataResponse
from wirebroker.zookeeper.connect_string import parse_connect_string
from wirebroker.zookeeper.connection import ZooKeeperSettings, open_zookeeper
from wirebroker.zookeeper.controller_watch import ControllerWatch
from wirebroker.zookeeper.operations import CreateMode
from wirebroker.zookeeper.znodes.brokers import BrokerInfo
from wirebroker.zookeeper.znodes.topics import ReplicaAssignment, TopicAssignment, topic_path

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from wirebroker.zookeeper.session import Session

_HEADER = struct.Struct(">ihhi")
_RESPONSES: dict[int, Any] = {4: LeaderAndIsrResponse, 5: StopReplicaResponse, 6: UpdateMetadataResponse}


class Lag:
    """The longest time for which the event loop did not run a task that wants to run every 5 ms.

    It is the CPU time of the loop's thread, so that other processes of a busy machine do not count.
    """

    worst_s = 0.0

    async def run(self) -> None:
        """Measure until cancelled."""
        while True:
            began = time.thread_time()
            await trio.sleep(0.005)
            self.worst_s = max(self.worst_s, time.thread_time() - began)

    def take(self) -> float:
        """Return the longest time since the last call, in seconds."""
        worst, self.worst_s = self.worst_s, 0.0
        return worst


class SimulatedBrokers:
    """Sockets that answer every request of a controller without an error."""

    def __init__(self) -> None:
        self.requests = self.bytes = 0

    async def serve(self, stream: trio.SocketStream) -> None:
        """Answer the requests of one connection."""
        received = bytearray()
        try:
            async for chunk in stream:
                received += chunk
                while len(received) >= _HEADER.size:
                    size, key, version, correlation_id = _HEADER.unpack_from(received)
                    if len(received) < 4 + size:
                        break
                    del received[: 4 + size]
                    self.requests, self.bytes = self.requests + 1, self.bytes + size
                    await stream.send_all(_answer(key, version, correlation_id))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass


def _answer(key: int, version: int, correlation_id: int) -> bytes:
    response = _RESPONSES[key]
    body = bytearray()
    response().write(body, version)
    header = struct.pack(">i", correlation_id) + (b"\0" if version >= response.FLEXIBLE_FROM else b"")
    return struct.pack(">i", len(header) + len(body)) + header + body


class UncleanSettings(NamedTuple):
    """Stands for LogConfig."""

    unclean_leader_election_enable: bool = False


@asynccontextmanager
async def session_of(zookeeper: ZooKeeper) -> AsyncIterator[Session]:
    """A session of its own."""
    async with open_zookeeper(ZooKeeperSettings(parse_connect_string(zookeeper.connect), 30.0, 30.0, 10)) as session:
        yield session


@asynccontextmanager
async def controller(zookeeper: ZooKeeper, broker_id: int) -> AsyncIterator[AssembledController]:
    """Run for controller, until the end of the block ends the session."""
    async with session_of(zookeeper) as session, trio.open_nursery() as nursery:
        settings = ControllerSettings(
            broker_id,
            InterBrokerProtocol("3.9"),
            "PLAINTEXT",
            "PLAINTEXT",
            30.0,
            _log_config,
            is_delete_topic_enabled=True,
            rebalance=lambda: RebalanceSettings(False, 300, 10),
        )
        assembled = build_kafka_controller(session, settings)
        nursery.start_soon(ControllerWatch(session, assembled.controller.controller_changed).run)
        nursery.start_soon(assembled.controller.run)
        yield assembled
        nursery.cancel_scope.cancel()


def _log_config(_: Mapping[str, str]) -> Any:
    return UncleanSettings()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for *condition*."""
    while not condition():  # noqa: ASYNC110  # the parts of the controller have no events for that
        await trio.sleep(0.02)


async def measure(zookeeper: ZooKeeper, topics: int, partitions: int, brokers: int) -> list[str]:
    """Return lines with the figures."""
    lines: list[str] = []
    lag, simulated = Lag(), SimulatedBrokers()
    total = topics * partitions
    async with session_of(zookeeper) as of_brokers, session_of(zookeeper) as of_one, trio.open_nursery() as nursery:
        nursery.start_soon(lag.run)
        for broker_id in range(brokers):
            (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
            port = listener.socket.getsockname()[1]
            nursery.start_soon(partial(trio.serve_listeners, simulated.serve, [listener]))
            info = BrokerInfo(broker_id, (Listener("PLAINTEXT", "PLAINTEXT", "127.0.0.1", port),))
            owner = of_one if broker_id == 0 else of_brokers
            await owner.client.create(info.path, info.encode(), CreateMode.EPHEMERAL)

        async def create(number: int) -> None:
            replicas = {
                each: ReplicaAssignment(tuple((number + each + other) % brokers for other in range(3)))
                for each in range(partitions)
            }
            topic = f"topic-{number}"
            content = TopicAssignment(topic, number.to_bytes(16, "big"), replicas).encode()
            await of_brokers.client.create(topic_path(topic), content)

        await pipelined(range(topics), create)

        async def timed(name: str, work: Callable[[], Awaitable[None]]) -> None:
            lag.take()
            requests, size, began = simulated.requests, simulated.bytes, time.perf_counter()
            cpu = time.process_time()
            await work()
            seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
            lines.append(
                f"{name}: {seconds:.1f} s, {cpu:.1f} s CPU, lag {1000 * lag.take():.0f} ms,"
                f" {simulated.requests - requests} requests of {(simulated.bytes - size) / 1e6:.1f} MB"
            )
            print(lines[-1], flush=True)

        def is_quiet(assembled: AssembledController, online: int) -> bool:
            gauges = assembled.controller.metrics.gauges()
            states = assembled.context.partition_states.values()
            return (
                gauges["ActiveControllerCount"] == 1
                and not gauges["EventQueueSize"]
                and not gauges["TotalQueueSize"]
                and assembled.controller.is_idle
                and sum(state is PartitionState.ONLINE for state in states) == online
            )

        async with controller(zookeeper, 1) as first:
            await timed(f"{total} new partitions", lambda: until(lambda: is_quiet(first, total)))
        async with controller(zookeeper, 2) as second:
            await timed(f"failover with {total} partitions", lambda: until(lambda: is_quiet(second, total)))
            failed = topics * partitions // brokers

            async def fail() -> None:
                await of_one.client.delete("/brokers/ids/0")
                await until(lambda: 0 not in second.context.brokers and is_quiet(second, total))

            await timed(f"failure of a broker with {failed} leaders and {3 * failed} replicas", fail)
        async with controller(zookeeper, 3) as third:
            await timed(
                f"failover with {total} partitions and a dead broker", lambda: until(lambda: is_quiet(third, total))
            )
        nursery.cancel_scope.cancel()
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, default=200)
    parser.add_argument("--partitions", type=int, default=100, help="partitions of each topic")
    parser.add_argument("--brokers", type=int, default=6)
    parser.add_argument("--kafka", default="3.9.1", help="release whose ZooKeeper is used")
    args = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    with (
        tempfile.TemporaryDirectory() as directory,
        ZooKeeper(KafkaDist(args.kafka), Path(directory) / "zookeeper") as zookeeper,
        short_collections(),  # as in a broker
    ):
        trio.run(measure, zookeeper, args.topics, args.partitions, args.brokers)


if __name__ == "__main__":
    main()
