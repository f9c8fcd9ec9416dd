"""Gives logs the settings of their topics in an image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wirebroker.loop_budget import LoopBudget

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.config.log import LogConfig
    from wirebroker.metadata.image import ClusterImage


class ConfiguredReplicas(Protocol):
    """The partitions of this broker."""

    def reconfigure(self, topic: str, config: LogConfig) -> None:
        """Give the logs of *topic* their new configuration."""


async def reconfigure_logs(
    replicas: ConfiguredReplicas, topics: Iterable[str], image: ClusterImage, config: DynamicConfig
) -> None:
    """Give the logs of *topics* their settings in *image*; topics with the same settings share a LogConfig."""
    budget = LoopBudget()
    known: dict[frozenset[tuple[str, str]], LogConfig] = {}
    for topic in topics:
        settings = image.topic_config(topic)
        key = frozenset(settings.items())
        log_config = known.get(key)
        if log_config is None:
            log_config = known[key] = config.current.log_config(settings)
        replicas.reconfigure(topic, log_config)
        await budget.yield_if_due()
