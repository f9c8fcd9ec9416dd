"""Requests of an Apache Kafka broker to a wirebroker that is the controller, and old consumers' offsets at both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.kafka_requests import init_producer_id
from compat_tests.versions import KAFKA
from compat_tests.wire import Wire
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist
    from wirebroker.protocol.message import Message

SESSION = {"zookeeper.session.timeout.ms": "10000"}
"""Of the broker that is killed, and is to be missed soon."""
BLOCK = 1000


def ask(cluster: MixedCluster, broker_id: int, request: Message, version: int) -> object:
    host, _, port = cluster.brokers[broker_id].bootstrap.rpartition(":")
    with Wire(host, int(port)) as wire:
        return wire.ask(request, version)


def producer_id(cluster: MixedCluster, broker_id: int) -> int:
    """A producer id of a broker, -1 while it has none; it asks the controller for a block of them."""
    response = ask(cluster, broker_id, init_producer_id(), 1)
    found: int = getattr(response, "producer_id", -1)
    return found


def commit(cluster: MixedCluster, broker_id: int, group_id: str, offset: int) -> None:
    partitions = [OffsetCommitRequestPartition(partition_index=0, committed_offset=offset, committed_metadata="m")]
    request = OffsetCommitRequest(group_id, topics=[OffsetCommitRequestTopic(name="t", partitions=partitions)])
    response = ask(cluster, broker_id, request, 0)
    assert [each.error_code for topic in response.topics for each in topic.partitions] == [0]  # type: ignore[attr-defined]


def committed(cluster: MixedCluster, broker_id: int, group_id: str) -> list[tuple[int, int]]:
    request = OffsetFetchRequest(group_id, [OffsetFetchRequestTopic("t", [0])])
    response = ask(cluster, broker_id, request, 0)
    return [
        (each.committed_offset, each.error_code)
        for topic in response.topics  # type: ignore[attr-defined]
        for each in topic.partitions
    ]


def test_an_apache_kafka_broker_is_served_by_a_wirebroker_that_is_the_controller(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        cluster.wirebroker(0)
        cluster.wirebroker(2, SESSION)
        cluster.kafka(1)
        cluster.await_brokers(0, 1, 2)
        wait_until(lambda: all(cluster.controller_id(each) == 0 for each in (0, 1, 2)))
        cluster.create_topic("t", {0: (1, 2)})
        cluster.await_states("t", {0: (1, {1, 2})})

        # AllocateProducerIds
        for broker_id in (0, 1, 2):
            wait_until(lambda at=broker_id: producer_id(cluster, at) >= 0)  # type: ignore[misc]  # bound per broker
        blocks = {producer_id(cluster, broker_id) // BLOCK for broker_id in (0, 1, 2)}
        assert len(blocks) == 3

        # AlterPartition: the controller shrinks the ISR, and the leader adds the follower that is back
        cluster.kill(2)
        cluster.await_states("t", {0: (1, {1})})
        cluster.wirebroker(2)
        cluster.await_states("t", {0: (1, {1, 2})})

        # /consumers
        assert committed(cluster, 0, "g") == committed(cluster, 1, "g") == [(-1, 3)]
        commit(cluster, 1, "g", 5)
        commit(cluster, 2, "h", 6)
        for broker_id in (0, 1, 2):
            assert committed(cluster, broker_id, "g") == [(5, 0)]
            assert committed(cluster, broker_id, "h") == [(6, 0)]
