"""CoordinatorHost: the base of a coordinator: shards on a runtime, which follow the partitions that are served."""

from __future__ import annotations

from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import trio

from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.metadata.changes import TopicDeleted
from wirebroker.metadata.partitioning import partition_for
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wirebroker.coordinator.shard import Shard
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.changes import Change
    from wirebroker.metadata.image import ClusterImage, TopicImage
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager

_partition_for = lru_cache(4096)(partition_for)  # the hash walks the whole key: 2 us, at every heartbeat and commit


class CoordinatorHost:
    """The shards of one internal topic, and which of them owns a key.

    Shards follow in the same call that publishes an image, before the next image can come: a partition that was deleted
    and made again between two looks would otherwise keep a shard that appends to the deleted one.
    """

    def __init__(
        self,
        topic: str,
        metadata: MetadataCache,
        replicas: ReplicaManager,
        new_shard: Callable[[int], Shard],
        shard_module: str,
        start_errand: Callable[[int, int, Any], None] | None = None,
    ) -> None:
        self.topic = topic
        self.shard_module = shard_module
        self._metadata = metadata
        self._replicas = replicas
        self._following = trio.Event()
        self.runtime = CoordinatorRuntime(topic, new_shard, start_errand, partial(replicas.find, topic), self._unloaded)

    async def run(self) -> None:
        """Load what this broker leads, follow what changes, and keep time; runs until cancelled."""
        if not self._following.is_set():
            self._metadata.subscribe(self._published)
            self._following.set()
        self._follow(self._metadata.image.topic(self.topic))
        await self.runtime.run()

    async def import_shards(self) -> None:
        """Import in a thread what the first shard needs: 0.1 s that the event loop would stand still for."""
        await trio.to_thread.run_sync(import_module, self.shard_module)

    async def caught_up(self) -> None:
        """Wait until what the metadata says now is being coordinated, or could not be loaded."""
        await self._following.wait()
        await self.runtime.first_loads()

    def _published(self, before: ClusterImage, after: ClusterImage, changes: Sequence[Change]) -> None:
        topic = after.topic(self.topic)
        if topic is not before.topic(self.topic):
            self._follow(topic)
        deleted = frozenset(each.name for each in changes if isinstance(each, TopicDeleted)) - {self.topic}
        if deleted:
            self._topics_deleted(deleted)

    def _follow(self, topic: TopicImage | None) -> None:
        """Have a shard for each partition of *topic* that is served here, and no other."""
        served: dict[int, Partition] = {}
        if topic is not None:
            for index in range(len(topic.partitions)):
                partition = self._replicas.find(self.topic, index)
                if partition is not None and partition.topic_id == topic.topic_id:
                    served[index] = partition
        self.runtime.follow(served)

    def _unloaded(self, index: int) -> None:
        """Called after a shard was unloaded."""

    def _topics_deleted(self, names: frozenset[str]) -> None:
        """Called when other topics were deleted, before one is created under the name of any of them."""

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
