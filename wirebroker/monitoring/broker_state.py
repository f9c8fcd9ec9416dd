"""Metrics of the broker as a whole: controller, connections, purgatories, fetch sessions, event loop, ZooKeeper."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wirebroker import __version__
from wirebroker.clock import now_ms
from wirebroker.metrics import catalogue
from wirebroker.metrics.metric import distribution, figures

if TYPE_CHECKING:
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.metrics.metric import Metric, Rows, Snapshot
    from wirebroker.monitoring.sources import Sources

_PROCESSOR = "0"
"""Kafka numbers the tasks that serve sockets; there is one."""


def collect_broker_state(sources: Sources) -> Snapshot:
    """Return the metrics that are one figure each, or a few."""
    services, processors = sources.services, sources.processors
    purgatories, sessions = services.replicas.purgatories, services.fetch_sessions
    idle = sources.idle_ratio.value
    operations = (
        ("Produce", purgatories.produce),
        ("Fetch", purgatories.fetch),
        ("DeleteRecords", purgatories.delete_records),
    )
    waiting: Rows = [((name,), each.num_delayed) for name, each in operations]
    watched: Rows = [((name,), each.num_delayed + each.num_purgeable) for name, each in operations]
    of_followers = purgatories.fetch.expired_of_followers
    fetches_expired: Rows = [(("follower",), of_followers), (("consumer",), purgatories.fetch.expired - of_followers)]
    single: tuple[tuple[Metric, int | float], ...] = (
        (catalogue.PRODUCES_EXPIRED, purgatories.produce.expired),
        (catalogue.CURRENT_CONTROLLER, services.metadata.image.controller_id),
        (catalogue.BROKER_STATE, sources.state),
        (catalogue.REQUEST_QUEUE, sum(each.queued for each in processors)),
        (catalogue.RESPONSE_QUEUE, 0),
        (catalogue.NETWORK_IDLE, idle),
        (catalogue.HANDLER_IDLE, idle),
        (catalogue.FETCH_SESSIONS, len(sessions)),
        (catalogue.FETCH_SESSION_PARTITIONS, sessions.partitions_cached),
        (catalogue.FETCH_SESSION_EVICTIONS, sessions.evictions),
        (catalogue.MARKER_QUEUE, services.transactions.pending_markers),
        (catalogue.LOOP_IDLE, sources.idle_ratio.total_s),
    )
    return [
        *figures(single),
        (catalogue.PROCESSOR_IDLE, [((_PROCESSOR,), idle)]),
        (catalogue.FETCHES_EXPIRED, fetches_expired),
        (catalogue.PURGATORY_SIZE, watched),
        (catalogue.NUM_DELAYED, waiting),
        (catalogue.BUILD_INFO, [((__version__,), 1)]),
        *_connections(sources),
        *_loop(sources),
        *_zookeeper(sources),
        *_cleaner(sources),
    ]


def _connections(sources: Sources) -> Snapshot:
    open_now: Counter[str] = Counter()
    created: Counter[str] = Counter()
    closed: Counter[str] = Counter()
    for processor in sources.processors:
        open_now.update(connection.listener for connection in processor.connections)
        created.update(processor.created)
        closed.update(processor.closed)
    names = dict.fromkeys([*(each.name for each in sources.services.config.current.listeners), *created])
    return [
        (metric, [((name, _PROCESSOR), counts[name]) for name in names])
        for metric, counts in (
            (catalogue.CONNECTION_COUNT, open_now),
            (catalogue.CONNECTION_CREATED, created),
            (catalogue.CONNECTION_CLOSED, closed),
        )
    ]


def _loop(sources: Sources) -> Snapshot:
    monitor = sources.lag_monitor
    holds: Rows = [((name,), count) for name, count in dict(monitor.holds).items()]
    lag = distribution(monitor.measured, monitor.latest_s())
    return [(catalogue.LOOP_LAG, [((), lag)]), (catalogue.LOOP_HOLDS, holds)]


def _zookeeper(sources: Sources) -> Snapshot:
    events = sources.zookeeper_events
    if events is None:
        return []
    latency = sources.services.zookeeper_latency_ms
    times: Rows = [] if latency is None else [((), latency.value())]
    return [
        (catalogue.ZK_LATENCY, times),
        (catalogue.ZK_EXPIRES, [((), events["EXPIRED"])]),
        (catalogue.ZK_DISCONNECTS, [((), events["SUSPENDED"])]),
        (catalogue.ZK_CONNECTS, [((), events["CONNECTED"])]),
    ]


def _cleaner(sources: Sources) -> Snapshot:
    cleaner = sources.log_cleaner
    if cleaner is None:
        return []
    directories = [str(path) for path in sources.services.replicas.log_manager.log_dirs.paths]
    counts, sizes = Counter[str](), Counter[str]()
    for log in cleaner.uncleanable():
        directory = str(log.directory.parent)
        counts[directory] += 1
        sizes[directory] += cleaner.uncleanable_bytes(log)
    stats = cleaner.last_stats
    recopy = 100 * stats.bytes_written / stats.bytes_read if stats is not None and stats.bytes_read else 0.0
    single = (
        (catalogue.CLEANER_LAST_RUN, max(0, now_ms() - cleaner.last_run_ms)),
        (catalogue.CLEANER_DIRTY, int(100 * cleaner.max_dirty_ratio)),
        (catalogue.CLEANER_DELAY, cleaner.max_compaction_delay_ms // 1000),
        (catalogue.CLEANER_TIME, cleaner.last_round_s),
        (catalogue.CLEANER_RECOPY, int(recopy)),
        (catalogue.CLEANER_BUFFER, int(100 * cleaner.buffer_utilization)),
        (catalogue.CLEANER_DEAD, max(0, cleaner.wanted - cleaner.running)),
    )
    return [
        *figures(single),
        (catalogue.CLEANER_UNCLEANABLE, [((each,), counts[each]) for each in directories]),
        (catalogue.CLEANER_UNCLEANABLE_BYTES, [((each,), sizes[each]) for each in directories]),
    ]


async def collect_controller(sources: Sources, budget: LoopBudget) -> Snapshot:
    """Return the figures of the controller, which are 0 on other brokers, and the live brokers."""
    image, node_id = sources.services.metadata.image, sources.services.node_id
    brokers: Rows = []
    for broker in image.live_brokers():
        where = broker.endpoints[0] if broker.endpoints else None
        brokers.append(((str(broker.node_id), "" if where is None else f"{where.host}:{where.port}"), 1))
    single: list[tuple[Metric, int | float]] = [(catalogue.BROKERS, len(image.brokers))]
    controller = sources.services.kafka_controller
    if controller is not None:
        gauges = controller.metrics.gauges()
        single += [(metric, gauges[metric.name]) for metric in catalogue.OF_ACTIVE_CONTROLLER]
        single.append((catalogue.UNCLEAN_ELECTIONS, controller.metrics.unclean_leader_elections))
        single.append((catalogue.CONTROLLER_QUEUE, gauges["EventQueueSize"]))
        single.append((catalogue.CONTROLLER_REQUESTS_QUEUED, gauges["TotalQueueSize"]))
        times = [(catalogue.CONTROLLER_QUEUE_TIME, controller.metrics.queue_times_ms)]
        times += [(catalogue.CONTROLLER_TIMES[name], each) for name, each in controller.metrics.times_ms.items()]
        histograms: Snapshot = [(metric, [((), each.value())]) for metric, each in times]
        return [*figures(single), *histograms, (catalogue.BROKER_INFO, brokers)]
    is_controller = image.controller_id == node_id
    topics = partitions = offline = imbalanced = 0
    if is_controller:
        topics = len(image.topics)
        for _, _, partition in image.partitions():
            partitions += 1
            if partition.leader not in image.brokers:
                offline += 1
            if partition.replicas and partition.leader != partition.replicas[0]:
                imbalanced += 1
            await budget.yield_if_due()
    single += [
        (catalogue.ACTIVE_CONTROLLER, int(is_controller)),
        (catalogue.OFFLINE_PARTITIONS, offline),
        (catalogue.GLOBAL_TOPICS, topics),
        (catalogue.GLOBAL_PARTITIONS, partitions),
        (catalogue.PREFERRED_IMBALANCE, imbalanced),
        (catalogue.ACTIVE_BROKERS, len(image.brokers) if is_controller else 0),
        (catalogue.TOPICS_TO_DELETE, 0),
        (catalogue.TOPICS_INELIGIBLE, 0),
        (catalogue.REPLICAS_TO_DELETE, 0),
        (catalogue.UNCLEAN_ELECTIONS, 0),
    ]
    return [*figures(single), (catalogue.BROKER_INFO, brokers)]
