"""Sources: the objects whose state the metrics are read from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from wirebroker.handlers.context import Services
    from wirebroker.log_cleaner import LogCleaner
    from wirebroker.monitoring.idle_ratio import IdleRatio
    from wirebroker.server.loop_lag import LoopLagMonitor
    from wirebroker.server.processor import Processor

RUNNING, SHUTTING_DOWN = 3, 6
"""Kafka's numbers of the states of a broker."""


@dataclass(slots=True, kw_only=True)
class Sources:
    """The parts of one broker."""

    services: Services
    processors: Sequence[Processor]
    """The last one serves clients; there is another one before it for the control plane listener."""
    lag_monitor: LoopLagMonitor
    idle_ratio: IdleRatio
    log_cleaner: LogCleaner | None = None
    """None while compaction is turned off."""
    zookeeper_events: Counter[str] | None = None
    """State of the session with ZooKeeper -> how often it was entered; None without ZooKeeper."""
    state: int = RUNNING
    started_s: float = field(default=0.0)
    """When the process was started, in seconds since 1970."""
