"""The cluster and its leaders: DescribeCluster (60), ElectLeaders (43), AlterPartitionReassignments (45),
ListPartitionReassignments (46).

Specs: protocol_specs/60_describe_cluster (v0-v2), 43_elect_leaders (v0-v2), 45_alter_partition_reassignments (v0-v1),
46_list_partition_reassignments (v0).
KIPs: 183, 460 elections, 455 reassignments, 700, 919 endpoint types, 1073 fenced brokers.
Waits: never.
Not done: elections and reassignments.  The only broker leads every partition; requests are validated, and answered as
by a Kafka cluster that has nothing to elect or to move.  A broker that is not the controller of its cluster answers
NOT_CONTROLLER.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.controller.topic_rules import check_replicas
from wirebroker.handlers.authorized_operations import ALL_ON_CLUSTER, NOT_ASKED
from wirebroker.handlers.metadata import describe_brokers, describe_controller
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
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
)

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
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
    """Answer ELECTION_NOT_NEEDED for each partition that exists."""
    image = context.services.metadata.image
    if not context.services.administration.is_active:
        return ElectLeadersResponse(
            replica_election_results=[
                ReplicaElectionResult(
                    asked.topic, [PartitionResult(index, _NOT_CONTROLLER, None) for index in asked.partitions]
                )
                for asked in request.topic_partitions or ()
            ]
        )
    refused = ErrorCode.NONE
    if request.election_type not in _ELECTION_TYPES:
        refused = ErrorCode.INVALID_REQUEST
    elif request.timeout_ms <= 0 and _is_kraft_release(context.routes.profile):
        # A KRaft controller drops what has no time left; a controller with ZooKeeper answers what it has done.
        refused = ErrorCode.REQUEST_TIMED_OUT
    if request.topic_partitions is None:
        # "All of them" lists only partitions whose leader changed, under the name of every topic.
        names = () if refused else image.topics
        results = [ReplicaElectionResult(name) for name in names]
    else:
        results = [
            ReplicaElectionResult(
                asked.topic,
                [
                    PartitionResult(index, refused, _REFUSAL_MESSAGES[refused])
                    if refused
                    else _election(image, asked.topic, index)
                    for index in asked.partitions
                ],
            )
            for asked in request.topic_partitions
        ]
    return ElectLeadersResponse(error_code=refused, replica_election_results=results)


def _is_kraft_release(profile: ReleaseProfile) -> bool:
    return profile.release is not None and not profile.is_zookeeper_era


def _election(image: ClusterImage, topic: str, index: int) -> PartitionResult:
    if image.topic(topic) is None:
        return PartitionResult(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {topic}")
    if image.partition(topic, index) is None:
        return PartitionResult(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no partition {topic}-{index}")
    code = ErrorCode.ELECTION_NOT_NEEDED
    return PartitionResult(index, code, code.meaning)


async def handle_list_partition_reassignments(
    context: RequestContext, request: ListPartitionReassignmentsRequest
) -> ListPartitionReassignmentsResponse:
    """Return no reassignments."""
    if not context.services.administration.is_active:
        return ListPartitionReassignmentsResponse(error_code=_NOT_CONTROLLER, error_message=_NOT_CONTROLLER.meaning)
    return ListPartitionReassignmentsResponse(error_message=None)


async def handle_alter_partition_reassignments(
    context: RequestContext, request: AlterPartitionReassignmentsRequest
) -> AlterPartitionReassignmentsResponse:
    """Accept the replicas that a partition has already; others name unknown brokers and are refused."""
    if not context.services.administration.is_active:
        return AlterPartitionReassignmentsResponse(error_code=_NOT_CONTROLLER, error_message=_NOT_CONTROLLER.meaning)
    image = context.services.metadata.image
    return AlterPartitionReassignmentsResponse(
        error_message=None,
        responses=[
            ReassignableTopicResponse(topic.name, [_reassignment(image, topic.name, each) for each in topic.partitions])
            for topic in request.topics
        ],
    )


def _reassignment(image: ClusterImage, topic: str, asked: ReassignablePartition) -> ReassignablePartitionResponse:
    index = asked.partition_index
    try:
        if image.partition(topic, index) is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no partition {topic}-{index}")
        if asked.replicas is None:
            raise ApiError(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS)
        check_replicas([asked.replicas], image)
    except ApiError as error:
        return ReassignablePartitionResponse(index, error.code, error.detail)
    return ReassignablePartitionResponse(index, error_message=None)
