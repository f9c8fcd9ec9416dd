"""Requests that change topics: CreateTopics, CreatePartitions and DeleteTopics, sent to the controller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.client.admin import response_error
from wirebroker.client.connection import UnsupportedApi
from wirebroker.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from wirebroker.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wirebroker.client.admin import Admin
    from wirebroker.protocol.messages.create_topics import CreatableTopicResult

_WITH_DEFAULTS = 4
"""The first version of CreateTopics that leaves the numbers to the broker."""
_BY_STATE = 6
"""The first version of DeleteTopics that names topics with or without their ids."""
_OF_THE_CLUSTER = -1
"""The number of partitions or replicas that lets the broker take its default."""


def create_topic(
    admin: Admin,
    name: str,
    partitions: int | None,
    replication_factor: int | None,
    assignment: Sequence[Sequence[int]],
    configs: Mapping[str, str],
    *,
    validate_only: bool = False,
) -> CreatableTopicResult:
    """Create a topic; with an *assignment* the numbers of partitions and replicas follow from it.

    Raises:
        ResponseError: the controller refuses.
    """
    topic = CreatableTopic(
        name=name,
        num_partitions=_OF_THE_CLUSTER if partitions is None or assignment else partitions,
        replication_factor=_OF_THE_CLUSTER if replication_factor is None or assignment else replication_factor,
        assignments=[CreatableReplicaAssignment(index, list(each)) for index, each in enumerate(assignment)],
        configs=[CreatableTopicConfig(*each) for each in configs.items()],
    )
    request = CreateTopicsRequest(topics=[topic], timeout_ms=admin.timeout_ms, validate_only=validate_only)

    def send() -> CreatableTopicResult:
        controller = admin.controller()
        needs_defaults = not assignment and _OF_THE_CLUSTER in (topic.num_partitions, topic.replication_factor)
        if needs_defaults and controller.version(CreateTopicsRequest) < _WITH_DEFAULTS:
            raise UnsupportedApi(
                f"topic {name}: brokers before 2.4 have no defaults; name --partitions and --replication-factor"
            )
        result: CreatableTopicResult = controller.send(request).topics[0]
        if result.error_code:
            raise response_error(f"topic {name}", result.error_code, result.error_message)
        return result

    return admin.retry(send)


def create_partitions(admin: Admin, name: str, count: int, assignment: Sequence[Sequence[int]]) -> None:
    """Give a topic *count* partitions in all; *assignment* has the replicas of the new ones, or is empty.

    Raises:
        ResponseError: the controller refuses.
    """
    assignments = [CreatePartitionsAssignment(list(each)) for each in assignment] or None
    request = CreatePartitionsRequest(
        topics=[CreatePartitionsTopic(name, count, assignments)], timeout_ms=admin.timeout_ms
    )

    def send() -> None:
        result = admin.controller().send(request).results[0]
        if result.error_code:
            raise response_error(f"topic {name}", result.error_code, result.error_message)

    admin.retry(send)


def delete_topic(admin: Admin, name: str) -> None:
    """Delete a topic.

    Raises:
        ResponseError: the controller refuses.
    """

    def send() -> None:
        controller = admin.controller()
        request = DeleteTopicsRequest(timeout_ms=admin.timeout_ms)
        if controller.version(DeleteTopicsRequest) >= _BY_STATE:
            request.topics = [DeleteTopicState(name=name)]
        else:
            request.topic_names = [name]
        result = controller.send(request).responses[0]
        if result.error_code:
            raise response_error(f"topic {name}", result.error_code, result.error_message)

    admin.retry(send)
