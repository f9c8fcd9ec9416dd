"""ControllerRequests: carries out LeaderAndIsr, StopReplica and UpdateMetadata, one after the other in their order.

One task runs them (`controller/event_queue.py`), so that a request finds the state that the one before has left, though
each of them waits for disks and yields the event loop.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from wirebroker.cluster.fencing import UNKNOWN_BROKER_EPOCH, ControllerFence
from wirebroker.cluster.leader_and_isr import (
    HostedReplica,
    Transition,
    changes_of,
    leader_and_isr_response,
    transition_of,
)
from wirebroker.cluster.stop_replica import check_stop, stops_of
from wirebroker.cluster.update_metadata import topic_updates, unnamed_topics, updated_image, updated_topic
from wirebroker.controller.event_queue import EventQueue
from wirebroker.loop_budget import LoopBudget
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrResponse
from wirebroker.protocol.messages.stop_replica import StopReplicaPartitionError, StopReplicaResponse
from wirebroker.protocol.messages.update_metadata import UpdateMetadataResponse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from wirebroker.cluster.leader_and_isr import ReplicaChange
    from wirebroker.cluster.stop_replica import StopPartition
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.image import TopicImage
    from wirebroker.model import TopicPartition
    from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrRequest
    from wirebroker.protocol.messages.stop_replica import StopReplicaRequest
    from wirebroker.protocol.messages.update_metadata import UpdateMetadataRequest

log = logging.getLogger(__name__)

_PARTITIONS_PER_STEP: Final = 200
"""Partitions of an UpdateMetadata request that are taken over without a look at the loop budget, in about 1 ms."""


class ReplicaStates(Protocol):
    """The effects of the controller's requests on the replicas of this broker.

    Every method returns one code for each partition that it is given; NONE if the change was made.
    """

    def hosted(self, topic_partition: TopicPartition) -> HostedReplica | None:
        """Return the present state of a partition, None if this broker has no replica of it."""
        ...

    def is_refused(self, topic_partition: TopicPartition) -> bool:
        """Whether the log of a partition was refused at the start, in a log directory that works."""
        ...

    async def make_leaders(self, changes: Sequence[ReplicaChange]) -> Mapping[TopicPartition, ErrorCode]:
        """Become the leader of partitions."""
        ...

    async def make_followers(self, changes: Sequence[ReplicaChange]) -> Mapping[TopicPartition, ErrorCode]:
        """Become a follower of partitions."""
        ...

    async def assign_topic_ids(self, changes: Sequence[ReplicaChange]) -> Mapping[TopicPartition, ErrorCode]:
        """Give partitions the ids of their topics."""
        ...

    async def changed_leaders(self) -> None:
        """Conclude a LeaderAndIsr request: coordinators follow the partitions that are led here now."""
        ...

    async def stop(self, stops: Sequence[StopPartition]) -> Mapping[TopicPartition, ErrorCode]:
        """Stop partitions, and delete the logs of those to be deleted."""
        ...


class ControllerRequests:
    """The requests of the controller to this broker.

    Args:
        broker_id: The id of this broker.
        broker_epoch: Returns the czxid of its present registration.
        replicas: The effects on replicas.
        metadata: Where images are published.
        is_to_be_deleted: Reads in ZooKeeper whether a topic is to be deleted.
    """

    def __init__(
        self,
        broker_id: int,
        broker_epoch: Callable[[], int],
        replicas: ReplicaStates,
        metadata: MetadataCache,
        is_to_be_deleted: Callable[[str], Awaitable[bool]],
    ) -> None:
        self.fence = ControllerFence(broker_epoch)
        self._broker_id = broker_id
        self._replicas = replicas
        self._metadata = metadata
        self._is_to_be_deleted = is_to_be_deleted
        self._registration = UNKNOWN_BROKER_EPOCH
        """The broker epoch whose registration the controller has told all partitions."""
        self._queue = EventQueue()

    async def run(self) -> None:
        """Carry out requests until cancelled."""
        await self._queue.run()

    async def leader_and_isr(self, request: LeaderAndIsrRequest, version: int) -> LeaderAndIsrResponse:
        """Have partitions become leader or follower; return when all that is written and served."""
        return await self._queue.run_and_wait(partial(self._leader_and_isr, request, version))

    async def stop_replica(self, request: StopReplicaRequest) -> StopReplicaResponse:
        """Stop partitions, and delete logs."""
        return await self._queue.run_and_wait(partial(self._stop_replica, request))

    async def update_metadata(self, request: UpdateMetadataRequest) -> UpdateMetadataResponse:
        """Publish the image with the brokers and partitions of *request*."""
        return await self._queue.run_and_wait(partial(self._update_metadata, request))

    async def _leader_and_isr(self, request: LeaderAndIsrRequest, version: int) -> LeaderAndIsrResponse:
        refused = self._check("LeaderAndIsr", request)
        if refused:
            return LeaderAndIsrResponse(error_code=refused)
        budget = LoopBudget()
        changes: list[ReplicaChange] = []
        codes: dict[TopicPartition, ErrorCode] = {}
        planned: dict[Transition, list[ReplicaChange]] = {each: [] for each in Transition}
        for change in changes_of(request):
            await budget.yield_if_due()
            changes.append(change)
            at = change.topic_partition
            if self._replicas.is_refused(at) and await self._is_to_be_deleted(at.topic):
                # nobody will use the log, and after an error the controller would never have it deleted
                codes[at] = ErrorCode.NONE
                continue
            hosted = self._replicas.hosted(at) or HostedReplica()
            transition = transition_of(change, hosted, self._broker_id)
            if isinstance(transition, Transition):
                planned[transition].append(change)
            else:
                codes[at] = transition
                is_repeated = change.state.leader_epoch == hosted.leader_epoch
                log.log(
                    logging.DEBUG if is_repeated else logging.WARNING,  # all partitions are repeated to a new broker
                    "topic=%s partition=%d: LeaderAndIsr of controller %d refused: %s; leader epoch %d, known is %d",
                    *(*at, request.controller_id, transition.name),
                    *(change.state.leader_epoch, hosted.leader_epoch),
                )
        codes |= await self._replicas.make_leaders(planned[Transition.BECOME_LEADER])
        codes |= await self._replicas.make_followers(planned[Transition.BECOME_FOLLOWER])
        codes |= await self._replicas.assign_topic_ids(planned[Transition.ASSIGN_TOPIC_ID])
        await self._replicas.changed_leaders()
        log.info(
            "controller %d epoch %d: leader of %d and follower of %d partitions from now on",
            *(request.controller_id, request.controller_epoch),
            *(len(planned[Transition.BECOME_LEADER]), len(planned[Transition.BECOME_FOLLOWER])),
        )
        return leader_and_isr_response(version, changes, codes)

    async def _stop_replica(self, request: StopReplicaRequest) -> StopReplicaResponse:
        refused = self._check("StopReplica", request)
        if refused:
            return StopReplicaResponse(error_code=refused)
        budget = LoopBudget()
        codes: dict[TopicPartition, ErrorCode] = {}
        valid: list[StopPartition] = []
        for stop in stops_of(request):
            await budget.yield_if_due()
            code = check_stop(stop, self._replicas.hosted(stop.topic_partition))
            codes[stop.topic_partition] = code
            if code:
                log.warning(
                    "topic=%s partition=%d: StopReplica of controller %d with leader epoch %d refused: %s",
                    *(*stop.topic_partition, request.controller_id, stop.leader_epoch, code.name),
                )
            else:
                valid.append(stop)
        codes |= await self._replicas.stop(valid)
        log.info(
            "controller %d epoch %d: %d partitions stopped, %d of them to be deleted",
            *(request.controller_id, request.controller_epoch),
            *(len(valid), sum(stop.delete for stop in valid)),
        )
        return StopReplicaResponse(
            partition_errors=[StopReplicaPartitionError(*where, code) for where, code in codes.items()]
        )

    async def _update_metadata(self, request: UpdateMetadataRequest) -> UpdateMetadataResponse:
        refused = self._check("UpdateMetadata", request)
        if refused:
            return UpdateMetadataResponse(error_code=refused)
        budget = LoopBudget()
        known = self._metadata.image.topics  # topics change in this queue only
        topics: dict[str, TopicImage | None] = {}
        for update in topic_updates(request):
            topic = known.get(update.name)
            for first in range(0, len(update.states), _PARTITIONS_PER_STEP):
                await budget.yield_if_due()
                topic = updated_topic(
                    topic, update._replace(states=update.states[first : first + _PARTITIONS_PER_STEP])
                )
            topics[update.name] = topic
        unnamed: list[str] = []
        if topics and request.broker_epoch > self._registration:  # the first one of a registration has all partitions
            self._registration = request.broker_epoch
            unnamed = list(unnamed_topics(self._metadata.image, request, topics))
            if unnamed:
                log.info("topics deleted while this broker was not registered: %s", ", ".join(sorted(unnamed)))
        image, removed = updated_image(self._metadata.image, request, topics, unnamed)
        self._metadata.publish(image, removed)
        return UpdateMetadataResponse()

    def _check(self, name: str, request: LeaderAndIsrRequest | StopReplicaRequest | UpdateMetadataRequest) -> ErrorCode:
        code = self.fence.check(request.controller_epoch, request.broker_epoch)
        if code:
            log.warning(
                "%s of controller %d refused with %s: its controller epoch is %d and the highest known %d, its broker "
                "epoch is %d",
                *(name, request.controller_id, code.name),
                *(request.controller_epoch, self.fence.controller_epoch, request.broker_epoch),
            )
        return code
