"""The worker process and its client, with real files: rounds, jobs of any size, failures, ends."""

from __future__ import annotations

import os
import pickle
import signal
import time
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.storage.cleaner.job import JOB_SIZE, CleanedSegment, LastRecord, RoundEnd, RoundFailure
from wirebroker.storage.cleaner.planning import cleanable_range, make_job
from wirebroker.storage.cleaner.segment_swap import swap_in
from wirebroker.storage.cleaner.throttle import Throttle
from wirebroker.storage.cleaner.worker import run
from wirebroker.storage.cleaner.worker_client import CleanerWorker, WorkerDiedError
from wirebroker.storage.files import Files
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.storage.cleaner.compacted_log import CONFIG, LIMITS, committed, keyed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wirebroker.storage.cleaner.job import CleanerLimits, CleaningJob
    from wirebroker.storage.log import Log


@pytest.fixture
def log(tmp_path: Path) -> Log:
    manager = LogManager([tmp_path], CONFIG._replace(segment_bytes=20_000, segment_index_bytes=4096))
    manager.load()
    made = manager.get_or_create("t", 0)
    for number in range(100):
        made.append_as_leader(keyed((b"k%d" % (number % 7), b"%d" % number + bytes(900))), 0, number)
    made.roll()
    return made


@pytest.fixture
def worker() -> Iterator[CleanerWorker]:
    made = CleanerWorker()
    yield made
    made.close()


def job_for(log: Log, limits: CleanerLimits = LIMITS) -> CleaningJob:
    return make_job(log, cleanable_range(log, None, log.log_end_offset, 1000), limits, 1000)


def run_round(worker: CleanerWorker, log: Log, job: CleaningJob) -> RoundEnd | RoundFailure:
    worker.begin(job)
    while True:
        answer = worker.next_answer()
        if not isinstance(answer, CleanedSegment):
            return answer
        assert swap_in(log, answer, job)


def test_rounds_one_after_the_other(log: Log, worker: CleanerWorker) -> None:
    before = log.size_bytes
    end = run_round(worker, log, job_for(log))
    assert isinstance(end, RoundEnd)
    assert end.end_offset == log.log_end_offset
    assert (end.stats.records_read, end.stats.records_written) == (100, 7)
    assert [each.offset for each in committed(log)] == list(range(93, 100))
    assert log.size_bytes < before / 10
    again = run_round(worker, log, job_for(log))
    assert isinstance(again, RoundEnd)
    assert (again.stats.records_read, again.stats.records_written) == (7, 7)


def test_a_job_that_is_larger_than_a_pipe(log: Log, worker: CleanerWorker) -> None:
    job = job_for(log)._replace(last_records={number: LastRecord(number, 0) for number in range(50_000)})
    assert isinstance(run_round(worker, log, job), RoundEnd)


def test_a_segment_that_is_gone_and_a_corrupt_one_are_failures(log: Log, worker: CleanerWorker) -> None:
    job = job_for(log)
    (log.directory / f"{job.segments[1].base_offset:020}.log").rename(log.directory / "gone")
    failure = run_round(worker, log, job)
    assert isinstance(failure, RoundFailure)
    assert failure.errno == 2
    (log.directory / "gone").rename(log.directory / f"{job.segments[1].base_offset:020}.log")
    path = log.directory / f"{job.segments[2].base_offset:020}.log"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    failure = run_round(worker, log, job_for(log))
    assert isinstance(failure, RoundFailure)
    assert failure.errno is None
    assert "the checksum is wrong" in failure.reason
    assert list(log.directory.glob("*.cleaned")) == []


def test_the_throttle_goes_on_from_round_to_round(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds that are over before it looks at the rate are held to it, too."""
    looked_at: list[tuple[float, int]] = []

    class Looks(Throttle):
        """Notes each throttle and what was paid to it by the end of each round."""

        def __init__(self, bytes_per_second: float, **more: Any) -> None:
            super().__init__(bytes_per_second, clock=lambda: 0.0, **more)
            self.limit = bytes_per_second
            throttles.append(self)

    throttles: list[Looks] = []
    monkeypatch.setattr("wirebroker.storage.cleaner.worker.Throttle", Looks)
    jobs, answers = os.pipe(), os.pipe()
    with (
        open(jobs[0], "rb", buffering=0) as read_jobs,
        open(answers[1], "wb") as write_answers,
        open(answers[0], "rb") as read_answers,
        open(jobs[1], "wb") as write_jobs,
    ):
        thread = Thread(target=run, args=(read_jobs, write_answers, Files()), daemon=True)
        thread.start()
        for limit in (1e8, 1e8, 1e9):
            data = pickle.dumps(job_for(log, LIMITS._replace(max_bytes_per_second=limit)))
            write_jobs.write(JOB_SIZE.pack(len(data)) + data)
            write_jobs.flush()
            while not isinstance(pickle.load(read_answers), RoundEnd):
                pass
            looked_at.append((throttles[-1].limit, throttles[-1]._paid))
        write_jobs.close()
        thread.join(60)
    once = looked_at[0][1]
    assert once > 2 * log.size_bytes * 0.9, "read twice"
    assert looked_at == [(1e8, once), (1e8, 2 * once), (1e9, once)]
    assert len(throttles) == 2


def test_a_process_that_is_killed_is_replaced(log: Log, worker: CleanerWorker) -> None:
    slow = LIMITS._replace(max_bytes_per_second=1000.0)
    worker.begin(job_for(log, slow))
    process = worker._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(WorkerDiedError, match=f"process {process.pid} ended with exit code -9"):
        worker.next_answer()
    assert isinstance(run_round(worker, log, job_for(log)), RoundEnd)
    assert list(log.directory.glob("*.cleaned")) == []


def test_the_process_ends_with_its_input_while_it_is_throttled(log: Log, worker: CleanerWorker) -> None:
    worker.begin(job_for(log, LIMITS._replace(max_bytes_per_second=10.0)))
    process = worker._process
    assert process is not None
    assert process.stdin is not None
    time.sleep(0.5)
    assert process.poll() is None
    process.stdin.close()
    assert process.wait(10) == 0
