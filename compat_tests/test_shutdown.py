"""Signals stop a broker at any time, and the last line of its log says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.broker import Wirebroker, running
from compat_tests.conftest import wait_until
from compat_tests.limits import WITHIN_S

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOGS = 40
RUN = """
from wirebroker.cli.entry import main
sys.exit(main())
"""
SLOW_SYNC = """
import os, sys, time
for name in ("fsync", "fdatasync"):
    def slow(*args, real=getattr(os, name)):
        time.sleep(0.03)
        return real(*args)
    setattr(os, name, slow)
"""
SLOW_LOAD = """
import os, sys, time
from wirebroker.storage.log_loader import LogLoader
real = LogLoader.load
def slow(*args, **kwargs):
    with open(os.environ["LOADS"], "a") as loads:
        loads.write(".")
    time.sleep(2)
    return real(*args, **kwargs)
LogLoader.load = slow
"""
INTERRUPTED_IMPORT = """
import os, signal, sys
module = sys.argv.pop()
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""


def last_line(broker: Wirebroker) -> str:
    return broker.log().splitlines()[-1]


def test_a_slow_disk_with_transactions_does_not_keep_a_broker_from_stopping(tmp_path: Path) -> None:
    settings = {"log.flush.interval.messages": "1", "transaction.state.log.num.partitions": "4"}
    broker = Wirebroker(tmp_path, settings)
    broker.program = ["-c", SLOW_SYNC + RUN]
    with broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        admin.create_topics([NewTopic("t", 10, 1)])["t"].result(WITHIN_S)
        committed = threading.Semaphore(0)
        ended = threading.Event()
        producers = [threading.Thread(target=commit, args=(broker, n, committed, ended), daemon=True) for n in range(4)]
        for each in producers:
            each.start()
        began = time.monotonic()
        for _ in range(4):
            assert committed.acquire(timeout=WITHIN_S)
        assert time.monotonic() - began > 0.5  # syncs are waited for, or this test shows nothing
        began = time.monotonic()
        broker.stop()
        took_s = time.monotonic() - began
        ended.set()
        for each in producers:
            each.join(2)  # librdkafka goes on trying
    assert last_line(broker).endswith(": stopped"), f"after {took_s:.1f} s"


def commit(broker: Wirebroker, number: int, committed: threading.Semaphore, ended: threading.Event) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": f"x{number}", "log_level": 0})
    try:
        producer.init_transactions(WITHIN_S)
        while not ended.is_set():
            producer.begin_transaction()
            for partition in range(10):
                producer.produce("t", b"v", partition=partition)
            producer.commit_transaction(WITHIN_S)
            committed.release()
    except (KafkaException, BufferError):
        pass  # the broker has stopped


def test_a_stop_while_logs_are_loaded(start_wirebroker: Callable[..., Wirebroker], tmp_path: Path) -> None:
    broker = start_wirebroker()
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    admin.create_topics([NewTopic("t", LOGS, 1)])["t"].result(WITHIN_S)
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    for partition in range(LOGS):
        producer.produce("t", b"v", partition=partition)
    assert producer.flush(WITHIN_S) == 0
    broker.kill()
    before = len(broker.log())
    command = [sys.executable, "-c", SLOW_LOAD + RUN, "start", "--data-dir", str(broker.data_directory)]
    command += ["--listener", "PLAINTEXT://127.0.0.1:0"]
    loads = tmp_path / "loads"
    with running(command, stderr=subprocess.PIPE, env=os.environ | {"LOADS": str(loads)}) as loading:
        wait_until(loads.exists)
        loading.send_signal(signal.SIGTERM)
        _, stderr = loading.communicate(timeout=WITHIN_S)
    assert len(loads.read_text()) < LOGS, "it has loaded them all"
    assert loading.returncode == 0
    assert stderr.splitlines()[-1].endswith(b": stopped")
    broker.start()
    assert "refused" not in broker.log(before)
    broker.stop()


def test_a_hangup_stops_a_broker(start_wirebroker: Callable[..., Wirebroker]) -> None:
    broker = start_wirebroker()
    os.kill(broker.pid, signal.SIGHUP)
    assert broker.wait() == 0
    assert last_line(broker).endswith(": stopped")


@pytest.mark.parametrize("module", ["wirebroker.cli.main", "argparse", "trio", "wirebroker.server.listener"])
def test_ctrl_c_while_modules_are_imported(tmp_path: Path, module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_IMPORT + RUN, "start", "--data-dir", str(tmp_path), module]
    done = subprocess.run(command, capture_output=True, timeout=WITHIN_S)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"wirebroker: interrupted\n")
