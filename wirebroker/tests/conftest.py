"""Test profiles: fast and repeatable by default."""

from __future__ import annotations

import signal
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from wirebroker.tests.executor_modes import EXECUTOR_MODES, ExecutorMode, set_up_executors
from wirebroker.tests.time_limit import time_limit

if TYPE_CHECKING:
    from collections.abc import Generator

settings.register_profile(
    "ci", max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real_executors: the executors' owner tasks and threads are the test's own")
    # a run in the background of a script, or under nohup, is born with these ignored, and so would be what tests start
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    with time_limit(item):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the simulation, of minutes, to the front: at the end one worker of a parallel run would be alone with it."""
    items.sort(key=lambda item: item.path.name != "test_simulation.py")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests of replication and coordinators that write to a partition once in each executor mode."""
    module = metafunc.module
    room = module.__name__.split(".")[2]
    if room not in ("replication", "coordinator") or metafunc.definition.get_closest_marker("real_executors"):
        return
    if _writers() & {id(value) for value in vars(module).values()}:
        metafunc.parametrize("executor_mode", EXECUTOR_MODES, indirect=True)


@cache
def _writers() -> set[int]:
    """Identities of the classes and functions whose users write to partitions; by reference, so a rename is noticed."""
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.replication.txn_marker_writer import TxnMarkerWriter
    from wirebroker.tests.coordinator.shard_harness import ShardHarness
    from wirebroker.tests.coordinator.transaction.broker_harness import BrokerHarness, running
    from wirebroker.tests.coordinator.transaction.txn_shard_harness import TxnShardHarness
    from wirebroker.tests.handlers.fetch_harness import FetchHarness
    from wirebroker.tests.handlers.txn_harness import TxnHarness
    from wirebroker.tests.replication.fetcher.follower_harness import FollowerHarness
    from wirebroker.tests.replication.replica_set import ReplicaSet

    product = (Partition, ReplicaManager, TxnMarkerWriter)
    shards = (ShardHarness, BrokerHarness, running, TxnShardHarness)
    return {id(each) for each in (*product, *shards, TxnHarness, FetchHarness, FollowerHarness, ReplicaSet)}


@pytest.fixture
def executor_mode(request: pytest.FixtureRequest) -> ExecutorMode:
    """Where the LogDirExecutors of this test write: inline, in their thread, or by turns."""
    mode: ExecutorMode = getattr(request, "param", "inline")
    return mode


@pytest.fixture(autouse=True)
def executors(request: pytest.FixtureRequest, executor_mode: ExecutorMode, monkeypatch: pytest.MonkeyPatch) -> None:
    """LogDirExecutors with owner tasks, which stay in their mode on a starved machine, too."""
    if not request.node.get_closest_marker("real_executors"):
        set_up_executors(monkeypatch, executor_mode)
