"""TxnOffsetCommit: offsets that appear with their marker, go with an abort, and are the same after a restart."""

from __future__ import annotations

import pytest

from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.record.record_batch import batches
from wirebroker.tests.handlers.txn_stage import GROUPS, Stage

PENDING = (-1, E.UNSTABLE_OFFSET_COMMIT)


async def staged() -> Stage:
    stage = await Stage.open()
    stage.coordinator.partitions = {GROUPS}
    return stage


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("committed", [True, False])
async def test_offsets_come_with_the_marker_or_not_at_all(committed: bool, killed: bool) -> None:
    stage = await staged()
    assert await stage.commit_offset(5) == E.NONE
    if killed:
        stage = await stage.killed()
    assert await stage.committed_offset() == PENDING
    assert await stage.committed_offset(stable=False) == (-1, E.NONE)
    assert await stage.end(GROUPS, committed=committed) == [E.NONE]
    expected = (5 if committed else -1, E.NONE)
    assert await stage.committed_offset() == expected
    assert await (await stage.killed()).committed_offset() == expected


async def test_the_records_are_a_transactional_batch_of_the_producer() -> None:
    stage = await staged()
    await stage.commit_offset()
    log = stage.replicas.get(*GROUPS).log
    (found,) = batches(log.read(0, 1 << 20, log.log_end_offset, min_one_batch=True).tobytes())
    assert (found.attributes, found.producer_id, found.producer_epoch, found.base_sequence) == (0x10, 7, 0, 0)
    assert found.is_valid()
    assert log.last_stable_offset(log.log_end_offset) == 0


async def test_a_transaction_is_asked_for_once_and_then_known() -> None:
    stage = await staged()
    for offset in (1, 2, 3):
        assert await stage.commit_offset(offset) == E.NONE
    assert stage.coordinator.asked == [([GROUPS], False)]
    await stage.end()
    assert await stage.committed_offset() == (3, E.NONE)
    assert await stage.commit_offset(4) == E.INVALID_TXN_STATE


async def test_from_version_5_on_committing_adds_the_group_s_partition() -> None:
    stage = await Stage.open()
    assert await stage.commit_offset(version=5) == E.NONE
    assert stage.coordinator.partitions == {GROUPS}


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
async def test_what_a_coordinator_refuses(refuses: E, version: int, told: E) -> None:
    stage = await staged()
    stage.coordinator.refuses = refuses
    assert await stage.commit_offset(version=version) == told
    assert stage.replicas.get(*GROUPS).log.log_end_offset == 0
    assert await stage.committed_offset() == (-1, E.NONE)


async def test_bad_requests() -> None:
    stage = await staged()
    assert await stage.commit_offset(group="") == E.INVALID_GROUP_ID
    assert await stage.commit_offset(topic="nowhere") == E.UNKNOWN_TOPIC_OR_PARTITION
    assert await stage.commit_offset(partition=2) == E.UNKNOWN_TOPIC_OR_PARTITION
    assert await stage.commit_offset(metadata="x" * 4097) == E.OFFSET_METADATA_TOO_LARGE
    assert await stage.commit_offset(producer_id=-1) == E.INVALID_PRODUCER_ID_MAPPING
    assert await stage.commit_offset(generation=3, member="m") == E.UNKNOWN_MEMBER_ID
    assert await stage.committed_offset() == (-1, E.NONE)
    stage.groups.runtime.unload(0)
    assert await stage.commit_offset() == E.NOT_COORDINATOR


async def test_zombies_are_refused_and_the_shard_never_hears_of_them() -> None:
    stage = await staged()
    shard = stage.groups.runtime._contexts[0].shard
    await stage.commit_offset(5)
    await stage.end(committed=False, epoch=1)
    stage.coordinator.epoch = 1
    stage.coordinator.partitions = {GROUPS}
    assert await stage.commit_offset(6, epoch=0) == E.INVALID_PRODUCER_EPOCH
    assert await stage.commit_offset(7, epoch=1) == E.NONE
    for version in (0, 3, 4, 5):
        assert await stage.commit_offset(8, epoch=0, version=version) == E.INVALID_PRODUCER_EPOCH
    await stage.end(epoch=1)
    assert await stage.commit_offset(9, epoch=0) == E.INVALID_PRODUCER_EPOCH
    assert await stage.committed_offset() == (7, E.NONE)
    assert stage.groups.runtime._contexts[0].shard is shard, "a refused append would have cost a reload"


async def test_an_abort_between_the_question_and_the_append_is_noticed() -> None:
    stage = await staged()
    stage.coordinator.before_answer = lambda: stage.end(GROUPS, committed=False)
    assert await stage.commit_offset() == E.INVALID_TXN_STATE
    assert await stage.committed_offset() == (-1, E.NONE)
    assert stage.replicas.get(*GROUPS).last_stable_offset == 1


async def test_without_verification_nobody_is_asked() -> None:
    stage = await Stage.open(transaction_partition_verification_enable="false")
    assert await stage.commit_offset(5) == E.NONE
    assert not stage.coordinator.asked
    await stage.end(GROUPS)
    assert await stage.committed_offset() == (5, E.NONE)
