"""What every coordinator of one broker is: shards on a runtime, loaded and unloaded as the metadata says."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import trio

from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.metadata.image import ClusterImage
from wirebroker.metadata.partitioning import partition_for
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wirebroker.coordinator.shard import Shard
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.changes import Change
    from wirebroker.replication.replica_manager import ReplicaManager

_partition_for = lru_cache(4096)(partition_for)  # the hash walks the whole key: 2 us, at every heartbeat and commit


class CoordinatorHost:
    """Keeps the shards of one internal topic, and finds the one that owns a key."""

    def __init__(
        self,
        topic: str,
        metadata: MetadataCache,
        replicas: ReplicaManager,
        new_shard: Callable[[int], Shard],
        start_errand: Callable[[int, Any], None] | None = None,
    ) -> None:
        self.topic = topic
        self._metadata = metadata
        self._replicas = replicas
        self._followed: ClusterImage | None = None
        self._caught_up = trio.lowlevel.ParkingLot()
        self.runtime = CoordinatorRuntime(topic, new_shard, start_errand)

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
        """Take over new partitions, leave those that are gone."""
        if after.topic(self.topic) is not before.topic(self.topic):
            loaded = set(self.runtime.shards())
            topic = after.topic(self.topic)
            wanted = set(range(len(topic.partitions))) if topic is not None else set()
            for index in loaded - wanted:
                self.runtime.unload(index)
                self._unloaded(index)
            for index in sorted(wanted - loaded):
                partition = self._replicas.find(self.topic, index)
                if partition is not None:
                    await self.runtime.load(index, partition)
        gone = frozenset(before.topics) - frozenset(after.topics) - {self.topic}
        if gone:
            await self._topics_gone(gone)

    def _unloaded(self, index: int) -> None:
        """Called after a shard was unloaded."""

    async def _topics_gone(self, names: frozenset[str]) -> None:
        """Called after other topics were deleted."""

    def shard_of(self, key: str) -> int:
        """The shard that owns *key*.

        Raises:
            ApiError: NOT_COORDINATOR while the topic is not there.
        """
        topic = self._metadata.image.topic(self.topic)
        if topic is None:
            raise ApiError(ErrorCode.NOT_COORDINATOR)
        return _partition_for(key, len(topic.partitions))

    async def request(self, key: str, request: Any) -> Any:
        """Ask the shard of *key*.

        Raises:
            ApiError: coordinator codes.
        """
        return await self.runtime.request(self.shard_of(key), request)
