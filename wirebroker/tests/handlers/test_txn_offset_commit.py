"""TxnOffsetCommit: offsets that appear with their marker, go with an abort, and are the same after a restart."""

from __future__ import annotations

import pytest

from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.record.record_batch import batches
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.tests.handlers.txn_harness import GROUPS, TxnHarness

PENDING = (-1, E.UNSTABLE_OFFSET_COMMIT)


async def running_harness() -> TxnHarness:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {GROUPS}
    return harness


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("committed", [True, False])
async def test_offsets_come_with_the_marker_or_not_at_all(committed: bool, killed: bool) -> None:
    harness = await running_harness()
    assert await harness.commit_offset(5) == E.NONE
    if killed:
        harness = await harness.killed()
    assert await harness.committed_offset() == PENDING
    assert await harness.committed_offset(stable=False) == (-1, E.NONE)
    assert await harness.end(GROUPS, committed=committed) == [E.NONE]
    expected = (5 if committed else -1, E.NONE)
    assert await harness.committed_offset() == expected
    assert await (await harness.killed()).committed_offset() == expected


async def test_the_records_are_a_transactional_batch_of_the_producer() -> None:
    harness = await running_harness()
    await harness.commit_offset()
    log = harness.replicas.get(*GROUPS).log
    (found,) = batches(log.read(0, 1 << 20, log.log_end_offset, min_one_batch=True).tobytes())
    assert (found.attributes, found.producer_id, found.producer_epoch, found.base_sequence) == (0x10, 7, 0, 0)
    assert found.is_valid()
    assert log.reader.last_stable_offset(log.log_end_offset) == 0


async def test_a_transaction_is_verified_once() -> None:
    harness = await running_harness()
    for offset in (1, 2, 3):
        assert await harness.commit_offset(offset) == E.NONE
    assert harness.coordinator.asked == [([GROUPS], False)]
    await harness.end()
    assert await harness.committed_offset() == (3, E.NONE)
    assert await harness.commit_offset(4) == E.INVALID_TXN_STATE


async def test_from_version_5_on_committing_adds_the_group_s_partition() -> None:
    harness = await TxnHarness.open()
    assert await harness.commit_offset(version=5) == E.NONE
    assert harness.coordinator.partitions == {GROUPS}


@pytest.mark.parametrize(
    ("refuses", "version", "told"),
    [
        (E.TRANSACTION_ABORTABLE, 3, E.INVALID_TXN_STATE),
        (E.TRANSACTION_ABORTABLE, 4, E.TRANSACTION_ABORTABLE),
        (E.PRODUCER_FENCED, 4, E.INVALID_PRODUCER_EPOCH),
        (E.INVALID_PRODUCER_ID_MAPPING, 0, E.INVALID_PRODUCER_ID_MAPPING),
        (E.CONCURRENT_TRANSACTIONS, 3, E.CONCURRENT_TRANSACTIONS),
        (E.COORDINATOR_LOAD_IN_PROGRESS, 2, E.COORDINATOR_LOAD_IN_PROGRESS),
        (E.COORDINATOR_LOAD_IN_PROGRESS, 1, E.COORDINATOR_NOT_AVAILABLE),
        (E.NETWORK_EXCEPTION, 3, E.COORDINATOR_LOAD_IN_PROGRESS),
    ],
)
async def test_codes_of_a_coordinator_become_codes_of_txn_offset_commit(refuses: E, version: int, told: E) -> None:
    harness = await running_harness()
    harness.coordinator.refuses = refuses
    assert await harness.commit_offset(version=version) == told
    assert harness.replicas.get(*GROUPS).log.log_end_offset == 0
    assert await harness.committed_offset() == (-1, E.NONE)


async def test_bad_requests() -> None:
    harness = await running_harness()
    assert await harness.commit_offset(group="") == E.INVALID_GROUP_ID
    assert await harness.commit_offset(topic="nowhere") == E.UNKNOWN_TOPIC_OR_PARTITION
    assert await harness.commit_offset(partition=2) == E.UNKNOWN_TOPIC_OR_PARTITION
    assert await harness.commit_offset(metadata="x" * 4097) == E.OFFSET_METADATA_TOO_LARGE
    assert await harness.commit_offset(producer_id=-1) == E.INVALID_PRODUCER_ID_MAPPING
    assert await harness.commit_offset(generation=3, member="m") == E.UNKNOWN_MEMBER_ID
    assert await harness.committed_offset() == (-1, E.NONE)
    harness.groups.runtime.unload(0)
    assert await harness.commit_offset() == E.NOT_COORDINATOR


@pytest.mark.parametrize(("release", "verifies"), [("2.8.2", False), ("3.6", False), ("3.7", True)])
async def test_releases_before_3_7_verify_no_offsets(release: str, verifies: bool) -> None:
    harness = await TxnHarness.open(profile=ReleaseProfile(release))
    assert await harness.commit_offset(epoch=3) == (E.INVALID_PRODUCER_EPOCH if verifies else E.NONE)
    assert bool(harness.coordinator.asked) == verifies
    if not verifies:
        assert await harness.commit_offset(epoch=2) == E.INVALID_PRODUCER_EPOCH, "older than what the log has"


async def test_fenced_producers_are_refused_before_the_shard() -> None:
    harness = await running_harness()
    shard = harness.groups.runtime._contexts[0].shard
    await harness.commit_offset(5)
    await harness.end(committed=False, epoch=1)
    harness.coordinator.epoch = 1
    harness.coordinator.partitions = {GROUPS}
    assert await harness.commit_offset(6, epoch=0) == E.INVALID_PRODUCER_EPOCH
    assert await harness.commit_offset(7, epoch=1) == E.NONE
    for version in (0, 3, 4, 5):
        assert await harness.commit_offset(8, epoch=0, version=version) == E.INVALID_PRODUCER_EPOCH
    await harness.end(epoch=1)
    assert await harness.commit_offset(9, epoch=0) == E.INVALID_PRODUCER_EPOCH
    assert await harness.committed_offset() == (7, E.NONE)
    assert harness.groups.runtime._contexts[0].shard is shard, "a refused append would have cost a reload"


async def test_an_abort_between_verification_and_append_is_noticed() -> None:
    harness = await running_harness()
    harness.coordinator.before_answer = lambda: harness.end(GROUPS, committed=False)
    assert await harness.commit_offset() == E.INVALID_TXN_STATE
    assert await harness.committed_offset() == (-1, E.NONE)
    assert harness.replicas.get(*GROUPS).last_stable_offset == 1


async def test_without_verification_the_coordinator_gets_no_request() -> None:
    harness = await TxnHarness.open(transaction_partition_verification_enable="false")
    assert await harness.commit_offset(5) == E.NONE
    assert not harness.coordinator.asked
    await harness.end(GROUPS)
    assert await harness.committed_offset() == (5, E.NONE)
