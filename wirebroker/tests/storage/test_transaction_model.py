"""Last stable offset, aborted transactions and producers' state equal a naive model, whatever happens to the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from wirebroker.record.control import read_marker
from wirebroker.record.record_batch import batches
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.producer_snapshots import decode_snapshot
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.storage import transaction_oracle as oracle
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, Clock, batch, manager, marker, run_retention
from wirebroker.tests.storage.transaction_oracle import Producer, Written

if TYPE_CHECKING:
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_manager import LogManager
    from wirebroker.storage.producer_state_entry import ProducerStateEntry

CONFIG = SMALL._replace(segment_bytes=600, retention_bytes=2000, retention_ms=-1, segment_ms=1 << 60)
IDS = st.integers(1, 3)
DAY_MS = 86_400_000


def as_model(entry: ProducerStateEntry) -> Producer:
    last = entry.batches[-1] if entry.batches else None
    return Producer(
        entry.epoch,
        last.last_sequence if last else -1,
        last.last_offset if last else -1,
        last.offset_delta if last else 0,
        entry.last_timestamp,
        entry.coordinator_epoch,
        entry.current_txn_first_offset,
    )


class TransactionMachine(RuleBasedStateMachine):
    """One log on a fake disk beside a list of what was appended."""

    def __init__(self) -> None:
        super().__init__()
        self.disk = FakeDisk()
        self.clock = Clock()
        self.history: list[Written] = []
        self.since: dict[int, int] = {}
        """Producer id -> how much of the history the log has forgotten of it."""
        self.expired: dict[int, int] = {}
        """The same for the last time when it had been silent for too long."""
        self.epochs: dict[int, int] = {}

    @initialize()
    def open(self) -> None:
        self._load()

    def _load(self) -> None:
        self.manager: LogManager = manager(self.disk, CONFIG, self.clock)
        self.log: Log = self.manager.get_or_create("t", 0, bytes(range(16)))

    def _state(self, producer_id: int) -> Producer | None:
        return oracle.producer(self.history[self.since.get(producer_id, 0) :], producer_id)

    # -- appending

    @rule(producer_id=IDS, records=st.integers(1, 3), transactional=st.booleans(), size=st.integers(0, 60))
    def write(self, producer_id: int, records: int, transactional: bool, size: int) -> None:
        known = self._state(producer_id)
        transactional = transactional or (known is not None and known.open_since >= 0)
        epoch = self.epochs.get(producer_id, 0)
        sequence = 0 if known is None or known.epoch != epoch else known.last_sequence + 1
        self.clock.now_ms += 1
        appended = batch(
            *[bytes(size)] * records,
            producer=(producer_id, epoch, sequence),
            timestamp=self.clock.now_ms,
            transactional=transactional,
        )
        result = self.log.append_as_leader(appended, 0, self.clock.now_ms)
        self.history.append(
            Written(
                *(result.base_offset, result.last_offset, producer_id, epoch, sequence, self.clock.now_ms),
                transactional=transactional,
            )
        )

    @rule()
    def write_without_producer(self) -> None:
        result = self.log.append_as_leader(batch(timestamp=self.clock.now_ms), 0, self.clock.now_ms)
        self.history.append(
            Written(result.base_offset, result.last_offset, -1, -1, -1, self.clock.now_ms, transactional=False)
        )

    @rule(producer_id=IDS, committed=st.booleans(), bump=st.booleans(), coordinator_epoch=st.integers(0, 3))
    def end(self, producer_id: int, committed: bool, bump: bool, coordinator_epoch: int) -> None:
        known = self._state(producer_id)
        epoch = self.epochs.get(producer_id, 0) + bump
        coordinator_epoch = max(coordinator_epoch, known.coordinator_epoch if known else 0)
        done = marker(producer_id, epoch, committed=committed, coordinator_epoch=coordinator_epoch)
        at = self.log.append_as_leader(done, 0, self.clock.now_ms, AppendOrigin.COORDINATOR).base_offset
        self.epochs[producer_id] = epoch
        self.history.append(
            Written(at, at, producer_id, epoch, -1, 1, True, committed, coordinator_epoch)  # markers() have timestamp 1
        )

    # -- everything else

    @rule()
    def roll(self) -> None:
        self.log.roll()

    @rule()
    def flush(self) -> None:
        self.log.flush()
        self.manager.log_dirs.checkpoint_recovery_points()

    @rule(data=st.data())
    def delete_records(self, data: st.DataObject) -> None:
        self.log.delete_records(data.draw(st.integers(self.log.log_start_offset, self.log.log_end_offset)))

    @rule()
    def checkpoint_log_start(self) -> None:
        self.manager.log_dirs.checkpoint_log_starts()

    @rule()
    def retention(self) -> None:
        run_retention(self.manager, self.clock.now_ms)
        self.manager.delete_due_files(self.clock.now_ms + CONFIG.file_delete_delay_ms)

    @rule(days=st.integers(0, 2))
    def a_day_passes(self, days: int) -> None:
        self.clock.now_ms += days * DAY_MS
        before = dict(self.log.producer_state_manager.entries)
        self.log.producer_state_manager.remove_expired_producers(self.clock.now_ms, DAY_MS)
        for producer_id in before.keys() - self.log.producer_state_manager.entries.keys():
            state = self._state(producer_id)
            assert state is not None
            assert state.open_since < 0
            last = max(each.base for each in self.history if each.producer_id == producer_id)
            assert self.clock.now_ms - before[producer_id].last_update_ms >= DAY_MS, f"last heard of at offset {last}"
            self.since[producer_id] = self.expired[producer_id] = len(self.history)

    @rule(data=st.data())
    def truncate(self, data: st.DataObject) -> None:
        offset = data.draw(st.integers(self.log.segments[0].base_offset, self.log.log_end_offset))
        self.manager.truncate_to(self.log, offset)
        self._cut()

    @rule()
    def restart(self) -> None:
        self.manager.close()
        self._load()
        self._cut()  # but nothing goes: who was forgotten may be back, though, from an older snapshot

    @rule()
    def kill(self) -> None:
        self.disk = self.disk.restarted()
        self._load()
        self._cut()

    @precondition(lambda self: self.disk.unsynced)
    @rule(data=st.data())
    def power_failure(self, data: st.DataObject) -> None:
        self.disk = self.disk.after_power_failure(data.draw(st.integers(0, self.disk.unsynced)))
        self._load()
        self._cut()

    def _cut(self) -> None:
        """The end of the log may be gone, and producers were rebuilt from what is left of it."""
        self.history = [each for each in self.history if each.last < self.log.log_end_offset]
        found = {producer_id: as_model(entry) for producer_id, entry in self.log.producer_state_manager.entries.items()}
        start = self.log.log_start_offset
        remaining = sum(each.last < start for each in self.history)
        for producer_id in range(1, 4):
            # what lies below the log start, or before it was forgotten, may be known from some snapshot; or it may not
            forgettable = min(max(remaining, self.expired.get(producer_id, 0)), len(self.history))
            since = min(self.since.get(producer_id, 0), len(self.history))
            for at in [since, *range(forgettable + 1)]:
                self.since[producer_id] = at
                if self._state(producer_id) == found.get(producer_id):
                    break
            else:
                raise AssertionError(f"producer {producer_id}: {found.get(producer_id)}")

    # -- what must hold

    @invariant()
    def producers_are_equal(self) -> None:
        if not hasattr(self, "log"):
            return
        found = {producer_id: as_model(entry) for producer_id, entry in self.log.producer_state_manager.entries.items()}
        expected = {each: state for each in range(1, 4) if (state := self._state(each)) is not None}
        assert found == expected
        assert self.log.producer_state_manager.ongoing_transactions() == {
            each: state.open_since for each, state in expected.items() if state.open_since >= 0
        }

    @invariant()
    def the_last_stable_offset_is_equal(self) -> None:
        if not hasattr(self, "log"):
            return
        log = self.log
        begun = [since for each in range(1, 4) if (state := self._state(each)) and (since := state.open_since) >= 0]
        expected = max(min(begun, default=log.log_end_offset), log.log_start_offset)
        assert log.reader.last_stable_offset(log.log_end_offset) == expected

    @invariant()
    def a_reader_sees_what_is_committed(self) -> None:
        if not hasattr(self, "log"):
            return
        log = self.log
        stable = log.reader.last_stable_offset(log.log_end_offset)
        assert self._consume(stable) == oracle.visible(self.history, log.log_start_offset, stable)

    def _consume(self, stable: int) -> list[int]:
        """Read as Kafka's consumers do, with the aborted transactions that each answer lists."""
        log = self.log
        seen: list[int] = []
        at = log.log_start_offset
        while at < stable:
            piece = log.read(at, 300, stable, min_one_batch=True)
            listed = log.reader.aborted_transactions(at, piece)
            known = {(each.producer_id, each.first) for each in oracle.aborted(self.history)}
            if log.log_start_offset == 0:
                assert known.issuperset(listed)
            waiting = sorted((first, producer_id) for producer_id, first in listed)
            skipped: set[int] = set()
            for each in batches(piece.tobytes()):
                while waiting and waiting[0][0] <= each.last_offset:
                    skipped.add(waiting.pop(0)[1])
                if each.is_control:
                    ended = read_marker(each)
                    if ended is not None and not ended.committed:
                        skipped.discard(each.producer_id)
                elif not (each.is_transactional and each.producer_id in skipped):
                    seen += [record.offset for record in each.records() if record.offset >= at]
                following = each.next_offset
            at = following
        return seen

    @invariant()
    def the_whole_list_is_equal(self) -> None:
        """Asked for each segment as a whole, the list has all that overlap it and nothing else."""
        if not hasattr(self, "log") or self.log.log_start_offset:
            return
        log = self.log
        for segment, upper in zip(
            log.segments, [*[each.base_offset for each in log.segments[1:]], log.log_end_offset], strict=True
        ):
            piece = log.read(segment.base_offset, 1 << 20, upper, min_one_batch=True)
            assert log.reader.aborted_transactions(segment.base_offset, piece) == [
                (each.producer_id, each.first)
                for each in oracle.aborted(self.history)
                if each.marker >= segment.base_offset and each.first < upper and piece.size_bytes
            ]

    @invariant()
    def snapshots_hold_what_was_true_when_they_were_taken(self) -> None:
        if not hasattr(self, "log") or self.log.log_start_offset or self.expired:
            return
        producers = self.log.producer_state_manager
        for offset in producers.snapshots.offsets:
            before = [each for each in self.history if each.base < offset]
            try:
                entries = decode_snapshot(self.disk.content(producers.snapshots.path(offset)), "")
            except CorruptFileError:  # what a power failure leaves, and nobody has needed
                continue
            found = {entry.producer_id: as_model(entry) for entry in entries}
            expected = {each: state for each in range(1, 4) if (state := oracle.producer(before, each)) is not None}
            assert found == expected, f"the snapshot at {offset}"


TestTransactions = TransactionMachine.TestCase
TestTransactions.settings = settings(max_examples=15, stateful_step_count=30, report_multiple_bugs=False)
