"""Partitions to write to, made at once, and metadata without topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import ClusterImage

if TYPE_CHECKING:
    from wirebroker.config.log import LogConfig
    from wirebroker.metadata.image import TopicImage
    from wirebroker.replication.replica_manager import ReplicaManager

NO_TOPICS: Final = MetadataCache(ClusterImage())


def become_leader(
    replicas: ReplicaManager, topic: TopicImage, index: int, config: LogConfig, *, is_new: bool = False
) -> None:
    """Make partitions leaders as `ReplicaManager.become_leaders` does, without its thread."""
    log = replicas.log_manager.get_or_create(topic.name, index, topic.topic_id, config, is_new=is_new)
    replicas.serve(topic, index, log)
