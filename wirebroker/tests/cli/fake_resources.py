"""Canned answers about topics, settings and quotas, for `fake_cluster`: one topic "t" with two partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.protocol.messages import (
    alter_client_quotas,
    alter_partition_reassignments,
    alter_replica_log_dirs,
    alter_user_scram_credentials,
    api_versions,
    create_partitions,
    create_topics,
    delete_records,
    delete_topics,
    describe_client_quotas,
    describe_cluster,
    describe_configs,
    describe_log_dirs,
    describe_topic_partitions,
    describe_user_scram_credentials,
    elect_leaders,
    incremental_alter_configs,
    list_config_resources,
    list_partition_reassignments,
    unregister_broker,
    update_features,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.protocol.message import Message

TOPIC: Final = "t"
TOPIC_ID: Final = bytes(range(16))
EXISTS, UNKNOWN_TOPIC, LOG_DIR_NOT_FOUND, INVALID_REQUEST, ELECTION_NOT_NEEDED = 36, 3, 57, 42, 84


def _create_topics(request: Any) -> Message:
    return create_topics.CreateTopicsResponse(
        topics=[
            create_topics.CreatableTopicResult(each.name, error_code=EXISTS, error_message="it exists.")
            if each.name == TOPIC
            else create_topics.CreatableTopicResult(each.name, TOPIC_ID, num_partitions=1, replication_factor=1)
            for each in request.topics
        ]
    )


def _describe_topic_partitions(request: Any) -> Message:
    return describe_topic_partitions.DescribeTopicPartitionsResponse(
        topics=[
            describe_topic_partitions.DescribeTopicPartitionsResponseTopic(
                name=each.name,
                topic_id=TOPIC_ID,
                partitions=[
                    describe_topic_partitions.DescribeTopicPartitionsResponsePartition(
                        partition_index=index, leader_id=0, replica_nodes=[0, 1], isr_nodes=[0, 1][: index + 1]
                    )
                    for index in (0, 1)
                ],
            )
            if each.name == TOPIC
            else describe_topic_partitions.DescribeTopicPartitionsResponseTopic(UNKNOWN_TOPIC, each.name)
            for each in request.topics
        ]
    )


def _describe_configs(request: Any) -> Message:
    return describe_configs.DescribeConfigsResponse(
        results=[
            describe_configs.DescribeConfigsResult(
                resource_type=each.resource_type,
                resource_name=each.resource_name,
                configs=[
                    describe_configs.DescribeConfigsResourceResult(
                        "retention.ms",
                        "99",
                        config_source=1,
                        synonyms=[
                            describe_configs.DescribeConfigsSynonym("retention.ms", "99", 1),
                            describe_configs.DescribeConfigsSynonym("log.retention.ms", "100", 5),
                        ],
                    ),
                    describe_configs.DescribeConfigsResourceResult("min.insync.replicas", "2", config_source=5),
                ],
            )
            for each in request.resources
        ]
    )


def _alter_configs(request: Any) -> Message:
    return incremental_alter_configs.IncrementalAlterConfigsResponse(
        responses=[
            incremental_alter_configs.AlterConfigsResourceResponse(0, None, each.resource_type, each.resource_name)
            for each in request.resources
        ]
    )


def _reassign(request: Any) -> Message:
    return alter_partition_reassignments.AlterPartitionReassignmentsResponse(
        error_message=None,
        responses=[
            alter_partition_reassignments.ReassignableTopicResponse(
                topic.name,
                [
                    alter_partition_reassignments.ReassignablePartitionResponse(each.partition_index, 0, None)
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ],
    )


def _elect(_: Any) -> Message:
    results = [elect_leaders.PartitionResult(0), elect_leaders.PartitionResult(1, ELECTION_NOT_NEEDED)]
    return elect_leaders.ElectLeadersResponse(
        replica_election_results=[elect_leaders.ReplicaElectionResult(TOPIC, results)]
    )


def _list_reassignments(request: Any) -> Message:
    """One reassignment, unless topics are named."""
    moving = list_partition_reassignments.OngoingPartitionReassignment(1, [0, 1], [1], [])
    topic = list_partition_reassignments.OngoingTopicReassignment(TOPIC, [moving])
    topics = [topic] if request.topics is None else []
    return list_partition_reassignments.ListPartitionReassignmentsResponse(topics=topics)


ANSWERS: Final[dict[str, Callable[[Any], Any]]] = {
    "AlterPartitionReassignmentsRequest": _reassign,
    "ElectLeadersRequest": _elect,
    "CreateTopicsRequest": _create_topics,
    "CreatePartitionsRequest": lambda request: create_partitions.CreatePartitionsResponse(
        results=[create_partitions.CreatePartitionsTopicResult(each.name) for each in request.topics]
    ),
    "DeleteTopicsRequest": lambda request: delete_topics.DeleteTopicsResponse(
        responses=[delete_topics.DeletableTopicResult(each.name) for each in request.topics]
    ),
    "DescribeTopicPartitionsRequest": _describe_topic_partitions,
    "ListPartitionReassignmentsRequest": _list_reassignments,
    "DescribeConfigsRequest": _describe_configs,
    "IncrementalAlterConfigsRequest": _alter_configs,
    "DeleteRecordsRequest": lambda request: delete_records.DeleteRecordsResponse(
        topics=[
            delete_records.DeleteRecordsTopicResult(
                topic.name,
                [
                    delete_records.DeleteRecordsPartitionResult(each.partition_index, max(each.offset, 0))
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    ),
    "DescribeLogDirsRequest": lambda _: describe_log_dirs.DescribeLogDirsResponse(
        results=[
            describe_log_dirs.DescribeLogDirsResult(
                log_dir="/data",
                topics=[
                    describe_log_dirs.DescribeLogDirsTopic(
                        TOPIC, [describe_log_dirs.DescribeLogDirsPartition(0, partition_size=123)]
                    )
                ],
            )
        ]
    ),
    "AlterReplicaLogDirsRequest": lambda request: alter_replica_log_dirs.AlterReplicaLogDirsResponse(
        results=[
            alter_replica_log_dirs.AlterReplicaLogDirTopicResult(
                topic.name,
                [
                    alter_replica_log_dirs.AlterReplicaLogDirPartitionResult(
                        index, 0 if each.path == "/data" else LOG_DIR_NOT_FOUND
                    )
                    for index in topic.partitions
                ],
            )
            for each in request.dirs
            for topic in each.topics
        ]
    ),
    "DescribeClusterRequest": lambda _: describe_cluster.DescribeClusterResponse(
        cluster_id="c", controller_id=0, brokers=[describe_cluster.DescribeClusterBroker(0, "broker", 9092)]
    ),
    "ApiVersionsRequest": lambda _: api_versions.ApiVersionsResponse(
        api_keys=[api_versions.ApiVersion(0, 3, 99), api_versions.ApiVersion(30_000, 0, 1)],
        supported_features=[api_versions.SupportedFeatureKey("metadata.version", 1, 21)],
        finalized_features_epoch=5,
        finalized_features=[api_versions.FinalizedFeatureKey("metadata.version", 20, 1)],
    ),
    "UnregisterBrokerRequest": lambda _: unregister_broker.UnregisterBrokerResponse(),
    "UpdateFeaturesRequest": lambda request: update_features.UpdateFeaturesResponse(
        error_code=0 if request.feature_updates[0].feature == "metadata.version" else INVALID_REQUEST,
        error_message="no such feature",
    ),
    "ListConfigResourcesRequest": lambda _: list_config_resources.ListConfigResourcesResponse(
        config_resources=[list_config_resources.ConfigResource("m")]
    ),
    "DescribeClientQuotasRequest": lambda _: describe_client_quotas.DescribeClientQuotasResponse(
        entries=[
            describe_client_quotas.EntryData(
                [describe_client_quotas.EntityData("user", "u"), describe_client_quotas.EntityData("client-id", None)],
                [describe_client_quotas.ValueData("producer_byte_rate", 1024.0)],
            )
        ]
    ),
    "AlterClientQuotasRequest": lambda request: alter_client_quotas.AlterClientQuotasResponse(
        entries=[alter_client_quotas.ResponseEntryData(0) for _ in request.entries]
    ),
    "DescribeUserScramCredentialsRequest": lambda _: (
        describe_user_scram_credentials.DescribeUserScramCredentialsResponse(
            results=[
                describe_user_scram_credentials.DescribeUserScramCredentialsResult(
                    "u", credential_infos=[describe_user_scram_credentials.CredentialInfo(1, 4096)]
                )
            ]
        )
    ),
    "AlterUserScramCredentialsRequest": lambda request: alter_user_scram_credentials.AlterUserScramCredentialsResponse(
        results=[alter_user_scram_credentials.AlterUserScramCredentialsResult(each.name) for each in request.upsertions]
    ),
}
