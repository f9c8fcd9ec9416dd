"""SimulatedBroker: a broker of the cluster, started and ended any number of times on the same disk."""

from __future__ import annotations

import random
import re
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.cluster_member.cluster_mode import ClusterMode
from wirebroker.composition import keep_running
from wirebroker.metadata.image import ListenerEndpoint
from wirebroker.model import TopicPartition
from wirebroker.replication.log_dir_executor import open_executors
from wirebroker.scheduler import Scheduler
from wirebroker.startup import StartupError
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.simulation.disk import SimulatedDisk
from wirebroker.tests.simulation.processes import Process
from wirebroker.tests.simulation.server import SimulatedListener
from wirebroker.zookeeper.cluster_znodes import create_persistent_paths
from wirebroker.zookeeper.session import Session
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, partition_state_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wirebroker.handlers.context import Services
    from wirebroker.tests.simulation.network import SimulatedNetwork
    from wirebroker.tests.simulation.trace import Trace
    from wirebroker.tests.simulation.zookeeper import SimulatedClient, SimulatedZooKeeper

PORT: Final = 9092
SESSION_TIMEOUT_S: Final = 6.0
_RESTART_S: Final = 0.5
_PARTITION: Final = re.compile(r"/[^/]+/[^/]+/([^/]+)-(\d+)(?:/.*)?")
"""The path of a partition's directory, or of something in it."""
PROTOCOLS: Final = ("3.9", "2.6", "2.8", "2.0")
"""The inter-broker protocols of simulations: with 2.6 and 2.0 leaders write their ISRs into ZooKeeper."""
SETTINGS: Final[Mapping[str, object]] = {
    "zookeeper_connect": "simulated:2181",
    "min_insync_replicas": 2,
    "default_replication_factor": 3,
    "num_partitions": 2,
    "unclean_leader_election_enable": "false",
    "auto_create_topics_enable": "false",
    "offsets_topic_num_partitions": 3,
    "transaction_state_log_num_partitions": 3,
    "replica_lag_time_max_ms": 4000,
    "replica_fetch_wait_max_ms": 1500,
    "replica_socket_timeout_ms": 4000,
    "controller_socket_timeout_ms": 4000,
    "request_timeout_ms": 4000,
    "controlled_shutdown_retry_backoff_ms": 500,
    "log_segment_bytes": 16384,
    "log_index_size_max_bytes": 4096,
    "group_initial_rebalance_delay_ms": 200,
    "log_cleaner_enable": "false",
    "num_recovery_threads_per_data_dir": 1,
}


class World:
    """The surroundings that all brokers share."""

    def __init__(
        self, network: SimulatedNetwork, zookeeper: SimulatedZooKeeper, trace: Trace, protocol: str = PROTOCOLS[0]
    ) -> None:
        """*protocol* is the brokers' `inter.broker.protocol.version`."""
        self.network, self.zookeeper, self.trace, self.protocol = network, zookeeper, trace, protocol

    @property
    def has_topic_ids(self) -> bool:
        """Whether topics have ids: from 2.8 on."""
        return self.protocol not in ("2.0", "2.6")


class SimulatedBroker:
    """One broker, by its id; `run` starts it again whenever it has ended, unless it is to stay down."""

    def __init__(self, broker_id: int, world: World, seed: int, settings: Mapping[str, object] = SETTINGS) -> None:
        self.broker_id = broker_id
        self.name = f"broker-{broker_id}"
        self.services: Services | None = None
        """The parts of the broker that runs; None before it has joined the cluster, and when it has ended."""
        self.disk = SimulatedDisk()
        self.log_dirs = [f"/{self.name}/{name}" for name in "ab"]
        for each in self.log_dirs:
            self.disk.make_directory(each)
        self.before_disk_failure: Callable[[], None] = lambda: None
        """Called before an access to its disk fails."""
        self.process: Process | None = None
        self.client: SimulatedClient | None = None
        self._world = world
        self._settings = {
            **settings,
            "broker_id": broker_id,
            "inter_broker_protocol_version": world.protocol,
            "log_dirs": ",".join(self.log_dirs),
        }
        self._stop = trio.Event()
        self._may_run = trio.Event()
        self._may_run.set()
        self._random = random.Random(f"{self.name} {seed}")

    @property
    def is_running(self) -> bool:
        """Whether its process runs, serving or not."""
        return self.process is not None

    async def run(self) -> None:
        """Run the broker, again and again, until cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                await self._may_run.wait()
                if self.disk.is_used:
                    self.disk = self.disk.for_next_process(self._random, self._is_needed)
                self.disk.on_failure = self.before_disk_failure
                self.process = process = Process(self.name)
                self._stop = trio.Event()
                self._world.trace.note("starts", self.name)
                nursery.start_soon(process.run, self._main)
                await process.ended.wait()
                self._world.trace.note("has ended", self.name)
                self.services = self.process = None
                self._world.network.process_killed(self.name)
                if self.client is not None:
                    self.client.kill()
                self.disk.is_used = True
                await trio.sleep(_RESTART_S)

    # -- what faults do

    def kill(self, *, stays_down: bool = False) -> None:
        """End the process as by kill -9."""
        if self.process is None or self.process.is_killed:
            return
        if stays_down:
            self._stay_down()
        self.services = None
        self.disk.kill_process()
        self._world.network.process_killed(self.name)
        if self.client is not None:
            self.client.kill()
        self.process.kill()

    def lose_power(self) -> None:
        """End the process, and lose what was not synced; the broker stays down until `start`."""
        self.kill(stays_down=True)
        self._stay_down()
        self.disk.has_lost_power = True

    def stop(self, *, stays_down: bool = False) -> None:
        """Begin a clean shutdown."""
        if stays_down:
            self._stay_down()
        self._stop.set()

    def _stay_down(self) -> None:
        if self._may_run.is_set():
            self._may_run = trio.Event()

    def start(self) -> None:
        """Let a broker run that was to stay down."""
        self._may_run.set()

    def _is_needed(self, path: str) -> bool:
        """Whether *path* is of a partition that this broker is in sync for, so that it may be elected as its leader.

        Apache Kafka promises nothing for a partition whose last in-sync replica loses its records.
        """
        found = _PARTITION.fullmatch(path)
        if found is None:
            return False
        partition, nodes = TopicPartition(found[1], int(found[2])), self._world.zookeeper.nodes
        node = nodes.get(partition_state_path(partition))
        return node is not None and (
            self.broker_id in LeaderIsrAndControllerEpoch.decode(partition, node.data, node.version).isr
        )

    # -- the process

    async def _main(self) -> None:
        world = self._world
        self.client = client = world.zookeeper.client_of(self.name, SESSION_TIMEOUT_S)
        session = Session(client, SESSION_TIMEOUT_S)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.run)
            await nursery.start(session.run)
            await session.wait_connected()
            await create_persistent_paths(session)
            try:
                await self._run_member(ClusterMode(broker_config(**self._settings), session, self.disk))
            except* StartupError as faults:
                world.trace.note(f"did not start: {faults.exceptions}")
            await client.close()
            nursery.cancel_scope.cancel()

    async def _run_member(self, mode: ClusterMode) -> None:
        log_manager = await mode.open_storage(lambda: False)
        assert log_manager is not None
        services = await mode.build_services((ListenerEndpoint("PLAINTEXT", self.name, PORT),), self._stop.set)
        replicas = services.replicas
        async with open_executors(replicas.executors.values()), trio.open_nursery() as background:
            mode.start_tasks(background)
            background.start_soon(keep_running, "timer", replicas.timer.run)
            background.start_soon(keep_running, "group coordinator", services.groups.run)
            background.start_soon(keep_running, "transaction coordinator", services.transactions.run)
            background.start_soon(keep_running, "log dirs", partial(replicas.alter_log_dirs.run, 1))
            background.start_soon(keep_running, "scheduler", Scheduler(services.config, replicas).run)
            async with trio.open_nursery() as connections:
                listener = SimulatedListener(self._world.trace)
                connections.start_soon(listener.serve, services, connections)
                self._world.network.listen(self.name, PORT, listener.accept)
                self.services = services
                try:
                    await mode.join()
                    await self._stop.wait()
                    await mode.leave()
                finally:
                    self._world.network.stop_listening(self.name, PORT)
                    connections.cancel_scope.cancel()
            background.cancel_scope.cancel()
        self.services = None
        mode.close()
        await trio.to_thread.run_sync(partial(log_manager.close, mode.broker_epoch))
