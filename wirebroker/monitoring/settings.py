"""The part of a broker's settings that is about this package; every broker imports this file, so it imports little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.config.sections.metrics import CSV_REPORTER

if TYPE_CHECKING:
    from wirebroker.config.server import BrokerConfig


def writes_csv_files(config: BrokerConfig) -> bool:
    """Return whether the metrics are written to CSV files."""
    return config.kafka_csv_metrics_reporter_enabled and CSV_REPORTER in config.kafka_metrics_reporters


def is_asked_for(config: BrokerConfig) -> bool:
    """Return whether metrics are served, sent or written."""
    is_sent = config.wirebroker_metrics_graphite or config.wirebroker_metrics_statsd
    return config.wirebroker_metrics_port >= 0 or bool(is_sent) or writes_csv_files(config)
