"""replay_log: the state after a load is that of all records in their order, though most are superseded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wirebroker.config.topic import default_log_config
from wirebroker.coordinator import loader
from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
from wirebroker.coordinator.shard import ReplayedBatch
from wirebroker.record.builder import build_batch, build_keyed_batch
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record, RecordBatch
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.coordinator.shard_harness import ShardHarness
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import Clock, marker, new_log

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from wirebroker.coordinator.group.shard import GroupShard
    from wirebroker.coordinator.turn import CoordinatorRecord
    from wirebroker.replication.partition import Partition

PRODUCERS = (20, 21)

commits = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.booleans()), min_size=1, max_size=30)
steps = st.tuples(st.sampled_from([None, *PRODUCERS]), commits)
endings = st.tuples(st.sampled_from(PRODUCERS), st.booleans())


class FakePartition:
    """A partition with a log on a fake disk."""

    below_min_isr = False

    def __init__(self) -> None:
        self.log = new_log(FakeDisk(), default_log_config(), Clock())
        self.sequences = dict.fromkeys(PRODUCERS, 0)

    async def run_in_order(self, work: Callable[[], object]) -> object:
        return work()

    def append(self, pairs: list[CoordinatorRecord], producer: int | None = None) -> None:
        if producer is None:
            data = build_keyed_batch(pairs, 1)
        else:
            made = [Record(at, 1, *pair, []) for at, pair in enumerate(pairs)]
            sender = BatchProducer(producer, 0, self.sequences[producer])
            self.sequences[producer] += len(pairs)
            data = bytearray(build_batch(made, producer=sender, attributes=TRANSACTIONAL))
        self.log.append_as_leader(RecordBatch.parse(data), 0, 1)

    def end_transaction(self, producer: int, committed: bool) -> None:
        self.log.append_as_leader(marker(producer, 0, committed=committed), 0, 1, origin=AppendOrigin.COORDINATOR)


def offset_record(group: str, partition: int, offset: int | None) -> CoordinatorRecord:
    committed = None if offset is None else OffsetAndMetadata(offset, -1, "", 1)
    return records.offset_record(group, "t", partition, committed)


def state(shard: GroupShard) -> dict[str, object]:
    offsets = shard.manager.offsets
    return {group: (dict(offsets.of_group(group)), sorted(offsets.pending_of(group))) for group in "ab"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(steps, endings), max_size=25), st.sampled_from([1, 3, 1000]))
def test_the_state_is_that_of_all_records(
    monkeypatch: pytest.MonkeyPatch, history: list[Any], latest_keys: int
) -> None:
    monkeypatch.setattr(loader, "_LATEST_KEYS", latest_keys)
    partition = FakePartition()
    expected = ShardHarness().shard
    count = 0
    for who, what in history:
        if isinstance(what, bool):
            partition.end_transaction(who, what)
            expected.replay_end_transaction(who, committed=what)
            count += 1
            continue
        pairs = []
        for group, number, is_tombstone in what:
            count += 1
            pairs.append(offset_record(group, number, None if is_tombstone and who is None else count))
            batch = ReplayedBatch(-1 if who is None else who, 0, who is not None, 1)
            expected.replay(pairs[-1], batch)
        partition.append(pairs, who)
    loaded = ShardHarness().shard
    assert trio.run(loader.replay_log, cast("Partition", partition), loaded) == count
    assert state(loaded) == state(expected)


async def test_a_record_is_replayed_once_for_each_key() -> None:
    partition = FakePartition()
    for turn in range(50):
        partition.append([offset_record("a", number, turn) for number in range(100)])
    replayed: list[CoordinatorRecord] = []

    class Shard:
        def replay(self, record: CoordinatorRecord, _: ReplayedBatch) -> None:
            replayed.append(record)

        def finish_replay(self) -> tuple[None, ...]:
            return ()

    assert await loader.replay_log(cast("Partition", partition), cast("GroupShard", Shard())) == 5000
    assert replayed == [offset_record("a", number, 49) for number in range(100)]
