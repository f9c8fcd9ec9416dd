"""The cost of a broker without `zookeeper.connect`: modules, threads and descriptors of a start, calls of a request.

The figures are counts, which a busy machine does not change, and each may be 3 % more than it was.  A change that needs
more of them writes the new figure here; `python -m tools.bench.standalone_cost` measures its time and memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Final

import pytest
import trio

from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest, CreateTopicsResponse
from wirebroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record
from wirebroker.tests.traced_broker import run_traced_broker

if TYPE_CHECKING:
    from pathlib import Path

START: Final = """
import os, sys, threading
from functools import partial

import trio

from wirebroker.broker import run_broker
from wirebroker.config.load import load

def ready(_):
    modules = sum(name.split(".")[0] == "wirebroker" for name in sys.modules)
    threads = [each.name for each in threading.enumerate() if not each.name.startswith("Trio thread")]
    print(modules, len(threads), len(os.listdir("/proc/self/fd")) - 1)
    stop.set()

stop = trio.Event()
config = load(data_dir=sys.argv[1], listeners=["PLAINTEXT://127.0.0.1:0"]).config
trio.run(partial(run_broker, config, stop, ready))
"""
MODULES: Final = 254
"""The modules of this package that a start imports."""
DESCRIPTORS: Final = 12
"""The files, sockets and pipes that are open after it."""
CALLS: Final = 43
"""The calls of functions of this package by which a Produce request of one record is served.

On a busy machine there are three less: the client has the answer before the connection waits for the next request."""
OTHER_CALLS: Final = ("tests/", "server/loop_lag.py", "server/processor.py", "server/socket_wait.py")
"""Files whose functions are called by this test, or by waits, and more often if the machine is busy."""
TOLERANCE: Final = 1.03
TRACES: Final = 50
"""A background task may run beside a request, but not beside all of these."""


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_a_start_imports_and_opens_no_more_than_before(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", START, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    modules, threads, descriptors = map(int, ran.stdout.split())
    assert modules <= MODULES * TOLERANCE
    assert threads == 1, "there is a thread beside the main one and those of trio"
    assert descriptors <= DESCRIPTORS


async def test_a_produce_request_of_one_record_calls_no_more_functions_than_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = memoryview(build_batch([Record(0, 0, None, b"value", [])]))
    data = TopicProduceData(name="t", partition_data=[PartitionProduceData(0, batch)])
    request = ProduceRequest(transactional_id=None, acks=-1, timeout_ms=10_000, topic_data=[data])
    topics = [CreatableTopic(name="t", num_partitions=1, replication_factor=1)]
    counts = []
    with trio.fail_after(60):
        async with run_traced_broker(tmp_path, {}) as broker:
            await broker.request(CreateTopicsRequest(topics=topics, timeout_ms=10_000), 4, CreateTopicsResponse)
            for _ in range(TRACES):
                response, calls = await broker.trace(monkeypatch, request, 8, ProduceResponse)
                assert response.responses[0].partition_responses[0].error_code == 0
                names = (f"{each.file} {each.function}" for each in calls if not each.file.startswith(OTHER_CALLS))
                counts.append(Counter(names))
    of_each = reduce(and_, counts)
    assert of_each.total() <= CALLS * TOLERANCE, "\n".join(sorted(of_each.elements()))
