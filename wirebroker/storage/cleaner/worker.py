"""The process in which logs are cleaned: `python -m wirebroker.storage.cleaner.worker`, started by `worker_client`.

It reads pickled `CleaningJob`s, each after its size in 8 bytes, from its standard input, and answers each on its
standard output with a pickled `CleanedSegment` as soon as one is written, then a `RoundEnd` or a `RoundFailure`.  It
ends when its input does, also in the middle of a round: then the broker is gone, or wants no more of it.

A process of its own, for compaction is Python work for every record: in a thread of the broker it would take turns
with the event loop for the interpreter, and clients would feel every one of them.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from wirebroker.record.errors import RecordError
from wirebroker.storage.cleaner.cleaning import Cleaner
from wirebroker.storage.cleaner.job import JOB_SIZE, RoundEnd, RoundFailure
from wirebroker.storage.cleaner.throttle import Throttle
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.files import Files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.storage.cleaner.job import CleanedSegment, CleaningJob


class InputEnded(Exception):
    """The broker is gone, or does not want the result of the round any more."""


def run(jobs: BinaryIO, answers: BinaryIO, files: Files) -> None:
    """Clean what is asked for until *jobs* ends."""

    def sleep(seconds: float) -> None:
        # one job at a time is sent, so what can be read during a round is the end of the input
        if select.select([jobs], [], [], seconds)[0]:
            raise InputEnded

    throttle: Throttle | None = None
    while True:
        try:
            job = _read_job(jobs)
        except InputEnded:
            return
        limit = job.limits.max_bytes_per_second
        if throttle is None or throttle.bytes_per_second != limit:
            # the same one for all rounds: each of many small logs is cleaned before the rate is looked at
            throttle = Throttle(limit, sleep=sleep)
        for answer in _clean(Cleaner(job, files, throttle=throttle, check_stop=partial(sleep, 0))):
            pickle.dump(answer, answers)
            answers.flush()


def _read_job(jobs: BinaryIO) -> CleaningJob:
    """Wait for the next job; a pipe gives it in pieces.  Raises InputEnded."""
    (size_bytes,) = JOB_SIZE.unpack(_read_exactly(jobs, JOB_SIZE.size))
    job: CleaningJob = pickle.loads(_read_exactly(jobs, size_bytes))
    return job


def _read_exactly(jobs: BinaryIO, size_bytes: int) -> bytes:
    data = bytearray()
    while len(data) < size_bytes:
        piece = jobs.read(size_bytes - len(data))
        if not piece:
            raise InputEnded
        data += piece
    return bytes(data)


def _clean(cleaner: Cleaner) -> Iterator[CleanedSegment | RoundEnd | RoundFailure]:
    """Everything that is answered to a job."""
    try:
        yield from cleaner.run()
    except OSError as error:
        yield RoundFailure(str(error), error.errno)
    except (CorruptFileError, RecordError, ValueError) as error:
        yield RoundFailure(str(error), None)
    else:
        yield RoundEnd(cleaner.end_offset, cleaner.stats)


def main() -> None:
    """Serve standard input and output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the broker ends this process
    os.nice(5)
    try:
        with open(sys.stdin.fileno(), "rb", buffering=0) as jobs:  # unbuffered, so that select tells the truth
            run(jobs, sys.stdout.buffer, Files())
    except (InputEnded, BrokenPipeError):
        pass


if __name__ == "__main__":
    main()
