"""Brings the client quotas of metadata images to those who enforce them (Kafka: DynamicClientQuotaPublisher)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.metadata.records import MetadataRecord
    from wirebroker.quota.levels import QuotaEntity


def follow_client_quotas(
    cache: MetadataCache, update: Callable[[Mapping[QuotaEntity, Mapping[str, float]]], None]
) -> None:
    """Call *update* with the quotas of the current image now, and with those of every later image that changes them."""

    def on_publish(before: ClusterImage, image: ClusterImage, _records: Sequence[MetadataRecord]) -> None:
        if image.client_quotas is not before.client_quotas:
            update(image.client_quotas)

    update(cache.image.client_quotas)
    cache.subscribe(on_publish)
