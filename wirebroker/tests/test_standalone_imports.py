"""A broker alone imports nothing of a cluster, few libraries, and messages at the first request."""

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
TRIO_ONLY = "import sys, trio; print(*sys.modules, sep='\\n')"
MESSAGES = "wirebroker.protocol.messages."
LIBRARY = {"json", "mmap", "resource", "uuid"}
"""The modules of Python that a broker needs before its port is open, beside those that trio imports."""
CLUSTER_ONLY = ("kazoo", "wirebroker.zookeeper", "wirebroker.cluster", "wirebroker.replication.fetcher")
WITH_FIRST_USE = (
    "wirebroker.config.inter_broker_protocol",
    "wirebroker.coordinator.",
    "wirebroker.metadata.kafka_import.",
    "wirebroker.record.keyed_runs",
    "wirebroker.record.legacy",
    "wirebroker.record.record_run_scan",
    "wirebroker.record.timestamp_search",
    "wirebroker.replication.alter_log_dir_task",
    "wirebroker.replication.delayed_fetch",
    "wirebroker.replication.delayed_partitions",
    "wirebroker.replication.fetch_session",
    "wirebroker.replication.legacy_append",
    "wirebroker.storage.cleaner.",
    "wirebroker.storage.damaged_logs",
    "wirebroker.storage.future_logs",
    "wirebroker.storage.integrity.",
    "wirebroker.storage.log_truncation",
    "wirebroker.storage.missing_logs",
    "wirebroker.storage.timestamp_lookup",
)
"""For clusters, groups, transactions, consumers, old formats, compacted topics, logs that move, are lost or damaged."""
NEEDED = {
    "wirebroker.coordinator.group",
    "wirebroker.coordinator.group.coordinator",
    "wirebroker.coordinator.group.group_config",
    "wirebroker.coordinator.service",
    "wirebroker.coordinator.transaction",
    "wirebroker.coordinator.transaction.coordinator",
    "wirebroker.coordinator.transaction.producer_id_manager",
    "wirebroker.coordinator.transaction.transaction_config",
    "wirebroker.replication.fetch_session_cache",
    "wirebroker.storage.cleaner.worker_client",
    "wirebroker.storage.integrity.swap_files",
}
"""The modules of these that each start uses."""


def test_a_broker_alone_imports_nothing_of_a_cluster(tmp_path: Path) -> None:
    modules = _modules_after(SCRIPT, str(tmp_path))
    assert "wirebroker.standalone" in modules
    assert [name for name in modules if name.startswith(CLUSTER_ONLY)] == []
    assert [name for name in modules if name.startswith(MESSAGES)] == []


def test_a_new_broker_imports_nothing_that_few_brokers_need(tmp_path: Path) -> None:
    modules = set(_modules_after(SCRIPT, str(tmp_path)))
    assert {each for each in modules if each.startswith(WITH_FIRST_USE)} - NEEDED == set()


def test_a_start_imports_no_other_library(tmp_path: Path) -> None:
    """The port is open 0.3 s after the start, of which most goes into imports: each further module delays it."""
    of_trio = _roots(_modules_after(TRIO_ONLY))
    unexpected = _roots(_modules_after(SCRIPT, str(tmp_path))) - of_trio - LIBRARY - {"__main__", "wirebroker"}
    assert unexpected == set(), "import them where they are used, or add them to LIBRARY if every start uses them"


def _modules_after(program: str, *arguments: str) -> list[str]:
    """Return the modules that are imported after *program* has run in a new interpreter."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split()


def _roots(modules: list[str]) -> set[str]:
    """Return the packages of *modules*, without those in C that a module of Python imports."""
    return {name.partition(".")[0] for name in modules if not name.startswith("_")}
