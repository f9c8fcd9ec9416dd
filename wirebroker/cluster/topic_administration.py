"""TopicAdministration: CreateTopics, CreatePartitions and DeleteTopics at the active controller.

As in Kafka, a request writes znodes, as a tool with `--zookeeper` does, and the controller's watches do the rest: it
elects leaders and tells all brokers.  A result is complete when the metadata of this broker show the change.
"""

from __future__ import annotations

import logging
import uuid
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import trio

from wirebroker.controller.administration import TopicResult, check_quota
from wirebroker.controller.topic_rules import check_racks, plan_partitions, plan_topic
from wirebroker.kafka_controller.pipelined import pipelined
from wirebroker.metadata.image import NO_TOPIC_ID, TopicImage
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.zookeeper.errors import CorruptZnode, ZooKeeperError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.controller.topic_rules import NewPartitions, NewTopic
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.quota.mutation_quota import ControllerMutationQuota
    from wirebroker.zookeeper.admin_zk_client import AdminZkClient

T = TypeVar("T")

log = logging.getLogger(__name__)

_LONGEST_WRITE_S: Final = 10.0
"""How long a topic waits for ZooKeeper.  A change that has begun is not given up with the timeout of the request."""


class ActiveController(Protocol):
    """The parts of KafkaController that requests for topics need."""

    @property
    def is_active(self) -> bool:
        """Whether this broker is the active controller."""
        ...

    def is_topic_queued_for_deletion(self, topic: str) -> bool:
        """Return whether the deletion of *topic* was asked for and is not complete."""
        ...


class TopicAdministration:
    """Creates, grows and deletes topics; every method raises ApiError NOT_CONTROLLER at another broker.

    Args:
        config: the settings of this broker.
        metadata: the image that requests are checked against.
        topics: writes the znodes.
        controller: the controller of this broker.
    """

    def __init__(
        self, config: DynamicConfig, metadata: MetadataCache, topics: AdminZkClient, controller: ActiveController
    ) -> None:
        self._config, self._metadata, self._topics, self._controller = config, metadata, topics, controller

    async def create_topics(
        self, topics: Sequence[NewTopic], quota: ControllerMutationQuota | None, *, validate_only: bool
    ) -> list[TopicResult]:
        """Write the znodes of the valid ones of *topics*, or only check them."""
        self._check_active()

        async def create(new: NewTopic) -> TopicResult:
            image, config = self._metadata.image, self._config.current
            plan = plan_topic(new, image, config)
            check_quota(quota, len(plan.partitions))
            has_ids = self._config.current.inter_broker_protocol.topic_ids_supported
            topic_id = uuid.uuid4().bytes if has_ids else None
            topic = TopicImage(new.name, topic_id or NO_TOPIC_ID, plan.partitions)
            result = TopicResult(new.name, topic=topic, configs=plan.configs)
            if validate_only:
                return result
            replicas = {number: each.replicas for number, each in enumerate(plan.partitions)}
            await _written(self._topics.create_topic(new.name, replicas, plan.configs, topic_id))
            log.info("topic=%s: %d partitions asked of the controller", new.name, len(plan.partitions))
            return result._replace(is_complete=partial(_has_leaders, new.name, len(plan.partitions)))

        return await _each(topics, lambda new: new.name, create)

    async def create_partitions(
        self, requests: Sequence[NewPartitions], quota: ControllerMutationQuota | None, *, validate_only: bool
    ) -> list[TopicResult]:
        """Write the grown assignments of topics, or only check them."""
        self._check_active()

        async def grow(new: NewPartitions) -> TopicResult:
            check_racks(self._metadata.image)  # even if replicas are given, as in Kafka
            if self._controller.is_topic_queued_for_deletion(new.topic):
                raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, "The topic is queued for deletion.")
            found = await _written(self._topics.assignment(new.topic))
            if found is not None and any(
                each.adding_replicas or each.removing_replicas for each in found.assignment.partitions.values()
            ):
                raise ApiError(
                    ErrorCode.REASSIGNMENT_IN_PROGRESS,
                    f"A partition reassignment is in progress for the topic '{new.topic}'.",
                )
            added = plan_partitions(new, self._metadata.image)
            check_quota(quota, len(added))
            if validate_only:
                return TopicResult(new.topic)
            first = new.total_count - len(added)
            replicas = {first + number: each.replicas for number, each in enumerate(added)}
            await _written(self._topics.create_partitions(new.topic, replicas))
            log.info("topic=%s: %d more partitions asked of the controller", new.topic, len(added))
            return TopicResult(new.topic, is_complete=partial(_has_leaders, new.topic, new.total_count))

        return await _each(requests, lambda new: new.topic, grow)

    async def delete_topics(
        self, topics: Sequence[TopicImage], quota: ControllerMutationQuota | None
    ) -> list[TopicResult]:
        """Ask for the deletion of *topics*."""
        self._check_active()

        async def delete(topic: TopicImage) -> TopicResult:
            check_quota(quota, len(topic.partitions))
            await _written(self._topics.delete_topic(topic.name))
            log.info("topic=%s: deletion asked of the controller", topic.name)
            return TopicResult(topic.name, topic=topic, is_complete=partial(_is_gone, topic))

        return await _each(topics, lambda topic: topic.name, delete)

    def _check_active(self) -> None:
        if not self._controller.is_active:
            raise ApiError(ErrorCode.NOT_CONTROLLER)


async def _each(
    items: Sequence[T], name: Callable[[T], str], change: Callable[[T], Awaitable[TopicResult]]
) -> list[TopicResult]:
    """Return the result of *change* for each of *items*, or its error."""

    async def attempt(item: T) -> TopicResult:
        try:
            return await change(item)
        except ApiError as error:
            return TopicResult(name(item), error.code, error.detail)
        except (ZooKeeperError, CorruptZnode) as error:
            log.warning("topic=%s: the change failed: %s", name(item), error)
            return TopicResult(name(item), ErrorCode.UNKNOWN_SERVER_ERROR, str(error))

    # a timeout of the request ends the wait for the controller, not the writes
    with trio.CancelScope(shield=True):
        results = await pipelined(items, attempt)
    return results


async def _written(request: Awaitable[T]) -> T:
    """Return the result of a request to ZooKeeper.

    Raises:
        ApiError: REQUEST_TIMED_OUT.
    """
    with trio.move_on_after(_LONGEST_WRITE_S):
        return await request
    raise ApiError(ErrorCode.REQUEST_TIMED_OUT, "ZooKeeper does not answer; the change may be made later")


def _has_leaders(name: str, count: int, image: ClusterImage) -> bool:
    """Return whether the first *count* partitions of a topic exist and have leaders."""
    topic = image.topics.get(name)
    return topic is not None and len(topic.partitions) >= count and all(each.leader >= 0 for each in topic.partitions)


def _is_gone(topic: TopicImage, image: ClusterImage) -> bool:
    """Return whether *topic* does not exist any more, or is another one of that name."""
    now = image.topics.get(topic.name)
    return now is None or now.topic_id != topic.topic_id
