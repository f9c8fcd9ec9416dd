"""Odd administrative requests to two wirebrokers with ZooKeeper, beside two of Apache Kafka 3.9.1.

Found by a comparison of random requests of every API and version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.kafka_requests import batch
from compat_tests.side_by_side import comparable
from compat_tests.versions import KAFKA
from compat_tests.wire import Wire
from wirebroker.protocol.messages.alter_configs import AlterableConfig as ReplacedConfig
from wirebroker.protocol.messages.alter_configs import AlterConfigsRequest
from wirebroker.protocol.messages.alter_configs import AlterConfigsResource as ReplacedConfigs
from wirebroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from wirebroker.protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from wirebroker.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from wirebroker.protocol.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from wirebroker.protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from wirebroker.protocol.messages.elect_leaders import ElectLeadersRequest
from wirebroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.jvm.kafka import KafkaDist
    from wirebroker.protocol.message import Message

BROKERS: Final = (0, 1)
TOPIC, BROKER = 2, 4
SET, SUBTRACT = 0, 3
THROTTLES: Final = ("leader.replication.throttled.rate", "replica.alter.log.dirs.io.max.bytes.per.second")


@pytest.fixture(scope="module")
def clusters(
    kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[MixedCluster, MixedCluster]]:
    """Two wirebrokers, and two of Apache Kafka, with the topics t of two partitions and u of one."""
    directory, dist = tmp_path_factory.mktemp("odd-requests"), kafka_dist(KAFKA)
    with MixedCluster(directory / "ours", dist) as ours, MixedCluster(directory / "theirs", dist) as theirs:
        for broker_id in BROKERS:
            ours.wirebroker(broker_id)
            theirs.kafka(broker_id)
        for cluster in (ours, theirs):
            cluster.await_brokers(*BROKERS)
            wait_until(lambda at=cluster: len({at.controller_id(each) for each in BROKERS} - {-1}) == 1)  # type: ignore[misc]  # bound per cluster
            cluster.create_topic("t", {0: (0, 1), 1: (1, 0)})
            cluster.create_topic("u", {0: (0,)})
            cluster.await_states("t", {0: (0, {0, 1}), 1: (1, {0, 1})})
            cluster.await_states("u", {0: (0, {0})})
        yield ours, theirs


def ask(cluster: MixedCluster, request: Message, version: int, at: Callable[[int], int] | None = None) -> Any:
    """The response, without texts, of the controller, or of the broker that *at* returns for the controller's id."""
    active = cluster.controller_id(0)
    broker = cluster.brokers[active if at is None else at(active)]
    with Wire(broker.host, broker.port) as wire:
        return without_texts(comparable(wire.ask(request, version)))


def without_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_texts(each) for name, each in value.items() if name != "error_message"}
    return [without_texts(each) for each in value] if isinstance(value, list) else value


def agree(
    clusters: tuple[MixedCluster, MixedCluster],
    request: Message,
    version: int,
    at: Callable[[int], int] | None = None,
) -> Any:
    """Check that both clusters give the same response, and return it."""
    ours, theirs = (ask(cluster, request, version, at) for cluster in clusters)
    assert ours == theirs, request
    return ours


def codes(response: Any) -> list[int]:
    return [each["error_code"] for part in response.values() if isinstance(part, list) for each in part]


@pytest.mark.parametrize(
    ("topic", "code"),
    [
        (CreatableTopic("new", 2, 3, [], [CreatableTopicConfig("segment.bytes", "true")]), 38),
        (CreatableTopic("new", 0, 1, [], [CreatableTopicConfig("segment.bytes", "true")]), 37),
        (CreatableTopic("new", 1, 1, [], [CreatableTopicConfig("segment.bytes", "true")]), 40),
        (CreatableTopic("a b", 2, 0, [], []), 38),
        (CreatableTopic("a b", 2, 1, [], []), 17),
        (CreatableTopic("t", 0, 0, [], []), 36),
        (CreatableTopic("new", 1, -1, [CreatableReplicaAssignment(0, [0])], [CreatableTopicConfig("x", "y")]), 42),
        (CreatableTopic("a b", 1, -1, [CreatableReplicaAssignment(0, [0])], []), 42),
        (CreatableTopic("a b", 1, 9, [], [CreatableTopicConfig("retention.ms", None)]), 40),
        (CreatableTopic("t", 1, 9, [], [CreatableTopicConfig("retention.ms", None)]), 36),
        (CreatableTopic("a b", -1, -1, [CreatableReplicaAssignment(1, [0])], []), 17),
        (CreatableTopic("new", -1, -1, [CreatableReplicaAssignment(1, [0])], [CreatableTopicConfig("x", "y")]), 39),
    ],
    ids=repr,
)
def test_the_order_of_checks_of_a_new_topic(
    clusters: tuple[MixedCluster, MixedCluster], topic: CreatableTopic, code: int
) -> None:
    request = CreateTopicsRequest([topic], 30_000, validate_only=True)
    assert codes(agree(clusters, request, 4)) == [code]


@pytest.mark.parametrize("name", ["a b", "*", "missing", ""])
def test_settings_of_a_topic_that_is_not_there(clusters: tuple[MixedCluster, MixedCluster], name: str) -> None:
    code = 3 if name else 42
    change = AlterConfigsResource(TOPIC, name, [AlterableConfig("retention.ms", SET, "1")])
    assert codes(agree(clusters, IncrementalAlterConfigsRequest([change]), 1)) == [code]
    change = AlterConfigsResource(TOPIC, name, [AlterableConfig("retention.ms", SUBTRACT, "1")])
    assert codes(agree(clusters, IncrementalAlterConfigsRequest([change]), 1)) == [40 if name else 42]
    replaced = ReplacedConfigs(TOPIC, name, [ReplacedConfig("retention.ms", "1")])
    assert codes(agree(clusters, AlterConfigsRequest([replaced]), 1)) == [code]


@pytest.mark.parametrize("key", THROTTLES)
def test_the_rate_of_a_throttle_is_a_number(clusters: tuple[MixedCluster, MixedCluster], key: str) -> None:
    for text, code in (("abc", 42), ("-1", 42), ("1.5", 42), ("", 42), ("9" * 20, 42), ("0", 0), (" 7 ", 0)):
        for name in ("0", "1", ""):
            change = AlterConfigsResource(BROKER, name, [AlterableConfig(key, SET, text)])
            request = IncrementalAlterConfigsRequest([change], validate_only=True)
            found = agree(clusters, request, 1, lambda _, to=name: int(to or 0))  # type: ignore[misc]  # bound per name
            assert codes(found) == [code], text


@pytest.mark.parametrize("records", [b"", bytes(batch(b"v"))], ids=["none", "batch"])
@pytest.mark.parametrize("version", [0, 2])
def test_a_follower_takes_no_records_of_old_clients(
    clusters: tuple[MixedCluster, MixedCluster], version: int, records: bytes
) -> None:
    """Broker 0 leads partition 0 of the topic t, and follows in partition 1."""
    for partition, code in ((0, 0), (1, 6)):
        data = [TopicProduceData("t", partition_data=[PartitionProduceData(partition, memoryview(records))])]
        found = agree(clusters, ProduceRequest(None, 1, 30_000, data), version, lambda _: 0)
        assert found["responses"][0]["partition_responses"][0]["error_code"] == code


def test_quotas_are_described_by_filters_with_names_that_do_not_count(
    clusters: tuple[MixedCluster, MixedCluster],
) -> None:
    for kind in (1, 2):
        for entity_type in ("user", "client-id", "ip"):
            request = DescribeClientQuotasRequest([ComponentData(entity_type, kind, "name")])
            assert agree(clusters, request, 1)["error_code"] == 0
    both = DescribeClientQuotasRequest([ComponentData("user", 0, "name"), ComponentData("ip", 0, "127.0.0.1")])
    assert agree(clusters, both, 1)["error_code"] == 42


def test_a_credential_without_salt(clusters: tuple[MixedCluster, MixedCluster]) -> None:
    upsertion = ScramCredentialUpsertion("a user", 1, 4096, b"", b"x" * 32)
    assert codes(agree(clusters, AlterUserScramCredentialsRequest([], [upsertion]), 0)) == [0]
    described = DescribeUserScramCredentialsRequest([UserName("a user")])
    for cluster in clusters:
        wait_until(lambda at=cluster: codes(ask(at, described, 0)) == [0])  # type: ignore[misc]  # bound per cluster
    assert agree(clusters, described, 0)["results"][0]["credential_infos"] == [{"mechanism": 1, "iterations": 4096}]
    refused = AlterUserScramCredentialsRequest([], [ScramCredentialUpsertion("a user", 1, 4096, b"salt", b"")])
    assert codes(agree(clusters, refused, 0)) == [-1]


@pytest.mark.parametrize("version", [1, 2])
def test_elections_of_all_partitions_at_another_broker(
    clusters: tuple[MixedCluster, MixedCluster], version: int
) -> None:
    found = agree(clusters, ElectLeadersRequest(0, None, 30_000), version, lambda active: 1 - active)
    partitions = [
        (each["topic"], result["partition_id"], result["error_code"])
        for each in found["replica_election_results"]
        for result in each["partition_result"]
    ]
    assert (found["error_code"], partitions) == (0, [("t", 0, 41), ("t", 1, 41), ("u", 0, 41)])


def test_reassignments_are_answered_once_for_each_partition(clusters: tuple[MixedCluster, MixedCluster]) -> None:
    cancelled = ReassignablePartition(0, None)
    for topics, answered in (
        ([ReassignableTopic("t", [])], []),
        ([ReassignableTopic("t", []), ReassignableTopic("u", [cancelled])], [("u", 85)]),
        ([ReassignableTopic("missing", []), ReassignableTopic("u", [cancelled, cancelled])], [("u", 85)]),
    ):
        found = agree(clusters, AlterPartitionReassignmentsRequest(30_000, topics=topics), 0)
        pairs = [(each["name"], part["error_code"]) for each in found["responses"] for part in each["partitions"]]
        assert pairs == answered
