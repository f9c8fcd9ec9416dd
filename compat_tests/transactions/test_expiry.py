"""Idle producers and transactional ids expire as in Apache Kafka 3.9.1."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.conftest import wait_until
from compat_tests.kafka_requests import batch, produce
from compat_tests.transactions import compared_brokers
from compat_tests.transactions.compared_brokers import start_brokers
from compat_tests.transactions.scenario import Producer, TransactionScenario
from compat_tests.versions import KAFKA
from wirebroker.protocol.messages import incremental_alter_configs as alter
from wirebroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from wirebroker.protocol.messages.describe_transactions import DescribeTransactionsRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.transactions.compared_brokers import ComparedBrokers
    from tools.jvm.kafka import KafkaDist

    Same = Callable[..., None]

SETTINGS = compared_brokers.SETTINGS | {
    "producer.id.expiration.check.interval.ms": "200",
    "transaction.remove.expired.transaction.cleanup.interval.ms": "200",
    "transactional.id.expiration.ms": "12000",
}
OPEN_MS = 900_000
DAY_MS = 86_400_000
PATIENCE_S = 90


@pytest.fixture(scope="module")
def brokers(
    kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ComparedBrokers]:
    with start_brokers(kafka_dist, tmp_path_factory.mktemp("expiry"), KAFKA, settings=SETTINGS) as found:
        yield found


def known(s: TransactionScenario, partition: int = 0) -> set[int]:
    """The producers that a partition remembers."""
    (topic,) = s.ask_unrecorded("admin", DescribeProducersRequest([TopicRequest(s.topic, [partition])]), 0).topics
    return {each.producer_id for each in topic.partitions[0].active_producers}


def remembers(s: TransactionScenario) -> bool:
    """Whether a producer that has just written is still known after several looks at the clock."""
    records = batch(b"probe", producer_id=1_000_000, producer_epoch=0, base_sequence=0)
    s.ask_unrecorded("admin", produce(s.topic, records, partition=2), 7)
    time.sleep(5)
    return bool(known(s, 2))


def forget_after(s: TransactionScenario, expiration_ms: int) -> None:
    """Change the setting of the cluster."""
    wanted = [alter.AlterableConfig("producer.id.expiration.ms", 0, str(expiration_ms))]
    request = alter.IncrementalAlterConfigsRequest([alter.AlterConfigsResource(4, "", wanted)])
    assert not s.ask_unrecorded("admin", request, 1).responses[0].error_code


def test_producers(same: Same) -> None:
    """Sequences are kept until then, producers with an open transaction do not expire, and the config may change
    meanwhile."""

    def script(s: TransactionScenario) -> None:
        idempotent = s.init(4, None)
        idle = Producer(idempotent.producer_id, idempotent.producer_epoch, "")
        how: dict[str, Any] = {"transactional": False, "transactional_id": None}
        s.write(idle, 0, b"1", b"2", **how)
        s.write(idle, 4, **how)
        busy = s.producer("-open", OPEN_MS)
        s.add(3, busy)
        s.write(busy, 0)
        s.write(busy, 5)
        assert known(s) == {idle.id, busy.id}
        forget_after(s, 1)
        wait_until(lambda: known(s) == {busy.id}, PATIENCE_S)
        forget_after(s, DAY_MS)
        wait_until(lambda: remembers(s), PATIENCE_S)
        s.write(idle, 4, **how)
        s.write(idle, 9, **how)
        s.write(idle, 5, **how)
        s.write(busy, 5)
        s.write(busy, 1)
        s.end(3, busy)
        s.ask_coordinator(DescribeProducersRequest([TopicRequest(s.topic, [0])]), 0)

    same(script)


def test_transactional_ids(same: Same) -> None:
    """Idle ids expire, with or without a transaction before; an id with an open transaction does not."""

    def script(s: TransactionScenario) -> None:
        busy = s.producer("-open", OPEN_MS)
        s.add(3, busy)
        idle, used = s.producer("-idle"), s.producer("-used")
        s.add(3, used)
        s.end(3, used)

        def gone() -> bool:
            asked = DescribeTransactionsRequest([idle.name, used.name])
            return all(each.error_code for each in s.ask_unrecorded("admin", asked, 0).transaction_states)

        wait_until(gone, PATIENCE_S)
        s.describe(busy.name, idle.name, used.name)
        s.listed(0)
        for producer in (idle, used):
            s.add(3, producer)
            s.end(3, producer)
            s.write(producer, 0)
            s.offsets(3, producer)
        again = s.producer("-idle")
        assert again.id != idle.id
        s.end(3, busy)
        s.describe(busy.name, again.name)

    same(script)
