"""LogCleaner: which log is cleaned when, logs that cannot be cleaned or change meanwhile, workers that die."""

from __future__ import annotations

import errno
import threading
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
import trio.testing

from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.log_cleaner import LogCleaner
from wirebroker.loop_budget import LoopBudget
from wirebroker.metadata.image import PartitionImage, TopicImage
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.storage.cleaner.cleaning import Cleaner
from wirebroker.storage.cleaner.job import RoundEnd, RoundFailure
from wirebroker.storage.cleaner.worker_client import CleanerWorker, WorkerDiedError
from wirebroker.storage.log_truncation import truncate_to
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.replication.leader import NO_TOPICS
from wirebroker.tests.storage.cleaner.compacted_log import CONFIG, committed, keyed
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, Clock, manager

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from wirebroker.replication.partition import Partition
    from wirebroker.storage.cleaner.job import CleanedSegment, CleaningJob


class FakeWorker(CleanerWorker):
    """Does the work of a worker process in place, or answers what a test says."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__()
        self._scenario = scenario
        self._answers: Iterator[CleanedSegment | RoundEnd | RoundFailure] = iter(())

    def begin(self, job: CleaningJob) -> None:
        scenario = self._scenario
        scenario.jobs.append(job)
        fault = scenario.faults.get(job.name)
        if isinstance(fault, Exception):
            raise fault
        self._answers = iter([fault]) if fault is not None else self._clean(job)

    def _clean(self, job: CleaningJob) -> Iterator[CleanedSegment | RoundEnd | RoundFailure]:
        cleaner = Cleaner(job, self._scenario.disk)
        try:
            yield from cleaner.run()
        except OSError as error:
            yield RoundFailure(str(error), error.errno)
        else:
            yield RoundEnd(cleaner.end_offset, cleaner.stats)

    def next_answer(self) -> CleanedSegment | RoundEnd | RoundFailure:
        answer = next(self._answers)
        if self._scenario.before_answer is not None:
            self._scenario.before_answer()
        return answer

    def close(self) -> None:
        self._scenario.closed += 1

    def stop(self) -> None:
        self._scenario.stopped.set()


class Scenario:
    """Partitions of a broker with a LogCleaner whose clock stands still."""

    def __init__(self, settings: Mapping[str, str] = MappingProxyType({})) -> None:
        self.disk = FakeDisk()
        self.clock = Clock()
        self.jobs: list[CleaningJob] = []
        self.faults: dict[str, RoundFailure | Exception] = {}
        """Log -> what its worker does instead of its work."""
        self.before_answer: Callable[[], object] | None = None
        self.closed = 0
        self.stopped = threading.Event()
        self.logs = manager(self.disk, CONFIG, self.clock)
        self.replicas = ReplicaManager(self.logs, NO_TOPICS, lambda: None)
        self.settings = DynamicConfig(broker_config(**{"log.cleaner.backoff.ms": "100", **settings}))
        self.cleaner = LogCleaner(self.settings, self.replicas, make_worker=lambda: FakeWorker(self), clock=self.clock)

    async def partition(self, topic: str, clean: int = 0, dirty: int = 20, **config: Any) -> Partition:
        """A partition with so many cleaned and dirty records, all of one key, and an empty active segment."""
        image = TopicImage(topic, topic.encode().ljust(16), (PartitionImage(0, 0, (0,), (0,)),))
        config = {"min_cleanable_dirty_ratio": 0.0} | config
        await self.replicas.become_leaders(image, [0], CONFIG._replace(**config), is_new=True)
        made = self.replicas.get(topic, 0)
        for number in range(clean + dirty):
            if number == clean:
                made.log.roll()
            await made.append_batch(keyed((b"k", b"%d" % number + bytes(50))), 0)
        made.log.roll()
        if clean:
            self.logs.log_dirs.checkpoint_cleaner_offset(made.log, clean)
        return made

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The cleaner runs inside; leave with it stopped."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.cleaner.run)
            yield
            nursery.cancel_scope.cancel()

    def _are_cleaned(self) -> bool:
        """Whether all logs with a job, but for those with a fault, have a cleaner offset."""
        names = {job.name for job in self.jobs} - self.faults.keys()
        logs = [self.replicas.get(name.rpartition("-")[0], 0).log for name in names]
        return all(self.logs.log_dirs.cleaner_offset(log) for log in logs)

    async def run_rounds(self, count: int) -> list[str]:
        """Run until *count* jobs were begun and a while longer; return the names of the logs in order."""
        async with self.running():
            with trio.move_on_after(5):
                while len(self.jobs) < count or not self._are_cleaned():  # noqa: ASYNC110 - worker threads append to it
                    await trio.sleep(0.01)
            await trio.sleep(0.3)
        return [job.name for job in self.jobs]


async def test_the_dirtiest_log_is_cleaned_first_and_each_of_them_once() -> None:
    scenario = Scenario()
    await scenario.partition("half", clean=20, dirty=20)
    await scenario.partition("dirty", clean=2, dirty=40)
    await scenario.partition("clean", clean=40, dirty=4)
    await scenario.partition("below-its-ratio", clean=40, dirty=4, min_cleanable_dirty_ratio=0.5)
    await scenario.partition("deleted-only", cleanup_policy=("delete",))
    assert await scenario.run_rounds(3) == ["dirty-0", "half-0", "clean-0"]
    log = scenario.replicas.get("half", 0).log
    assert scenario.logs.log_dirs.cleaner_offset(log) == 40
    assert [each.offset for each in committed(log)] == [39]


async def test_a_log_with_both_policies_is_shortened_whenever_a_log_is_chosen() -> None:
    scenario = Scenario()
    both: dict[str, Any] = {"cleanup_policy": ("compact", "delete"), "min_cleanable_dirty_ratio": 1.0}
    scenario.clock.now_ms = 10_000
    by_age = await scenario.partition("by-age", retention_ms=5_000, **both)  # the records are of the time 1
    by_size = await scenario.partition("by-size", retention_ms=-1, retention_bytes=0, **both)
    kept = await scenario.partition("kept", retention_ms=-1, **both)
    only_compacted = await scenario.partition("only-compacted", retention_ms=5_000, min_cleanable_dirty_ratio=1.0)
    only_deleted = await scenario.partition("only-deleted", retention_ms=5_000, cleanup_policy=("delete",))
    async with scenario.running():
        with trio.fail_after(5):
            while by_age.log.log_start_offset < 20 or by_size.log.log_start_offset < 20:  # noqa: ASYNC110
                await trio.sleep(0.01)
    assert [each.log.log_start_offset for each in (kept, only_compacted, only_deleted)] == [0, 0, 0]
    assert not scenario.jobs


async def test_the_look_for_compacted_logs_yields_at_each_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = LoopBudget(0.0)
    monkeypatch.setattr("wirebroker.log_cleaner.LoopBudget", lambda: budget)
    scenario = Scenario()
    for number in range(5):
        await scenario.partition(f"t{number}", dirty=0, cleanup_policy=("delete",))
    await scenario.cleaner._delete_old_segments()
    assert budget.yields == 5


async def test_the_dirtiest_log_counts_for_the_metrics_though_it_is_not_due() -> None:
    scenario = Scenario()
    scenario.clock.now_ms = 10_000
    await scenario.partition("half", clean=20, dirty=20, min_cleanable_dirty_ratio=0.6)
    await scenario.partition("quarter", clean=30, dirty=10, min_cleanable_dirty_ratio=0.5)
    async with scenario.running():
        with trio.fail_after(5):
            while not scenario.closed:  # noqa: ASYNC110 - nothing was found to be cleaned
                await trio.sleep(0.01)
    assert scenario.cleaner.max_dirty_ratio == pytest.approx(0.5, abs=0.02)
    assert scenario.cleaner.max_compaction_delay_ms == 0
    # the records are of the time 1
    await scenario.partition("late", clean=30, dirty=10, min_cleanable_dirty_ratio=0.5, max_compaction_lag_ms=4_000)
    delays: list[int] = []
    scenario.before_answer = lambda: delays.append(scenario.cleaner.max_compaction_delay_ms)
    assert await scenario.run_rounds(1) == ["late-0"]
    assert set(delays) == {10_000 - 4_000 - 1}


async def test_a_topic_that_is_to_be_compacted_does_not_wait_for_the_backoff() -> None:
    scenario = Scenario({"log.cleaner.backoff.ms": "3600000"})
    partition = await scenario.partition("t", cleanup_policy=("delete",))
    async with scenario.running():
        with trio.fail_after(10):
            while not scenario.closed:  # noqa: ASYNC110 - nothing was found to be cleaned
                await trio.sleep(0.01)
            assert not scenario.jobs
            scenario.replicas.reconfigure("t", partition.log.config._replace(cleanup_policy=("compact",)))
            while not scenario.jobs:  # noqa: ASYNC110 - worker threads append to it
                await trio.sleep(0.01)
    assert scenario.jobs[0].name == "t-0"


async def test_settings_that_change_while_a_log_is_chosen_are_looked_at() -> None:
    scenario = Scenario({"log.cleaner.backoff.ms": "3600000"})
    partition = await scenario.partition("t", cleanup_policy=("delete",))
    compacted = partition.log.config._replace(cleanup_policy=("compact",))
    offered = scenario.replicas.partitions

    def offer() -> list[Partition]:
        """The partitions, of which the first look sees the old settings."""
        scenario.replicas.partitions = offered  # type: ignore[method-assign]
        trio.from_thread.run_sync(scenario.replicas.reconfigure, "t", compacted)
        return []

    scenario.replicas.partitions = offer  # type: ignore[method-assign, assignment]
    async with scenario.running():
        with trio.fail_after(10):
            while not scenario.jobs:  # noqa: ASYNC110 - worker threads append to it
                await trio.sleep(0.01)


@pytest.mark.parametrize(
    "fault",
    [
        RoundFailure("0.log at position 0: the checksum is wrong", None),
        RoundFailure("No space left on device", errno.ENOSPC),
        RoundFailure("No such file", errno.ENOENT),
        WorkerDiedError("the cleaner's process 7 ended with exit code -9 in the middle of a round"),
        OSError(errno.EAGAIN, "Resource temporarily unavailable"),
    ],
    ids=["corrupt", "disk full", "file gone", "killed", "no process"],
)
async def test_a_log_that_cannot_be_cleaned_is_reported_once_and_the_others_go_on(
    fault: RoundFailure | Exception, caplog: pytest.LogCaptureFixture
) -> None:
    scenario = Scenario()
    bad = await scenario.partition("bad", dirty=40)
    await scenario.partition("good")
    scenario.faults["bad-0"] = fault
    assert await scenario.run_rounds(2) == ["bad-0", "good-0"]
    assert scenario.cleaner.uncleanable_count == 1
    assert scenario.cleaner.uncleanable_bytes(bad.log) == bad.log.size_bytes
    reported = [each for each in caplog.messages if "cannot be compacted" in each]
    assert len(reported) == 1
    assert reported[0].startswith("topic=bad partition=0 cannot be compacted")
    assert "uncleanable logs of this broker: 1;" in reported[0]
    assert not scenario.logs.log_dirs.is_offline(DIR)
    reason = scenario.cleaner.uncleanable_reason(bad.log)
    assert reason is not None
    assert reason.startswith("cannot be compacted: ")
    scenario.jobs.clear()
    del scenario.faults["bad-0"]
    bad.log.config = bad.log.config._replace(delete_retention_ms=7)
    assert await scenario.run_rounds(1) == ["bad-0"]
    assert scenario.cleaner.uncleanable_count == 0
    assert scenario.cleaner.uncleanable_reason(bad.log) is None


async def test_a_log_that_cannot_be_cleaned_is_tried_again_when_the_limits_of_the_cleaner_change() -> None:
    scenario = Scenario({"log.cleaner.io.buffer.load.factor": "0"})
    await scenario.partition("t")
    scenario.faults["t-0"] = RoundFailure("there is no room for a key", None)
    assert await scenario.run_rounds(1) == ["t-0"]
    del scenario.faults["t-0"]
    scenario.settings.update({"log.cleaner.backoff.ms": "50"}, {})
    assert scenario.cleaner.uncleanable_count == 1
    scenario.settings.update({"log.cleaner.io.buffer.load.factor": "0.9"}, {})
    assert scenario.cleaner.uncleanable_count == 0
    assert await scenario.run_rounds(2) == ["t-0"] * 2


async def test_a_full_disk_is_tried_again_after_ten_minutes_and_not_reported_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scenario = Scenario()
    await scenario.partition("t")
    scenario.faults["t-0"] = RoundFailure("No space left on device", errno.ENOSPC)
    assert await scenario.run_rounds(1) == ["t-0"]
    scenario.clock.now_ms += 600_000
    assert await scenario.run_rounds(2) == ["t-0"] * 2
    assert len([each for each in caplog.messages if "cannot be compacted" in each]) == 1


async def test_a_disk_that_fails_takes_its_directory_offline() -> None:
    scenario = Scenario()
    await scenario.partition("t")
    scenario.faults["t-0"] = RoundFailure("Input/output error", errno.EIO)
    await scenario.run_rounds(1)
    assert scenario.logs.log_dirs.is_offline(DIR)


@pytest.mark.parametrize("change", ["truncated", "deleted", "moving"])
async def test_a_log_that_changes_during_a_round_is_left_alone(change: str, caplog: pytest.LogCaptureFixture) -> None:
    scenario = Scenario()
    log = (await scenario.partition("t")).log
    before = list(log.segments)

    def make_change() -> None:
        scenario.before_answer = None
        if change == "truncated":
            truncate_to(log, 3)
        elif change == "deleted":
            scenario.logs.delete("t", 0)
        else:
            scenario.logs.log_dirs.future_log = lambda at: log  # type: ignore[method-assign]

    scenario.before_answer = make_change
    async with scenario.running():
        with trio.fail_after(5):
            while not scenario.jobs or scenario.before_answer is not None:  # noqa: ASYNC110
                await trio.sleep(0.01)
            await trio.sleep(0.1)
    assert scenario.logs.log_dirs.cleaner_offset(log) is None or change == "truncated"
    assert not scenario.logs.log_dirs.is_offline(DIR)
    assert scenario.cleaner.uncleanable_count == 0
    assert not any("cannot be compacted" in each for each in caplog.messages)
    if change == "moving":
        assert list(log.segments) == before


async def test_a_file_that_retention_renames_under_the_worker_is_no_fault() -> None:
    scenario = Scenario()
    log = (await scenario.partition("t", cleanup_policy=("compact", "delete"))).log
    scenario.faults["t-0"] = RoundFailure("No such file", errno.ENOENT)

    def retain() -> None:
        scenario.before_answer = None
        scenario.faults.clear()
        from wirebroker.storage.retention import delete_old_segments

        log.delete_records(log.segments[1].base_offset)
        assert delete_old_segments(log, scenario.clock.now_ms, log.log_end_offset) == 1

    scenario.before_answer = retain
    assert await scenario.run_rounds(2) == ["t-0", "t-0"]
    assert scenario.cleaner.uncleanable_count == 0
    assert scenario.logs.log_dirs.cleaner_offset(log) == 20


async def test_a_checkpoint_beyond_the_end_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    scenario = Scenario()
    log = (await scenario.partition("t", min_compaction_lag_ms=1 << 40)).log
    scenario.logs.log_dirs.checkpoint_cleaner_offset(log, 1000)
    assert await scenario.run_rounds(0) == []
    assert len([each for each in caplog.messages if "beyond the log end" in each]) == 1
    assert scenario.logs.log_dirs.cleaner_offset(log) == 0


async def test_the_number_of_cleaners_follows_its_setting() -> None:
    scenario = Scenario()
    workers: list[FakeWorker] = []

    def make_worker() -> FakeWorker:
        workers.append(FakeWorker(scenario))
        return workers[-1]

    scenario.cleaner._make_worker = make_worker
    async with scenario.running():
        await trio.sleep(0.05)
        assert len(workers) == 1
        scenario.settings.update({"log.cleaner.threads": "3"}, {})
        await trio.sleep(0.1)
        assert (len(workers), scenario.cleaner._running) == (3, 3)
        scenario.settings.update({"log.cleaner.threads": "1"}, {})
        await trio.sleep(0.3)
        assert scenario.cleaner._running == 1
    assert scenario.cleaner._running == 0


async def test_no_process_is_left_when_the_broker_stops_in_the_middle_of_a_round(tmp_path: Any) -> None:
    scenario = Scenario()
    await scenario.partition("t")
    workers: list[CleanerWorker] = []

    def make_worker() -> CleanerWorker:
        # reads the job, and never answers
        workers.append(CleanerWorker(("sleep", "1000")))
        return workers[-1]

    scenario.cleaner._make_worker = make_worker
    async with scenario.running():
        with trio.fail_after(10):
            while not workers or workers[0]._process is None:  # noqa: ASYNC110
                await trio.sleep(0.01)
            process = workers[0]._process
            await trio.sleep(0.1)
            assert process.poll() is None
    assert process.poll() == -9
    assert cast("Any", workers[0])._process is None


def test_the_limits_are_shared_by_the_cleaners() -> None:
    from wirebroker.log_cleaner import _limits

    config = broker_config(
        **{
            "log.cleaner.threads": "4",
            "log.cleaner.dedupe.buffer.size": str(64 << 20),
            "log.cleaner.io.buffer.size": "800000",
            "log.cleaner.io.buffer.load.factor": "0.7",
            "log.cleaner.io.max.bytes.per.second": "1000000",
        }
    )
    limits = _limits(config)
    assert (limits.dedupe_buffer_bytes, limits.load_factor) == (16 << 20, 0.7)
    assert (limits.io_buffer_bytes, limits.max_bytes_per_second) == (100_000, 250_000)


@pytest.mark.parametrize(("release", "marks_horizon"), [("2.8", False), ("3.0", False), ("3.1", True), (None, True)])
async def test_batches_get_delete_horizons_from_3_1_on(release: str | None, marks_horizon: bool) -> None:
    scenario = Scenario({} if release is None else {"wirebroker.as.version": release})
    await scenario.partition("t")
    await scenario.run_rounds(1)
    assert scenario.jobs[0].marks_horizon == marks_horizon


async def test_a_round_begins_anew_when_its_limits_change() -> None:
    scenario = Scenario({"log.cleaner.io.max.bytes.per.second": "2000000"})
    log = (await scenario.partition("t")).log

    def wait_for_the_throttle() -> None:
        scenario.before_answer = None
        assert scenario.stopped.wait(5)
        raise WorkerDiedError("the cleaner's process 7 ended with exit code -9 in the middle of a round")

    scenario.before_answer = wait_for_the_throttle
    async with scenario.running():
        with trio.fail_after(5):
            while not scenario.jobs:  # noqa: ASYNC110
                await trio.sleep(0.01)
            await trio.sleep(0.05)
            scenario.settings.update({"log.cleaner.backoff.ms": "50"}, {})
            assert not scenario.stopped.is_set()
            scenario.settings.update({"log.cleaner.io.max.bytes.per.second": "1000000"}, {})
            while scenario.logs.log_dirs.cleaner_offset(log) is None:  # noqa: ASYNC110
                await trio.sleep(0.01)
    assert [job.limits.max_bytes_per_second for job in scenario.jobs] == [2_000_000, 1_000_000]
    assert scenario.cleaner.uncleanable_count == 0
