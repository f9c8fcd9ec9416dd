"""Checkpoints, leader epochs, partition.metadata, snapshots: what is read back, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.model import TopicPartition
from wirebroker.storage.checkpoints import read_offsets, write_offsets
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.leader_epoch_cache import LeaderEpochCache
from wirebroker.storage.partition_metadata import read_topic_id, write_topic_id
from wirebroker.storage.producer_snapshots import decode_snapshot, encode_snapshot
from wirebroker.storage.producer_state_entry import BatchMetadata, ProducerStateEntry
from wirebroker.tests.storage.fakes.disk import FakeDisk


def disk() -> FakeDisk:
    made = FakeDisk()
    made.make_directory("/x")
    return made


names = st.text("abcXYZ019._-", min_size=1, max_size=20)


@given(st.dictionaries(st.builds(TopicPartition, names, st.integers(0, 99)), st.integers(0, 1 << 62)))
def test_offsets_come_back(offsets: dict[TopicPartition, int]) -> None:
    made = disk()
    write_offsets(made, "/x/c", offsets)
    assert read_offsets(made, "/x/c") == offsets


@pytest.mark.parametrize("text", [b"", None])
def test_no_file_and_an_empty_one_hold_nothing(text: bytes | None) -> None:
    made = disk()
    if text is not None:
        made.write_whole("/x/c", text)
    assert read_offsets(made, "/x/c") == {}


@pytest.mark.parametrize(
    "text",
    [
        b"1\n0\n",
        b"0\n2\na 0 1\n",
        b"0\n0\na 0 1\n",
        b"0\n1\na 0 1",
        b"0\n1\na 0\n",
        b"0\n1\na b 1\n",
        b"0\n1\na 0 1 2\n",
        b"0\n",
        b"x\n0\n",
        b"\xff\n0\n",
    ],
)
def test_malformed_checkpoints(text: bytes) -> None:
    made = disk()
    made.write_whole("/x/c", text)
    with pytest.raises(CorruptFileError, match="/x/c"):
        read_offsets(made, "/x/c")


@given(st.lists(st.tuples(st.sampled_from("aset"), st.integers(0, 20), st.integers(0, 40))))
def test_epochs_stay_ascending_and_are_read_back(acts: list[tuple[str, int, int]]) -> None:
    made = disk()
    epochs = LeaderEpochCache(made, "/x")
    for verb, epoch, offset in acts:
        if verb == "a":
            epochs.assign(epoch, offset)
            assert epochs.latest_epoch == epoch
        elif verb == "s":
            epochs.truncate_from_start(offset)
        elif verb == "e":
            epochs.truncate_from_end(offset)
            assert all(start < offset for _, start in epochs.entries)
        else:
            epochs.sync()
        entries = epochs.entries
        assert entries == sorted(entries)
        assert len({epoch for epoch, _ in entries}) == len({start for _, start in entries}) == len(entries)
        assert epochs.latest_epoch == (entries[-1][0] if entries else -1)
        for asked in range(42):
            expected = [number for number, start in entries if start <= asked]
            assert epochs.epoch_for_offset(asked) == (expected[-1] if expected else -1)
    epochs.sync()
    again = LeaderEpochCache(made, "/x")
    again.load()
    assert again.entries == epochs.entries


def test_the_epoch_at_the_start_moves_with_it() -> None:
    epochs = LeaderEpochCache(disk(), "/x")
    for epoch, start in ((0, 0), (2, 10), (5, 20)):
        epochs.assign(epoch, start)
    epochs.truncate_from_start(15)
    assert epochs.entries == [(2, 15), (5, 20)]
    assert epochs.earliest() == (2, 15)
    epochs.truncate_from_start(20)
    assert epochs.entries == [(5, 20)]
    epochs.clear()
    assert (epochs.earliest(), epochs.latest_epoch) == (None, -1)


@pytest.mark.parametrize("prepared", [False, True])
def test_epochs_are_saved_by_a_flush_and_not_before(prepared: bool) -> None:
    made, path = disk(), "/x/leader-epoch-checkpoint"
    epochs = LeaderEpochCache(made, "/x")

    def save() -> None:
        if prepared:
            epochs.prepare()
        steps = made.steps
        epochs.sync()
        made.sync_directory("/x")
        assert made.steps > steps

    before = made.steps
    epochs.assign(0, 0)
    assert made.steps == before
    assert epochs.has_unsaved_changes
    save()
    assert made.after_power_failure(0).content(path) == b"0\n1\n0 0\n"
    epochs.assign(1, 5)
    epochs.prepare()
    epochs.truncate_from_start(7)  # what was prepared is old now
    assert made.restarted().content(path) == b"0\n1\n0 0\n"
    save()
    assert made.after_power_failure(0).content(path) == b"0\n1\n1 7\n"
    epochs.clear()
    save()
    assert made.after_power_failure(0).content(path) == b"0\n0\n"
    steps = made.steps
    epochs.prepare()
    epochs.sync()
    assert made.steps == steps


def test_topic_ids() -> None:
    made = disk()
    assert read_topic_id(made, "/x") is None
    write_topic_id(made, "/x", bytes(range(240, 256)))
    assert made.content("/x/partition.metadata") == b"version: 0\ntopic_id: 8PHy8_T19vf4-fr7_P3-_w"
    assert read_topic_id(made, "/x") == bytes(range(240, 256))
    made.overwrite("/x/partition.metadata", b"")
    assert read_topic_id(made, "/x") is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"version: 1\ntopic_id: 8PHy8_T19vf4-fr7_P3-_w", "it has version '1', and this broker knows version 0"),
        (b"version: 0\n", "it has no line 'topic_id: ...'"),
        (b"topic_id: 8PHy8_T19vf4-fr7_P3-_w", "it has no line 'version: ...'"),
        (b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA", "'AAAAAAAAAAAAAAAAAAAAAA' is not a topic id"),
        (b"version: 0\ntopic_id: 8PHy", "'8PHy' is not a topic id"),
        (b"version: 0\ntopic_id: 8PHy8", "'8PHy8' is not a topic id"),
        (b"garbage\n", "it has no line 'version: ...'"),
        (b"\xff", "it has no line 'version: ...'"),
    ],
)
def test_malformed_topic_ids(text: bytes, reason: str) -> None:
    made = disk()
    made.write_whole("/x/partition.metadata", text)
    with pytest.raises(CorruptFileError) as error:
        read_topic_id(made, "/x")
    assert str(error.value) == f"/x/partition.metadata: {reason}"


def entry(producer_id: int, batches: list[BatchMetadata], start: int = -1) -> ProducerStateEntry:
    made = ProducerStateEntry(producer_id)
    made.epoch, made.coordinator_epoch, made.last_timestamp, made.current_txn_first_offset = 3, 2, 99, start
    made.batches = batches
    return made


def test_snapshots_come_back() -> None:
    entries = [
        entry(1, [BatchMetadata(4, 9, 4, 99)]),
        entry(2, [], start=7),
        entry(1 << 40, [BatchMetadata(1, 2, 0, 5), BatchMetadata(3, 4, 1, 99)]),
    ]
    data = encode_snapshot(entries)
    assert len(data) == 10 + 46 * 3
    found = decode_snapshot(data, "x")
    assert [(each.producer_id, each.batches, each.current_txn_first_offset) for each in found] == [
        (1, [BatchMetadata(4, 9, 4, 99)], -1),
        (2, [], 7),
        (1 << 40, [BatchMetadata(3, 4, 1, 99)], -1),
    ]
    for position in range(len(data)):
        damaged = bytearray(data)
        damaged[position] ^= 0x10
        with pytest.raises(CorruptFileError):
            decode_snapshot(bytes(damaged), "x")
        with pytest.raises(CorruptFileError):
            decode_snapshot(data[:position], "x")
