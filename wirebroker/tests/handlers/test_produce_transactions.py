"""Produce inside transactions: who is asked, what is refused, and with which code."""

from __future__ import annotations

import threading
from itertools import product

import pytest

from wirebroker.handlers.produce import handle_produce
from wirebroker.handlers.produce_transactions import admit
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.faults import ApiError, ProtocolError
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.record.control import build_marker
from wirebroker.record.record_batch import batches
from wirebroker.storage.aborted_look import AbortedWalk
from wirebroker.tests.handlers.txn_stage import T0, T1, Stage
from wirebroker.tests.storage.fakes.logs import batch


async def test_a_transaction_is_asked_for_once_and_then_known() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0, T1}
    first, second = await stage.produce(0, 1)
    assert (first.error_code, second.error_code) == (0, 0)
    assert stage.coordinator.asked == [([T0, T1], False)]
    assert (await stage.produce(0, sequence=1)).base_offset == 1
    assert len(stage.coordinator.asked) == 1
    assert await stage.end() == [E.NONE, E.NONE]
    assert (await stage.produce(0, sequence=2)).error_code == E.TRANSACTION_ABORTABLE
    assert len(stage.coordinator.asked) == 2


async def test_from_version_12_on_producing_adds_the_partition() -> None:
    stage = await Stage.open()
    assert (await stage.produce(0, version=12)).error_code == 0
    assert stage.coordinator.asked == [([T0], True)]
    assert (await stage.produce(1, version=13)).error_code == 0
    assert stage.coordinator.partitions == {T0, T1}


async def test_with_an_epoch_per_transaction_an_unknown_producer_begins_at_sequence_0() -> None:
    """Its first batches were lost or are still on their way (KIP-890); older clients begin anywhere."""
    stage = await Stage.open()
    stage.coordinator.partitions = {T0, T1}
    assert (await stage.produce(0, sequence=1, version=12)).error_code == E.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert (await stage.produce(0, sequence=0, version=12)).error_code == 0
    assert (await stage.produce(0, sequence=1, version=12)).error_code == 0
    assert (await stage.produce(1, sequence=1, version=11)).error_code == 0


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
async def test_what_a_coordinator_refuses_is_said_in_words_of_produce(refuses: E, version: int, told: E) -> None:
    stage = await Stage.open()
    stage.coordinator.refuses = refuses
    answer = await stage.produce(version=version)
    assert (answer.error_code, answer.base_offset, answer.log_start_offset) == (told, -1, -1)
    assert stage.replicas.get(*T0).log.log_end_offset == 0


async def test_without_a_transactional_id_nothing_of_the_request_is_written() -> None:
    stage = await Stage.open()
    assert (await stage.produce(transactional_id=None)).error_code == E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert not stage.coordinator.asked
    assert stage.replicas.get(*T0).log.log_end_offset == 0


async def test_a_client_may_not_write_control_records() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    await stage.produce()
    marker = build_marker(committed=True, producer_id=7, producer_epoch=0, coordinator_epoch=0, timestamp=1)
    assert (await stage.produce(records=marker)).error_code == E.INVALID_RECORD
    assert stage.replicas.get(*T0).last_stable_offset == 0


async def test_a_plain_batch_under_a_transactional_id_is_written_and_nobody_asked() -> None:
    stage = await Stage.open()
    assert (await stage.produce(transactional=False)).error_code == 0
    assert not stage.coordinator.asked


async def test_a_plain_batch_of_a_producer_in_a_transaction_is_refused() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    await stage.produce()
    assert (await stage.produce(sequence=1, transactional=False)).error_code == E.INVALID_TXN_STATE


async def test_verification_can_be_turned_off_but_not_the_adding() -> None:
    stage = await Stage.open(transaction_partition_verification_enable="false")
    assert (await stage.produce(0)).error_code == 0
    assert not stage.coordinator.asked
    assert (await stage.produce(1, version=12)).error_code == 0
    assert stage.coordinator.asked == [([T1], True)]


async def test_an_abort_between_the_question_and_the_append_is_noticed() -> None:
    """Else the batch would open a transaction that nobody ends."""
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    stage.coordinator.before_answer = lambda: stage.end(T0, committed=False)
    assert (await stage.produce()).error_code == E.INVALID_TXN_STATE
    assert stage.replicas.get(*T0).last_stable_offset == 1  # behind the marker


async def test_an_abort_is_noticed_by_those_who_found_the_transaction_open_too() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0, T1}
    await stage.produce(0)
    stage.coordinator.before_answer = lambda: stage.end(T0, committed=False)
    ongoing, _ = await stage.produce(0, 1, sequence=1)
    assert ongoing.error_code == E.INVALID_TXN_STATE
    assert stage.replicas.get(*T0).last_stable_offset == 2


async def test_the_second_batch_does_not_overtake_the_first_whose_question_failed() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    stage.coordinator.refuses = E.NOT_COORDINATOR
    assert (await stage.produce(sequence=0)).error_code == E.NOT_ENOUGH_REPLICAS
    stage.coordinator.refuses = E.NONE
    assert (await stage.produce(sequence=1)).error_code == E.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert (await stage.produce(sequence=0)).error_code == 0
    assert (await stage.produce(sequence=1)).error_code == 0


async def test_a_batch_sent_again_after_its_transaction_is_a_duplicate_if_the_next_has_the_partition() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    assert (await stage.produce()).base_offset == 0
    await stage.end()
    stage.coordinator.partitions = {T0}
    assert (await stage.produce()).base_offset == 0
    assert stage.replicas.get(*T0).log.log_end_offset == 2


async def test_batches_of_two_producers_are_no_transaction() -> None:
    stage = await Stage.open()
    both = [batch(producer=(pid, 0, 0), transactional=True).buffer for pid in (7, 8)]
    with pytest.raises(ApiError) as refused:
        await admit(stage.context(11), "x", [("t", index, data) for index, data in enumerate(both)])
    assert refused.value.code is E.INVALID_PRODUCER_ID_MAPPING
    data = [PartitionProduceData(index, memoryview(bytearray(view))) for index, view in enumerate(both)]
    request = ProduceRequest("x", -1, 1000, [TopicProduceData(name="t", partition_data=data)])
    answer = await handle_produce(stage.context(11), request)
    assert answer is not None
    for each in answer.responses[0].partition_responses:
        assert (each.error_code, each.error_message) == (E.INVALID_PRODUCER_ID_MAPPING, refused.value.detail)


async def test_a_zombie_is_refused_before_during_and_after_transactions_of_its_successor() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    await stage.produce(epoch=0)
    await stage.end(committed=False, epoch=1)  # the successor's InitProducerId has aborted it
    stage.coordinator.epoch = 1
    stage.coordinator.partitions = {T0}
    for step in range(3):
        for sequence, version, transactional in product((0, 1, 2), (9, 11, 12), (True, False)):
            answer = await stage.produce(epoch=0, sequence=sequence, version=version, transactional=transactional)
            assert answer.error_code == E.INVALID_PRODUCER_EPOCH, f"step {step}"
        if step == 0:
            assert (await stage.produce(epoch=1)).error_code == 0
        elif step == 1:
            await stage.end(epoch=1)
    assert stage.replicas.get(*T0).log.log_end_offset == 4
    assert await stage.end(T0, epoch=0) == [E.INVALID_PRODUCER_EPOCH]


async def test_acks_0_tells_of_a_refusal_by_hanging_up() -> None:
    stage = await Stage.open()
    with pytest.raises(ProtocolError):
        await stage.produce(acks=0)


async def test_partitions_that_are_not_here_are_not_asked_for() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    here, gone = await stage.produce(0, 5)
    assert (here.error_code, gone.error_code) == (0, E.UNKNOWN_TOPIC_OR_PARTITION)
    assert stage.coordinator.asked == [([T0], False)]
    assert (await stage.produce(topic="__consumer_offsets")).error_code == E.INVALID_TOPIC_EXCEPTION


async def test_a_truncated_transactional_batch_is_no_record() -> None:
    stage = await Stage.open()
    short = bytes(batch(producer=(7, 0, 0), transactional=True).buffer[:40])
    assert (await stage.produce(records=short)).error_code == E.INVALID_RECORD


async def test_read_committed_sees_nothing_open_and_is_told_what_was_aborted() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    await stage.produce(sequence=0)
    open_one = await stage.fetch()
    assert (open_one.last_stable_offset, open_one.high_watermark, open_one.records) == (0, 1, b"")
    assert open_one.aborted_transactions == []
    seen = await stage.fetch(committed=False)
    assert seen.aborted_transactions is None
    assert len(list(batches(seen.records.tobytes()))) == 1
    await stage.end(committed=False)
    stage.coordinator.partitions = {T0}
    await stage.produce(sequence=1)
    await stage.end(committed=True)
    after = await stage.fetch()
    assert [(each.producer_id, each.first_offset) for each in after.aborted_transactions] == [(7, 0)]
    assert [each.is_control for each in batches(after.records.tobytes())] == [False, True, False, True]
    assert after.last_stable_offset == after.high_watermark == 4


async def test_after_a_clean_restart_a_long_log_is_walked_in_a_thread_before_readers_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    await stage.produce(sequence=0)
    await stage.end(committed=False)
    monkeypatch.setattr("wirebroker.storage.readable_log.LONG_WALK_BYTES", 0)
    ran: list[bool] = []
    whole = AbortedWalk.run

    def run(walk: AbortedWalk) -> None:
        ran.append(threading.current_thread() is threading.main_thread())
        whole(walk)

    monkeypatch.setattr(AbortedWalk, "run", run)
    stage.replicas.log_manager.close()  # after a crash a start looks at everything anyway
    disk = stage.disk
    stage = await Stage.open(disk.restarted())
    for _ in range(2):
        after = await stage.fetch()
        assert [(each.producer_id, each.first_offset) for each in after.aborted_transactions] == [(7, 0)]
    assert ran == [False]
    ran.clear()
    stage = await Stage.open(disk.restarted())
    assert (await stage.fetch(version=2, committed=False)).error_code == 0  # converted, without what was aborted
    assert ran == [False]
