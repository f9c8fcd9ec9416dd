"""One transactional id: every way through its states, and pending requests."""

from __future__ import annotations

import math

import pytest

from wirebroker.coordinator.transaction.requests import AddPartitions, EndTransaction, MarkersWritten, ProducerIdResult
from wirebroker.coordinator.transaction.timer_keys import IdExpirationKey, PendingRequestsKey, TransactionTimeoutKey
from wirebroker.coordinator.transaction.transaction_config import (
    MAX_ABORTED_PER_TURN,
    MAX_EXPIRED_PER_TURN,
    MAX_PENDING_MS,
)
from wirebroker.coordinator.turn import Turn
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.transaction.txn_shard_harness import (
    START_WALL_MS,
    T0,
    T1,
    U0,
    TxnShardHarness,
    transaction_config,
)

E = ErrorCode
NONE, FENCED, BUSY, BAD_STATE, OTHER_ID = (
    E.NONE,
    E.PRODUCER_FENCED,
    E.CONCURRENT_TRANSACTIONS,
    E.INVALID_TXN_STATE,
    E.INVALID_PRODUCER_ID_MAPPING,
)
versions = pytest.mark.parametrize("version", [0, 1, 2])
ends = pytest.mark.parametrize("commit", [True, False])


# -- a transaction -----------------------------------------------------------------------------------------------


@versions
@ends
def test_from_empty_to_complete_and_on(version: int, commit: bool) -> None:
    harness = TxnShardHarness(version, prompt=False)
    producer = harness.started()
    assert (harness.state(), producer) == ("EMPTY", (100, 0))
    assert harness.add(producer, T0, U0).reply == NONE
    assert harness.add(producer, T1).reply == NONE
    assert (harness.state(), list(harness.of().partitions)) == ("ONGOING", [T0, U0, T1])

    ending = harness.end(producer, commit=commit)
    assert harness.state() == ("PREPARE_COMMIT" if commit else "PREPARE_ABORT")
    assert ending.waits
    (markers,) = harness.pending_markers
    bumped = int(version == 2)
    assert markers == ("x", 100, bumped, commit, version, (T0, U0, T1))

    harness.write_markers()
    assert ending.reply == ProducerIdResult(NONE, 100, bumped)
    assert (harness.state(), harness.of().partitions) == ("COMPLETE_COMMIT" if commit else "COMPLETE_ABORT", {})
    assert harness.add((100, bumped)).reply == NONE
    assert harness.state() == "ONGOING"


def test_a_request_waits_for_replicas_as_long_as_its_transaction_may_take() -> None:
    harness = TxnShardHarness()
    producer = harness.started(timeout_ms=7000)
    adding, verifying = Turn(0, 0), Turn(0, 0)
    harness.shard.handle(AddPartitions("x", *producer, (T0,), 2), adding)
    harness.shard.handle(AddPartitions("x", *producer, (T0,), 2), verifying)
    assert [turn.result.commit_timeout_s for turn in (adding, verifying)] == [7.0, math.inf]


def test_known_partitions_cost_no_record() -> None:
    harness = TxnShardHarness()
    producer = harness.started()
    harness.add(producer, T0, T1)
    records = len(harness.log)
    assert harness.add(producer, T1).reply == NONE
    assert len(harness.log) == records
    assert harness.add(producer, T1, U0).reply == NONE
    assert len(harness.log) == records + 1


def test_the_start_is_when_the_first_partition_came() -> None:
    harness = TxnShardHarness(prompt=False)
    producer = harness.started()
    assert harness.describe().start_ms == -1
    harness.pass_ms(10)
    harness.add(producer, T0)
    harness.pass_ms(10)
    harness.add(producer, T1)
    assert harness.describe() == ("Ongoing", 60_000, START_WALL_MS + 10, 100, 0, (T0, T1))
    assert harness.of().updated_ms == START_WALL_MS + 20


def test_markers_that_are_written_twice_complete_once() -> None:
    harness = TxnShardHarness(prompt=False)
    producer = harness.started()
    harness.add(producer)
    harness.end(producer)
    (markers,) = harness.pending_markers
    harness.write_markers()
    harness.add((100, 1))
    records = len(harness.log)
    harness.send(MarkersWritten(markers))
    assert (harness.state(), len(harness.log)) == ("ONGOING", records)
    harness.end((100, 1))
    harness.send(MarkersWritten(markers))
    assert harness.state() == "PREPARE_COMMIT", "these are the markers of the one before"


# -- who waits ---------------------------------------------------------------------------------------------------


def test_the_next_transaction_waits_for_the_markers_of_the_last() -> None:
    harness = TxnShardHarness(0, prompt=False)
    producer = harness.started()
    harness.add(producer)
    harness.end(producer)
    early = harness.add(producer, U0)
    assert early.waits
    harness.write_markers()
    assert early.reply == NONE
    assert (harness.state(), list(harness.of().partitions)) == ("ONGOING", [U0])


def test_requests_wait_for_half_a_second_at_most() -> None:
    harness = TxnShardHarness(0, prompt=False)
    producer = harness.started()
    harness.add(producer)
    ending = harness.end(producer)
    harness.pass_ms(MAX_PENDING_MS // 2)
    adding, starting, again = harness.add(producer), harness.init(), harness.end(producer)
    harness.pass_ms(MAX_PENDING_MS // 2)
    assert ending.reply == ProducerIdResult(NONE, *producer), "it is decided"
    assert adding.waits
    assert starting.waits
    harness.pass_ms(MAX_PENDING_MS // 2)
    assert adding.reply == BUSY
    assert starting.reply.code == again.reply.code == BUSY
    harness.write_markers()
    assert len(ending.replies) == len(adding.replies) == 1
    assert harness.end(producer).reply == ProducerIdResult(NONE, *producer)


def test_one_timer_serves_all_pending_requests() -> None:
    harness = TxnShardHarness(0, prompt=False)
    waiting = []
    for name in ("x", "y", "z"):
        producer = harness.started(name)
        harness.add(producer, transactional_id=name)
        waiting.append(harness.end(producer, transactional_id=name))
        harness.pass_ms(100)
    assert sum(key == PendingRequestsKey() for key in harness.due) == 1
    harness.pass_ms(MAX_PENDING_MS)
    assert [len(each.replies) for each in waiting] == [1, 1, 1]
    assert PendingRequestsKey() not in harness.due


def test_a_new_producer_waits_until_the_old_one_is_aborted() -> None:
    harness = TxnShardHarness(prompt=False)
    old = harness.started()
    harness.add(old)
    new = harness.init()
    assert (harness.state(), new.waits) == ("PREPARE_ABORT", True)
    assert harness.pending_markers[0][1:4] == (100, 1, False), "the markers carry an epoch that nobody has"
    harness.write_markers()
    assert new.reply == ProducerIdResult(NONE, 100, 2)
    assert harness.state() == "EMPTY"
    assert harness.end(old).reply.code == FENCED


def test_pending_requests_are_handled_in_order() -> None:
    harness = TxnShardHarness(0, prompt=False)
    producer = harness.started()
    harness.add(producer)
    harness.end(producer)
    again, first, second = harness.end(producer), harness.init(), harness.init()
    harness.write_markers()
    assert again.reply == ProducerIdResult(NONE, 100, 0)
    assert (first.reply.producer_epoch, second.reply.producer_epoch) == (1, 2)


# -- time --------------------------------------------------------------------------------------------------------


@versions
def test_a_transaction_that_takes_too_long_is_aborted(version: int) -> None:
    harness = TxnShardHarness(version)
    producer = harness.started(timeout_ms=25_000)
    harness.add(producer)
    harness.pass_ms(25_000)
    assert harness.state() == "ONGOING"
    harness.pass_ms(10_000)
    assert (harness.state(), harness.of().producer_epoch) == ("COMPLETE_ABORT", 1)
    assert harness.add(producer).reply == FENCED
    assert harness.end(producer).reply.code == FENCED
    assert TransactionTimeoutKey() not in harness.due, "nothing is open, so nobody looks"


def test_only_timed_out_transactions_are_aborted() -> None:
    harness = TxnShardHarness()
    early, late = harness.started("early", 5_000), harness.started("late", 500_000)
    harness.add(early, transactional_id="early")
    harness.add(late, transactional_id="late")
    harness.pass_ms(20_000)
    assert (harness.state("early"), harness.state("late")) == ("COMPLETE_ABORT", "ONGOING")
    assert TransactionTimeoutKey() in harness.due


def test_many_timed_out_transactions_are_aborted_in_several_turns() -> None:
    harness = TxnShardHarness()
    names = [str(number) for number in range(MAX_ABORTED_PER_TURN + 5)]
    for name in names:
        harness.add(harness.started(name, 5_000), transactional_id=name)
    harness.now_ms += 20_000
    assert len(harness.fire(TransactionTimeoutKey()).result.pending_markers) == MAX_ABORTED_PER_TURN
    assert harness.due[TransactionTimeoutKey()] == harness.now_ms
    assert len(harness.fire(TransactionTimeoutKey()).result.pending_markers) == 5


def test_transactions_found_open_time_out_too() -> None:
    harness = TxnShardHarness()
    harness.add(harness.started(timeout_ms=5_000))
    after = harness.restarted()
    after.pass_ms(20_000)
    assert after.state() == "COMPLETE_ABORT"


def test_idle_transactional_ids_go() -> None:
    config = transaction_config(id_expiration_ms=100_000, remove_interval_ms=10_000)
    harness = TxnShardHarness(config=config)
    harness.started("empty")
    for name, commit in (("committed", True), ("aborted", False)):
        producer = harness.started(name)
        harness.add(producer, transactional_id=name)
        harness.end(producer, commit=commit, transactional_id=name)
    harness.add(harness.started("open", 800_000), transactional_id="open")
    harness.pass_ms(95_000)
    harness.started("young")
    assert len(harness.shard.manager.transactions) == 5
    harness.pass_ms(20_000)
    assert set(harness.shard.manager.transactions) == {"open", "young"}
    assert {record.key[4:] for record in harness.log if record.value is None} == {b"empty", b"committed", b"aborted"}
    assert set(harness.restarted().shard.manager.transactions) == {"open", "young"}


def test_prepared_transactions_never_expire() -> None:
    harness = TxnShardHarness(config=transaction_config(id_expiration_ms=1_000, remove_interval_ms=1_000), prompt=False)
    producer = harness.started()
    harness.add(producer)
    harness.end(producer)
    harness.pass_ms(10_000)
    assert harness.state() == "PREPARE_COMMIT"


def test_many_idle_ids_go_in_several_batches() -> None:
    harness = TxnShardHarness(config=transaction_config(id_expiration_ms=1_000, remove_interval_ms=1_000))
    for number in range(MAX_EXPIRED_PER_TURN + 5):
        harness.init(transactional_id=str(number))
    harness.now_ms += 2_000
    assert len(harness.fire(IdExpirationKey()).result.records) == MAX_EXPIRED_PER_TURN
    assert len(harness.fire(IdExpirationKey()).result.records) == 5
    assert not harness.shard.manager.transactions


# -- a restart ---------------------------------------------------------------------------------------------------


@versions
@ends
def test_decided_transactions_are_completed_after_a_restart(version: int, commit: bool) -> None:
    harness = TxnShardHarness(version, prompt=False)
    producer = harness.started()
    harness.add(producer, T0, U0, T1)
    harness.end(producer, commit=commit)
    after = harness.restarted()
    (before,), (again,) = harness.pending_markers, after.pending_markers
    assert again[:4] == before[:4]
    assert set(again.partitions) == {T0, U0, T1}
    after.write_markers()
    assert after.state() == ("COMPLETE_COMMIT" if commit else "COMPLETE_ABORT")


def test_an_open_transaction_survives_a_restart() -> None:
    harness = TxnShardHarness()
    producer = harness.started()
    harness.add(producer, T0)
    after = harness.restarted()
    assert after.verify(producer, T0, T1) == {T0: NONE, T1: E.TRANSACTION_ABORTABLE}
    after.add(producer, T1)
    assert after.end(producer).reply == ProducerIdResult(NONE, 100, 1)


# -- codes -------------------------------------------------------------------------------------------------------


@versions
def test_other_producers_and_epochs_are_refused(version: int) -> None:
    harness = TxnShardHarness(version)
    producer_id, epoch = harness.started()
    for who, code in (
        ((producer_id + 1, epoch), OTHER_ID),
        ((producer_id, epoch + 1), FENCED),
        ((producer_id, epoch - 1), FENCED),
    ):
        assert harness.add(who).reply == code
        assert harness.verify(who, T0, T1) == {T0: code, T1: code}
        assert harness.end(who).reply.code == code
    nobody = {"transactional_id": "nobody"}
    assert harness.add((producer_id, epoch), **nobody).reply == OTHER_ID  # type: ignore[arg-type]
    assert harness.verify((producer_id, epoch), T0, **nobody) == {T0: OTHER_ID}
    assert harness.end((producer_id, epoch), **nobody).reply.code == OTHER_ID  # type: ignore[arg-type]
    assert harness.describe("nobody") is None


@pytest.mark.parametrize(
    ("state", "commit", "code"),
    [
        ("EMPTY", True, BAD_STATE),
        ("EMPTY", False, BAD_STATE),
        ("COMPLETE_COMMIT", True, NONE),
        ("COMPLETE_COMMIT", False, BAD_STATE),
        ("COMPLETE_ABORT", True, BAD_STATE),
        ("COMPLETE_ABORT", False, NONE),
        ("PREPARE_COMMIT", True, None),
        ("PREPARE_COMMIT", False, BAD_STATE),
        ("PREPARE_ABORT", True, BAD_STATE),
        ("PREPARE_ABORT", False, None),
    ],
)
def test_ends_of_the_older_protocol(state: str, commit: bool, code: ErrorCode | None) -> None:
    harness = TxnShardHarness(0, prompt=False)
    producer = harness.started()
    if state != "EMPTY":
        harness.add(producer)
        harness.end(producer, commit="COMMIT" in state)
    if state.startswith("COMPLETE"):
        harness.write_markers()
    assert harness.state() == state
    ticket = harness.end(producer, commit=commit)
    if code is None:
        assert ticket.waits
        harness.pass_ms(MAX_PENDING_MS)
        assert ticket.reply.code == BUSY
    else:
        assert ticket.reply.code == code


def test_verification_while_markers_are_written() -> None:
    harness = TxnShardHarness(0, prompt=False)
    producer = harness.started()
    assert harness.verify(producer, T0) == {T0: E.TRANSACTION_ABORTABLE}
    harness.add(producer, T0)
    harness.end(producer)
    assert harness.verify(producer, T0, T1) == {T0: BUSY, T1: BUSY}
    harness.write_markers()
    assert harness.verify(producer, T0) == {T0: E.TRANSACTION_ABORTABLE}


def test_everything_is_listed() -> None:
    harness = TxnShardHarness(prompt=False)
    harness.started("a")
    harness.add(harness.started("b"), transactional_id="b")
    assert sorted(harness.listing()) == [("a", 100, "Empty", -1), ("b", 101, "Ongoing", START_WALL_MS)]


def test_an_unloaded_shard_holds_nothing() -> None:
    harness = TxnShardHarness(prompt=False)
    producer = harness.started()
    harness.add(producer)
    harness.end(producer)
    harness.shard.unloaded(Turn(0, 0))
    assert (harness.shard.manager.transactions, harness.fire(PendingRequestsKey()).result.replies) == ({}, [])


def test_an_end_that_was_handled_is_not_handled_again_when_its_markers_are_written() -> None:
    """Only the response waits; the path of a retry is for retries."""
    harness = TxnShardHarness(prompt=False)
    producer = harness.started()
    harness.add(producer)
    handled: list[str] = []
    end = harness.shard._requests[EndTransaction]

    def counted(request: EndTransaction, turn: Turn) -> None:
        handled.append(harness.state() or "")
        end(request, turn)

    harness.shard._requests[EndTransaction] = counted
    ticket = harness.end(producer)
    assert ticket.waits
    harness.write_markers()
    assert ticket.reply.code == E.NONE
    assert handled == ["ONGOING"]
