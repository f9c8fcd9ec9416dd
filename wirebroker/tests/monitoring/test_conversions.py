"""Conversions of message formats are counted by topic and timed by API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from wirebroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from wirebroker.tests.monitoring.test_dashboards import RECORDS, find, get, measured_broker, parse, use
from wirebroker.tests.record.legacy_message_sets import PAIRS, message_set

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


async def test_messages_whose_format_is_changed_are_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with measured_broker(tmp_path, caplog) as (broker, port):
        await use(broker)
        before = parse(await get(port, "/metrics"))
        partition = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
        fetch = FetchRequest(max_bytes=1 << 20, topics=[FetchTopic(topic="t", partitions=[partition])])
        await broker.request(fetch, 3, FetchResponse)
        data = PartitionProduceData(index=0, records=memoryview(bytearray(message_set(1))))
        produce = ProduceRequest(acks=1, timeout_ms=1000, topic_data=[TopicProduceData("t", partition_data=[data])])
        response = await broker.request(produce, 2, ProduceResponse)
        assert response.responses[0].partition_responses[0].error_code == 0
        samples = parse(await get(port, "/metrics"))
    conversions = "kafka_server_brokertopicmetrics_{}messageconversions_total"
    for name in ("produce", "fetch"):
        assert find(before, conversions.format(name), topic="t") == [0]
    assert find(samples, conversions.format("produce"), topic="t") == [len(PAIRS)]
    assert find(samples, conversions.format("fetch"), topic="t") == [RECORDS]
    requests = "kafka_network_requestmetrics_"
    assert find(samples, f"{requests}messageconversionstimems_count", request="Produce") == [1]
    assert find(samples, f"{requests}messageconversionstimems_count", request="Fetch") == [1]
    (size,) = find(samples, f"{requests}temporarymemorybytes", request="Produce", quantile="0.5")
    assert size > 100
