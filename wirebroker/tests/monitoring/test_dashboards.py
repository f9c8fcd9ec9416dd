"""A running broker answers the queries of public dashboards, at /metrics and /metrics/confluent."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import pytest
import trio
from prometheus_client.parser import text_string_to_metric_families

from wirebroker.model import GROUP_METADATA_TOPIC_NAME
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest, CreateTopicsResponse
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from wirebroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record
from wirebroker.tests.monitoring import dashboards
from wirebroker.tests.traced_broker import run_traced_broker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from wirebroker.tests.traced_broker import TracedBroker

RECORDS = 7
COMMITTED = 3
PROMTOOL = shutil.which("promtool")


class Sample(NamedTuple):
    name: str
    labels: Mapping[str, str]
    value: float


def parse(text: str) -> list[Sample]:
    return [
        Sample(sample.name, sample.labels, sample.value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    ]


def find(samples: list[Sample], name: str, **labels: str) -> list[float]:
    return [
        each.value
        for each in samples
        if each.name == name and all(each.labels.get(label) == value for label, value in labels.items())
    ]


def answers(samples: list[Sample], selector: str) -> bool:
    name, *labels = selector.split()
    wanted = [label.partition("=") for label in labels]
    return any(
        each.name == name
        and all(each.labels.get(label) == value if found else label in each.labels for label, found, value in wanted)
        for each in samples
    )


async def get(port: int, path: str) -> str:
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(f"GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
        data = b""
        async for piece in stream:
            data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), head
    return body.decode()


@asynccontextmanager
async def measured_broker(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[tuple[TracedBroker, int]]:
    """A broker, and the port of its metrics."""
    caplog.set_level("INFO", "wirebroker.monitoring")
    settings = {
        "wirebroker.metrics.port": 0,
        "wirebroker.metrics.host": "127.0.0.1",
        "offsets.topic.num.partitions": 1,
        "transaction.state.log.num.partitions": 1,
    }
    async with run_traced_broker(tmp_path, settings) as broker:
        (found,) = (match for line in caplog.messages if (match := re.search(r"metrics on http://.*:(\d+)/", line)))
        yield broker, int(found[1])


async def use(broker: TracedBroker) -> None:
    """Create topics, produce, fetch and commit."""
    names = ("t", GROUP_METADATA_TOPIC_NAME)
    create = CreateTopicsRequest(
        topics=[CreatableTopic(name=name, num_partitions=1, replication_factor=1) for name in names], timeout_ms=30_000
    )
    await broker.request(create, 7, CreateTopicsResponse)
    for topic in ("t", "no-such-topic"):
        batch = build_batch([Record(offset, 1, None, b"v", []) for offset in range(RECORDS)])
        data = PartitionProduceData(index=0, records=memoryview(bytearray(batch)))
        produce = ProduceRequest(acks=1, timeout_ms=1000, topic_data=[TopicProduceData(topic, partition_data=[data])])
        await broker.request(produce, 9, ProduceResponse)
    partition = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
    fetch = FetchRequest(max_bytes=1 << 20, topics=[FetchTopic(topic="t", partitions=[partition])])
    await broker.request(fetch, 12, FetchResponse)
    commit = OffsetCommitRequest(
        group_id="g",
        topics=[OffsetCommitRequestTopic("t", partitions=[OffsetCommitRequestPartition(0, COMMITTED)])],
    )
    with trio.fail_after(20):  # the coordinator follows its topic in a moment
        while True:
            response = await broker.request(commit, 7, OffsetCommitResponse)
            if not response.topics[0].partitions[0].error_code:
                return
            await trio.sleep(0.01)


@pytest.mark.parametrize(
    ("path", "dashboard"),
    [
        ("/metrics", dashboards.STRIMZI_KAFKA),
        ("/metrics", dashboards.STRIMZI_KAFKA_EXPORTER),
        ("/metrics/confluent", dashboards.CONFLUENT_CLUSTER),
        ("/metrics/confluent", dashboards.CONFLUENT_TOPICS),
    ],
)
async def test_the_queries_of_a_dashboard_are_answered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, path: str, dashboard: str
) -> None:
    async with measured_broker(tmp_path, caplog) as (broker, port):
        await use(broker)
        samples = parse(await get(port, path))
    assert [line for line in dashboard.splitlines() if line and not answers(samples, line)] == []


async def test_what_is_said_not_to_be_answered_is_not(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with measured_broker(tmp_path, caplog) as (broker, port):
        await use(broker)
        samples = [*parse(await get(port, "/metrics")), *parse(await get(port, "/metrics/confluent"))]
    beginnings = tuple(dashboards.NOT_ANSWERED)
    answered = {each.name for each in samples if each.name.startswith(beginnings)}
    assert answered == set()


async def test_figures_are_those_of_the_requests(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with measured_broker(tmp_path, caplog) as (broker, port):
        await use(broker)
        text = await get(port, "/metrics")
        mbeans = dict(json.loads(await get(port, "/jmx")))
    samples = parse(text)
    topic = "kafka_server_brokertopicmetrics_"
    assert find(samples, f"{topic}messagesin_total", topic="t") == [RECORDS]
    (bytes_in,) = find(samples, f"{topic}bytesin_total", topic="t")
    assert bytes_in == find(samples, f"{topic}bytesout_total", topic="t")[0] > 0
    assert find(samples, f"{topic}totalproducerequests_total", topic="t") == [1]
    assert find(samples, f"{topic}totalfetchrequests_total", topic="t") == [1]
    assert find(samples, f"{topic}failedproducerequests_total", topic="no-such-topic") == []
    assert find(samples, f"{topic}failedproducerequests_total", topic="t") == [0]
    assert find(samples, "kafka_log_log_logendoffset", topic="t", partition="0") == [RECORDS]
    assert find(samples, "kafka_consumergroup_lag", consumergroup="g", topic="t") == [RECORDS - COMMITTED]
    requests = "kafka_network_requestmetrics_"
    assert find(samples, f"{requests}requests_total", request="Produce", version="9") == [2]
    assert find(samples, f"{requests}requests_total", request="FetchConsumer") == [1]
    assert find(samples, f"{requests}errors_total", request="Produce", error="UNKNOWN_TOPIC_OR_PARTITION") == [1]
    assert find(samples, f"{requests}errors_total", request="Produce", error="NONE") == [1]
    assert find(samples, f"{requests}totaltimems_count", request="Produce") == [2]
    (total,) = find(samples, f"{requests}totaltimems", request="Produce", quantile="0.5")
    assert total > 0
    assert find(samples, "kafka_server_socket_server_metrics_connection_count", listener="PLAINTEXT") == [1]
    assert find(samples, "kafka_controller_kafkacontroller_globaltopiccount") == [2]
    assert mbeans["kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec,topic=t"]["Count"] == RECORDS


async def test_health_and_readiness(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with measured_broker(tmp_path, caplog) as (_, port):
        assert await get(port, "/healthz") == "ok\n"
        assert await get(port, "/readyz") == "ready\n"


ADVICE_OF_PROMTOOL = {
    "label names should be written in 'snake_case' not 'camelCase'",
    'non-histogram and non-summary metrics should not have "_count" suffix',
    'non-histogram and non-summary metrics should not have "_sum" suffix',
    "metric names should not contain abbreviated units",
}
"""Advice on names that dashboards for Kafka query (promtool 2.42); its exit code is 3 then."""


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed (Debian: apt-get install prometheus)")
async def test_promtool_reads_the_metrics(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with measured_broker(tmp_path, caplog) as (broker, port):
        await use(broker)
        text = await get(port, "/metrics")
    check = partial(
        subprocess.run, [PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60
    )
    done = await trio.to_thread.run_sync(check)
    advice = {line.partition(" ")[2] for line in done.stderr.splitlines()}
    assert advice <= ADVICE_OF_PROMTOOL
    assert done.returncode == (3 if advice else 0), done.stderr
