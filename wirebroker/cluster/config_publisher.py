"""ConfigPublisher: brings the settings in ZooKeeper into the metadata image, and from there to logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.cluster.config_znodes import config_entity, record_of
from wirebroker.controller.log_configs import reconfigure_logs
from wirebroker.metadata.image import TOPIC_RESOURCE
from wirebroker.metadata.records import ClientQuotaRecord, ConfigsRecord, apply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from wirebroker.cluster.config_store import ConfigStore
    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.records import MetadataRecord
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.zookeeper.znodes.configs import ConfigEntity

_LONGEST_READ_S: Final = 2.0
"""How long a new partition waits for the settings of its topic, while ZooKeeper is silent."""


class ConfigPublisher:
    """Publishes images with the settings that ZooKeeper has.

    Args:
        store: Where settings are read.
        metadata: Where images are published.
        config: The settings of this broker, a part of them.
        replicas: The logs.
    """

    def __init__(
        self, store: ConfigStore, metadata: MetadataCache, config: DynamicConfig, replicas: ReplicaManager
    ) -> None:
        self._store = store
        self._metadata = metadata
        self._config = config
        self._replicas = replicas
        self.on_topic_changed: Callable[[str], None] = lambda _: None
        """Called with each topic whose settings have changed, once they are published."""

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Follow all changes until cancelled."""
        await self._store.follow(self.refresh, task_status)

    async def refresh(self, entities: Sequence[ConfigEntity]) -> None:
        """Read the settings of *entities* again, and publish those that have changed."""
        found = await self._store.read_many(entities)
        await self.publish([record_of(*each) for each in zip(entities, found, strict=True)])

    async def read_new_topics(self, names: Iterable[str]) -> None:
        """Read the settings of topics that this broker has just heard of, and of which none are known.

        Without an answer of ZooKeeper within two seconds the topics begin with the defaults of this broker.
        """
        configs = self._metadata.image.configs
        unknown = [config_entity(TOPIC_RESOURCE, name) for name in names if (TOPIC_RESOURCE, name) not in configs]
        if unknown:
            with trio.move_on_after(_LONGEST_READ_S):
                await self.refresh(unknown)

    async def publish(self, records: Sequence[ConfigsRecord | ClientQuotaRecord]) -> None:
        """Publish *records* as far as they change anything; return when logs have their settings."""
        image = self._metadata.image
        changes: list[MetadataRecord] = []
        topics: list[str] = []
        for each in records:
            if isinstance(each, ClientQuotaRecord):
                if (image.client_quotas.get(each.entity) or {}) != (each.quotas or {}):
                    changes.append(each)
            elif dict(image.config(each.resource_type, each.name)) != dict(each.configs or {}):
                changes.append(each)
                if each.resource_type == TOPIC_RESOURCE:
                    topics.append(each.name)
        if not changes:
            return
        defaults = self._config.current.topic_defaults
        image = apply(image, *changes)
        self._metadata.publish(image, changes)
        names: Iterable[str] = topics if self._config.current.topic_defaults == defaults else tuple(image.topics)
        named = [image.topics[name] for name in names if name in image.topics]
        for topic in topics:
            self.on_topic_changed(topic)
        await reconfigure_logs(self._replicas, named, image, self._config)
