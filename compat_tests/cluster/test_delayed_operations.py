"""Requests that wait for a follower: Produce with acks=all and DeleteRecords, to wirebroker and to Apache Kafka.

The follower is stopped with SIGSTOP for less than `replica.lag.time.max.ms`, so that it stays in the
ISR.  wirebroker leads partition 0 with Kafka as the follower, and Kafka leads partition 1 with wirebroker.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import log_bytes
from compat_tests.conftest import wait_until
from compat_tests.kafka_requests import batch
from compat_tests.versions import OLD_KAFKA
from compat_tests.wire import Wire, decode_response, encode
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.record.record_batch import batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist
    from wirebroker.protocol.message import Message

KAFKA_BROKER, OURS = 0, 1
ASSIGNMENT = {0: (OURS, KAFKA_BROKER), 1: (KAFKA_BROKER, OURS)}
VERSION = {ProduceRequest: 7, DeleteRecordsRequest: 1, ApiVersionsRequest: 2}
TIMEOUT_MS = 1500
PATIENT = {"replica.lag.time.max.ms": "900000"}
SOON_S = 60
"""Less than any other wait: answers of a busy machine come late, too."""


@pytest.fixture(scope="module")
def cluster(kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory) -> Iterator[MixedCluster]:
    directory: Path = tmp_path_factory.mktemp("cluster")
    with MixedCluster(directory, kafka_dist(OLD_KAFKA)) as cluster:
        cluster.kafka(KAFKA_BROKER, settings=PATIENT)
        cluster.wirebroker(OURS, PATIENT)
        cluster.await_brokers(KAFKA_BROKER, OURS)
        cluster.create_topic("t", ASSIGNMENT)
        cluster.await_states("t", {index: (replicas[0], set(replicas)) for index, replicas in ASSIGNMENT.items()})
        yield cluster


@contextmanager
def stopped(cluster: MixedCluster, broker_id: int) -> Iterator[None]:
    """Stop the process of a broker, and let it go on at the end."""
    pid = cluster.brokers[broker_id].pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def produce(partition: int, timeout_ms: int = TIMEOUT_MS) -> ProduceRequest:
    data = [PartitionProduceData(partition, memoryview(batch()))]
    return ProduceRequest(None, -1, timeout_ms, [TopicProduceData(name="t", partition_data=data)])


def delete_records(partition: int, offset: int, timeout_ms: int = TIMEOUT_MS) -> DeleteRecordsRequest:
    topic = DeleteRecordsTopic("t", [DeleteRecordsPartition(partition, offset)])
    return DeleteRecordsRequest([topic], timeout_ms)


class Leader:
    """A connection to the leader of one partition."""

    def __init__(self, cluster: MixedCluster, partition: int) -> None:
        self.partition = partition
        self.broker_id, self.follower_id = ASSIGNMENT[partition]
        host, _, port = cluster.brokers[self.broker_id].bootstrap.rpartition(":")
        self.address = (host, int(port))

    def ask_together(self, *requests: Message) -> tuple[list[Any], list[float]]:
        """Send requests without waiting; return the answers, in their order, and the seconds until each."""
        with Wire(*self.address, timeout_s=240) as wire:
            began = time.monotonic()
            for number, request in enumerate(requests):
                wire.send_frame(encode(request, VERSION[type(request)], number))
            answers, seconds = [], []
            for number, request in enumerate(requests):
                frame = wire.receive_frame()
                assert int.from_bytes(frame[:4], "big") == number
                answers.append(decode_response(request.API_KEY, VERSION[type(request)], frame))
                seconds.append(time.monotonic() - began)
        return answers, seconds


def log_end_offset(data_directory: Path) -> int:
    """The offset behind the last record that wirebroker has written to the partition that it leads."""
    return max((batch.last_offset + 1 for batch in batches(memoryview(log_bytes(data_directory, "t", 0)))), default=0)


def produced(answer: Any) -> tuple[E, int]:
    (topic,) = answer.responses
    (partition,) = topic.partition_responses
    return E(partition.error_code), partition.base_offset


def deleted(answer: Any) -> tuple[E, int]:
    (topic,) = answer.topics
    (partition,) = topic.partitions
    return E(partition.error_code), partition.low_watermark


@pytest.mark.parametrize("partition", [0, 1], ids=["wirebroker", "kafka"])
def test_requests_wait_for_the_follower(cluster: MixedCluster, partition: int) -> None:
    leader = Leader(cluster, partition)
    (first,), (took_s,) = leader.ask_together(produce(partition))
    assert produced(first) == (E.NONE, 0)
    assert took_s < SOON_S

    with stopped(cluster, leader.follower_id):
        time.sleep(0.7)  # the follower's last fetch has been answered
        (second, versions), (waited_s, then_s) = leader.ask_together(produce(partition), ApiVersionsRequest())
        assert produced(second) == (E.REQUEST_TIMED_OUT, 1)
        assert versions.error_code == E.NONE
        assert TIMEOUT_MS / 1000 - 0.01 <= waited_s <= then_s < SOON_S
        (late,), (waited_s,) = leader.ask_together(delete_records(partition, 1))
        assert deleted(late) == (E.REQUEST_TIMED_OUT, 0)
    (third,), _ = leader.ask_together(produce(partition, 200_000))
    assert produced(third) == (E.NONE, 2)

    with stopped(cluster, leader.follower_id):
        time.sleep(0.7)
        (late,), (waited_s,) = leader.ask_together(delete_records(partition, 2))
        assert deleted(late) == (E.REQUEST_TIMED_OUT, 1)
        assert TIMEOUT_MS / 1000 - 0.01 <= waited_s < SOON_S
    (done,), _ = leader.ask_together(delete_records(partition, 3, 200_000))
    assert deleted(done) == (E.NONE, 3)


def test_other_requests_are_served_while_wirebroker_waits(cluster: MixedCluster) -> None:
    """Ten requests whose records are written at once, though none of them is answered before the follower goes on."""
    leader = Leader(cluster, 0)
    (before,), _ = leader.ask_together(produce(0, 200_000))
    _, base_offset = produced(before)
    with stopped(cluster, leader.follower_id):
        time.sleep(0.7)
        with Wire(*leader.address, timeout_s=240) as wire:
            for number in range(10):
                wire.send_frame(encode(produce(0, 200_000), 7, number))
            directory = cluster.brokers[OURS].data_directory
            wait_until(lambda: log_end_offset(directory) == base_offset + 11)
            wire.socket.settimeout(1)
            with pytest.raises(TimeoutError):
                wire.receive_frame()
            (newest,), _ = leader.ask_together(produce(0, 100))
            assert produced(newest) == (E.REQUEST_TIMED_OUT, base_offset + 11)
            os.kill(cluster.brokers[leader.follower_id].pid, signal.SIGCONT)
            wire.socket.settimeout(240)
            for number in range(10):
                frame = wire.receive_frame()
                assert int.from_bytes(frame[:4], "big") == number
                answer = decode_response(ProduceRequest.API_KEY, 7, frame)
                assert produced(answer) == (E.NONE, base_offset + 1 + number)
