"""A broker that starts without `zookeeper.connect` imports nothing of a cluster, and messages at the first request."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import sys
from functools import partial

import trio

from wirebroker.broker import run_broker
from wirebroker.config.load import load

stop = trio.Event()
config = load(data_dir=sys.argv[1], listeners=["PLAINTEXT://127.0.0.1:0"]).config
trio.run(partial(run_broker, config, stop, lambda _: stop.set()))
print(*sorted(sys.modules), sep="\\n")
"""
MESSAGES = "wirebroker.protocol.messages."
CLUSTER_ONLY = ("kazoo", "wirebroker.zookeeper", "wirebroker.cluster", "wirebroker.replication.fetcher")


def test_a_broker_alone_imports_nothing_of_a_cluster(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    modules = ran.stdout.split()
    assert "wirebroker.standalone" in modules
    assert [name for name in modules if name.startswith(CLUSTER_ONLY)] == []
    assert [name for name in modules if name.startswith(MESSAGES)] == [f"{MESSAGES}api_versions"]
