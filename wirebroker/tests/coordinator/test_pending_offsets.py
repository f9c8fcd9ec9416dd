"""Offsets in transactions: the commit whose record comes last in the log holds, whenever its transaction ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata, OffsetMetadataManager
from wirebroker.coordinator.group.requests import DeleteGroup, FetchOffsets, TopicsDeleted
from wirebroker.coordinator.shard import ReplayedBatch
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from wirebroker.tests.coordinator.shard_harness import ShardHarness


def committed(offset: int) -> OffsetAndMetadata:
    return OffsetAndMetadata(offset, -1, "", 1)


class LogScanOffsets:
    """Committed offsets by a scan of the whole log at each question."""

    def __init__(self) -> None:
        self.log: list[tuple[str, int, int, int]] = []

    def _events(self) -> tuple[dict[int, tuple[int, int]], dict[int, dict[int, tuple[int, int]]]]:
        held: dict[int, tuple[int, int]] = {}  # partition -> (position of its record, offset)
        pending: dict[int, dict[int, tuple[int, int]]] = {}
        for at, (what, who, partition, offset) in enumerate(self.log):
            if what == "commit":
                held[partition] = (at, offset)
            elif what == "pending":
                pending.setdefault(who, {})[partition] = (at, offset)
            elif what == "forget":
                held.pop(partition, None)
                for entries in pending.values():
                    entries.pop(partition, None)
            else:
                for key, entry in pending.pop(who, {}).items():
                    if what == "end" and entry > held.get(key, (-1, 0)):
                        held[key] = entry
        return held, pending

    def offsets(self) -> dict[int, int]:
        return {partition: offset for partition, (_, offset) in self._events()[0].items()}

    def pending(self) -> set[int]:
        return {partition for entries in self._events()[1].values() for partition in entries}


Steps = st.lists(
    st.tuples(
        st.sampled_from(["commit", "pending", "pending", "forget", "end", "abort"]),
        st.integers(0, 2),
        st.integers(0, 1),
        st.integers(0, 9),
    ),
    max_size=25,
)


@given(Steps)
def test_state_equals_a_replay_of_the_log(steps: list[tuple[str, int, int, int]]) -> None:
    table, naive = OffsetMetadataManager(), LogScanOffsets()
    for step in steps:
        what, who, partition, offset = step
        naive.log.append(step)
        if what == "commit":
            table.commit("g", "t", partition, committed(offset))
        elif what == "pending":
            table.commit_pending(who, "g", "t", partition, committed(offset))
        elif what == "forget":
            table.delete("g", "t", partition)
        else:
            table.end_transaction(who, committed=what == "end")
        held = {partition: each.offset for (_, partition), each in table.of_group("g").items()}
        assert held == naive.offsets()
        pending = {partition for partition in range(2) if table.is_pending("g", "t", partition)}
        assert pending == naive.pending()
        assert table.has_pending("g") == bool(pending)
        assert table.groups() == ({"g"} if held or pending else set())
        assert set(table.keys_of("g")) == {("t", each) for each in {*held, *pending}}


def txn_commit(
    harness: ShardHarness, offset: int, member: str = "", generation: int = -1, instance: str | None = None
) -> E:
    message = TxnOffsetCommitRequest(
        "x",
        "g",
        77,
        0,
        generation,
        member,
        instance,
        [TxnOffsetCommitRequestTopic("t", [TxnOffsetCommitRequestPartition(0, offset, 3, None)])],
    )
    reply = harness.ask(message, 3).reply
    return E(reply.topics[0].partitions[0].error_code)


def test_checks_of_a_commit_in_a_transaction() -> None:
    harness = ShardHarness()
    assert txn_commit(harness, 1) == E.NONE
    assert txn_commit(harness, 1, "m", 3) == E.UNKNOWN_MEMBER_ID
    (member,), generation = harness.stable("a")
    assert txn_commit(harness, 2) == E.NONE, "older clients do not say who they are"
    assert txn_commit(harness, 3, member, generation) == E.NONE
    assert txn_commit(harness, 4, member, generation - 1) == E.ILLEGAL_GENERATION
    assert txn_commit(harness, 5, "stranger", generation) == E.UNKNOWN_MEMBER_ID
    assert txn_commit(harness, 6, member, generation, "nobody's instance") == E.UNKNOWN_MEMBER_ID
    harness.shard.replay_end_transaction(77, committed=True)
    assert harness.offset() == 3


def test_a_commit_in_a_transaction_does_not_prolong_a_session() -> None:
    harness = ShardHarness()
    (member,), generation = harness.stable("a")
    for _ in range(3):
        harness.pass_ms(4_000)
        txn_commit(harness, 1, member, generation)
    assert txn_commit(harness, 2, member, generation) == E.UNKNOWN_MEMBER_ID


def test_pending_offsets_keep_their_group_and_go_with_their_topic() -> None:
    harness = ShardHarness()
    txn_commit(harness, 5)
    harness.pass_ms(10 * 24 * 3_600_000)
    assert harness.ask(DeleteGroup("g")).reply == E.NON_EMPTY_GROUP
    assert harness.ask(FetchOffsets("g", [("t", [0])], True)).reply.offsets[0][3] == E.UNSTABLE_OFFSET_COMMIT
    before = len(harness.log)
    harness.ask(TopicsDeleted(frozenset({"t"})))
    harness.pass_ms(0)
    assert [each.value for each in harness.log[before:]] == [None], "a restart has to learn of it, too"
    assert harness.ask(FetchOffsets("g", [("t", [0])], True)).reply.offsets[0][3] == 0
    harness.shard.replay_end_transaction(77, committed=True)
    assert harness.offset() is None


def test_a_tombstone_in_a_transaction_counts_with_its_marker() -> None:
    harness = ShardHarness()
    harness.commit(4)
    who = ReplayedBatch(77, 0, True, harness.now_ms + harness.wall_offset_ms)
    harness.shard.replay(records.offset_record("g", "t", 0, None), who)
    assert harness.offset() == 4
    harness.shard.replay_end_transaction(77, committed=True)
    assert harness.offset() is None
