"""Fetch requests to a broker's real logs and sessions, on a fake disk."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import trio

from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.fetch import handle_fetch
from wirebroker.handlers.routes import RouteTable
from wirebroker.metadata.image import ClusterImage, PartitionImage, TopicImage
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic
from wirebroker.quota.managers import QuotaManagers
from wirebroker.replication.fetch_session_cache import FetchSessionCache
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.controller.fakes import BROKER, broker_config
from wirebroker.tests.replication.leader import become_leader
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, Clock, batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from wirebroker.protocol.messages.fetch import FetchResponse, PartitionData
    from wirebroker.replication.delayed_operation import DelayedOperation
    from wirebroker.replication.partition import Partition

CONFIG = SMALL._replace(segment_bytes=1_000_000)
NEWEST = 17
"""The version that is used unless a test names one; topics are named by id from 13 on."""


class FetchHarness:
    """A data plane with topics that a test makes, deletes and appends to.

    Attributes:
        holds_responses: Whether requests come on a connection that needs no task for a request that waits.
    """

    holds_responses = False

    def __init__(
        self,
        topics: Mapping[str, int] = {"t": 3},
        *,
        dirs: Sequence[Path] = (DIR,),
        slots: int = 10,
        **settings: object,
    ) -> None:
        self.disk = FakeDisk()
        self.clock = Clock()
        self.logs = LogManager(dirs, CONFIG, files=self.disk, clock=self.clock)
        self.logs.load()
        self.metadata: Any = type("Metadata", (), {"image": ClusterImage()})()
        self.replicas = ReplicaManager(self.logs, self.metadata, lambda: None)
        trio.lowlevel.spawn_system_task(self.replicas.timer.run)  # ends with the test
        self.sessions = FetchSessionCache(slots)
        self.config = broker_config(**settings)
        self.services: Any = type("Services", (), {})()
        self.services.__dict__.update(
            quotas=QuotaManagers(),
            metadata=self.metadata,
            replicas=self.replicas,
            config=DynamicConfig(self.config),
            fetch_sessions=self.sessions,
            node_id=0,
            controller_requests=None,
        )
        self._ids = 0
        for name, count in topics.items():
            self.create(name, count)

    # -- topics

    def create(self, name: str, partitions: int = 1, leader_epoch: int = 0) -> TopicImage:
        self._ids += 1
        layout = (PartitionImage(0, leader_epoch, (0,), (0,)),) * partitions
        topic = TopicImage(name, self._ids.to_bytes(16, "big"), layout)
        for index in range(partitions):
            become_leader(self.replicas, topic, index, CONFIG, is_new=True)
        self.publish({**self.metadata.image.topics, name: topic})
        return topic

    async def delete(self, name: str) -> None:
        """First out of the metadata, as the controller does, then all out of service before a request looks again."""
        topics = dict(self.metadata.image.topics)
        count = len(topics.pop(name).partitions)
        self.publish(topics)
        async with trio.open_nursery() as nursery:
            for index in range(count):
                nursery.start_soon(partial(self.replicas.stop, name, index, delete=True))

    def publish(self, topics: Mapping[str, TopicImage]) -> None:
        """Let the metadata name these topics, whatever is served."""
        ids = {topic.topic_id: name for name, topic in topics.items()}
        self.metadata.image = ClusterImage(brokers={0: BROKER}, topics=topics, topic_ids=ids)

    def partition(self, index: int = 0, topic: str = "t") -> Partition:
        return self.replicas.get(topic, index)

    async def append(self, index: int = 0, *values: bytes, topic: str = "t", **more: Any) -> None:
        """One batch with these values."""
        await self.partition(index, topic).append_batch(batch(*values, **more), 1)

    # -- requests

    def request(
        self,
        wanted: Mapping[int, int | FetchPartition] | None = None,
        *,
        topic: str = "t",
        version: int = NEWEST,
        forget: Iterable[int] = (),
        **more: Any,
    ) -> FetchRequest:
        """{partition: offset or more} of one topic; by name and by id, whichever *version* has."""
        known = self.metadata.image.topics.get(topic)
        topic_id = bytes(16) if known is None else known.topic_id
        partitions = []
        for index, what in (wanted or {}).items():
            entry = what if isinstance(what, FetchPartition) else FetchPartition(fetch_offset=what)
            entry.partition = index
            entry.partition_max_bytes = entry.partition_max_bytes or 1 << 20
            partitions.append(entry)
        name, topic_id = (topic, bytes(16)) if version < 13 else ("", topic_id)
        given: dict[str, Any] = {"max_wait_ms": 0, "min_bytes": 1, "max_bytes": 1 << 24} | more
        forgotten = [ForgottenTopic(name, topic_id, list(forget))] if forget else []
        return FetchRequest(
            topics=[FetchTopic(name, topic_id, partitions)] if partitions else [],
            forgotten_topics_data=forgotten,
            **given,
        )

    async def ask(self, request: FetchRequest, version: int = NEWEST) -> FetchResponse:
        context = RequestContext(self.services, routes=RouteTable())
        context.version, context.client_id = version, "c"
        context.holds_responses = self.holds_responses
        response = await handle_fetch(context, request)
        if context.delayed is not None:
            await completed(context.delayed)
        return response

    async def fetch(
        self, wanted: Mapping[int, int | FetchPartition] | None = None, *, version: int = NEWEST, **more: Any
    ) -> dict[int, PartitionData]:
        """The answer by partition; sessionless unless *more* names a session."""
        return answers(await self.ask(self.request(wanted, version=version, **more), version))


async def completed(operation: DelayedOperation) -> None:
    """Wait as a connection does: when the operation may be complete, it is tried at the end of the turn."""
    event = trio.Event()
    operation.on_response = lambda: event.set()
    try:
        while not operation.is_completed and not (operation.may_complete and operation.try_complete()):
            await event.wait()
            event = trio.Event()
    finally:
        operation.on_response = _called_after_the_end
        if not operation.is_completed:
            operation.cancel()


def _called_after_the_end() -> None:
    raise AssertionError("the response has left")


def answers(response: FetchResponse) -> dict[int, PartitionData]:
    """The partitions of a response about one topic, in its order."""
    assert not response.error_code, response
    return {each.partition_index: each for topic in response.responses for each in topic.partitions}
