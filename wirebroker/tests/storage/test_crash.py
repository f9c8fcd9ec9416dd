"""A story that touches everything, stopped at every single change it makes to the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.storage.fakes.disk import Crash, FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, Clock, batch, manager, marker, run_flush, run_retention, values

if TYPE_CHECKING:
    from wirebroker.storage.log_manager import LogManager

CONFIG = SMALL._replace(retention_bytes=3000, retention_ms=-1, file_delete_delay_ms=0)


class CrashScenario:
    """The operations on one log, and what has been acknowledged or flushed so far."""

    def __init__(self, disk: FakeDisk) -> None:
        self.disk = disk
        self.clock = Clock()
        self.acknowledged: list[tuple[int, bytes]] = []
        self.epoch_of: dict[int, int] = {}
        self.truncated_to = 1 << 62
        self.start = 0
        self.sequence = 0
        self.flushed = 0

    def run(self) -> None:
        """Raises Crash where the disk says so."""
        self.manager = manager(self.disk, CONFIG, self.clock)
        self.log = self.manager.get_or_create("t", 0, bytes(range(16)))
        self.log.assign_leader_epoch(0)
        for _ in range(12):
            self.append(b"x" * 150)
        run_flush(self.manager, self.clock.now_ms)
        self.flushed = self.log.recovery_point
        self.manager.log_dirs.checkpoint_recovery_points()
        self.transaction(committed=False)
        self.log.assign_leader_epoch(1)
        self.append(b"y" * 300, b"z")
        self.log.delete_records(3)
        self.start = 3
        self.manager.log_dirs.checkpoint_log_starts()
        for _ in range(8):
            self.append(b"w" * 120)
        run_retention(self.manager, self.clock.now_ms)
        self.start = self.log.log_start_offset
        self.manager.delete_due_files(self.clock.now_ms)
        self.log.flush()
        self.flushed = self.log.recovery_point
        self.manager.close()
        self.manager = manager(self.disk, CONFIG, self.clock)
        self.log = self.manager.get_or_create("t", 0)
        self.transaction(committed=True)
        self.truncated_to = self.log.log_end_offset - 2
        self.manager.truncate_to(self.log, self.truncated_to)
        self.flushed = min(self.flushed, self.truncated_to)
        self.manager.close()

    def append(self, *records: bytes) -> None:
        appended = batch(*records, producer=(1, 0, self.sequence), timestamp=self.clock.now_ms)
        epoch = self.log.leader_epoch_cache.latest_epoch
        result = self.log.append_as_leader(appended, epoch, self.clock.now_ms)
        self.epoch_of |= dict.fromkeys(range(result.base_offset, result.last_offset + 1), epoch)
        self.acknowledged += [(result.base_offset + n, record) for n, record in enumerate(records)]
        self.sequence += len(records)

    def transaction(self, *, committed: bool) -> None:
        epoch = self.log.leader_epoch_cache.latest_epoch
        begun = batch(b"in", producer=(2, 0, 0 if not committed else 1), transactional=True)
        self.log.append_as_leader(begun, epoch, self.clock.now_ms)
        self.log.append_as_leader(marker(2, 0, committed=committed), epoch, self.clock.now_ms, AppendOrigin.COORDINATOR)

    def verify(self, disk: FakeDisk, kept_from: int) -> None:
        """Start a broker on what is left: everything acknowledged below *kept_from* is there."""
        reopened = manager(disk, CONFIG, self.clock)
        assert not reopened.refused()
        log = reopened.get_or_create("t", 0)
        found = dict(values(log))
        limit = min(kept_from, self.truncated_to)
        for offset, record in self.acknowledged:
            if max(self.start, log.log_start_offset) <= offset < limit:
                assert found[offset] == record
        epochs = log.leader_epoch_cache
        oldest = epochs.earliest()
        for offset, epoch in self.epoch_of.items():
            if offset in found and oldest is not None and offset >= oldest[1]:
                assert epochs.epoch_for_offset(offset) == epoch
        known = dict(self.acknowledged)
        assert all(known.get(offset, record) == record for offset, record in found.items())
        self._goes_on(reopened)

    def _goes_on(self, reopened: LogManager) -> None:
        """The next append lands at the end, and one more restart finds it."""
        log = reopened.get_or_create("t", 0)
        end = log.log_end_offset
        assert log.append_as_leader(batch(b"more"), max(log.leader_epoch_cache.latest_epoch, 0), 0).base_offset == end
        epochs = log.leader_epoch_cache.entries
        reopened.close()
        again = manager(self._disk_of(reopened), CONFIG, self.clock).get_or_create("t", 0)
        assert values(again, end) == [(end, b"more")]
        assert again.leader_epoch_cache.entries == epochs

    @staticmethod
    def _disk_of(reopened: LogManager) -> FakeDisk:
        disk = reopened._files
        assert isinstance(disk, FakeDisk)
        return disk


def _steps() -> int:
    disk = FakeDisk()
    CrashScenario(disk).run()
    return disk.steps


STEPS = _steps()


def _crashed_at(step: int) -> CrashScenario:
    story = CrashScenario(FakeDisk())
    story.disk.crash_at = step
    with pytest.raises(Crash):
        story.run()
    return story


@pytest.mark.parametrize("first", range(8))
def test_kill_at_every_change_loses_nothing_acknowledged(first: int) -> None:
    for step in range(first + 1, STEPS + 1, 8):
        story = _crashed_at(step)
        story.verify(story.disk.restarted(), kept_from=1 << 62)


@pytest.mark.parametrize("first", range(8))
def test_power_failure_at_every_change_loses_nothing_flushed(first: int) -> None:
    for step in range(first + 1, STEPS + 1, 8):
        story = _crashed_at(step)
        for kept in {0, story.disk.unsynced // 2, story.disk.unsynced}:
            story.verify(story.disk.after_power_failure(kept), kept_from=story.flushed)


def test_the_story_rolls_deletes_and_aborts() -> None:
    """It would prove little if it did not."""
    story = CrashScenario(FakeDisk())
    story.run()
    names = [path.rsplit("/", 1)[1] for path in story.disk.names]
    assert sum(name.endswith(".log") for name in names) > 2
    assert "00000000000000000000.log" not in names
    assert any(name.endswith(".snapshot") for name in names)
    assert STEPS > 100
