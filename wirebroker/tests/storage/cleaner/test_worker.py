"""The worker process and its client, with real files: rounds, jobs of any size, failures, ends."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from wirebroker.storage.cleaner.job import CleanedSegment, LastRecord, RoundEnd, RoundFailure
from wirebroker.storage.cleaner.planning import cleanable_range, make_job
from wirebroker.storage.cleaner.segment_swap import swap_in
from wirebroker.storage.cleaner.worker_client import CleanerWorker, WorkerDiedError
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.storage.cleaner.compacted_log import CONFIG, LIMITS, committed, keyed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wirebroker.storage.cleaner.job import CleanerLimits, CleaningJob
    from wirebroker.storage.log import Log


@pytest.fixture
def log(tmp_path: Path) -> Log:
    manager = LogManager([tmp_path], replace(CONFIG, segment_bytes=20_000, segment_index_bytes=4096))
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
