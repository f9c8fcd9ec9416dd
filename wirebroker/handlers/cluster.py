"""The cluster and its leaders: DescribeCluster (60), ElectLeaders (43), AlterPartitionReassignments (45),
ListPartitionReassignments (46).

Specs: protocol_specs/60_describe_cluster (v0-v2), 43_elect_leaders (v0-v2), 45_alter_partition_reassignments (v0-v1),
46_list_partition_reassignments (v0).
KIPs: 183, 460 elections, 455 reassignments, 700, 919 endpoint types, 1073 fenced brokers.
Waits: for the controller's events; ElectLeaders also until the metadata of this broker show the new leaders, at most
timeout_ms.  A reassignment goes on after the response.  A broker that is a cluster by itself leads every partition: it
has nothing to elect or to move, and validates requests.  A broker that is not the controller answers NOT_CONTROLLER.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.controller.administration import ElectionType
from wirebroker.handlers.authorized_operations import ALL_ON_CLUSTER, NOT_ASKED
from wirebroker.handlers.metadata import describe_brokers, describe_controller
from wirebroker.model import TopicPartition, values_by_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from wirebroker.protocol.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)
from wirebroker.protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from wirebroker.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.handlers.context import RequestContext
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.releases.profile import ReleaseProfile

_NOT_CONTROLLER: Final = ErrorCode.NOT_CONTROLLER
_BROKERS: Final = 1
_CONTROLLERS: Final = 2
_ELECTION_TYPES: Final = (0, 1)  # preferred, unclean
_REFUSAL_MESSAGES: Final = {ErrorCode.INVALID_REQUEST: "no such election type", ErrorCode.REQUEST_TIMED_OUT: None}


async def handle_describe_cluster(context: RequestContext, request: DescribeClusterRequest) -> DescribeClusterResponse:
    """Describe the brokers, the controller and the cluster's id."""
    if request.endpoint_type == _CONTROLLERS:
        code = ErrorCode.MISMATCHED_ENDPOINT_TYPE
        return DescribeClusterResponse(error_code=code, error_message="this is a broker's listener, not a controller's")
    if request.endpoint_type != _BROKERS:
        code = ErrorCode.UNSUPPORTED_ENDPOINT_TYPE
        return DescribeClusterResponse(error_code=code, error_message=f"no endpoint type {request.endpoint_type}")
    image = context.services.metadata.image
    brokers = describe_brokers(context, image)
    return DescribeClusterResponse(
        cluster_id=image.cluster_id or "",
        controller_id=describe_controller(image, brokers),
        brokers=[DescribeClusterBroker(*broker) for broker in brokers],
        cluster_authorized_operations=ALL_ON_CLUSTER if request.include_cluster_authorized_operations else NOT_ASKED,
    )


async def handle_elect_leaders(context: RequestContext, request: ElectLeadersRequest) -> ElectLeadersResponse:
    """Elect leaders, and wait until the metadata of this broker show them."""
    budget = context.start_budget()
    named: Iterable[TopicPartition] = (
        TopicPartition(each.topic, index) for each in request.topic_partitions or () for index in each.partitions
    )
    if request.topic_partitions is None and context.services.administration.completes_later:
        # as in Kafka those that this broker knows: no topic without any leader yet, and none that is being deleted
        topics = context.services.metadata.image.topics
        named = (TopicPartition(name, at) for name, topic in topics.items() for at in topic.known_partitions)
    asked = await budget.collect(named)
    refused = ErrorCode.NONE
    if not context.services.administration.is_active:
        error = ApiError(_NOT_CONTROLLER)
        return await _election_response(((at, error) for at in asked), budget)
    if request.topic_partitions == [] and not context.services.administration.completes_later:
        return ElectLeadersResponse()  # a KRaft controller looks at nothing else then
    if request.election_type not in _ELECTION_TYPES:
        refused = ErrorCode.INVALID_REQUEST
    elif request.timeout_ms <= 0 and _is_kraft_release(context.routes.profile):
        # A KRaft controller drops what has no time left; a controller with ZooKeeper answers what it has done.
        refused = ErrorCode.REQUEST_TIMED_OUT
    if refused:
        return await _election_refusal(request, ApiError(refused, _REFUSAL_MESSAGES[refused]), budget)
    try:
        return await _elect(context, request, asked)
    except ApiError as error:
        return await _election_response(((at, error) for at in asked), budget)


async def _elect(
    context: RequestContext, request: ElectLeadersRequest, partitions: list[TopicPartition]
) -> ElectLeadersResponse:
    """Elect leaders of *partitions*; raises ApiError."""
    administration, metadata = context.services.administration, context.services.metadata
    budget = context.start_budget()
    results = await administration.elect_leaders(partitions, ElectionType(request.election_type))
    outcomes = {at: each if isinstance(each, ApiError) else None for at, each in results.items()}
    leaders = {at: each for at, each in results.items() if not isinstance(each, ApiError)}

    def waiting(image: ClusterImage) -> list[TopicPartition]:
        found = {at: image.partition(*at) for at in leaders}
        return [at for at, each in found.items() if each is None or each.leader != leaders[at]]

    with trio.move_on_after(max(request.timeout_ms, 0) / 1000):
        await metadata.wait_for(lambda image: not waiting(image))
    outcomes |= dict.fromkeys(waiting(metadata.image), ApiError(ErrorCode.REQUEST_TIMED_OUT))
    if request.topic_partitions is not None:
        if administration.completes_later:  # a controller with ZooKeeper answers a partition once
            return await _election_response(outcomes.items(), budget)
        # KRaft answers topics and partitions as often as they are named, and topics of which none is
        named = [
            ReplicaElectionResult(
                topic,
                await budget.collect(
                    _partition_result(index, outcomes[TopicPartition(topic, index)]) for index in indexes
                ),
            )
            for topic, indexes in ((each.topic, each.partitions) for each in request.topic_partitions)
        ]
        return ElectLeadersResponse(replica_election_results=named)
    # "all of them" lists only partitions for which there was an election
    elected = {at: each for at, each in outcomes.items() if each is None or each.code != ErrorCode.ELECTION_NOT_NEEDED}
    response = await _election_response(elected.items(), budget)
    if not administration.completes_later:  # KRaft lists the names of all topics
        response.replica_election_results = [ReplicaElectionResult(name) for name in metadata.image.topics]
    return response


async def _election_response(
    outcomes: Iterable[tuple[TopicPartition, ApiError | None]], budget: LoopBudget
) -> ElectLeadersResponse:
    topics: dict[str, ReplicaElectionResult] = {}
    for (topic, index), error in outcomes:
        result = topics.get(topic)
        if result is None:
            result = topics[topic] = ReplicaElectionResult(topic)
        result.partition_result.append(_partition_result(index, error))
        await budget.yield_if_due()
    return ElectLeadersResponse(replica_election_results=list(topics.values()))


async def _election_refusal(request: ElectLeadersRequest, error: ApiError, budget: LoopBudget) -> ElectLeadersResponse:
    """Return the response to a request that is refused as a whole: its topics and partitions as they are named."""
    response = ElectLeadersResponse(error_code=error.code)
    for each in request.topic_partitions or ():
        result = ReplicaElectionResult(each.topic)
        response.replica_election_results.append(result)
        for index in each.partitions:
            await budget.yield_if_due()
            result.partition_result.append(_partition_result(index, error))
    return response


def _partition_result(index: int, error: ApiError | None) -> PartitionResult:
    result = (ErrorCode.NONE, None) if error is None else (error.code, error.detail)
    return PartitionResult(index, *result)


def _is_kraft_release(profile: ReleaseProfile) -> bool:
    return profile.release is not None and not profile.is_zookeeper_era


async def handle_list_partition_reassignments(
    context: RequestContext, request: ListPartitionReassignmentsRequest
) -> ListPartitionReassignmentsResponse:
    """Return the reassignments in progress."""
    partitions = None
    if request.topics is not None:
        partitions = await context.start_budget().collect(
            TopicPartition(each.name, index) for each in request.topics for index in each.partition_indexes
        )
    try:
        if not context.services.administration.is_active:
            raise ApiError(_NOT_CONTROLLER)
        found = await context.services.administration.list_partition_reassignments(partitions)
    except ApiError as error:
        return ListPartitionReassignmentsResponse(
            error_code=error.code, error_message=error.detail or error.code.meaning
        )
    return ListPartitionReassignmentsResponse(
        error_message=None,
        topics=[
            OngoingTopicReassignment(
                topic,
                [
                    OngoingPartitionReassignment(
                        index,
                        list(assignment.replicas),
                        list(assignment.adding_replicas),
                        list(assignment.removing_replicas),
                    )
                    for index, assignment in each
                ],
            )
            for topic, each in values_by_topic(found).items()
        ],
    )


async def handle_alter_partition_reassignments(
    context: RequestContext, request: AlterPartitionReassignmentsRequest
) -> AlterPartitionReassignmentsResponse:
    """Begin, replace and cancel reassignments; each partition has a code of its own."""
    budget = context.start_budget()
    targets = dict(
        await budget.collect(
            (TopicPartition(topic.name, each.partition_index), each.replicas)
            for topic in request.topics
            for each in topic.partitions
        )
    )
    try:
        if not context.services.administration.is_active:
            raise ApiError(_NOT_CONTROLLER)
        errors = await context.services.administration.alter_partition_reassignments(
            targets, allow_replication_factor_change=request.allow_replication_factor_change
        )
    except ApiError as error:
        return AlterPartitionReassignmentsResponse(
            error_code=error.code, error_message=error.detail or error.code.meaning
        )
    answered = [(topic.name, [each.partition_index for each in topic.partitions]) for topic in request.topics]
    if context.services.administration.completes_later:  # a controller with ZooKeeper answers each partition once
        answered = [(name, [at for at, _ in each]) for name, each in values_by_topic(errors).items()]
    return AlterPartitionReassignmentsResponse(
        error_message=None,
        allow_replication_factor_change=request.allow_replication_factor_change,
        responses=[
            ReassignableTopicResponse(
                name,
                await budget.collect(_reassignment_response(at, errors[TopicPartition(name, at)]) for at in each),
            )
            for name, each in answered
        ],
    )


def _reassignment_response(index: int, error: ApiError | None) -> ReassignablePartitionResponse:
    if error is None:
        return ReassignablePartitionResponse(index, error_message=None)
    return ReassignablePartitionResponse(index, error.code, error.detail)
