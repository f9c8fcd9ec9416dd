"""Epochs of producers: who is fenced, who gets the next one, and what happens when they run out (KIP-360, KIP-890)."""

from __future__ import annotations

import pytest

from wirebroker.coordinator.transaction.requests import ProducerAnswer
from wirebroker.coordinator.transaction.state import LAST_EPOCH
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.transaction.stage import START_WALL_MS, T0, Stage

E = ErrorCode
NONE, FENCED, BUSY, BAD_STATE = E.NONE, E.PRODUCER_FENCED, E.CONCURRENT_TRANSACTIONS, E.INVALID_TXN_STATE
ends = pytest.mark.parametrize("commit", [True, False])


# -- the epoch per transaction (KIP-890) -------------------------------------------------------------------------


@ends
def test_an_answer_that_got_lost_is_given_again(commit: bool) -> None:
    stage = Stage(prompt=False)
    producer = stage.started()
    stage.add(producer)
    stage.end(producer, commit=commit)
    again = stage.end(producer, commit=commit)
    assert again.waits
    assert stage.end(producer, commit=not commit).reply.code == BAD_STATE
    stage.write_markers()
    assert again.reply == ProducerAnswer(NONE, 100, 1)
    assert stage.end(producer, commit=commit).reply == ProducerAnswer(NONE, 100, 1)
    assert stage.end(producer, commit=not commit).reply.code == BAD_STATE


def test_the_old_epoch_of_a_committed_transaction_is_a_zombie() -> None:
    stage = Stage()
    producer = stage.started()
    stage.add(producer)
    stage.end(producer)
    assert stage.add(producer).reply == FENCED
    stage.add((100, 1))
    assert stage.end(producer).reply.code == FENCED
    assert stage.end((100, 2)).reply.code == FENCED


@pytest.mark.parametrize("before", ["EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT"])
def test_an_abort_of_nothing_raises_the_epoch(before: str) -> None:
    stage = Stage()
    producer = stage.started()
    if before != "EMPTY":
        stage.add(producer)
        stage.end(producer, commit=before == "COMPLETE_COMMIT")
        producer = (100, 1)
    assert stage.state() == before
    assert stage.end(producer).reply.code == BAD_STATE, "a commit of nothing"
    assert stage.end(producer, commit=False).reply == ProducerAnswer(NONE, 100, producer[1] + 1)
    assert (stage.state(), stage.errands, stage.of().start_ms) == ("COMPLETE_ABORT", [], START_WALL_MS)
    assert _history(stage)[-2:] == ["PREPARE_ABORT", "COMPLETE_ABORT"]


def _history(stage: Stage) -> list[str | None]:
    return [
        Stage(settings=stage.settings, prompt=False, log=stage.log[: count + 1]).state()
        for count in range(len(stage.log))
    ]


def test_a_producer_whose_epochs_run_out_goes_on_with_another_id() -> None:
    stage = Stage(prompt=False)
    stage.started()
    stage.of().producer_epoch = LAST_EPOCH
    old = (100, LAST_EPOCH)
    stage.add(old)
    ending = stage.end(old)
    assert stage.errands[0][1:3] == (100, LAST_EPOCH + 1)
    assert stage.of().granted == (101, 0)
    lost = stage.end(old)
    early = stage.add((101, 0))
    assert early.waits
    assert stage.verify((101, 0), T0) == {T0: BUSY}
    after = stage.restarted()
    for each in (stage, after):
        each.write_markers()
        assert (each.of().producer_id, each.of().producer_epoch, each.of().previous_producer_id) == (101, 0, 100)
    assert ending.reply == lost.reply == ProducerAnswer(NONE, 101, 0)
    assert early.reply == NONE
    assert after.end(old).reply == ProducerAnswer(NONE, 101, 0), "asked again after a restart"
    assert after.end(old, commit=False).reply.code == BAD_STATE


def test_a_zombie_does_not_get_the_epoch_that_the_older_protocol_has_used() -> None:
    stage = Stage(2)
    zombie, living = stage.started(), stage.started()
    stage.add(living, client=0)
    stage.end(living, client=0)
    for commit in (True, False):
        assert stage.end(zombie, commit=commit, client=2).reply.code == FENCED


@ends
def test_whom_the_coordinator_has_fenced_is_not_let_in_again(commit: bool) -> None:
    stage = Stage(2, prompt=False)
    producer = stage.started(timeout_ms=1_000)
    stage.add(producer)
    stage.pass_ms(20_000)
    assert stage.end(producer, commit=commit).reply.code == FENCED
    stage.write_markers()
    assert stage.end(producer, commit=commit).reply.code == FENCED
    assert stage.restarted().end(producer, commit=commit).reply.code == FENCED


def test_an_end_of_the_next_transaction_waits_for_this_one() -> None:
    stage = Stage(prompt=False)
    stage.started()
    stage.of().producer_epoch = LAST_EPOCH
    stage.add((100, LAST_EPOCH))
    stage.end((100, LAST_EPOCH))
    early = stage.end((101, 0), commit=False)
    assert early.waits
    stage.write_markers()
    assert early.reply == ProducerAnswer(NONE, 101, 1)


def test_clients_of_the_older_protocol_keep_their_epoch() -> None:
    stage = Stage(2)
    producer = stage.started()
    for _ in range(2):
        assert stage.add(producer, client=0).reply == NONE
        assert stage.end(producer, client=0).reply == ProducerAnswer(NONE, *producer)


def test_without_the_feature_newer_clients_keep_their_epoch_too() -> None:
    stage = Stage(0)
    producer = stage.started()
    stage.add(producer, client=2)
    assert stage.end(producer, client=2).reply == ProducerAnswer(NONE, *producer)
    assert stage.written[0].client_version == 0
    stage.add(producer, client=2)
    assert stage.of().client_version == 0


# -- producers that start (KIP-360) ------------------------------------------------------------------------------


def test_each_start_raises_the_epoch_and_sets_the_timeout() -> None:
    stage = Stage()
    assert [stage.started(timeout_ms=each) for each in (1000, 2000)] == [(100, 0), (100, 1)]
    assert stage.describe().timeout_ms == 2000


def test_a_producer_raises_its_own_epoch() -> None:
    stage = Stage()
    producer = stage.started()
    assert stage.init(producer).reply == ProducerAnswer(NONE, 100, 1)
    assert stage.init(producer).reply == ProducerAnswer(NONE, 100, 1), "the same question again"
    assert stage.init((100, 1)).reply == ProducerAnswer(NONE, 100, 2)
    assert stage.init(producer).reply.code == FENCED
    assert stage.init((99, 2)).reply.code == FENCED
    stage.started()
    assert stage.init((100, 2)).reply.code == FENCED, "somebody else has started"


def test_a_start_that_is_repeated_after_a_transaction_is_a_zombies() -> None:
    stage = Stage(2)
    producer = stage.started()
    assert stage.init(producer).reply == ProducerAnswer(NONE, 100, 1)
    stage.add((100, 1))
    assert stage.end((100, 1)).reply == ProducerAnswer(NONE, 100, 2)
    assert stage.init(producer).reply.code == FENCED


def test_the_expected_id_does_not_matter_for_a_new_transactional_id() -> None:
    assert Stage().init((7, 7)).reply == ProducerAnswer(NONE, 100, 0)


def test_a_zombie_does_not_abort_the_transaction_of_its_successor() -> None:
    stage = Stage()
    zombie, living = stage.started(), stage.started()
    stage.add(living)
    assert stage.init(zombie).reply.code == FENCED
    assert stage.state() == "ONGOING"


def test_the_living_producer_may_abort_by_starting_again_but_is_fenced() -> None:
    stage = Stage()
    producer = stage.started()
    stage.add(producer)
    assert stage.init(producer).reply.code == FENCED
    assert stage.state() == "COMPLETE_ABORT"


@pytest.mark.parametrize("expected", [None, (100, LAST_EPOCH)])
def test_a_start_takes_a_new_id_when_epochs_run_out(expected: tuple[int, int] | None) -> None:
    stage = Stage()
    stage.started()
    stage.of().producer_epoch = LAST_EPOCH
    assert stage.init(expected).reply == ProducerAnswer(NONE, 101, 0)
    assert stage.of().previous_producer_id == 100
    asked_again = stage.init((100, LAST_EPOCH)).reply
    if expected is None:
        assert asked_again.code == FENCED
    else:
        assert asked_again == stage.init(expected).reply == ProducerAnswer(NONE, 101, 0)
    assert stage.started() == (101, 1)
    assert stage.init((100, LAST_EPOCH)).reply.code == FENCED


def test_a_zombie_gets_no_new_id_when_epochs_run_out() -> None:
    stage = Stage()
    stage.started()
    stage.of().producer_epoch = LAST_EPOCH
    assert stage.init((100, LAST_EPOCH - 1)).reply.code == FENCED
    assert stage.of().producer_id == 100


def test_fencing_has_an_epoch_left() -> None:
    stage = Stage()
    stage.started()
    stage.of().producer_epoch = LAST_EPOCH
    stage.add((100, LAST_EPOCH))
    assert stage.init().reply == ProducerAnswer(NONE, 101, 0)
    assert stage.written[0][1:3] == (100, LAST_EPOCH + 1)


def test_nobody_writes_under_the_epoch_that_is_for_fencing() -> None:
    stage = Stage()
    stage.started()
    stage.of().producer_epoch = LAST_EPOCH + 1
    guessed = (100, LAST_EPOCH + 1)
    assert stage.add(guessed).reply == FENCED
    assert stage.end(guessed, commit=False).reply.code == FENCED
    assert stage.end(guessed, commit=False, client=0).reply.code == FENCED
    assert stage.verify(guessed, T0) == {T0: FENCED}
