"""Brings the broker settings of metadata images into the DynamicConfig, as Kafka's DynamicConfigPublisher does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.config.unsupported import check_dynamic_settings
from wirebroker.metadata.image import BROKER_RESOURCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.metadata.records import MetadataRecord


def dynamic_settings(image: ClusterImage, node_id: int) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the dynamic settings of all brokers, and those of one."""
    return image.config(BROKER_RESOURCE, ""), image.config(BROKER_RESOURCE, str(node_id))


def follow_broker_configs(cache: MetadataCache, config: DynamicConfig) -> None:
    """Update *config* from the current image of *cache* now, and from every image at the moment of its publication.

    Raises:
        UnsupportedSettings: a setting in the current image is not supported, and nothing waives it.
    """

    def on_publish(_before: ClusterImage, image: ClusterImage, _records: Sequence[MetadataRecord]) -> None:
        config.update(*dynamic_settings(image, config.current.node_id))

    on_publish(cache.image, cache.image, ())
    check_dynamic_settings(config.current)
    cache.subscribe(on_publish)
