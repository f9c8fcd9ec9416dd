"""Produce inside transactions: verification, refusals and their codes."""

from __future__ import annotations

import threading
from itertools import product
from typing import Any

import pytest

from wirebroker.handlers.produce import handle_produce
from wirebroker.handlers.produce_transactions import verify_transaction
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.exceptions import ApiError, ProtocolError
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.control import build_marker
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record, batches
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.storage.integrity.lazy_verification import LazyVerification
from wirebroker.storage.integrity.txn_index_check import TransactionScan
from wirebroker.tests.handlers.txn_harness import T0, T1, TxnHarness
from wirebroker.tests.storage.fakes.logs import batch


async def test_a_transaction_is_verified_once() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0, T1}
    first, second = await harness.produce(0, 1)
    assert (first.error_code, second.error_code) == (0, 0)
    assert harness.coordinator.asked == [([T0, T1], False)]
    assert (await harness.produce(0, sequence=1)).base_offset == 1
    assert len(harness.coordinator.asked) == 1
    assert await harness.end() == [E.NONE, E.NONE]
    assert (await harness.produce(0, sequence=2)).error_code == E.TRANSACTION_ABORTABLE
    assert len(harness.coordinator.asked) == 2


async def test_from_version_12_on_producing_adds_the_partition() -> None:
    harness = await TxnHarness.open()
    assert (await harness.produce(0, version=12)).error_code == 0
    assert harness.coordinator.asked == [([T0], True)]
    assert (await harness.produce(1, version=13)).error_code == 0
    assert harness.coordinator.partitions == {T0, T1}


async def test_with_an_epoch_per_transaction_an_unknown_producer_begins_at_sequence_0() -> None:
    """Its first batches were lost or are still on their way (KIP-890); older clients begin anywhere."""
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0, T1}
    assert (await harness.produce(0, sequence=1, version=12)).error_code == E.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert (await harness.produce(0, sequence=0, version=12)).error_code == 0
    assert (await harness.produce(0, sequence=1, version=12)).error_code == 0
    assert (await harness.produce(1, sequence=1, version=11)).error_code == 0


@pytest.mark.parametrize(
    ("refuses", "version", "told"),
    [
        (E.TRANSACTION_ABORTABLE, 10, E.INVALID_TXN_STATE),
        (E.TRANSACTION_ABORTABLE, 11, E.TRANSACTION_ABORTABLE),
        (E.INVALID_TXN_STATE, 12, E.INVALID_TXN_STATE),
        (E.PRODUCER_FENCED, 11, E.INVALID_PRODUCER_EPOCH),
        (E.INVALID_PRODUCER_EPOCH, 11, E.INVALID_PRODUCER_EPOCH),
        (E.INVALID_PRODUCER_ID_MAPPING, 11, E.INVALID_PRODUCER_ID_MAPPING),
        (E.CONCURRENT_TRANSACTIONS, 9, E.NOT_ENOUGH_REPLICAS),
        (E.COORDINATOR_LOAD_IN_PROGRESS, 9, E.NOT_ENOUGH_REPLICAS),
        (E.COORDINATOR_NOT_AVAILABLE, 12, E.NOT_ENOUGH_REPLICAS),
        (E.NOT_COORDINATOR, 11, E.NOT_ENOUGH_REPLICAS),
    ],
)
async def test_codes_of_a_coordinator_become_codes_of_produce(refuses: E, version: int, told: E) -> None:
    harness = await TxnHarness.open()
    harness.coordinator.refuses = refuses
    answer = await harness.produce(version=version)
    assert (answer.error_code, answer.base_offset, answer.log_start_offset) == (told, -1, -1)
    assert harness.replicas.get(*T0).log.log_end_offset == 0


async def test_records_are_checked_before_a_refusal_of_the_coordinator() -> None:
    """Apache Kafka 3.9.1 asks the coordinator for records only that the version of the request may carry."""
    harness = await TxnHarness.open()
    harness.coordinator.refuses = E.INVALID_TXN_STATE
    record = Record(0, 1, None, b"value", [])
    records = build_batch(
        [record], compression=Compression(Codec.ZSTD), producer=BatchProducer(7, 0, 0), attributes=TRANSACTIONAL
    )
    assert (await harness.produce(records=records, version=6)).error_code == E.UNSUPPORTED_COMPRESSION_TYPE
    assert (await harness.produce(records=records, version=7)).error_code == E.INVALID_TXN_STATE


async def test_without_a_transactional_id_nothing_of_the_request_is_written() -> None:
    harness = await TxnHarness.open()
    assert (await harness.produce(transactional_id=None)).error_code == E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert not harness.coordinator.asked
    assert harness.replicas.get(*T0).log.log_end_offset == 0


async def test_a_client_may_not_write_control_records() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    await harness.produce()
    marker = build_marker(committed=True, producer_id=7, producer_epoch=0, coordinator_epoch=0, timestamp=1)
    assert (await harness.produce(records=marker)).error_code == E.INVALID_RECORD
    assert harness.replicas.get(*T0).last_stable_offset == 0


async def test_a_plain_batch_under_a_transactional_id_is_written_without_verification() -> None:
    harness = await TxnHarness.open()
    assert (await harness.produce(transactional=False)).error_code == 0
    assert not harness.coordinator.asked


async def test_a_plain_batch_of_a_producer_in_a_transaction_is_refused() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    await harness.produce()
    assert (await harness.produce(sequence=1, transactional=False)).error_code == E.INVALID_TXN_STATE


async def test_verification_can_be_turned_off_but_not_the_implicit_add() -> None:
    harness = await TxnHarness.open(transaction_partition_verification_enable="false")
    assert (await harness.produce(0)).error_code == 0
    assert not harness.coordinator.asked
    assert (await harness.produce(1, version=12)).error_code == 0
    assert harness.coordinator.asked == [([T1], True)]


@pytest.mark.parametrize(("release", "verifies"), [("2.0.1", False), ("2.8.2", False), ("3.5", False), ("3.6", True)])
async def test_releases_before_3_6_verify_no_batch(release: str, verifies: bool) -> None:
    harness = await TxnHarness.open(profile=ReleaseProfile(release))
    assert (await harness.produce(version=9)).error_code == (E.INVALID_TXN_STATE if verifies else E.NONE)
    assert bool(harness.coordinator.asked) == verifies
    for transactional_id in ("another", ""):
        answer = await harness.produce(1, version=9, transactional_id=transactional_id, sequence=transactional_id == "")
        assert (answer.error_code == E.NONE) != verifies
    answer = await harness.produce(version=9, transactional_id=None)
    assert answer.error_code == E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED


async def test_an_abort_between_verification_and_append_is_noticed() -> None:
    """Else the batch would open a transaction without an end."""
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    harness.coordinator.before_answer = lambda: harness.end(T0, committed=False)
    assert (await harness.produce()).error_code == E.INVALID_TXN_STATE
    assert harness.replicas.get(*T0).last_stable_offset == 1  # behind the marker


async def test_an_abort_is_noticed_where_the_transaction_was_open_too() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0, T1}
    await harness.produce(0)
    harness.coordinator.before_answer = lambda: harness.end(T0, committed=False)
    ongoing, _ = await harness.produce(0, 1, sequence=1)
    assert ongoing.error_code == E.INVALID_TXN_STATE
    assert harness.replicas.get(*T0).last_stable_offset == 2


async def test_the_second_batch_does_not_overtake_the_first_whose_verification_failed() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    harness.coordinator.refuses = E.NOT_COORDINATOR
    assert (await harness.produce(sequence=0)).error_code == E.NOT_ENOUGH_REPLICAS
    harness.coordinator.refuses = E.NONE
    assert (await harness.produce(sequence=1)).error_code == E.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert (await harness.produce(sequence=0)).error_code == 0
    assert (await harness.produce(sequence=1)).error_code == 0


async def test_a_batch_sent_again_after_its_transaction_is_a_duplicate_if_the_next_has_the_partition() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    assert (await harness.produce()).base_offset == 0
    await harness.end()
    harness.coordinator.partitions = {T0}
    assert (await harness.produce()).base_offset == 0
    assert harness.replicas.get(*T0).log.log_end_offset == 2


async def test_batches_of_two_producers_are_no_transaction() -> None:
    harness = await TxnHarness.open()
    batches = [batch(producer=(pid, 0, 0), transactional=True) for pid in (7, 8)]
    with pytest.raises(ApiError) as refused:
        await verify_transaction(harness.context(11), "x", [("t", index, each) for index, each in enumerate(batches)])
    assert refused.value.code is E.INVALID_PRODUCER_ID_MAPPING
    data = [PartitionProduceData(index, memoryview(bytearray(each.buffer))) for index, each in enumerate(batches)]
    request = ProduceRequest("x", -1, 1000, [TopicProduceData(name="t", partition_data=data)])
    answer = await handle_produce(harness.context(11), request)
    assert answer is not None
    for each in answer.responses[0].partition_responses:
        assert (each.error_code, each.error_message) == (E.INVALID_PRODUCER_ID_MAPPING, refused.value.detail)


async def test_a_fenced_producer_is_refused_before_during_and_after_transactions_of_its_successor() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    await harness.produce(epoch=0)
    await harness.end(committed=False, epoch=1)  # the successor's InitProducerId has aborted it
    harness.coordinator.epoch = 1
    harness.coordinator.partitions = {T0}
    for step in range(3):
        for sequence, version, transactional in product((0, 1, 2), (9, 11, 12), (True, False)):
            answer = await harness.produce(epoch=0, sequence=sequence, version=version, transactional=transactional)
            assert answer.error_code == E.INVALID_PRODUCER_EPOCH, f"step {step}"
        if step == 0:
            assert (await harness.produce(epoch=1)).error_code == 0
        elif step == 1:
            await harness.end(epoch=1)
    assert harness.replicas.get(*T0).log.log_end_offset == 4
    assert await harness.end(T0, epoch=0) == [E.INVALID_PRODUCER_EPOCH]


async def test_a_refusal_with_acks_0_closes_the_connection() -> None:
    harness = await TxnHarness.open()
    with pytest.raises(ProtocolError):
        await harness.produce(acks=0)


async def test_partitions_of_other_brokers_are_not_verified() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    here, gone = await harness.produce(0, 5)
    assert (here.error_code, gone.error_code) == (0, E.UNKNOWN_TOPIC_OR_PARTITION)
    assert harness.coordinator.asked == [([T0], False)]


@pytest.mark.parametrize(("topic", "acks"), [("t", 2), ("t", -2), ("__consumer_offsets", -1)])
async def test_acks_and_internal_topics_are_refused_after_all_other_faults(topic: str, acks: int) -> None:
    harness = await TxnHarness.open()
    refused = E.INVALID_REQUIRED_ACKS if topic == "t" else E.INVALID_TOPIC_EXCEPTION
    assert (await harness.produce(9, topic=topic, acks=acks)).error_code == E.UNKNOWN_TOPIC_OR_PARTITION
    assert (await harness.produce(topic=topic, acks=acks, records=b"")).error_code == E.INVALID_RECORD
    assert (await harness.produce(topic=topic, acks=acks)).error_code == E.TRANSACTION_ABORTABLE
    plain = await harness.produce(topic=topic, acks=acks, transactional=False, transactional_id=None)
    assert plain.error_code == refused
    assert harness.replicas.get(topic, 0).log.log_end_offset == 0


async def test_a_truncated_transactional_batch_is_no_record() -> None:
    harness = await TxnHarness.open()
    short = bytes(batch(producer=(7, 0, 0), transactional=True).buffer[:40])
    assert (await harness.produce(records=short)).error_code == E.INVALID_RECORD


async def test_read_committed_excludes_open_transactions_and_lists_aborted_ones() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    await harness.produce(sequence=0)
    open_one = await harness.fetch()
    assert (open_one.last_stable_offset, open_one.high_watermark, open_one.records) == (0, 1, b"")
    assert open_one.aborted_transactions == []
    seen = await harness.fetch(committed=False)
    assert seen.aborted_transactions is None
    assert len(list(batches(seen.records.tobytes()))) == 1
    await harness.end(committed=False)
    harness.coordinator.partitions = {T0}
    await harness.produce(sequence=1)
    await harness.end(committed=True)
    after = await harness.fetch()
    assert [(each.producer_id, each.first_offset) for each in after.aborted_transactions] == [(7, 0)]
    assert [each.is_control for each in batches(after.records.tobytes())] == [False, True, False, True]
    assert after.last_stable_offset == after.high_watermark == 4


async def test_after_a_clean_restart_aborted_transactions_are_verified_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    await harness.produce(sequence=0)
    await harness.end(committed=False)
    monkeypatch.setattr("wirebroker.storage.integrity.lazy_verification.LONG_SCAN_BYTES", 0)
    ran: list[bool] = []
    whole = TransactionScan.run

    def run(scan: TransactionScan) -> None:
        ran.append(threading.current_thread() is threading.main_thread())
        whole(scan)

    monkeypatch.setattr(TransactionScan, "run", run)
    harness.replicas.log_manager.close()  # after a crash a start reads everything anyway
    disk = harness.disk
    harness = await TxnHarness.open(disk.restarted())
    for _ in range(2):
        after = await harness.fetch()
        assert [(each.producer_id, each.first_offset) for each in after.aborted_transactions] == [(7, 0)]
    assert ran == [False]
    ran.clear()
    harness = await TxnHarness.open(disk.restarted())
    assert (await harness.fetch(version=2, committed=False)).error_code == 0  # converted, with what was aborted
    assert ran == []


@pytest.mark.parametrize("committed", [False, True])
async def test_after_a_clean_restart_long_ranges_are_verified_in_a_thread(
    committed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    await harness.produce(sequence=0)
    await harness.end(committed=True)
    monkeypatch.setattr("wirebroker.storage.integrity.lazy_verification.LONG_RANGE_BYTES", 0)
    ran: list[bool] = []
    whole = LazyVerification.scan

    def scan(verification: LazyVerification, *arguments: Any) -> None:
        ran.append(threading.current_thread() is threading.main_thread())
        whole(verification, *arguments)

    monkeypatch.setattr(LazyVerification, "scan", scan)
    harness.replicas.log_manager.close()
    harness = await TxnHarness.open(harness.disk.restarted())
    for _ in range(2):
        after = await harness.fetch(committed=committed)
        assert after.error_code == 0
        assert [each.is_control for each in batches(after.records.tobytes())] == [False, True]
    assert ran == [False]
