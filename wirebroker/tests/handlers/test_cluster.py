"""DescribeCluster, ElectLeaders, and partition reassignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.controller.topic_rules import NewTopic
from wirebroker.handlers.cluster import (
    handle_alter_partition_reassignments,
    handle_describe_cluster,
    handle_elect_leaders,
    handle_list_partition_reassignments,
)
from wirebroker.handlers.routes import RouteTable
from wirebroker.metadata.image import NO_TOPIC_ID, UNKNOWN_PARTITION, PartitionImage, TopicImage
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from wirebroker.protocol.messages.describe_cluster import DescribeClusterBroker, DescribeClusterRequest
from wirebroker.protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    PartitionResult,
    ReplicaElectionResult,
    TopicPartitions,
)
from wirebroker.protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.tests.controller.fakes import OtherController, controller_harness

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from wirebroker.controller.administration import ElectionType
    from wirebroker.model import TopicPartition

E = ErrorCode


@pytest.mark.parametrize("version", DescribeClusterRequest.VERSIONS)
async def test_describe_cluster(tmp_path: Path, version: int) -> None:
    async with controller_harness(tmp_path) as harness:
        context = harness.context(DescribeClusterRequest, version, local_host="h", local_port=5)
        response = await handle_describe_cluster(context, DescribeClusterRequest())
        response.write(bytearray(), version)
        assert (response.error_code, response.cluster_id, response.controller_id) == (0, "the-cluster", 0)
        assert response.brokers == [DescribeClusterBroker(0, "h", 5)]
        assert response.cluster_authorized_operations == -2147483648
        response = await handle_describe_cluster(context, DescribeClusterRequest(True))
        assert response.cluster_authorized_operations == 8096


@pytest.mark.parametrize(
    ("endpoint_type", "code"),
    [(2, E.MISMATCHED_ENDPOINT_TYPE), (0, E.UNSUPPORTED_ENDPOINT_TYPE), (3, E.UNSUPPORTED_ENDPOINT_TYPE)],
)
async def test_other_endpoint_types(tmp_path: Path, endpoint_type: int, code: ErrorCode) -> None:
    async with controller_harness(tmp_path) as harness:
        request = DescribeClusterRequest(endpoint_type=endpoint_type)
        response = await handle_describe_cluster(harness.context(DescribeClusterRequest, 1), request)
        assert (response.error_code, response.brokers, response.cluster_id) == (code, [], "")
        assert response.error_message


@pytest.mark.parametrize("version", ElectLeadersRequest.VERSIONS)
async def test_elections_are_never_needed(tmp_path: Path, version: int) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t", 2)])
        asked = [TopicPartitions("t", [1, 2, -1, 1]), TopicPartitions("gone", [0])]
        context = harness.context(ElectLeadersRequest, version)
        response = await handle_elect_leaders(context, ElectLeadersRequest(0, asked, 1000))
        response.write(bytearray(), version)
        assert response.error_code == E.NONE
        unknown = E.UNKNOWN_TOPIC_OR_PARTITION
        assert [
            (each.topic, [(result.partition_id, result.error_code) for result in each.partition_result])
            for each in response.replica_election_results
        ] == [
            ("t", [(1, E.ELECTION_NOT_NEEDED), (2, unknown), (-1, unknown), (1, E.ELECTION_NOT_NEEDED)]),
            ("gone", [(0, unknown)]),
        ]
        response = await handle_elect_leaders(context, ElectLeadersRequest(0, None))
        assert [(each.topic, each.partition_result) for each in response.replica_election_results] == [("t", [])]


async def test_elections_without_time_or_of_no_known_type(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t", 2)])
        context = harness.context(ElectLeadersRequest, 2)
        response = await handle_elect_leaders(context, ElectLeadersRequest(0, [TopicPartitions("t", [1])], 0))
        (result,) = response.replica_election_results[0].partition_result
        assert (response.error_code, result.error_code) == (E.NONE, E.ELECTION_NOT_NEEDED)
        for release, code in (("2.8", E.NONE), ("3.9", E.REQUEST_TIMED_OUT)):
            faced = harness.context(ElectLeadersRequest, 2)
            faced.routes = RouteTable(ReleaseProfile(release))
            response = await handle_elect_leaders(faced, ElectLeadersRequest(0, [TopicPartitions("t", [1])], 0))
            assert response.error_code == code
        response = await handle_elect_leaders(context, ElectLeadersRequest(5, None))
        assert (response.error_code, response.replica_election_results) == (E.INVALID_REQUEST, [])
        response = await handle_elect_leaders(context, ElectLeadersRequest(5, [TopicPartitions("t", [1])]))
        (result,) = response.replica_election_results[0].partition_result
        assert (response.error_code, result.error_code) == (E.INVALID_REQUEST, E.INVALID_REQUEST)
        response = await handle_elect_leaders(context, ElectLeadersRequest(5, [TopicPartitions("u", [])]))
        assert [(each.topic, each.partition_result) for each in response.replica_election_results] == [("u", [])]
        response = await handle_elect_leaders(context, ElectLeadersRequest(5, []))
        assert (response.error_code, response.replica_election_results) == (E.NONE, [])


async def test_nothing_is_reassigned(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t", 5)])
        listed = await handle_list_partition_reassignments(
            harness.context(ListPartitionReassignmentsRequest, 0), ListPartitionReassignmentsRequest(topics=None)
        )
        assert (listed.error_code, listed.error_message, listed.topics) == (0, None, [])
        replicas = [(0, [0]), (1, None), (2, [3]), (3, []), (4, [0, 0]), (5, [0])]
        request = AlterPartitionReassignmentsRequest(
            topics=[
                ReassignableTopic("t", [ReassignablePartition(index, nodes) for index, nodes in replicas]),
                ReassignableTopic("gone", [ReassignablePartition(0, [0])]),
            ]
        )
        response = await handle_alter_partition_reassignments(
            harness.context(AlterPartitionReassignmentsRequest, 0), request
        )
        response.write(bytearray(), 0)
        bad = E.INVALID_REPLICA_ASSIGNMENT
        assert [[each.error_code for each in topic.partitions] for topic in response.responses] == [
            [E.NONE, E.NO_REASSIGNMENT_IN_PROGRESS, bad, bad, bad, E.UNKNOWN_TOPIC_OR_PARTITION],
            [E.UNKNOWN_TOPIC_OR_PARTITION],
        ]


async def test_a_broker_that_is_not_the_controller_refuses_elections_and_reassignments(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        context = harness.context(ElectLeadersRequest, 2)
        context.services.administration = OtherController()
        response = await handle_elect_leaders(
            context, ElectLeadersRequest(topic_partitions=[TopicPartitions("t", [0, 1])])
        )
        codes = [[each.error_code for each in topic.partition_result] for topic in response.replica_election_results]
        assert (response.error_code, codes) == (0, [[E.NOT_CONTROLLER, E.NOT_CONTROLLER]])
        metadata = context.services.metadata
        topic = TopicImage("t", NO_TOPIC_ID, (UNKNOWN_PARTITION, PartitionImage(0, 0, (0,), (0,))))
        metadata.publish(metadata.image._replace(topics={"t": topic}), [])
        response = await handle_elect_leaders(context, ElectLeadersRequest(topic_partitions=None))
        results = [PartitionResult(1, E.NOT_CONTROLLER, None)]
        assert response.error_code == 0
        assert response.replica_election_results == [ReplicaElectionResult("t", results)]
        asked = AlterPartitionReassignmentsRequest(topics=[ReassignableTopic("t", [ReassignablePartition(0, [0])])])
        altered = await handle_alter_partition_reassignments(context, asked)
        assert (altered.error_code, altered.responses) == (E.NOT_CONTROLLER, [])
        listed = await handle_list_partition_reassignments(context, ListPartitionReassignmentsRequest())
        assert listed.error_code == E.NOT_CONTROLLER


async def test_an_election_of_all_names_the_partitions_that_this_broker_knows(tmp_path: Path) -> None:
    """A controller may have others, without any leader yet or of a topic that it deletes; Kafka 3.9.1 names none."""

    class ActiveController(OtherController):
        is_active = True

        async def elect_leaders(
            self, partitions: Collection[TopicPartition], _: ElectionType
        ) -> dict[TopicPartition, int | ApiError]:
            return {
                each: ApiError(E.ELECTION_NOT_NEEDED if each.partition == 1 else E.PREFERRED_LEADER_NOT_AVAILABLE)
                for each in partitions
            }

    async with controller_harness(tmp_path) as harness:
        context = harness.context(ElectLeadersRequest, 2)
        context.services.administration = ActiveController()
        metadata = context.services.metadata
        known = PartitionImage(0, 0, (0,), (0,))
        topic = TopicImage("t", NO_TOPIC_ID, (UNKNOWN_PARTITION, known, known))
        metadata.publish(metadata.image._replace(topics={"t": topic}), [])
        response = await handle_elect_leaders(context, ElectLeadersRequest(topic_partitions=None))
        results = [PartitionResult(2, E.PREFERRED_LEADER_NOT_AVAILABLE, None)]
        assert response.replica_election_results == [ReplicaElectionResult("t", results)]
