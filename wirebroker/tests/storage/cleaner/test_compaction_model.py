"""A compacted log equals a naive model: each key's last committed value at its offset, whatever is done to the log.

The log holds all message formats and codecs; it is truncated, moved to another directory, deleted and created again,
and readers hold slices of it meanwhile.  Crashes come at any step of a round; `test_segment_swap.py` has them at every
step, `test_concurrent_swap.py` readers at every bytecode of the exchange.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from wirebroker.record.compression import Codec
from wirebroker.tests.record.legacy_message_sets import OLD_CODECS
from wirebroker.tests.storage.cleaner.compacted_log import LIMITS, CompactedLog, committed
from wirebroker.tests.storage.fakes.disk import Crash, FakeDisk

if TYPE_CHECKING:
    from wirebroker.storage.log_slice import LogSlice

KEYS = st.sampled_from([b"a", b"b", b"c", b"d", b"e"])
RECORDS = st.lists(KEYS, min_size=1, max_size=4)
CODECS = st.sampled_from([*Codec])
FEW_KEYS = LIMITS._replace(dedupe_buffer_bytes=24 * 4, load_factor=0.8)
"""A map for three keys: several rounds are needed."""


class CompactionMachine(RuleBasedStateMachine):
    """One compacted log, its committed records, and what cleaning must leave of them."""

    @initialize(marks_horizon=st.booleans(), deletes=st.booleans())
    def start(self, marks_horizon: bool, deletes: bool) -> None:
        policy = ("compact", "delete") if deletes else ("compact",)
        self.config = {"segment_bytes": 700, "cleanup_policy": policy, "retention_bytes": 3000}
        self.marks_horizon = marks_horizon
        self.written = 0
        self._begin(FakeDisk())

    def _begin(self, disk: FakeDisk) -> None:
        self.subject = CompactedLog(disk, **self.config)
        self.subject.marks_horizon = self.marks_horizon
        self.written_at_creation = self.written
        self.slices: list[tuple[LogSlice, bytes]] = []
        """Slices that readers hold, with their bytes."""

    def _record(self, key: bytes, size: int) -> tuple[bytes, bytes | None]:
        self.written += 1
        return key, None if size % 5 == 4 else b"%d:" % self.written + bytes(size)

    @rule(keys=RECORDS, size=st.integers(0, 120), idempotent=st.booleans(), codec=CODECS)
    def append(self, keys: list[bytes], size: int, idempotent: bool, codec: Codec) -> None:
        records = [self._record(key, size + number) for number, key in enumerate(keys)]
        self.subject.append(*records, producer=7 if idempotent else None, codec=codec)

    @rule(keys=RECORDS, size=st.integers(0, 60), magic=st.sampled_from([0, 1]), codec=st.sampled_from(OLD_CODECS))
    def append_legacy(self, keys: list[bytes], size: int, magic: int, codec: Codec) -> None:
        records = [self._record(key, size + number) for number, key in enumerate(keys)]
        self.subject.append_legacy(magic, *records, codec=codec)

    @rule(producer=st.sampled_from([20, 21]), keys=st.lists(KEYS, min_size=1, max_size=3), size=st.integers(0, 60))
    def append_in_transaction(self, producer: int, keys: list[bytes], size: int) -> None:
        self.subject.append_in_transaction(producer, *(self._record(key, size) for key in keys))

    @rule(producer=st.sampled_from([20, 21]), commit=st.booleans())
    def end_transaction(self, producer: int, commit: bool) -> None:
        if producer in self.subject.open:
            self.subject.end_transaction(producer, commit=commit)

    @rule()
    def roll(self) -> None:
        self.subject.log.roll()

    @rule(ms=st.sampled_from([1, 49, 51, 1000]))
    def wait(self, ms: int) -> None:
        self.subject.clock.now_ms += ms
        self.subject.manager.delete_due_files(self.subject.clock.now_ms)

    @precondition(lambda self: self.subject.log.log_end_offset > self.subject.log.log_start_offset)
    @rule(data=st.data())
    def delete_records(self, data: st.DataObject) -> None:
        log = self.subject.log
        stable = log.view.last_stable_offset(log.log_end_offset)
        up_to = data.draw(st.integers(log.log_start_offset, min(stable, log.log_start_offset + 3)))
        self.subject.delete_records(up_to)

    @precondition(lambda self: not self.subject.open)
    @rule()
    def retain(self) -> None:
        self.subject.retain()

    @precondition(lambda self: self.subject.log.log_end_offset > self.subject.log.log_start_offset)
    @rule(back=st.integers(1, 6))
    def truncate(self, back: int) -> None:
        self.slices.clear()  # which end at the high watermark
        self.subject.truncate_to(max(self.subject.log.log_end_offset - back, self.subject.log.log_start_offset))

    @rule()
    def move_to_another_directory(self) -> None:
        self.subject.move()

    @precondition(lambda self: self.written - self.written_at_creation > 20)
    @rule()
    def delete_and_create_again(self) -> None:
        subject = self.subject
        subject.manager.delete("t", 0)
        for log_dir in subject.manager.log_dirs:
            log_dir.forget_deleted()
        subject.clock.now_ms += 1
        self._begin(subject.disk.restarted())

    @precondition(lambda self: self.subject.log.log_end_offset > self.subject.log.log_start_offset)
    @rule(data=st.data())
    def read_slowly(self, data: st.DataObject) -> None:
        log = self.subject.log
        offset = data.draw(st.integers(log.log_start_offset, log.log_end_offset - 1))
        piece = log.read(offset, 400, log.log_end_offset, min_one_batch=True)
        self.slices.append((piece, piece.tobytes()))

    @rule(few=st.booleans(), roll=st.booleans())
    def clean(self, few: bool, roll: bool) -> None:
        subject = self.subject
        if roll:
            subject.log.roll()
        job = subject.job()
        end_offset = subject.clean(FEW_KEYS if few else LIMITS)
        while end_offset is not None and end_offset < job.uncleanable_offset:
            following = subject.clean(FEW_KEYS)
            assert following is not None
            assert following > end_offset
            end_offset = following
        if end_offset is not None:
            assert end_offset == job.uncleanable_offset
            kept = [each for each in committed(subject.log) if each.offset < end_offset]
            newest = subject.latest(end_offset)
            assert [each for each in kept if newest.get(each.key) != each] == []

    @rule(step=st.integers(1, 60))
    def crash_while_cleaning(self, step: int) -> None:
        self.subject.log.roll()
        disk = self.subject.disk
        disk.crash_at = disk.steps + step
        try:
            self.subject.clean()
        except Crash:
            self._restart()
            assert self.subject.temporary_files() == []
        else:
            disk.crash_at = 0

    @rule()
    def restart(self) -> None:
        self._restart()

    def _restart(self) -> None:
        self.slices.clear()
        end_offset = self.subject.log.log_end_offset
        self.subject.restart(self.subject.disk.restarted())
        assert self.subject.log.log_end_offset == end_offset

    @invariant()
    def equals_the_model(self) -> None:
        if hasattr(self, "subject"):
            self.subject.verify()
            assert all(piece.tobytes() == data for piece, data in self.slices)


TestCompactionModel = CompactionMachine.TestCase
TestCompactionModel.settings = settings(
    max_examples=10, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
