"""The front door: configuration in, rooms built bottom-up, nurseries nested, shut down in reverse.

    run_broker
      listeners bound, not yet listening (so a port in use is known before anything is written)
      log directories locked and recovered          storage
      metadata journal replayed, what Kafka left in the directories adopted     metadata
      every partition served                        controller, replication
      connections accepted, housekeeping started    server
      `ready` is told; wait for `stop`
      no new connections, a moment for open requests, background tasks cancelled
      lanes finish what is queued, and end: everybody who writes has ended before
      checkpoints, producer snapshots, the clean-shutdown marker

The only `if` between standalone and ZooKeeper belongs here; today there is only the standalone half.
"""

from __future__ import annotations

import logging
import math
import resource
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.clock import now_ms
from wirebroker.collector import short_collections
from wirebroker.config.releases import limits_min_isr_to_replicas, release_of
from wirebroker.controller.controller import Controller
from wirebroker.coordinator.group.coordinator import GroupCoordinator
from wirebroker.coordinator.transaction.coordinator import TransactionCoordinator
from wirebroker.handlers.context import Services
from wirebroker.handlers.routes import RouteTable
from wirebroker.housekeeping import Housekeeping
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import BrokerImage, ListenerEndpoint
from wirebroker.protocol.frames import BufferPool
from wirebroker.replication.disk_lane import open_lanes
from wirebroker.replication.fetch_session import FetchSessions
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.replication.transaction_markers import TransactionMarkers
from wirebroker.server.listener import Listener
from wirebroker.server.loop_lag import monitor_loop_lag
from wirebroker.server.processor import Processor
from wirebroker.server.quota import ConnectionQuota
from wirebroker.startup import StartupError, open_logs

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from wirebroker.config.server import BrokerConfig
    from wirebroker.metadata.embedded_store import EmbeddedStore
    from wirebroker.storage.faults import StorageError
    from wirebroker.storage.log_manager import LogManager

logger = logging.getLogger(__name__)

_FEW: Final = 64
_PAUSE_S: Final = 1.0
"""Before a failed background task is started again."""


class BrokerFailed(Exception):
    """The broker had to stop by itself; the message is one line for the operator."""


class Ready:
    """What `ready` is told: where the broker listens and keeps its data."""

    def __init__(self, node_id: int, listeners: list[str], log_dirs: tuple[str, ...]) -> None:
        self.node_id = node_id
        self.listeners = listeners
        self.log_dirs = log_dirs


async def run_broker(
    config: BrokerConfig,
    stop: trio.Event,
    ready: Callable[[Ready], None],
    skip_flush: Callable[[], bool] = lambda: False,
) -> None:
    """Run one broker until *stop* is set, at any time from the beginning on.

    Cancelling it ends requests and background tasks at once; writes that have begun are finished, and logs are closed.
    *skip_flush* is asked before each log is closed, in a thread; once it says True no more logs are flushed, and the
    next start checks them.

    Raises:
        StartupError: a port is in use, a directory cannot be used, metadata is damaged.
        BrokerFailed: there is no log directory left to serve from.
    """
    listeners = _bind(config)
    try:
        opened = await trio.to_thread.run_sync(open_logs, config, stop.is_set)
        if opened is None:
            logger.info("stopped while logs were loaded; the next start checks them again")
            return
        log_manager, store, cluster_id = opened
        try:
            await _run(config, listeners, log_manager, store, cluster_id, stop, ready)
        finally:
            store.close()
            with trio.CancelScope(shield=True):
                if not await trio.to_thread.run_sync(partial(log_manager.close, skip_flush=skip_flush)):
                    logger.warning("logs were not flushed; the next start checks them")
        if all(log_manager.is_dir_offline(each) for each in log_manager.dirs):
            reasons = ", ".join(f"{path}: {reason}" for path, reason in log_manager.failures().items())
            raise BrokerFailed(f"stopped, because every log directory has failed: {reasons}")
    finally:
        for listener in listeners:
            listener.close()


def _bind(config: BrokerConfig) -> list[Listener]:
    listeners: list[Listener] = []
    backlog = config.socket_listen_backlog_size
    # Kafka's default, 100 kB for every connection, is less than what the system gives to those that need it
    receive_bytes = config.socket_receive_buffer_bytes if config.is_set("socket.receive.buffer.bytes") else -1
    for each in config.listeners:
        try:
            listener = Listener(each.name, each.host, each.port, backlog, receive_buffer_bytes=receive_bytes)
            listeners.append(listener)
        except OSError as fault:
            for listener in listeners:
                listener.close()
            raise _cannot_listen(each, fault) from fault
    return listeners


def _cannot_listen(where: object, fault: OSError) -> StartupError:
    return StartupError(f"cannot listen on {where}: {fault.strerror or fault}")


async def _run(
    config: BrokerConfig,
    listeners: list[Listener],
    log_manager: LogManager,
    store: EmbeddedStore,
    cluster_id: str,
    stop: trio.Event,
    ready: Callable[[Ready], None],
) -> None:
    cache = MetadataCache(store.read()[0])
    replicas = ReplicaManager(
        log_manager,
        on_all_dirs_failed=stop.set,
        limits_min_isr_to_replicas=limits_min_isr_to_replicas(config.text("wirebroker.as.version")),
    )
    loop = trio.lowlevel.current_trio_token()

    def on_dir_offline(directory: Path, fault: StorageError) -> None:  # housekeeping sees it in a thread
        loop.run_sync_soon(partial(replicas.directory_failed, directory, fault))

    log_manager.on_dir_offline = on_dir_offline
    controller = Controller(store=store, cache=cache, replicas=replicas, config=config)
    endpoints = tuple(
        ListenerEndpoint(each.name, *config.advertised.get(each.name, (each.host or "localhost", each.port)))
        for each in listeners
    )
    await controller.start(
        BrokerImage(config.node_id, 0, endpoints, config.broker_rack),
        cluster_id,
        clean=log_manager.was_clean,
    )
    groups = GroupCoordinator(config, cache, replicas)
    markers = TransactionMarkers(replicas, groups.runtime.end_transaction)
    routes = _routes(config)
    services = Services(
        node_id=config.node_id,
        metadata=cache,
        controller=controller,
        replicas=replicas,
        groups=groups,
        markers=markers,
        transactions=TransactionCoordinator(
            config, routes.transaction_version, cache, replicas, markers, controller.next_producer_id
        ),
        fetch_sessions=FetchSessions(config.max_incremental_fetch_session_cache_slots),
        routes=routes,
    )
    if not stop.is_set():
        await _serve(config, listeners, services, stop, ready)


def _routes(config: BrokerConfig) -> RouteTable:
    version = config.text("wirebroker.as.version")
    release = None if version is None else release_of(version)
    if release is not None:
        logger.info("clients are served what Apache Kafka %s served", release)
    return RouteTable(release, config.wirebroker_transaction_version)


async def _serve(
    config: BrokerConfig,
    listeners: list[Listener],
    services: Services,
    stop: trio.Event,
    ready: Callable[[Ready], None],
) -> None:
    pool = BufferPool()
    quota = ConnectionQuota(lambda: services.config, max_connections(resource.getrlimit(resource.RLIMIT_NOFILE)[0]))
    idle_ms = config.connections_max_idle_ms
    idle_s = idle_ms / 1000 if idle_ms >= 0 else math.inf
    processor = Processor(idle_s)
    async with open_lanes(services.replicas.lanes.values()), trio.open_nursery() as background:
        background.start_soon(services.controller.run)
        background.start_soon(_keep_running, "the group coordinator", services.groups.run)
        background.start_soon(_keep_running, "the transaction coordinator", services.transactions.run)
        mover = services.replicas.mover
        mover.bytes_per_second = lambda: _mover_limit(services)
        at_once = config.num_replica_alter_log_dirs_threads
        background.start_soon(_keep_running, "the mover of logs", partial(mover.run, at_once))
        housekeeping = Housekeeping(lambda: services.config, services.replicas)
        background.start_soon(_keep_running, "housekeeping", housekeeping.run)
        background.start_soon(_keep_running, "the loop lag monitor", monitor_loop_lag)
        async with trio.open_nursery() as accepting:
            accepting.start_soon(processor.run)
            for listener in listeners:
                try:
                    listener.listen()
                except OSError as fault:
                    raise _cannot_listen(listener, fault) from fault
                accepting.start_soon(
                    partial(
                        listener.serve,
                        services,
                        processor,
                        pool,
                        limit_bytes=config.socket_request_max_bytes,
                        patience_s=idle_s,
                        send_buffer_bytes=config.socket_send_buffer_bytes,
                        quota=quota,
                    )
                )
            started_ms = now_ms()
            with short_collections():
                ready(Ready(config.node_id, [str(each) for each in listeners], config.log_dirs))
                await stop.wait()
            logger.info("stopping after %d s", (now_ms() - started_ms) // 1000)
            for listener in listeners:
                listener.stop_accepting()
            services.replicas.fetch_purgatory.close()
            processor.stop()
        background.cancel_scope.cancel()


def _mover_limit(services: Services) -> int | None:
    """What `kafka-reassign-partitions --replica-alter-log-dirs-throttle` sets, which is no key of a file."""
    sources = services.config.sources
    name = "replica.alter.log.dirs.io.max.bytes.per.second"
    text = sources.per_broker.get(name) or sources.cluster_default.get(name) or ""
    return int(text) if text.isascii() and text.isdigit() else None


def max_connections(open_files_limit: int) -> int:
    """How many descriptors peers may take: a log that cannot open its files counts as a disk that failed.

    Storage keeps up to a third open (see `Files`) and needs some more for a moment.
    """
    return max(_FEW, open_files_limit - max(64, open_files_limit // 3) - _FEW)


async def _keep_running(name: str, run: Callable[[], Awaitable[None]]) -> None:
    """Run a task of the background; one that fails is started again, for the broker can serve without it meanwhile."""
    while True:
        try:
            await run()
            return
        except Exception:
            logger.exception("%s failed and is started again", name)
            await trio.sleep(_PAUSE_S)
