"""Starts of a broker with many partitions on a disk whose every sync takes 10 ms."""

from __future__ import annotations

import resource
import time
from typing import TYPE_CHECKING

from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.broker import Wirebroker

if TYPE_CHECKING:
    from pathlib import Path

PARTITIONS = 400
SLOW_SYNC = """
import os, sys, time
for name in ("fsync", "fdatasync", "sync"):
    def slow(*args, real=getattr(os, name)):
        time.sleep(0.01)
        return real(*args)
    setattr(os, name, slow)
from wirebroker.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
MOST_SYNCS = 50
"""A start may sync this often, whatever the number of partitions."""


def test_start_after_kill_does_not_sync_for_each_partition(tmp_path: Path) -> None:
    broker = Wirebroker(tmp_path)
    with broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        admin.create_topics([NewTopic("many", PARTITIONS, 1)])["many"].result(60)
        broker.kill()
        before = _children_cpu_s()
        started = time.monotonic()
        broker.start()
        broker.kill()
        plain_s, plain_cpu_s = time.monotonic() - started, _children_cpu_s() - before
        broker.program = ["-c", SLOW_SYNC]
        started = time.monotonic()
        broker.start()
        slow_s = time.monotonic() - started
        broker.program = ["-m", "wirebroker"]
        broker.kill()
        broker.start()
        assert slow_s < max(plain_s, plain_cpu_s) + 0.01 * MOST_SYNCS + 1, f"{slow_s:.2f} s, {plain_s:.2f} s at 0 ms"


def _children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
