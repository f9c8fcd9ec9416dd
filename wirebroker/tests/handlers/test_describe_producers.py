"""DescribeProducers of followers, and of partitions that are not there."""

from __future__ import annotations

import pytest

from wirebroker.handlers.producers import handle_describe_producers
from wirebroker.model import LeaderAndIsr
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from wirebroker.tests.handlers.txn_harness import TxnHarness


@pytest.mark.parametrize(
    ("topic", "code"), [("gone", E.UNKNOWN_TOPIC_OR_PARTITION), ("a b", E.INVALID_TOPIC_EXCEPTION)]
)
async def test_a_topic_that_is_not_there_is_named_with_a_message(topic: str, code: E) -> None:
    harness = await TxnHarness.open()
    answer = await handle_describe_producers(harness.context(0), DescribeProducersRequest([TopicRequest(topic, [0])]))
    (partition,) = answer.topics[0].partitions
    assert partition.error_code == code
    assert partition.error_message


async def test_a_follower_names_the_producers_that_it_knows() -> None:
    """`kafka-transactions.sh find-hanging --broker-id` asks a broker for all of its replicas."""
    harness = await TxnHarness.open()
    await harness.produce(transactional_id=None, transactional=False)
    harness.replicas.get("t", 0).make_follower(LeaderAndIsr(1, 1, (0, 1), 1, (0, 1)))
    answer = await handle_describe_producers(harness.context(0), DescribeProducersRequest([TopicRequest("t", [0])]))
    (partition,) = answer.topics[0].partitions
    assert (partition.error_code, [each.producer_id for each in partition.active_producers]) == (E.NONE, [7])
