"""Start what serves and reports the metrics of a broker; the broker imports this module if anything is to."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from threading import get_ident
from time import clock_gettime, monotonic, pthread_getcpuclockid, time
from typing import TYPE_CHECKING

from wirebroker.monitoring.collector import Collector
from wirebroker.monitoring.csv_metrics import CsvMetrics
from wirebroker.monitoring.endpoint import MetricsEndpoint
from wirebroker.monitoring.idle_ratio import IdleRatio
from wirebroker.monitoring.process import process_start_s
from wirebroker.monitoring.reporters import Reporter
from wirebroker.monitoring.settings import writes_csv_files
from wirebroker.monitoring.sources import SHUTTING_DOWN, Sources

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    import trio

    from wirebroker.config.server import BrokerConfig
    from wirebroker.handlers.context import Services
    from wirebroker.log_cleaner import LogCleaner
    from wirebroker.server.loop_lag import LoopLagMonitor
    from wirebroker.server.processor import Processor


class Monitoring:
    """The collector of one broker, and what uses it."""

    def __init__(self, collector: Collector) -> None:
        self.collector = collector

    def shutting_down(self) -> None:
        """Say from now on that the broker is shutting down."""
        self.collector.sources.state = SHUTTING_DOWN


def idle_s(now_s: float, cpu_s: float, processors: Sequence[Processor]) -> float:
    """Return a number that grows by the time in which the event loop had nothing to do.

    The loop is busy while its thread runs, but for the polls of sockets that found nothing.  To ask the system for that
    costs requests nothing.
    """
    return now_s - cpu_s + sum(processor.polled_s for processor in processors)


async def start_monitoring(
    nursery: trio.Nursery,
    config: BrokerConfig,
    services: Services,
    processors: Sequence[Processor],
    lag_monitor: LoopLagMonitor,
    log_cleaner: LogCleaner | None,
    keep_running: Callable[[str, Callable[[], Awaitable[None]]], Awaitable[None]],
) -> Monitoring:
    """Start the endpoint, the reporters and the rates in *nursery*; *keep_running* starts those again that fail.

    Raises:
        OSError: the address of the endpoint cannot be used.
    """
    cpu_clock = pthread_getcpuclockid(get_ident())  # of the thread of the event loop, which is this one
    idle_ratio = IdleRatio(lambda: idle_s(monotonic(), clock_gettime(cpu_clock), processors), monotonic)
    sources = Sources(
        services=services,
        processors=processors,
        lag_monitor=lag_monitor,
        idle_ratio=idle_ratio,
        log_cleaner=log_cleaner,
        zookeeper_events=services.zookeeper_events,
        started_s=process_start_s(time()),
    )
    collector = Collector(sources)
    if config.wirebroker_metrics_port >= 0:
        endpoint = MetricsEndpoint(collector)
        await endpoint.open(config.wirebroker_metrics_host, config.wirebroker_metrics_port)
        nursery.start_soon(endpoint.server.serve)
    nursery.start_soon(keep_running, "rates of metrics", collector.run)
    prefix, interval_s = config.wirebroker_metrics_prefix, config.wirebroker_metrics_report_interval_ms / 1000
    for where, over_udp in ((config.wirebroker_metrics_graphite, False), (config.wirebroker_metrics_statsd, True)):
        if where:
            host, _, port = where.rpartition(":")
            reporter = Reporter(collector, (host.strip("[]"), int(port)), prefix, over_udp=over_udp)
            nursery.start_soon(keep_running, "metrics reporter", partial(reporter.run, interval_s))
    if writes_csv_files(config):
        csv_metrics = CsvMetrics(collector, Path(config.kafka_csv_metrics_dir))
        work = partial(csv_metrics.run, config.kafka_metrics_polling_interval_secs)
        nursery.start_soon(keep_running, "CSV metrics reporter", work)
    return Monitoring(collector)
