"""The group coordinator of one broker: shards on the runtime, and which shard a group belongs to."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.coordinator.group.requests import ListGroups, TopicsDeleted
from wirebroker.coordinator.group.settings import GroupSettings
from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.metadata.image import ClusterImage
from wirebroker.metadata.partitioning import partition_for
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.config.server import BrokerConfig
    from wirebroker.coordinator.shard import Shard
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.changes import Change
    from wirebroker.replication.replica_manager import ReplicaManager

logger = logging.getLogger(__name__)

OFFSETS_TOPIC: Final = "__consumer_offsets"

_partition_for = lru_cache(4096)(partition_for)  # the hash walks the group's id: 2 us, at every heartbeat and commit


class GroupCoordinator:
    """Groups whose `__consumer_offsets` partition this broker leads."""

    def __init__(self, config: BrokerConfig, metadata: MetadataCache, replicas: ReplicaManager) -> None:
        self._metadata = metadata
        self._replicas = replicas
        self.settings = _settings(config)
        self._followed: ClusterImage | None = None
        self._caught_up = trio.lowlevel.ParkingLot()
        self.runtime = CoordinatorRuntime(OFFSETS_TOPIC, self._new_shard)

    def _new_shard(self, _: int) -> Shard:
        # Imported with the first group: a broker without any starts sooner and stays smaller.
        from wirebroker.coordinator.group.shard import GroupShard

        return GroupShard(self.settings, lambda topic, index: self._replicas.find(topic, index) is not None)

    async def run(self) -> None:
        """Load what this broker leads, follow what changes, and keep time; runs until cancelled."""
        changed = trio.Event()

        def look(_before: ClusterImage, _after: ClusterImage, _changes: Sequence[Change]) -> None:
            changed.set()

        self._metadata.subscribe(look)
        before = ClusterImage()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.runtime.run_timers)
            while True:
                after = self._metadata.image
                await self._follow(before, after)
                before = after
                self._followed = after
                self._caught_up.unpark_all()
                if self._metadata.image is after:
                    await changed.wait()
                changed = trio.Event()

    async def caught_up(self) -> None:
        """Wait until what the metadata says now is being coordinated."""
        while self._followed is not self._metadata.image:
            await self._caught_up.park()

    async def _follow(self, before: ClusterImage, after: ClusterImage) -> None:
        """Take over new partitions, forget offsets of topics that are gone."""
        if after.topic(OFFSETS_TOPIC) is not before.topic(OFFSETS_TOPIC):
            loaded = set(self.runtime.shards())
            topic = after.topic(OFFSETS_TOPIC)
            wanted = set(range(len(topic.partitions))) if topic is not None else set()
            for index in loaded - wanted:
                self.runtime.unload(index)
            for index in sorted(wanted - loaded):
                partition = self._replicas.find(OFFSETS_TOPIC, index)
                if partition is not None:
                    await self.runtime.load(index, partition)
        gone = frozenset(before.topics) - frozenset(after.topics) - {OFFSETS_TOPIC}
        if gone:
            for index in self.runtime.shards():
                try:
                    await self.runtime.request(index, TopicsDeleted(gone))
                except ApiError as fault:
                    # Offsets of a topic that is gone stay until they expire; the other shards go on.
                    logger.error("%s-%d: offsets of deleted topics stay: %s", OFFSETS_TOPIC, index, fault.code.name)

    def shard_of(self, group_id: str) -> int:
        """The shard that owns *group_id*.

        Raises:
            ApiError: NOT_COORDINATOR while there is no offsets topic here.
        """
        topic = self._metadata.image.topic(OFFSETS_TOPIC)
        if topic is None:
            raise ApiError(ErrorCode.NOT_COORDINATOR)
        return _partition_for(group_id, len(topic.partitions))

    async def request(self, group_id: str, request: Any) -> Any:
        """Ask the shard of *group_id*.

        Raises:
            ApiError: coordinator codes.
        """
        return await self.runtime.request(self.shard_of(group_id), request)

    async def list_groups(self) -> tuple[list[tuple[str, str, str]], ErrorCode]:
        """(group, protocol type, state) of all groups here, and 14 if some shard is still loading."""
        groups: list[tuple[str, str, str]] = []
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
