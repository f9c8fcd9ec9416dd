"""The group coordinator of one broker: the shards of `__consumer_offsets`, and what concerns all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.coordinator.group.requests import ListGroups, TopicsDeleted
from wirebroker.coordinator.group.settings import GroupSettings
from wirebroker.coordinator.host import CoordinatorHost
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from wirebroker.config.server import BrokerConfig
    from wirebroker.coordinator.group.classic import ClassicGroup
    from wirebroker.coordinator.shard import Shard
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.replication.replica_manager import ReplicaManager

OFFSETS_TOPIC: Final = "__consumer_offsets"


class GroupCoordinator(CoordinatorHost):
    """Groups whose `__consumer_offsets` partition this broker leads."""

    def __init__(self, config: BrokerConfig, metadata: MetadataCache, replicas: ReplicaManager) -> None:
        super().__init__(OFFSETS_TOPIC, metadata, replicas, self._new_shard, "wirebroker.coordinator.group.shard")
        self.settings = _settings(config)

    def _new_shard(self, partition: int) -> Shard:
        # Imported with the first group: a broker without any starts sooner and stays smaller.
        from wirebroker.coordinator.group.shard import GroupShard

        def batch_limit() -> int:
            replica = self._replicas.find(OFFSETS_TOPIC, partition)
            return replica.log.config.max_message_bytes if replica is not None else 0

        return GroupShard(self.settings, self._topic_exists, batch_limit)

    def _topic_exists(self, name: str, partition: int) -> bool:
        """Whether the metadata has the partition, even if its log directory is offline or another broker leads it."""
        topic = self._metadata.image.topic(name)
        return topic is not None and 0 <= partition < len(topic.partitions)

    def _topics_deleted(self, names: frozenset[str]) -> None:
        """Have every shard remove the offsets of deleted topics, in steps; what is committed from now on stays."""
        for index in self.runtime.shards():
            self.runtime.notify(index, TopicsDeleted(names))

    async def list_groups(self) -> tuple[list[ClassicGroup], ErrorCode]:
        """All groups here, and 14 if some shard is still loading."""
        groups: list[ClassicGroup] = []
        code = ErrorCode.NONE
        for index in self.runtime.shards():
            try:
                groups += await self.runtime.request(index, ListGroups())
            except ApiError as fault:
                code = fault.code
        return groups, code


def _settings(config: BrokerConfig) -> GroupSettings:
    def number(name: str) -> int:
        value = config.value(name)
        assert isinstance(value, int)
        return value

    return GroupSettings(
        min_session_timeout_ms=number("group.min.session.timeout.ms"),
        max_session_timeout_ms=number("group.max.session.timeout.ms"),
        initial_rebalance_delay_ms=number("group.initial.rebalance.delay.ms"),
        max_size=number("group.max.size"),
        offset_metadata_max_bytes=number("offset.metadata.max.bytes"),
        offsets_retention_ms=number("offsets.retention.minutes") * 60_000,
        offsets_retention_check_ms=number("offsets.retention.check.interval.ms"),
    )
