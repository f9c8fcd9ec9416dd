"""A log equals a plain list, whatever is done to it and wherever it is stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, Clock, batch, manager, run_retention, values

if TYPE_CHECKING:
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_manager import LogManager

CONFIG = SMALL._replace(retention_bytes=2500, retention_ms=-1)


class LogMachine(RuleBasedStateMachine):
    """One log on a fake disk beside a list of (offset, value)."""

    def __init__(self) -> None:
        super().__init__()
        self.disk = FakeDisk()
        self.clock = Clock()
        self.model: list[tuple[int, bytes]] = []
        self.start = self.end = 0
        self.batch_starts: list[int] = []
        self.epoch = 0
        self.sequence = 0
        self.written = 0

    @initialize()
    def open(self) -> None:
        self.manager = self._load()
        self.log = self._log()
        self.log.assign_leader_epoch(0)

    def _load(self) -> LogManager:
        return manager(self.disk, CONFIG, self.clock)

    def _log(self) -> Log:
        return self.manager.get_or_create("t", 0, bytes(range(16)))

    @rule(sizes=st.lists(st.integers(0, 120), min_size=1, max_size=4), idempotent=st.booleans())
    def append(self, sizes: list[int], idempotent: bool) -> None:
        records = []
        for size in sizes:
            records.append(b"%d:" % self.written + bytes(size))
            self.written += 1
        producer = (7, 0, self.sequence) if idempotent else (-1, -1, -1)
        appended = batch(*records, producer=producer, timestamp=self.clock.now_ms)
        self.clock.now_ms += 1
        result = self.log.append_as_leader(appended, self.epoch, self.clock.now_ms)
        assert (result.base_offset, result.duplicate) == (self.end, False)
        if idempotent:
            self.sequence += len(records)
        self.batch_starts.append(self.end)
        self.model += [(self.end + n, record) for n, record in enumerate(records)]
        self.end += len(records)

    @rule()
    def roll(self) -> None:
        self.log.roll()

    @rule()
    def new_leader(self) -> None:
        self.epoch += 1
        self.log.assign_leader_epoch(self.epoch)

    @rule()
    def flush(self) -> None:
        self.log.flush()

    @rule(data=st.data())
    def truncate(self, data: st.DataObject) -> None:
        offset = data.draw(st.integers(self.log.segments[0].base_offset, self.end))
        self.manager.truncate_to(self.log, offset)
        if offset < self.end:
            # whole batches go, and with them everything behind the start of the one that holds the offset
            self._cut_model(max(start for start in self.batch_starts if start <= offset))

    def _cut_model(self, end: int) -> None:
        self.model = [item for item in self.model if item[0] < end]
        self.batch_starts = [start for start in self.batch_starts if start < end]
        self.end = end
        self.start = min(self.start, end)
        self._forget_sequence()

    def _forget_sequence(self) -> None:
        entry = self.log.producer_state_manager.entries.get(7)
        self.sequence = 0 if entry is None else entry.last_sequence + 1

    @rule(data=st.data())
    def delete_records(self, data: st.DataObject) -> None:
        offset = data.draw(st.integers(0, self.end))
        self.log.delete_records(offset)
        self.start = max(self.start, offset)

    @rule()
    def retention(self) -> None:
        run_retention(self.manager, self.clock.now_ms)
        assert self.log.log_start_offset >= self.start
        assert self.log.size_bytes <= CONFIG.retention_bytes + CONFIG.segment_bytes
        self.start = self.log.log_start_offset
        self.manager.delete_due_files(self.clock.now_ms + CONFIG.file_delete_delay_ms)

    @rule()
    def checkpoint(self) -> None:
        self.manager.log_dirs.checkpoint_recovery_points()

    @rule()
    def restart(self) -> None:
        self.manager.close()
        self.manager = self._load()
        self.log = self._log()
        assert self.log.log_start_offset == self.start

    @rule()
    def kill(self) -> None:
        self.disk = self.disk.restarted()
        self.manager = self._load()
        self.log = self._log()
        assert self.log.log_end_offset == self.end
        self._start_may_be_forgotten()

    @precondition(lambda self: self.disk.unsynced)
    @rule(data=st.data())
    def power_failure(self, data: st.DataObject) -> None:
        flushed = self.log.recovery_point
        kept = data.draw(st.integers(0, self.disk.unsynced))
        self.disk = self.disk.after_power_failure(kept)
        self.manager = self._load()
        self.log = self._log()
        end = self.log.log_end_offset
        assert flushed <= end <= self.end
        if end < self.end:
            self._cut_model(end)
        self._start_may_be_forgotten()

    def _start_may_be_forgotten(self) -> None:
        """Log start offsets are noted from time to time only: deleted records may be back after a crash."""
        start = self.log.log_start_offset
        if start < self.start:
            self.start = start
        self._forget_sequence()

    @invariant()
    def equals_the_list(self) -> None:
        if hasattr(self, "log"):
            log = self.log
            assert (log.log_start_offset, log.log_end_offset) == (self.start, self.end)
            assert values(log) == [item for item in self.model if item[0] >= self.start]


TestLog = LogMachine.TestCase
TestLog.settings = settings(max_examples=30, stateful_step_count=30, report_multiple_bugs=False)
