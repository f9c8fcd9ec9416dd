"""Produce with acks=all where fewer replicas are in sync than min.insync.replicas asks for."""

from __future__ import annotations

import pytest

from wirebroker.metadata.image import PartitionImage, TopicImage
from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.leader_state import IsrRules
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.handlers.txn_harness import LARGE, TxnHarness
from wirebroker.tests.record.produce_cases import CASES, REFUSED_BEFORE_MIN_ISR, Case
from wirebroker.tests.replication.leader import NO_TOPICS, become_leader
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, Clock

TWO = LARGE._replace(min_insync_replicas=2)
PLAIN = [case for case in CASES if case.topic == "plain"]


def replica_manager(*, limits: bool) -> ReplicaManager:
    logs = LogManager([DIR], LARGE, files=FakeDisk(), clock=Clock())
    logs.load()
    return ReplicaManager(logs, NO_TOPICS, lambda: None, IsrRules(limits_min_isr_to_replicas=limits))


def topic(replicas: tuple[int, ...], isr: tuple[int, ...]) -> TopicImage:
    return TopicImage("t", b"t" * 16, (PartitionImage(0, 0, replicas, isr),))


@pytest.mark.parametrize(
    ("replicas", "isr", "limits", "below"),
    [
        ((0,), (0,), True, False),  # Apache Kafka since 3.7 asks for no more than there are
        ((0,), (0,), False, True),
        ((0, 1, 2), (0,), True, True),
        ((0, 1, 2), (0, 1), True, False),
        ((0, 1, 2), (0, 1), False, False),
    ],
)
def test_how_many_replicas_must_be_in_sync(
    replicas: tuple[int, ...], isr: tuple[int, ...], limits: bool, below: bool
) -> None:
    manager = replica_manager(limits=limits)
    become_leader(manager, topic(replicas, isr), 0, TWO)
    assert manager.get("t", 0).below_min_isr == below


def test_a_change_of_the_setting_holds_from_the_next_request_on() -> None:
    manager = replica_manager(limits=False)
    alone = topic((0,), (0,))
    become_leader(manager, alone, 0, LARGE)
    assert not manager.get("t", 0).below_min_isr
    manager.reconfigure("t", TWO)
    assert manager.get("t", 0).below_min_isr
    manager.reconfigure("t", LARGE)
    assert not manager.get("t", 0).below_min_isr


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: case.name)
async def test_acks_all_is_refused_and_nothing_is_written(case: Case) -> None:
    harness = await TxnHarness.open()
    partition = harness.replicas.get("t", 0)
    partition.below_min_isr = True
    answer = await harness.produce(records=case.records, version=case.version, transactional_id=None)
    if case.name in REFUSED_BEFORE_MIN_ISR:
        assert (answer.error_code, answer.log_start_offset) == (case.code, -1)
    else:
        assert (answer.error_code, answer.log_start_offset) == (ErrorCode.NOT_ENOUGH_REPLICAS, 0)
    assert (answer.base_offset, partition.log.log_end_offset) == (-1, 0)


@pytest.mark.parametrize("version", [2, 3, 11])
async def test_other_acks_do_not_ask_for_replicas(version: int) -> None:
    harness = await TxnHarness.open()
    harness.replicas.get("t", 0).below_min_isr = True
    records = PLAIN[0].records
    refused = await harness.produce(records=records, version=version, transactional_id=None)
    assert refused.error_code == ErrorCode.NOT_ENOUGH_REPLICAS
    assert (await harness.produce(records=records, version=version, transactional_id=None, acks=1)).base_offset == 0
    assert await harness.produce(records=records, version=version, transactional_id=None, acks=0) is None
    assert harness.replicas.get("t", 0).log.log_end_offset == 2
