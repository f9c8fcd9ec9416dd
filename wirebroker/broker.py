"""The composition root: builds the rooms bottom-up from the configuration, serves, and shuts down in reverse.

run_broker, and the rooms that do the work:

- bind listeners, not yet listening, so a port in use is known before anything is written (server)
- lock the log directories, replay the metadata journal, plan the import of what Kafka left in them (metadata)
- load every log, recover those that need it (storage)
- serve every partition (controller, replication)
- start background tasks, accept connections (server)
- call `ready`, wait for `stop`
- accept no more connections, give open requests a moment, cancel background tasks
- finish the work that is queued for log directories, as every task that writes has ended
- write checkpoints, producer snapshots and the clean-shutdown marker
"""

from __future__ import annotations

import logging
import math
import resource
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.cancellation import cancel_when_set, unless_set
from wirebroker.clock import now_ms
from wirebroker.collector import short_collections
from wirebroker.composition import keep_running
from wirebroker.log_cleaner import LogCleaner
from wirebroker.metadata.client_quota_publisher import follow_client_quotas
from wirebroker.metadata.image import ListenerEndpoint
from wirebroker.monitoring.settings import is_asked_for
from wirebroker.protocol.frames import BufferPool
from wirebroker.quota.rate import QuotaWindow
from wirebroker.replication.log_dir_executor import open_executors
from wirebroker.scheduler import Scheduler
from wirebroker.server.connection_quotas import ConnectionQuotas
from wirebroker.server.connection_settings import ConnectionSettings
from wirebroker.server.listener import Listener
from wirebroker.server.loop_lag import loop_lag_monitor, monitor_loop_lag
from wirebroker.server.processor import Processor
from wirebroker.server.socket_wait import BUSY_POLL, NO_BUSY_POLL, BusyPoll
from wirebroker.standalone import StandaloneMode
from wirebroker.startup import StartupError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence

    from wirebroker.composition import Mode
    from wirebroker.config.server import BrokerConfig
    from wirebroker.handlers.context import Services
    from wirebroker.storage.log_manager import LogManager

logger = logging.getLogger(__name__)

_FEW_FILES: Final = 64


class BrokerFailed(Exception):
    """No log directory is left, so the broker has stopped; the message is one line for the operator."""


class Ready:
    """The addresses and directories of a broker that accepts connections."""

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
    *skip_flush* is called before each log is closed, in a thread; after its first True no more logs are flushed, and
    the next start checks them.

    Raises:
        StartupError: a port is in use, a directory cannot be used, metadata is damaged.
        BrokerFailed: there are too few log directories left to serve from.
    """
    with _bound_listeners(config) as listeners:
        if config.in_cluster:
            from wirebroker.cluster_member.cluster_mode import (
                open_cluster_mode,  # a broker alone has no use for ZooKeeper
            )

            async with open_cluster_mode(config, stop) as member:
                await _run(member, listeners, stop, ready, skip_flush)
        else:
            await _run(StandaloneMode(config), listeners, stop, ready, skip_flush)


async def _run(
    mode: Mode,
    listeners: Sequence[Listener],
    stop: trio.Event,
    ready: Callable[[Ready], None],
    skip_flush: Callable[[], bool],
) -> None:
    """Load the logs, serve until *stop* is set, and close the logs; raises as `run_broker`."""
    log_manager = await unless_set(stop, partial(mode.open_storage, stop.is_set))
    if log_manager is None:
        logger.info("stopped before all logs were loaded; the next start checks those that need it")
        return
    async with _closing(mode, log_manager, skip_flush):
        services = await unless_set(stop, partial(mode.build_services, _endpoints(mode, listeners), stop.set))
        if services is not None and not stop.is_set():
            await _serve(mode, services, listeners, stop, ready)
    log_dirs = log_manager.log_dirs
    if not log_dirs.can_serve:
        reasons = ", ".join(f"{path}: {reason}" for path, reason in log_dirs.failures().items())
        if log_dirs.online:
            what = "a log directory has failed, without which it cannot serve below inter.broker.protocol.version=1.0"
        else:
            what = "every log directory has failed"
        raise BrokerFailed(f"stopped, because {what}: {reasons}")


@contextmanager
def _bound_listeners(config: BrokerConfig) -> Iterator[list[Listener]]:
    """Bind every listener of the configuration, and close them on exit.

    Raises:
        StartupError: an address cannot be bound.
    """
    # Kafka's default, 100 kB for every connection, is less than the system gives to those that need it.
    receive_bytes = config.socket_receive_buffer_bytes if config.is_set("socket.receive.buffer.bytes") else -1
    backlog = config.socket_listen_backlog_size
    with ExitStack() as stack:
        listeners: list[Listener] = []
        for each in config.listeners:
            try:
                listener = Listener(
                    each.name,
                    each.host,
                    each.port,
                    backlog,
                    receive_buffer_bytes=receive_bytes,
                    send_buffer_bytes=config.socket_send_buffer_bytes,
                )
            except OSError as error:
                raise _cannot_listen(each, error) from error
            stack.callback(listener.close)
            listeners.append(listener)
        yield listeners


def _cannot_listen(where: object, error: OSError) -> StartupError:
    return StartupError(f"cannot listen on {where}: {error.strerror or error}")


@asynccontextmanager
async def _closing(mode: Mode, log_manager: LogManager, skip_flush: Callable[[], bool]) -> AsyncIterator[None]:
    """Close what *mode* has opened and all logs on exit, cancelled or not."""
    try:
        yield
    finally:
        mode.close()
        with trio.CancelScope(shield=True):
            close = partial(log_manager.close, mode.broker_epoch, skip_flush=skip_flush)
            if not await trio.to_thread.run_sync(close):
                logger.warning("logs were not flushed; the next start checks them")


def _endpoints(mode: Mode, listeners: Iterable[Listener]) -> tuple[ListenerEndpoint, ...]:
    """The address of each listener as clients reach it: as advertised, or as bound.

    In a cluster listeners that `advertised.listeners` leaves out are not told to anyone.
    """
    config = mode.config
    return tuple(
        ListenerEndpoint(each.name, *config.advertised.get(each.name, (each.host or mode.default_host, each.port)))
        for each in listeners
        if not config.in_cluster or config.is_advertised(each.name)
    )


async def _serve(
    mode: Mode,
    services: Services,
    listeners: Sequence[Listener],
    stop: trio.Event,
    ready: Callable[[Ready], None],
) -> None:
    """Serve until *stop* is set.

    Three nurseries, one in the other: the executors of log directories end last, after the background tasks, which end
    after all connections.
    """
    async with open_executors(services.replicas.executors.values()), trio.open_nursery() as background:
        config = mode.config
        mode.start_tasks(background)
        lag_monitor = loop_lag_monitor()
        background.start_soon(keep_running, "loop lag monitor", partial(monitor_loop_lag, lag_monitor))
        cleaner = _start_background_tasks(background, config, services)
        async with trio.open_nursery() as accepting:
            processors = _accept_connections(accepting, background, config, services, listeners)
            monitoring = None
            if is_asked_for(config):
                from wirebroker.monitoring.start import start_monitoring  # most brokers do without

                try:
                    monitoring = await start_monitoring(
                        background, config, services, processors, lag_monitor, cleaner, keep_running
                    )
                except OSError as error:
                    raise _cannot_listen(f"wirebroker.metrics.port={config.wirebroker_metrics_port}", error) from error
            with trio.CancelScope() as joining:
                background.start_soon(cancel_when_set, joining, stop)
                await mode.join()
            started_ms = now_ms()
            if not stop.is_set():
                with short_collections():
                    ready(Ready(config.node_id, [str(each) for each in listeners], config.log_dirs))
                    await stop.wait()
            logger.info("stopping after %d s", (now_ms() - started_ms) // 1000)
            if monitoring is not None:
                monitoring.shutting_down()
            await mode.leave()
            for listener in listeners:
                listener.stop_accepting()
            services.replicas.purgatories.close()
            for processor in processors:
                processor.stop()
        background.cancel_scope.cancel()


def _start_background_tasks(background: trio.Nursery, config: BrokerConfig, services: Services) -> LogCleaner | None:
    """Start the tasks that serve no connection; all of them start again after an error."""
    run_alter_log_dirs = partial(services.replicas.alter_log_dirs.run, config.num_replica_alter_log_dirs_threads)
    background.start_soon(keep_running, "timer", services.replicas.timer.run)
    background.start_soon(keep_running, "group coordinator", services.groups.run)
    background.start_soon(keep_running, "transaction coordinator", services.transactions.run)
    background.start_soon(keep_running, "replica alter log dirs manager", run_alter_log_dirs)
    background.start_soon(keep_running, "scheduler", Scheduler(services.config, services.replicas).run)
    if not services.config.current.log_cleaner_enable:
        return None
    cleaner = LogCleaner(services.config, services.replicas)
    services.uncleanable_reason = cleaner.uncleanable_reason
    background.start_soon(keep_running, "log cleaner", cleaner.run)
    return cleaner


def _accept_connections(
    accepting: trio.Nursery,
    background: trio.Nursery,
    config: BrokerConfig,
    services: Services,
    listeners: Iterable[Listener],
) -> list[Processor]:
    """Start to accept connections; return the processors of all of them.

    The control plane listener has a processor and a limit of connections of its own, so that clients do not keep the
    controller waiting.  It serves the same APIs (KIP-291).

    Raises:
        StartupError: a listener cannot listen.
    """
    idle_ms = config.connections_max_idle_ms
    idle_s = idle_ms / 1000 if idle_ms >= 0 else math.inf
    busy_poll = BUSY_POLL if config.wirebroker_socket_busy_poll else NO_BUSY_POLL
    settings = ConnectionSettings(
        BufferPool(), config.socket_request_max_bytes, idle_s, busy_poll, config.socket_send_buffer_bytes
    )
    processors: list[Processor] = []

    def serve(some: list[Listener], busy_poll: BusyPoll) -> None:
        processor = Processor(idle_s, busy_poll, services.replicas.timer)
        accepting.start_soon(processor.run)
        processors.append(processor)
        quota = _connection_quotas(config, services)
        background.start_soon(keep_running, "host names of connection quotas", quota.resolve_hosts)
        for listener in some:
            try:
                listener.listen()
            except OSError as error:
                raise _cannot_listen(listener, error) from error
            accepting.start_soon(listener.serve, services, processor, settings, quota)

    for_controller = [each for each in listeners if each.name == config.control_plane_listener]
    if for_controller:
        serve(for_controller, NO_BUSY_POLL)
    serve([each for each in listeners if each not in for_controller], busy_poll)
    if services.fetchers is not None:
        services.fetchers.sockets = processors[-1].watched
    return processors


def _connection_quotas(config: BrokerConfig, services: Services) -> ConnectionQuotas:
    most = max_connections(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    window = QuotaWindow(config.quota_window_num, config.quota_window_size_seconds)
    quotas = ConnectionQuotas(services.config, most, window)
    follow_client_quotas(services.metadata, quotas.update_ip_rates)
    return quotas


def max_connections(open_files_limit: int) -> int:
    """Return how many descriptors connections may take: a log that cannot open its files counts as a failed disk.

    Storage keeps up to a third of *open_files_limit* open (see `Files`) and needs some more for a moment.
    """
    return max(_FEW_FILES, open_files_limit - max(_FEW_FILES, open_files_limit // 3) - _FEW_FILES)
