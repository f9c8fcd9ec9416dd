"""CleanerWorker: the process that cleans logs, as seen by the broker; started when first needed."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from wirebroker.storage.cleaner.job import CleanedSegment, CleaningJob, RoundEnd, RoundFailure

_EXIT_S: Final = 5.0
"""How long a process whose output has ended may take to end."""
COMMAND: Final = (sys.executable, "-m", "wirebroker.storage.cleaner.worker")


class WorkerDiedError(Exception):
    """The process ended in the middle of a round: somebody killed it, or it had no memory left."""


class CleanerWorker:
    """One process, and one job at a time.  Its methods block: call them in a thread."""

    def __init__(self, command: tuple[str, ...] = COMMAND) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self, job: CleaningJob) -> None:
        """Have *job* done; the process is started if there is none.  Raises OSError, WorkerDiedError."""
        import pickle  # most brokers clean nothing for long

        from wirebroker.storage.cleaner.job import JOB_SIZE

        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        try:
            data = pickle.dumps(job)
            process.stdin.write(JOB_SIZE.pack(len(data)) + data)
            process.stdin.flush()
        except BrokenPipeError as error:
            raise self._died() from error

    def next_answer(self) -> CleanedSegment | RoundEnd | RoundFailure:
        """Wait for the next segment that is written, or for the end of the round.  Raises WorkerDiedError."""
        import pickle

        assert self._process is not None
        assert self._process.stdout is not None
        try:
            answer: CleanedSegment | RoundEnd | RoundFailure = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError, ValueError) as error:
            raise self._died() from error
        return answer

    def stop(self) -> None:
        """End the process at once, whatever it is doing; a blocked `next_answer` raises WorkerDiedError."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the process and wait for it."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    try:
                        pipe.close()
                    except BrokenPipeError:
                        pass  # what was not read is not wanted any more

    def _died(self) -> WorkerDiedError:
        process = self._process
        assert process is not None
        try:
            code = process.wait(_EXIT_S)
        except subprocess.TimeoutExpired:
            code = None  # it has written what is no answer
        self.close()
        return WorkerDiedError(
            f"the cleaner's process {process.pid} ended with exit code {code} in the middle of a round"
        )
