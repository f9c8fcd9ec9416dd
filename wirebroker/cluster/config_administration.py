"""ConfigAdministration: alters the settings and client quotas that ZooKeeper has.

The image of a broker lacks the settings of topics that were created since its start and have no replica here, and it
lags behind changes of other brokers.  So each request reads the znodes of what it is about, as Apache Kafka does, and
each change is written only if its znode was not changed meanwhile; else it begins anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from wirebroker.cluster.config_znodes import config_entity, entity_of_record, quota_entity, record_of, with_record
from wirebroker.loop_budget import LoopBudget
from wirebroker.metadata.image import BROKER_RESOURCE, CLIENT_METRICS_RESOURCE, TOPIC_RESOURCE, ClusterImageDelta
from wirebroker.metadata.records import ClientQuotaRecord, ConfigsRecord
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.zookeeper.errors import BadVersion

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence

    from wirebroker.cluster.config_publisher import ConfigPublisher
    from wirebroker.cluster.config_store import ConfigStore, VersionedConfig
    from wirebroker.controller.administration import ConfigAlteration, QuotaAlteration
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.quota.levels import QuotaEntity
    from wirebroker.zookeeper.znodes.configs import ConfigEntity

R = TypeVar("R", ConfigsRecord, ClientQuotaRecord)


class ConfigAdministration:
    """Reads settings for requests, and alters them; one alteration after the other.

    Args:
        node_id: The id of this broker.
        metadata: The image without what is read.
        store: Where settings are read and written.
        publisher: Brings written settings into the image at once.
    """

    def __init__(self, node_id: int, metadata: MetadataCache, store: ConfigStore, publisher: ConfigPublisher) -> None:
        self._node_id = node_id
        self._metadata = metadata
        self._store = store
        self._publisher = publisher

    async def image_with_configs(self, resources: Collection[tuple[int, str]]) -> ClusterImage:
        """Return the image with the settings of *resources* that ZooKeeper has; see `Administration`."""
        image = self._metadata.image
        return await _image_with(image, await self._store.read_in_time(self._entities(image, resources)))

    async def alter_configs(self, resources: Collection[tuple[int, str]], alter: ConfigAlteration) -> None:
        """Write the records that *alter* returns for an image with the present settings of *resources*."""

        async def alter_in_cluster(image: ClusterImage) -> Sequence[ConfigsRecord]:
            records = await alter(image)
            if any(each.resource_type == CLIENT_METRICS_RESOURCE for each in records):
                raise ApiError(
                    ErrorCode.INVALID_REQUEST, "a cluster with ZooKeeper has no client metrics subscriptions"
                )
            return records

        image = self._metadata.image
        await self._alter(image, self._entities(image, resources), alter_in_cluster)

    async def alter_client_quotas(self, entities: Collection[QuotaEntity], alter: QuotaAlteration) -> None:
        """Write the records that *alter* returns for an image with the present quotas of *entities*."""
        await self._alter(self._metadata.image, [quota_entity(each) for each in entities], alter)

    def _entities(self, image: ClusterImage, resources: Iterable[tuple[int, str]]) -> list[ConfigEntity]:
        """Return the bearers of the settings of those *resources* that exist; a broker is this one."""
        found: dict[ConfigEntity, None] = {}
        for kind, name in resources:
            if kind == TOPIC_RESOURCE and name in image.topics:
                found[config_entity(kind, name)] = None
            elif kind == BROKER_RESOURCE:
                found[config_entity(kind, str(self._node_id) if name else "")] = None
        return list(found)

    async def _alter(
        self,
        image: ClusterImage,
        entities: Sequence[ConfigEntity],
        alter: Callable[[ClusterImage], Awaitable[Sequence[R]]],
    ) -> None:
        """Write the records that *alter* returns for *image* with the present settings of *entities*.

        For a znode that was changed meanwhile *alter* is called again; it finds the settings of those that are written
        as they were before, so that it returns the same records for them.
        """
        found = await self._store.read_in_time(entities)
        written: dict[ConfigEntity, R] = {}
        while True:
            conflicts: list[ConfigEntity] = []
            for record in await alter(await _image_with(image, found)):
                entity = entity_of_record(record)
                if entity in written:
                    continue
                settings, version = found[entity]
                try:
                    await self._store.write_in_time(entity, with_record(settings, record), version)
                    written[entity] = record
                except BadVersion:
                    conflicts.append(entity)
            if not conflicts:
                break
            found |= await self._store.read_in_time(conflicts)
        await self._publisher.publish(list(written.values()))


async def _image_with(image: ClusterImage, found: Mapping[ConfigEntity, VersionedConfig]) -> ClusterImage:
    """Return *image* with the settings in *found*."""
    delta, budget = ClusterImageDelta(image), LoopBudget()
    for entity, (settings, _) in found.items():
        record_of(entity, settings).apply_to(delta)
        await budget.yield_if_due()
    return delta.apply()
