"""Records of __transaction_state, byte for byte; unknown and malformed ones."""

from __future__ import annotations

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.coordinator.shard import ReplayedBatch
from wirebroker.coordinator.transaction.records import read, record_of, tombstone
from wirebroker.coordinator.transaction.shard import TransactionShard
from wirebroker.coordinator.transaction.transaction_metadata import TransactionMetadata, TransactionState
from wirebroker.coordinator.turn import CoordinatorRecord, Turn
from wirebroker.model import TopicPartition
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.record.builder import build_keyed_batch
from wirebroker.record.record_batch import RecordBatch
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.coordinator.transaction.broker_harness import running
from wirebroker.tests.coordinator.transaction.txn_shard_harness import T0, T1, U0, VOLATILE, transaction_config

KEY = "0000 0001 78"


def transaction(state: TransactionState, *partitions: TopicPartition, **fields: int) -> TransactionMetadata:
    made = TransactionMetadata("x", 0x0102, 60_000, 0x0A0B)
    made.producer_epoch = 3
    made.state = state
    made.partitions = dict.fromkeys(partitions)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


S = TransactionState


@pytest.mark.parametrize(
    ("made", "version", "value"),
    [
        (
            transaction(S.EMPTY),
            0,
            "0000 0000000000000102 0003 0000ea60 00 ffffffff 0000000000000a0b ffffffffffffffff",
        ),
        (
            transaction(S.ONGOING, T0, U0, T1, start_ms=5),
            0,
            "0000 0000000000000102 0003 0000ea60 01 00000002"
            "0001 74 00000002 00000000 00000001 0001 75 00000001 00000000 0000000000000a0b 0000000000000005",
        ),
        (
            transaction(S.COMPLETE_COMMIT, start_ms=5),
            0,
            "0000 0000000000000102 0003 0000ea60 04 00000000 0000000000000a0b 0000000000000005",
        ),
        (
            transaction(S.EMPTY),
            1,
            "0001 0000000000000102 0003 0000ea60 00 00 0000000000000a0b ffffffffffffffff 00",
        ),
        (
            transaction(S.PREPARE_ABORT, T0, start_ms=5, client_version=2, next_producer_id=7),
            2,
            "0001 0000000000000102 0003 0000ea60 03 02 02 74 02 00000000 00 0000000000000a0b 0000000000000005"
            "02 01 08 0000000000000007 02 02 0002",
        ),
    ],
)
def test_bytes(made: TransactionMetadata, version: int, value: str) -> None:
    record = record_of(made, version)
    assert (record.key.hex(), record.value.hex() if record.value else None) == (
        KEY.replace(" ", ""),
        value.replace(" ", ""),
    )
    found = read(record)
    assert found is not None
    assert [getattr(found, name) for name in made.__slots__] == [getattr(made, name) for name in made.__slots__]


def test_a_tombstone() -> None:
    assert tombstone("x") == (bytes.fromhex(KEY), None)


_numbers = st.integers(-(2**63), 2**63 - 1)


@given(
    st.sampled_from(TransactionState),
    st.lists(st.builds(TopicPartition, st.text(max_size=5), st.integers(0, 2**31 - 1)), max_size=5),
    st.dictionaries(st.sampled_from(["producer_id", "previous_producer_id", "start_ms", "updated_ms"]), _numbers),
    st.integers(0, 2),
)
def test_records_round_trip(
    state: TransactionState, partitions: list[TopicPartition], fields: dict[str, int], client: int
) -> None:
    made = transaction(state, *partitions if state else (), client_version=client, **fields)
    found = read(record_of(made, 1))
    assert found is not None
    for name in made.__slots__:
        if name not in VOLATILE:
            assert getattr(found, name) == getattr(made, name), name


def test_kinds_of_records_that_are_not_known_are_skipped() -> None:
    shard = TransactionShard(transaction_config(), lambda: 100)
    who = ReplayedBatch(-1, -1, False, 0)
    shard.replay(CoordinatorRecord(b"\x00\x01anything", b"\x00\x00"), who)
    shard.replay(record_of(transaction(S.EMPTY), 1), who)
    assert len(list(shard.finish_replay())) == 2
    shard.loaded(Turn(0, 0))
    assert list(shard.manager.transactions) == ["x"]


@pytest.mark.parametrize("value", [b"", b"\x00\x07", record_of(transaction(S.ONGOING, T0), 1).value[:-9]])  # type: ignore[index]
def test_malformed_records_are_refused(value: bytes) -> None:
    with pytest.raises(ProtocolError):
        read(CoordinatorRecord(bytes.fromhex(KEY), value))


def test_an_unknown_state_is_refused() -> None:
    value = bytearray(record_of(transaction(S.EMPTY), 0).value or b"")
    value[16] = 8
    with pytest.raises(ProtocolError, match="transaction status 8"):
        read(CoordinatorRecord(bytes.fromhex(KEY), bytes(value)))


async def test_a_shard_that_cannot_be_read_leaves_the_others(caplog: pytest.LogCaptureFixture) -> None:
    async with running() as harness:
        index = harness.coordinator.partition_for("x")
        partition = harness.replicas.get("__transaction_state", index)
        damaged = build_keyed_batch([CoordinatorRecord(bytes.fromhex(KEY), b"\x00\x07")], 1)
        await partition.append_batch(RecordBatch.parse(damaged), 1, AppendOrigin.COORDINATOR)
        harness.coordinator.runtime.unload(index)
        await harness.coordinator.runtime.load(index, partition)
        other = next(name for name in "abc" if harness.coordinator.partition_for(name) != index)
        assert (await harness.init("x")).error_code == 16
        assert (await harness.init(other)).error_code == 0
        assert "cannot be loaded" in caplog.text
        await trio.lowlevel.checkpoint()
