"""Client processes of the sweep: each produces or consumes for a while, all of them at the same time.

``python -m tools.bench.sweep_clients`` reads a JobSpec as a line of JSON, prepares the client, prints ``ready``, and
begins when it reads another line; it prints a Result and waits for the next job.  Producers are librdkafka's, with
acks=all and records in batches over all partitions in turn; a consumer reads all partitions from their start.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, NamedTuple, Self

from tools.bench.client_processes import ClientFailed
from tools.bench.librdkafka import (
    BATCH,
    CONSUMER,
    MSG_F_COPY,
    OFFSET_BEGINNING,
    PRODUCER,
    QUEUE_FULL_S,
    TIMEOUT_MS,
    ClientError,
    Message,
    client,
    library,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_BATCH_BYTES = 4 << 20
_JOB_LIMIT_S = 90
PRODUCER_SETTINGS = {"log_level": "0", "queue.buffering.max.kbytes": "65536"}
"""A queue of at most 64 MB, so that the end of a turn does not wait long for what was queued in it."""
CONSUMER_SETTINGS = {"log_level": "0", "fetch.wait.max.ms": "50", "queued.max.messages.kbytes": "65536"}


class JobSpec(NamedTuple):
    """The work of a client in one turn."""

    what: str
    """produce or consume"""
    bootstrap: str
    topic: str
    partitions: int
    value_bytes: int
    seconds: float


class Result(NamedTuple):
    """Records that were acknowledged, or read, and the time that took."""

    records: int
    seconds: float


class ClientPool:
    """Processes that are kept from turn to turn; a context manager that ends them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._processes: list[subprocess.Popen[str]] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tools.bench.sweep_clients"]
        for _ in range(self._size):
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self._processes.append(process)
            self._stack.callback(_end, process)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(self, jobs: Sequence[JobSpec]) -> list[Result]:
        """Run one job in each of the first processes, all at once.

        Raises:
            ClientFailed: a client ended, or did not finish in time; it is not used again.
        """
        working = self._processes[: len(jobs)]
        limit = threading.Timer(_JOB_LIMIT_S, _kill, [working])
        limit.daemon = True
        limit.start()
        try:
            for process, job in zip(working, jobs, strict=True):
                _write(process, json.dumps(job))
            for process in working:
                _read(process)
            for process in working:
                _write(process, "go")
            return [Result(*json.loads(_read(process))) for process in working]
        finally:
            limit.cancel()


def _kill(processes: Sequence[subprocess.Popen[str]]) -> None:
    for each in processes:
        each.kill()


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate(timeout=60)


def _write(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()


def _read(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise ClientFailed("a client of the sweep has ended, or did not finish in time")
    return line


# -- in the client's process


def _serve(commands: IO[str]) -> None:
    lib = library()
    for name in ("rd_kafka_topic_destroy", "rd_kafka_destroy"):
        getattr(lib, name).argtypes = [ctypes.c_void_p]
    for line in commands:
        job = JobSpec(*json.loads(line))
        prepare = _prepare_producer if job.what == "produce" else _prepare_consumer
        run, end = prepare(lib, job)
        print("ready", flush=True)
        commands.readline()
        result = run()
        end()
        print(json.dumps(result), flush=True)


Prepared = tuple["Callable[[], Result]", "Callable[[], None]"]


def _prepare_producer(lib: ctypes.CDLL, job: JobSpec) -> Prepared:
    """A producer that has its connections: it has written a record to each partition."""
    handle = client(lib, PRODUCER, job.bootstrap, PRODUCER_SETTINGS)
    target = lib.rd_kafka_topic_new(handle, job.topic.encode(), None)
    value = ctypes.create_string_buffer(b"x" * job.value_bytes, job.value_bytes)
    count = max(1, min(BATCH, _BATCH_BYTES // job.value_bytes))
    messages = (Message * count)()
    for message in messages:
        message.payload, message.len = ctypes.addressof(value), job.value_bytes
    for partition in range(job.partitions):
        lib.rd_kafka_produce_batch(target, partition, MSG_F_COPY, messages, 1)
    _flush(lib, handle)

    def run() -> Result:
        began, sent, turn = time.perf_counter(), 0, 0
        while time.perf_counter() - began < job.seconds:
            taken = lib.rd_kafka_produce_batch(target, turn % job.partitions, MSG_F_COPY, messages, count)
            sent += taken
            turn += 1
            if taken < count:
                time.sleep(QUEUE_FULL_S)
        _flush(lib, handle)
        return Result(sent, time.perf_counter() - began)

    def end() -> None:
        lib.rd_kafka_topic_destroy(target)
        lib.rd_kafka_destroy(handle)

    return run, end


def _flush(lib: ctypes.CDLL, handle: ctypes.c_void_p) -> None:
    if lib.rd_kafka_flush(handle, TIMEOUT_MS):
        raise ClientError("not everything was acknowledged in time")


def _prepare_consumer(lib: ctypes.CDLL, job: JobSpec) -> Prepared:
    """A consumer that is connected; it reads for the given time, from the start again when it is at the end."""
    handle = client(lib, CONSUMER, job.bootstrap, CONSUMER_SETTINGS)
    target = lib.rd_kafka_topic_new(handle, job.topic.encode(), None)
    low, high = ctypes.c_int64(), ctypes.c_int64()
    available = 0
    for partition in range(job.partitions):
        where = (handle, job.topic.encode(), partition, ctypes.byref(low), ctypes.byref(high), TIMEOUT_MS)
        if lib.rd_kafka_query_watermark_offsets(*where):
            raise ClientError(f"no end offset of {job.topic}-{partition}")
        available += high.value
    nothing = ctypes.cast(lib.rd_kafka_message_errstr, ctypes.c_void_p)

    def run() -> Result:
        began, got = time.perf_counter(), 0
        while time.perf_counter() - began < job.seconds:
            for partition in range(job.partitions):
                lib.rd_kafka_consume_start(target, partition, OFFSET_BEGINNING)
            wanted = got + available
            while got < wanted and time.perf_counter() - began < job.seconds:
                for partition in range(job.partitions):
                    got += max(lib.rd_kafka_consume_callback(target, partition, 1, nothing, None), 0)
            for partition in range(job.partitions):
                lib.rd_kafka_consume_stop(target, partition)
        return Result(got, time.perf_counter() - began)

    def end() -> None:
        lib.rd_kafka_topic_destroy(target)
        lib.rd_kafka_destroy(handle)

    return run, end


if __name__ == "__main__":
    _serve(sys.stdin)
