"""CoordinatorService: base class of the group and transaction coordinators; shards follow the served partitions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.metadata.partitioning import partition_for
from wirebroker.metadata.records import RemoveTopicRecord
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from wirebroker.coordinator.delayed_request import DelayedRequest
    from wirebroker.coordinator.runtime import CoordinatorRuntime
    from wirebroker.coordinator.shard import CoordinatorShard
    from wirebroker.coordinator.shard_context import ShardContext
    from wirebroker.coordinator.turn import PendingResponse, RequestClient
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.image import ClusterImage, TopicImage
    from wirebroker.metadata.records import MetadataRecord
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.timer.timer import Timer

_RUNTIME_MODULE: Final = "wirebroker.coordinator.runtime"
_partition_for = lru_cache(4096)(partition_for)  # the hash walks the whole key: 2 us, at every heartbeat and commit


class CoordinatorService(ABC):
    """The shards of one internal topic, and which of them owns a key; a subclass defines the shards.

    Shards are loaded and unloaded in the same call that publishes an image, before the next image can come: otherwise
    the shard of a partition that is deleted and created again could go on to append to the deleted one.

    The runtime of the shards is made with the first of them: a broker without groups and transactions saves its
    imports, 0.2 MB.

    Args:
        topic: the internal topic.
        metadata: which partitions there are.
        replicas: the partitions that this broker serves.
        shard_module: the module of the shard class, which is imported when the first shard is needed.
    """

    def __init__(self, topic: str, metadata: MetadataCache, replicas: ReplicaManager, shard_module: str) -> None:
        self.topic = topic
        self.shard_module = shard_module
        self.partition_count: int | None = None
        """By how many partitions keys are spread.  A member of a cluster sets it once the topic exists, as all brokers
        have to agree; None stands for the present number of partitions of the topic."""
        self._metadata = metadata
        self._replicas = replicas
        self._following = trio.Event()
        self._follows_leaders = False
        self._runtime: CoordinatorRuntime | None = None
        self._runtime_made = trio.Event()

    @property
    def runtime(self) -> CoordinatorRuntime:
        """The shards; made now if there were none so far."""
        runtime = self._runtime
        if runtime is None:
            runtime = self._runtime = self._new_runtime()
            self._runtime_made.set()
        return runtime

    def _new_runtime(self) -> CoordinatorRuntime:
        """Return a runtime without shards."""
        from wirebroker.coordinator.runtime import CoordinatorRuntime

        return CoordinatorRuntime(
            self.topic,
            self._new_shard,
            partial(self._replicas.find, self.topic),
            self._shard_unloaded,
            self._send_markers,
            self._replicas.timer,
        )

    def shards(self) -> list[int]:
        """Return the numbers of all shards, loaded or not."""
        return [] if self._runtime is None else self._runtime.shards()

    def active_shards(self) -> list[CoordinatorShard]:
        """Return the shards that handle requests."""
        return [] if self._runtime is None else self._runtime.active_shards()

    async def run(self) -> None:
        """Load the partitions that this broker leads, follow the metadata, and fire timers; runs until cancelled."""
        if not self._following.is_set():
            self._metadata.subscribe(self._published)
            self._following.set()
        if not self._follows_leaders:
            self._follow(self._metadata.image.topic(self.topic))
        await self._runtime_made.wait()
        await self.runtime.run()

    async def import_shards(self) -> None:
        """Import the modules of runtime and shard in a thread; in the event loop they would stop requests for 75 ms."""

        def import_both() -> None:
            import_module(_RUNTIME_MODULE)
            import_module(self.shard_module)

        await trio.to_thread.run_sync(import_both)

    async def caught_up(self) -> None:
        """Wait until every partition of the present image was loaded, or could not be."""
        await self._following.wait()
        if self._runtime is not None:
            await self._runtime.first_loads()

    def _published(self, before: ClusterImage, after: ClusterImage, changes: Sequence[MetadataRecord]) -> None:
        topic = after.topic(self.topic)
        if topic is not before.topic(self.topic) and not self._follows_leaders:
            self._follow(topic)
        deleted = frozenset(each.name for each in changes if isinstance(each, RemoveTopicRecord)) - {self.topic}
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
        self._follow_partitions(served)

    async def follow_leaders(self) -> None:
        """Have a shard for each partition of the topic that this broker leads now, and no other.

        To be called after each change of leaders by a controller elsewhere: from the first call on the image, which
        may know of a change sooner or later than this broker, does not decide.
        """
        self._follows_leaders = True
        if self._led_partitions():
            await self.import_shards()
        self._follow_partitions(self._led_partitions())

    def _follow_partitions(self, served: dict[int, Partition]) -> None:
        if served or self._runtime is not None:
            self.runtime.follow(served)

    def _led_partitions(self) -> dict[int, Partition]:
        partitions = [each for each in self._replicas.partitions() if each.topic_partition.topic == self.topic]
        return {each.topic_partition.partition: each for each in partitions if each.leader is not None}

    @abstractmethod
    def _new_shard(self, index: int) -> CoordinatorShard:
        """Return an empty shard for partition *index*."""

    def _shard_unloaded(self, index: int) -> None:  # noqa: B027 - nothing has to be done in most subclasses
        """Called after the shard of partition *index* was unloaded."""

    def _send_markers(self, index: int, leader_epoch: int, markers: Any) -> None:
        """Called with the pending markers of a shard; must not wait.  Only transactions have any."""
        raise AssertionError(f"a shard of {self.topic} has pending markers")

    def _topics_deleted(self, names: frozenset[str]) -> None:  # noqa: B027 - as above
        """Called when other topics were deleted, before one is created under the name of any of them."""

    def partition_for(self, key: str) -> int:
        """The partition of the internal topic whose shard owns *key*; the topic may have too few.

        Raises:
            ApiError: NOT_COORDINATOR if the topic does not exist.
        """
        topic = self._metadata.image.topic(self.topic)
        if topic is None:
            raise ApiError(ErrorCode.NOT_COORDINATOR)
        return _partition_for(key, self.partition_count or len(topic.partitions))

    def request(self, key: str, request: Any, client: RequestClient | None = None) -> Awaitable[Any]:
        """Have the shard of *key* handle *request*, of the broker itself without a *client*; to be awaited.

        Raises:
            ApiError: coordinator codes.
        """
        return self.runtime.request(self.partition_for(key), request, client)

    def read(self, key: str, request: Any) -> Awaitable[Any]:
        """Have the shard of *key* answer *request* from what is committed, as `CoordinatorRuntime.read`; to be awaited.

        Raises:
            ApiError: coordinator codes.
        """
        return self.runtime.read(self.partition_for(key), request)

    def request_or_delay(
        self,
        key: str,
        request: Any,
        client: RequestClient,
        new_delayed: Callable[[ShardContext, PendingResponse, Timer], DelayedRequest] | None = None,
    ) -> Any:
        """Have the shard of *key* handle *request*; return the response, or a DelayedRequest from *new_delayed*.

        Raises:
            ApiError: coordinator codes.
        """
        return self.runtime.request_or_delay(self.partition_for(key), request, client, new_delayed)
