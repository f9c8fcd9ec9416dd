"""MetricsEndpoint: the paths of the HTTP server for metrics and health.

/metrics            the text format of Prometheus
/metrics/confluent  the same under the names that the dashboards of Confluent's jmx-monitoring-stacks query
/jmx                the same as MBeans, with rates over 1, 5 and 15 minutes, as JSON
/healthz            200 as long as the event loop answers
/readyz             200 while the broker serves its clients, 503 with the reason before and after
"""

from __future__ import annotations

import json
import logging
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

from wirebroker.metrics.jmx import mbeans
from wirebroker.metrics.prometheus import CONTENT_TYPE, confluent_name, render
from wirebroker.monitoring.http_server import HttpResponse, HttpServer
from wirebroker.monitoring.sources import RUNNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.metrics.metric import Snapshot
    from wirebroker.monitoring.collector import Collector

logger = logging.getLogger(__name__)


class MetricsEndpoint:
    """Answers requests with the metrics of *collector*."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self.server = HttpServer(self.handle)

    async def open(self, host: str, port: int) -> None:
        """Listen, and log where.  Raises OSError."""
        await self.server.open(host, port)
        logger.info("metrics on http://%s:%d/metrics", f"[{host}]" if ":" in host else host, self.server.port)

    async def handle(self, path: str) -> HttpResponse:
        """Return the response for a path."""
        if path == "/metrics":
            return HttpResponse(HTTPStatus.OK, await self._collector.collect(render), CONTENT_TYPE)
        if path == "/metrics/confluent":
            text = await self._collector.collect(partial(render, name_of=confluent_name))
            return HttpResponse(HTTPStatus.OK, text, CONTENT_TYPE)
        if path == "/jmx":
            return HttpResponse(HTTPStatus.OK, await self._collector.collect(self._jmx), "application/json")
        if path == "/healthz":
            return HttpResponse(HTTPStatus.OK, [b"ok\n"])
        if path == "/readyz":
            return self._readiness()
        return HttpResponse(HTTPStatus.NOT_FOUND, [b"there are /metrics, /jmx, /healthz and /readyz\n"])

    def _jmx(self, snapshot: Snapshot) -> Iterator[bytes]:
        comma = "["
        for mbean in mbeans(snapshot, self._collector.rates):
            yield f"{comma}{json.dumps(mbean)}".encode()
            comma = ","
        yield b"]"

    def _readiness(self) -> HttpResponse:
        sources = self._collector.sources
        if sources.state != RUNNING:
            return HttpResponse(HTTPStatus.SERVICE_UNAVAILABLE, [b"the broker is shutting down\n"])
        if not sources.services.replicas.log_manager.log_dirs.online:
            return HttpResponse(HTTPStatus.SERVICE_UNAVAILABLE, [b"every log directory has failed\n"])
        return HttpResponse(HTTPStatus.OK, [b"ready\n"])
