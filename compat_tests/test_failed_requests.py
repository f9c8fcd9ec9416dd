"""FailedProduceRequestsPerSec, FailedFetchRequestsPerSec and TotalProduceRequestsPerSec count what Apache Kafka counts.

A failed append counts as failed if the answer has the log start offset: Apache Kafka 3.9.1 looks it up where it counts.
Unknown topics, moved leaders, offsets out of range, and batches that are too large, corrupt or badly framed do not
count.  TotalProduceRequestsPerSec counts every request for a topic that exists but those that are badly framed, which
Apache Kafka refuses before it looks for the log.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.test_mbeans import in_this_jvm
from compat_tests.test_produce_refusals import create_topics
from compat_tests.versions import KAFKA
from compat_tests.wire import Wire
from tools.jvm.kafka import KafkaBroker
from tools.jvm.ports import free_ports
from wirebroker.cli.monitor.scrape import read_mbeans
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.protocol.messages.metadata import MetadataRequest
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.record.errors import RecordValidationError
from wirebroker.record.validate import check_frame
from wirebroker.tests.record.produce_cases import CASES, GOOD, patched, timed_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

TOTAL, PRODUCE, FETCH = "TotalProduceRequestsPerSec", "FailedProduceRequestsPerSec", "FailedFetchRequestsPerSec"
FETCHES = {
    "good": (0, 0, -1, ErrorCode.NONE),
    "no such partition": (9, 0, -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    "beyond the end": (0, 1 << 40, -1, ErrorCode.OFFSET_OUT_OF_RANGE),
    "before the start": (0, -5, -1, ErrorCode.OFFSET_OUT_OF_RANGE),
    "a later leader epoch": (0, 0, 99, ErrorCode.UNKNOWN_LEADER_EPOCH),
}
"""Partition, offset, leader epoch, and the error of the answer."""
NO_TOPIC = ("none", "unknown topic")
PRODUCER = {"producer_id": 7000, "producer_epoch": 0}


class Failure(NamedTuple):
    """One answer to a Produce request, and which counters have grown: of failures, and of all requests."""

    topic: str
    name: str
    code: ErrorCode
    has_log_start_offset: bool
    is_counted: bool
    in_total: bool


def produce_failures(wire: Wire, topics: dict[str, str], count: Callable[[str], float]) -> Iterator[Failure]:
    """Produce every case, good and bad, and yield those that failed."""
    cases = [*CASES, *timed_cases(int(time.time() * 1000))]
    requests = [(case.topic, topics[case.topic], case.name, case.records, case.version) for case in cases]
    plain = topics["plain"]
    requests.append((NO_TOPIC[0], "no-such-topic", NO_TOPIC[1], GOOD, 9))
    sequences = (("first", 0), ("sequence with a gap", 5))
    requests += [("plain", plain, name, patched(GOOD, base_sequence=n, **PRODUCER), 9) for name, n in sequences]
    before = count(PRODUCE)
    for kind, topic, name, records, version in requests:
        while True:  # a leader may just begin
            total = count(TOTAL)
            data = [TopicProduceData(topic, partition_data=[PartitionProduceData(0, memoryview(records))])]
            answer = wire.ask(ProduceRequest(None, -1, 10_000, data), version).responses[0].partition_responses[0]
            if answer.error_code != ErrorCode.NOT_LEADER_OR_FOLLOWER:
                break
        in_total = count(TOTAL) > total
        if not answer.error_code:
            assert in_total
            continue
        now = count(PRODUCE)
        yield Failure(kind, name, ErrorCode(answer.error_code), answer.log_start_offset >= 0, now > before, in_total)
        before = now


def is_framed(records: memoryview, version: int) -> bool:
    """Whether the records of a Produce request are one whole batch as *version* carries it."""
    try:
        check_frame(records, zstd_allowed=version >= 7)
    except RecordValidationError:
        return False
    return True


def check(wire: Wire, count: Callable[[str], float]) -> None:
    """Compare what a broker counts with the rule."""
    topics = create_topics(wire)
    failures = list(produce_failures(wire, topics, count))
    assert [each for each in failures if each.is_counted != each.has_log_start_offset] == []
    badly_framed = {(case.topic, case.name) for case in CASES if not is_framed(memoryview(case.records), case.version)}
    assert {(each.topic, each.name) for each in failures if not each.in_total} == {NO_TOPIC, *badly_framed}
    counted = {each.code for each in failures if each.is_counted}
    assert counted == {
        ErrorCode.INVALID_RECORD,
        ErrorCode.INVALID_TIMESTAMP,
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.UNKNOWN_SERVER_ERROR,
    }
    assert {each.code for each in failures if not each.is_counted} == {
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.INVALID_RECORD,  # badly framed
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
    }
    for name, (partition, offset, epoch, code) in FETCHES.items():
        fetched = FetchPartition(partition, epoch, offset, partition_max_bytes=1 << 20)
        request = FetchRequest(max_bytes=1 << 20, topics=[FetchTopic(topic=topics["plain"], partitions=[fetched])])
        answer = wire.ask(request, 11).responses[0].partitions[0]
        assert (name, answer.error_code) == (name, code)
    assert count(FETCH) == 0


@pytest.mark.nightly
def test_apache_kafka_counts_by_the_rule(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    broker = KafkaBroker(kafka_dist(KAFKA), tmp_path / "kafka")
    with in_this_jvm(broker, {"auto.create.topics.enable": "false"}) as java:
        server = java.java.lang.management.ManagementFactory.getPlatformMBeanServer()

        def count(counter: str) -> float:
            name = java.javax.management.ObjectName(f"kafka.server:type=BrokerTopicMetrics,name={counter}")
            return float(server.getAttribute(name, "Count"))

        with Wire(broker.host, broker.port, timeout_s=60) as wire:
            wait_until(lambda: bool(wire.ask(MetadataRequest([]), 9).brokers))
            check(wire, count)


def test_wirebroker_counts_by_the_rule(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    settings = {
        "auto.create.topics.enable": "false",
        "wirebroker.metrics.port": str(port),
        "wirebroker.metrics.host": "127.0.0.1",
    }
    with Wirebroker(tmp_path, settings) as broker, broker.connect() as wire:
        check(wire, partial(_count, port))


def _count(port: int, counter: str) -> float:
    return dict(read_mbeans(("127.0.0.1", port)))[f"kafka.server:type=BrokerTopicMetrics,name={counter}"]["Count"]
