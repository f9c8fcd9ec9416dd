"""Producer epochs: fencing, bumps, and the rotation of the producer id when they run out (KIP-360, KIP-890)."""

from __future__ import annotations

import pytest

from wirebroker.coordinator.transaction.requests import ProducerIdResult
from wirebroker.coordinator.transaction.transaction_metadata import LAST_CLIENT_EPOCH
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.transaction.txn_shard_harness import START_WALL_MS, T0, TxnShardHarness

E = ErrorCode
NONE, FENCED, BUSY, BAD_STATE = E.NONE, E.PRODUCER_FENCED, E.CONCURRENT_TRANSACTIONS, E.INVALID_TXN_STATE
ends = pytest.mark.parametrize("commit", [True, False])


# -- the epoch per transaction (KIP-890) -------------------------------------------------------------------------


@ends
def test_a_retry_of_end_txn_gets_the_same_response(commit: bool) -> None:
    harness = TxnShardHarness(prompt=False)
    producer = harness.started()
    harness.add(producer)
    harness.end(producer, commit=commit)
    again = harness.end(producer, commit=commit)
    assert again.waits
    assert harness.end(producer, commit=not commit).reply.code == BAD_STATE
    harness.write_markers()
    assert again.reply == ProducerIdResult(NONE, 100, 1)
    assert harness.end(producer, commit=commit).reply == ProducerIdResult(NONE, 100, 1)
    assert harness.end(producer, commit=not commit).reply.code == BAD_STATE


def test_the_old_epoch_of_a_committed_transaction_is_fenced() -> None:
    harness = TxnShardHarness()
    producer = harness.started()
    harness.add(producer)
    harness.end(producer)
    assert harness.add(producer).reply == FENCED
    harness.add((100, 1))
    assert harness.end(producer).reply.code == FENCED
    assert harness.end((100, 2)).reply.code == FENCED


@pytest.mark.parametrize("before", ["EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT"])
def test_an_abort_without_a_transaction_bumps_the_epoch(before: str) -> None:
    harness = TxnShardHarness()
    producer = harness.started()
    if before != "EMPTY":
        harness.add(producer)
        harness.end(producer, commit=before == "COMPLETE_COMMIT")
        producer = (100, 1)
    assert harness.state() == before
    assert harness.end(producer).reply.code == BAD_STATE, "a commit of nothing"
    assert harness.end(producer, commit=False).reply == ProducerIdResult(NONE, 100, producer[1] + 1)
    assert (harness.state(), harness.pending_markers, harness.of().start_ms) == ("COMPLETE_ABORT", [], START_WALL_MS)
    assert _history(harness)[-2:] == ["PREPARE_ABORT", "COMPLETE_ABORT"]


def _history(harness: TxnShardHarness) -> list[str | None]:
    return [
        TxnShardHarness(config=harness.config, prompt=False, log=harness.log[: count + 1]).state()
        for count in range(len(harness.log))
    ]


def test_a_producer_whose_epochs_run_out_goes_on_with_another_id() -> None:
    harness = TxnShardHarness(prompt=False)
    harness.started()
    harness.of().producer_epoch = LAST_CLIENT_EPOCH
    old = (100, LAST_CLIENT_EPOCH)
    harness.add(old)
    ending = harness.end(old)
    assert harness.pending_markers[0][1:3] == (100, LAST_CLIENT_EPOCH + 1)
    assert harness.of().client_producer_id_and_epoch == (101, 0)
    lost = harness.end(old)
    early = harness.add((101, 0))
    assert early.waits
    assert harness.verify((101, 0), T0) == {T0: BUSY}
    after = harness.restarted()
    for each in (harness, after):
        each.write_markers()
        assert (each.of().producer_id, each.of().producer_epoch, each.of().previous_producer_id) == (101, 0, 100)
    assert ending.reply == lost.reply == ProducerIdResult(NONE, 101, 0)
    assert early.reply == NONE
    assert after.end(old).reply == ProducerIdResult(NONE, 101, 0), "asked again after a restart"
    assert after.end(old, commit=False).reply.code == BAD_STATE


def test_a_zombie_does_not_get_the_epoch_that_the_older_protocol_has_used() -> None:
    harness = TxnShardHarness(2)
    zombie, living = harness.started(), harness.started()
    harness.add(living, client=0)
    harness.end(living, client=0)
    for commit in (True, False):
        assert harness.end(zombie, commit=commit, client=2).reply.code == FENCED


@ends
def test_a_producer_fenced_by_the_coordinator_stays_fenced(commit: bool) -> None:
    harness = TxnShardHarness(2, prompt=False)
    producer = harness.started(timeout_ms=1_000)
    harness.add(producer)
    harness.pass_ms(20_000)
    assert harness.end(producer, commit=commit).reply.code == FENCED
    harness.write_markers()
    assert harness.end(producer, commit=commit).reply.code == FENCED
    assert harness.restarted().end(producer, commit=commit).reply.code == FENCED


def test_an_end_of_the_next_transaction_waits_for_this_one() -> None:
    harness = TxnShardHarness(prompt=False)
    harness.started()
    harness.of().producer_epoch = LAST_CLIENT_EPOCH
    harness.add((100, LAST_CLIENT_EPOCH))
    harness.end((100, LAST_CLIENT_EPOCH))
    early = harness.end((101, 0), commit=False)
    assert early.waits
    harness.write_markers()
    assert early.reply == ProducerIdResult(NONE, 101, 1)


def test_clients_of_the_older_protocol_keep_their_epoch() -> None:
    harness = TxnShardHarness(2)
    producer = harness.started()
    for _ in range(2):
        assert harness.add(producer, client=0).reply == NONE
        assert harness.end(producer, client=0).reply == ProducerIdResult(NONE, *producer)


def test_without_the_feature_newer_clients_keep_their_epoch_too() -> None:
    harness = TxnShardHarness(0)
    producer = harness.started()
    harness.add(producer, client=2)
    assert harness.end(producer, client=2).reply == ProducerIdResult(NONE, *producer)
    assert harness.written[0].client_version == 0
    harness.add(producer, client=2)
    assert harness.of().client_version == 0


# -- producers that start (KIP-360) ------------------------------------------------------------------------------


def test_each_init_bumps_the_epoch_and_sets_the_timeout() -> None:
    harness = TxnShardHarness()
    assert [harness.started(timeout_ms=each) for each in (1000, 2000)] == [(100, 0), (100, 1)]
    assert harness.describe().timeout_ms == 2000


def test_a_producer_bumps_its_own_epoch() -> None:
    harness = TxnShardHarness()
    producer = harness.started()
    assert harness.init(producer).reply == ProducerIdResult(NONE, 100, 1)
    assert harness.init(producer).reply == ProducerIdResult(NONE, 100, 1), "the same question again"
    assert harness.init((100, 1)).reply == ProducerIdResult(NONE, 100, 2)
    assert harness.init(producer).reply.code == FENCED
    assert harness.init((99, 2)).reply.code == FENCED
    harness.started()
    assert harness.init((100, 2)).reply.code == FENCED, "somebody else has started"


def test_an_init_repeated_after_a_transaction_is_fenced() -> None:
    harness = TxnShardHarness(2)
    producer = harness.started()
    assert harness.init(producer).reply == ProducerIdResult(NONE, 100, 1)
    harness.add((100, 1))
    assert harness.end((100, 1)).reply == ProducerIdResult(NONE, 100, 2)
    assert harness.init(producer).reply.code == FENCED


def test_the_expected_id_does_not_matter_for_a_new_transactional_id() -> None:
    assert TxnShardHarness().init((7, 7)).reply == ProducerIdResult(NONE, 100, 0)


def test_a_zombie_does_not_abort_the_transaction_of_its_successor() -> None:
    harness = TxnShardHarness()
    zombie, living = harness.started(), harness.started()
    harness.add(living)
    assert harness.init(zombie).reply.code == FENCED
    assert harness.state() == "ONGOING"


def test_the_current_producer_may_abort_by_starting_again_but_is_fenced() -> None:
    harness = TxnShardHarness()
    producer = harness.started()
    harness.add(producer)
    assert harness.init(producer).reply.code == FENCED
    assert harness.state() == "COMPLETE_ABORT"


@pytest.mark.parametrize("expected", [None, (100, LAST_CLIENT_EPOCH)])
def test_an_init_rotates_the_producer_id_when_epochs_run_out(expected: tuple[int, int] | None) -> None:
    harness = TxnShardHarness()
    harness.started()
    harness.of().producer_epoch = LAST_CLIENT_EPOCH
    assert harness.init(expected).reply == ProducerIdResult(NONE, 101, 0)
    assert harness.of().previous_producer_id == 100
    asked_again = harness.init((100, LAST_CLIENT_EPOCH)).reply
    if expected is None:
        assert asked_again.code == FENCED
    else:
        assert asked_again == harness.init(expected).reply == ProducerIdResult(NONE, 101, 0)
    assert harness.started() == (101, 1)
    assert harness.init((100, LAST_CLIENT_EPOCH)).reply.code == FENCED


def test_a_fenced_producer_gets_no_new_id_when_epochs_run_out() -> None:
    harness = TxnShardHarness()
    harness.started()
    harness.of().producer_epoch = LAST_CLIENT_EPOCH
    assert harness.init((100, LAST_CLIENT_EPOCH - 1)).reply.code == FENCED
    assert harness.of().producer_id == 100


def test_an_epoch_is_left_for_fencing() -> None:
    harness = TxnShardHarness()
    harness.started()
    harness.of().producer_epoch = LAST_CLIENT_EPOCH
    harness.add((100, LAST_CLIENT_EPOCH))
    assert harness.init().reply == ProducerIdResult(NONE, 101, 0)
    assert harness.written[0][1:3] == (100, LAST_CLIENT_EPOCH + 1)


def test_the_epoch_reserved_for_fencing_is_refused() -> None:
    harness = TxnShardHarness()
    harness.started()
    harness.of().producer_epoch = LAST_CLIENT_EPOCH + 1
    guessed = (100, LAST_CLIENT_EPOCH + 1)
    assert harness.add(guessed).reply == FENCED
    assert harness.end(guessed, commit=False).reply.code == FENCED
    assert harness.end(guessed, commit=False, client=0).reply.code == FENCED
    assert harness.verify(guessed, T0) == {T0: FENCED}
