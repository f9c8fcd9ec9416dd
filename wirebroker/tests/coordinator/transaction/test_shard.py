"""Stories of one transactional id: every way through its states, and who waits for what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.coordinator.transaction.requests import EndTransaction, MarkersWritten, ProducerAnswer
from wirebroker.coordinator.transaction.settings import EXPIRED_AT_ONCE, HOLD_MS, TransactionSettings
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.transaction.stage import START_WALL_MS, T0, T1, U0, Stage

if TYPE_CHECKING:
    from wirebroker.coordinator.shard import Now, Outcome

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
    stage = Stage(version, prompt=False)
    producer = stage.started()
    assert (stage.state(), producer) == ("EMPTY", (100, 0))
    assert stage.add(producer, T0, U0).reply == NONE
    assert stage.add(producer, T1).reply == NONE
    assert (stage.state(), list(stage.of().partitions)) == ("ONGOING", [T0, U0, T1])

    ending = stage.end(producer, commit=commit)
    assert stage.state() == ("PREPARE_COMMIT" if commit else "PREPARE_ABORT")
    assert ending.waits
    (errand,) = stage.errands
    bumped = int(version == 2)
    assert errand == ("x", 100, bumped, commit, version, (T0, U0, T1))

    stage.write_markers()
    assert ending.reply == ProducerAnswer(NONE, 100, bumped)
    assert (stage.state(), stage.of().partitions) == ("COMPLETE_COMMIT" if commit else "COMPLETE_ABORT", {})
    assert stage.add((100, bumped)).reply == NONE
    assert stage.state() == "ONGOING"


def test_known_partitions_cost_no_record() -> None:
    stage = Stage()
    producer = stage.started()
    stage.add(producer, T0, T1)
    records = len(stage.log)
    assert stage.add(producer, T1).reply == NONE
    assert len(stage.log) == records
    assert stage.add(producer, T1, U0).reply == NONE
    assert len(stage.log) == records + 1


def test_the_start_is_when_the_first_partition_came() -> None:
    stage = Stage(prompt=False)
    producer = stage.started()
    assert stage.describe().start_ms == -1
    stage.pass_ms(10)
    stage.add(producer, T0)
    stage.pass_ms(10)
    stage.add(producer, T1)
    assert stage.describe() == ("Ongoing", 60_000, START_WALL_MS + 10, 100, 0, (T0, T1))
    assert stage.of().updated_ms == START_WALL_MS + 20


def test_markers_that_are_written_twice_complete_once() -> None:
    stage = Stage(prompt=False)
    producer = stage.started()
    stage.add(producer)
    stage.end(producer)
    (errand,) = stage.errands
    stage.write_markers()
    stage.add((100, 1))
    records = len(stage.log)
    stage.send(MarkersWritten(errand))
    assert (stage.state(), len(stage.log)) == ("ONGOING", records)
    stage.end((100, 1))
    stage.send(MarkersWritten(errand))
    assert stage.state() == "PREPARE_COMMIT", "these are the markers of the one before"


# -- who waits ---------------------------------------------------------------------------------------------------


def test_the_next_transaction_waits_for_the_markers_of_the_last() -> None:
    stage = Stage(0, prompt=False)
    producer = stage.started()
    stage.add(producer)
    stage.end(producer)
    early = stage.add(producer, U0)
    assert early.waits
    stage.write_markers()
    assert early.reply == NONE
    assert (stage.state(), list(stage.of().partitions)) == ("ONGOING", [U0])


def test_nobody_waits_for_long() -> None:
    stage = Stage(0, prompt=False)
    producer = stage.started()
    stage.add(producer)
    ending = stage.end(producer)
    stage.pass_ms(HOLD_MS // 2)
    adding, starting, again = stage.add(producer), stage.init(), stage.end(producer)
    stage.pass_ms(HOLD_MS // 2)
    assert ending.reply == ProducerAnswer(NONE, *producer), "it is decided"
    assert adding.waits
    assert starting.waits
    stage.pass_ms(HOLD_MS // 2)
    assert adding.reply == BUSY
    assert starting.reply.code == again.reply.code == BUSY
    stage.write_markers()
    assert len(ending.replies) == len(adding.replies) == 1
    assert stage.end(producer).reply == ProducerAnswer(NONE, *producer)


def test_one_timer_serves_all_that_wait() -> None:
    stage = Stage(0, prompt=False)
    waiting = []
    for name in ("x", "y", "z"):
        producer = stage.started(name)
        stage.add(producer, transactional_id=name)
        waiting.append(stage.end(producer, transactional_id=name))
        stage.pass_ms(100)
    assert sum(key == "holds" for key in stage.due) == 1
    stage.pass_ms(HOLD_MS)
    assert [len(each.replies) for each in waiting] == [1, 1, 1]
    assert "holds" not in stage.due


def test_a_new_producer_waits_until_the_old_one_is_aborted() -> None:
    stage = Stage(prompt=False)
    old = stage.started()
    stage.add(old)
    new = stage.init()
    assert (stage.state(), new.waits) == ("PREPARE_ABORT", True)
    assert stage.errands[0][1:4] == (100, 1, False), "the markers carry an epoch that nobody has"
    stage.write_markers()
    assert new.reply == ProducerAnswer(NONE, 100, 2)
    assert stage.state() == "EMPTY"
    assert stage.end(old).reply.code == FENCED


def test_everybody_who_waits_is_served_in_order() -> None:
    stage = Stage(0, prompt=False)
    producer = stage.started()
    stage.add(producer)
    stage.end(producer)
    again, first, second = stage.end(producer), stage.init(), stage.init()
    stage.write_markers()
    assert again.reply == ProducerAnswer(NONE, 100, 0)
    assert (first.reply.producer_epoch, second.reply.producer_epoch) == (1, 2)


# -- time --------------------------------------------------------------------------------------------------------


@versions
def test_a_transaction_that_takes_too_long_is_aborted(version: int) -> None:
    stage = Stage(version)
    producer = stage.started(timeout_ms=25_000)
    stage.add(producer)
    stage.pass_ms(25_000)
    assert stage.state() == "ONGOING"
    stage.pass_ms(10_000)
    assert (stage.state(), stage.of().producer_epoch) == ("COMPLETE_ABORT", 1)
    assert stage.add(producer).reply == FENCED
    assert stage.end(producer).reply.code == FENCED
    assert "timeouts" not in stage.due, "nothing is open, so nobody looks"


def test_only_what_is_late_is_aborted() -> None:
    stage = Stage()
    early, late = stage.started("early", 5_000), stage.started("late", 500_000)
    stage.add(early, transactional_id="early")
    stage.add(late, transactional_id="late")
    stage.pass_ms(20_000)
    assert (stage.state("early"), stage.state("late")) == ("COMPLETE_ABORT", "ONGOING")
    assert "timeouts" in stage.due


def test_transactions_found_open_time_out_too() -> None:
    stage = Stage()
    stage.add(stage.started(timeout_ms=5_000))
    after = stage.restarted()
    after.pass_ms(20_000)
    assert after.state() == "COMPLETE_ABORT"


def test_idle_transactional_ids_go() -> None:
    settings = TransactionSettings(2, id_expiration_ms=100_000, remove_interval_ms=10_000)
    stage = Stage(settings=settings)
    stage.started("empty")
    for name, commit in (("committed", True), ("aborted", False)):
        producer = stage.started(name)
        stage.add(producer, transactional_id=name)
        stage.end(producer, commit=commit, transactional_id=name)
    stage.add(stage.started("open", 800_000), transactional_id="open")
    stage.pass_ms(95_000)
    stage.started("young")
    assert len(stage.shard.transactions) == 5
    stage.pass_ms(20_000)
    assert set(stage.shard.transactions) == {"open", "young"}
    assert {record.key[4:] for record in stage.log if record.value is None} == {b"empty", b"committed", b"aborted"}
    assert set(stage.restarted().shard.transactions) == {"open", "young"}


def test_prepared_transactions_never_expire() -> None:
    stage = Stage(settings=TransactionSettings(2, id_expiration_ms=1_000, remove_interval_ms=1_000), prompt=False)
    producer = stage.started()
    stage.add(producer)
    stage.end(producer)
    stage.pass_ms(10_000)
    assert stage.state() == "PREPARE_COMMIT"


def test_many_idle_ids_go_in_several_batches() -> None:
    stage = Stage(settings=TransactionSettings(2, id_expiration_ms=1_000, remove_interval_ms=1_000))
    for number in range(EXPIRED_AT_ONCE + 5):
        stage.init(transactional_id=str(number))
    stage.now_ms += 2_000
    assert len(stage.shard.timed_out("expiry", stage.now).records) == EXPIRED_AT_ONCE
    assert len(stage.shard.timed_out("expiry", stage.now).records) == 5
    assert not stage.shard.transactions


# -- a restart ---------------------------------------------------------------------------------------------------


@versions
@ends
def test_what_was_decided_is_carried_out_after_a_restart(version: int, commit: bool) -> None:
    stage = Stage(version, prompt=False)
    producer = stage.started()
    stage.add(producer, T0, U0, T1)
    stage.end(producer, commit=commit)
    after = stage.restarted()
    (before,), (again,) = stage.errands, after.errands
    assert again[:4] == before[:4]
    assert set(again.partitions) == {T0, U0, T1}
    after.write_markers()
    assert after.state() == ("COMPLETE_COMMIT" if commit else "COMPLETE_ABORT")


def test_an_open_transaction_survives_a_restart() -> None:
    stage = Stage()
    producer = stage.started()
    stage.add(producer, T0)
    after = stage.restarted()
    assert after.verify(producer, T0, T1) == {T0: NONE, T1: E.TRANSACTION_ABORTABLE}
    after.add(producer, T1)
    assert after.end(producer).reply == ProducerAnswer(NONE, 100, 1)


# -- codes -------------------------------------------------------------------------------------------------------


@versions
def test_strangers(version: int) -> None:
    stage = Stage(version)
    producer_id, epoch = stage.started()
    for who, code in (
        ((producer_id + 1, epoch), OTHER_ID),
        ((producer_id, epoch + 1), FENCED),
        ((producer_id, epoch - 1), FENCED),
    ):
        assert stage.add(who).reply == code
        assert stage.verify(who, T0, T1) == {T0: code, T1: code}
        assert stage.end(who).reply.code == code
    nobody = {"transactional_id": "nobody"}
    assert stage.add((producer_id, epoch), **nobody).reply == OTHER_ID  # type: ignore[arg-type]
    assert stage.verify((producer_id, epoch), T0, **nobody) == {T0: OTHER_ID}
    assert stage.end((producer_id, epoch), **nobody).reply.code == OTHER_ID  # type: ignore[arg-type]
    assert stage.describe("nobody") is None


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
    stage = Stage(0, prompt=False)
    producer = stage.started()
    if state != "EMPTY":
        stage.add(producer)
        stage.end(producer, commit="COMMIT" in state)
    if state.startswith("COMPLETE"):
        stage.write_markers()
    assert stage.state() == state
    ticket = stage.end(producer, commit=commit)
    if code is None:
        assert ticket.waits
        stage.pass_ms(HOLD_MS)
        assert ticket.reply.code == BUSY
    else:
        assert ticket.reply.code == code


def test_verification_while_markers_are_written() -> None:
    stage = Stage(0, prompt=False)
    producer = stage.started()
    assert stage.verify(producer, T0) == {T0: E.TRANSACTION_ABORTABLE}
    stage.add(producer, T0)
    stage.end(producer)
    assert stage.verify(producer, T0, T1) == {T0: BUSY, T1: BUSY}
    stage.write_markers()
    assert stage.verify(producer, T0) == {T0: E.TRANSACTION_ABORTABLE}


def test_everything_is_listed() -> None:
    stage = Stage(prompt=False)
    stage.started("a")
    stage.add(stage.started("b"), transactional_id="b")
    assert sorted(stage.listing()) == [("a", 100, "Empty", -1), ("b", 101, "Ongoing", START_WALL_MS)]


def test_a_shard_that_moved_holds_nothing() -> None:
    stage = Stage(prompt=False)
    producer = stage.started()
    stage.add(producer)
    stage.end(producer)
    stage.shard.unloaded()
    assert (stage.shard.transactions, stage.shard.timed_out("holds", stage.now).replies) == ({}, [])


def test_an_end_that_was_handled_is_not_handled_again_when_its_markers_are_written() -> None:
    """Only its answer waits; the path of a client that asks again because an answer was lost is for such clients."""
    stage = Stage(prompt=False)
    producer = stage.started()
    stage.add(producer)
    handled: list[str] = []
    end = stage.shard._end

    def counted(request: EndTransaction, ticket: object, now: Now, out: Outcome) -> None:
        handled.append(stage.state() or "")
        end(request, ticket, now, out)

    stage.shard._end = counted  # type: ignore[method-assign]
    ticket = stage.end(producer)
    assert ticket.waits
    stage.write_markers()
    assert ticket.reply.code == E.NONE
    assert handled == ["ONGOING"]
