"""GroupCoordinator: the shards of `__consumer_offsets` that this broker leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.group.group_config import GroupCoordinatorConfig
from wirebroker.coordinator.service import CoordinatorService
from wirebroker.model import GROUP_METADATA_TOPIC_NAME
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.record.compression import Codec

if TYPE_CHECKING:
    from wirebroker.config.server import BrokerConfig
    from wirebroker.coordinator.group.classic_group import ClassicGroup
    from wirebroker.coordinator.runtime import CoordinatorRuntime
    from wirebroker.coordinator.shard import CoordinatorShard
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.replication.replica_manager import ReplicaManager


class GroupCoordinator(CoordinatorService):
    """Groups whose `__consumer_offsets` partition this broker leads."""

    def __init__(self, config: BrokerConfig, metadata: MetadataCache, replicas: ReplicaManager) -> None:
        super().__init__(GROUP_METADATA_TOPIC_NAME, metadata, replicas, "wirebroker.coordinator.group.shard")
        self.config = GroupCoordinatorConfig(config.value)
        self._profile = config.release_profile
        self._protocol = config.inter_broker_protocol if config.text("zookeeper.connect") else None

    def _new_runtime(self) -> CoordinatorRuntime:
        runtime = super()._new_runtime()
        runtime.commit_timeout_s = self.config.offsets_commit_timeout_ms / 1000
        runtime.codec = Codec(self.config.offsets_topic_compression_codec)
        return runtime

    def _new_shard(self, index: int) -> CoordinatorShard:
        # imported with the first group: 70 ms and 3.3 MB that a broker without groups saves
        from wirebroker.coordinator.group.records import record_versions
        from wirebroker.coordinator.group.release_rules import group_rules
        from wirebroker.coordinator.group.shard import GroupShard

        def batch_limit() -> int:
            replica = self._replicas.find(GROUP_METADATA_TOPIC_NAME, index)
            config = replica.log.config if replica is not None else None
            return min(config.max_message_bytes, config.segment_bytes) if config is not None else 0

        versions = record_versions(self._profile, self._protocol)
        return GroupShard(self.config, self._topic_exists, batch_limit, versions, group_rules(self._profile))

    def _topic_exists(self, name: str, partition: int) -> bool:
        """Whether the metadata has the partition, even if its log directory is offline or another broker leads it."""
        topic = self._metadata.image.topic(name)
        return topic is not None and 0 <= partition < len(topic.partitions)

    def _topics_deleted(self, names: frozenset[str]) -> None:
        """Have every shard remove the offsets of deleted topics, but for those committed from now on."""
        for index in self.shards():
            from wirebroker.coordinator.group.requests import TopicsDeleted  # which a shard has imported

            self.runtime.notify(index, TopicsDeleted(names))

    def offsets_marker_written(self, index: int, producer_id: int, committed: bool) -> None:
        """Have shard *index* apply the offsets of a transaction, whose marker its partition has now."""
        if self._runtime is not None:
            self._runtime.end_transaction(index, producer_id, committed)

    async def list_groups(self) -> tuple[list[ClassicGroup], ErrorCode]:
        """All groups of this broker, and COORDINATOR_LOAD_IN_PROGRESS (or the like) if a shard is missing."""
        from wirebroker.coordinator.group.requests import ListGroups

        groups: list[ClassicGroup] = []
        code = ErrorCode.NONE
        for index in self.shards():
            try:
                groups += await self.runtime.request(index, ListGroups())
            except ApiError as fault:
                code = fault.code
        return groups, code
