"""The table of good and bad batches that the unit tests of `check_batch` use: brokers really answer so."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from compat_tests.conftest import unique_name
from compat_tests.limits import WITHIN_S
from compat_tests.wire import Wire
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.tests.record.produce_cases import CASES, TOPICS, Case, timed_cases

if TYPE_CHECKING:
    from compat_tests.broker import Broker


@pytest.mark.parametrize("kind", ["apache_kafka", "wirebroker"])
def test_codes(kind: str, request: pytest.FixtureRequest) -> None:
    broker: Broker = request.getfixturevalue(kind)
    with Wire(broker.host, broker.port, timeout_s=60) as wire:
        topics = create_topics(wire)
        cases = [*CASES, *timed_cases(int(time.time() * 1000))]
        seen = {(case.topic, case.name): code_for(wire, topics[case.topic], case) for case in cases}
    assert seen == {(case.topic, case.name): case.code for case in cases}
    assert len(seen) == len(cases)


def create_topics(wire: Wire) -> dict[str, str]:
    """A topic for each kind in the table, ready to be written to."""
    names = {kind: unique_name(kind) for kind in TOPICS}
    wanted = [
        CreatableTopic(names[kind], 1, 1, [], [CreatableTopicConfig(*setting) for setting in settings.items()])
        for kind, settings in TOPICS.items()
    ]
    answer = wire.ask(CreateTopicsRequest(wanted, 50_000), 7)
    assert [topic.error_code for topic in answer.topics] == [0] * len(wanted)
    deadline = time.monotonic() + WITHIN_S
    while time.monotonic() < deadline:
        known = wire.ask(MetadataRequest([MetadataRequestTopic(name=name) for name in names.values()]), 12).topics
        if all(topic.partitions and topic.partitions[0].leader_id >= 0 for topic in known):
            return names
        time.sleep(0.05)
    raise AssertionError("topics without leaders")


def code_for(wire: Wire, topic: str, case: Case) -> ErrorCode:
    """The answer to *case*; asked again while the broker has not yet become the partition's leader."""
    deadline = time.monotonic() + WITHIN_S
    while True:
        data = [TopicProduceData(topic, partition_data=[PartitionProduceData(0, memoryview(case.records))])]
        answer = wire.ask(ProduceRequest(None, -1, 10_000, data), case.version)
        code = ErrorCode(answer.responses[0].partition_responses[0].error_code)
        if code is not ErrorCode.NOT_LEADER_OR_FOLLOWER or time.monotonic() > deadline:
            return code
        time.sleep(0.05)
