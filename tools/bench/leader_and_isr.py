"""``python -m tools.bench.leader_and_isr``: the event loop's turns while a controller sends partitions.

The replicas of a broker are made in this process, on a disk whose every sync takes 10 ms longer, and no leader answers.
The table has the lag of a task that sleeps for a millisecond, and the processor time of the longest turn, which other
programs on the machine do not change.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from tools.bench.brokers import scratch
from tools.bench.groups import run_line
from wirebroker.cluster.controller_requests import ControllerRequests
from wirebroker.cluster.replica_states import LocalReplicas, LocalReplicaStates
from wirebroker.collector import short_collections
from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.config.load import load
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import BrokerImage, ClusterImage, ListenerEndpoint
from wirebroker.protocol.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from wirebroker.quota.rate import QuotaWindow
from wirebroker.quota.replication_quota import ReplicationQuota
from wirebroker.replication.fetcher.follower_config import FollowerConfig
from wirebroker.replication.fetcher.replica_fetcher_manager import Follower, ReplicaFetcherManager
from wirebroker.replication.log_dir_executor import open_executors
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.storage.log_manager import LogManager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


ME, OTHER, NOWHERE = 1, 2, 9
SYNC_S = 0.010
MOST_LAG_MS = 100
REQUESTS = {
    "2,000 new partitions, half of them led here": (0, True, lambda number: ME if number % 2 else OTHER),
    "all of them followers in the next epoch": (1, False, lambda _: OTHER),
    "all of them leaders in the next epoch": (2, False, lambda _: ME),
}


class Turns(trio.abc.Instrument):
    """The processor time of the longest turn of the event loop."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._began: float | None = None

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self._began = time.thread_time()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        if self._began is not None:
            self.longest_s = max(self.longest_s, time.thread_time() - self._began)


class NoConfigs:
    """In place of ConfigPublisher: no topic has settings."""

    async def read_topics(self, names: Iterable[str]) -> None:
        await trio.lowlevel.checkpoint()


async def _is_to_be_deleted(_: str) -> bool:
    return False


def _slow(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        time.sleep(SYNC_S)
        return function(*arguments)

    return call


async def measure(directory: Path, partitions: int) -> None:
    """Print a row for each request."""
    config = load(sets=["zookeeper.connect=none:1", f"broker.id={ME}"]).config
    logs = LogManager([directory], config.topic_defaults)
    logs.log_dirs.lock()
    logs.load()
    endpoint = (ListenerEndpoint("PLAINTEXT", "127.0.0.1", NOWHERE),)
    image = ClusterImage(brokers={each: BrokerImage(each, 0, endpoint) for each in (ME, OTHER)})
    replicas = ReplicaManager(logs, MetadataCache(image), lambda: None)
    quota = ReplicationQuota(ME, QuotaWindow(11, 1))
    follower = Follower(ME, config.inter_broker_protocol, lambda: 5)
    fetchers = ReplicaFetcherManager(follower, replicas, FollowerConfig(config.value), quota)
    configs: Any = NoConfigs()
    local = LocalReplicas(replicas, fetchers, configs, DynamicConfig(config), trio.lowlevel.checkpoint)
    requests = ControllerRequests(ME, lambda: 5, LocalReplicaStates(local, {}), replicas.metadata, _is_to_be_deleted)
    async with open_executors(replicas.executors.values()), trio.open_nursery() as nursery:
        nursery.start_soon(requests.run)
        nursery.start_soon(fetchers.run)
        lags: list[float] = []
        nursery.start_soon(_probe, lags)
        for what, (epoch, is_new, leader) in REQUESTS.items():
            turns = Turns()
            trio.lowlevel.add_instrument(turns)
            lags.clear()
            began = time.perf_counter()
            await requests.leader_and_isr(_request(partitions, epoch, leader, is_new=is_new), 5)
            took = time.perf_counter() - began
            trio.lowlevel.remove_instrument(turns)
            lags.sort()
            p999, most = 1000 * lags[int(0.999 * len(lags))], 1000 * lags[-1]
            is_met = "yes" if most <= MOST_LAG_MS else "**no**"
            print(f"| {what} | {took:.2f} | {1000 * turns.longest_s:.1f} | {p999:.1f} | {most:.1f} | {is_met} |")
        nursery.cancel_scope.cancel()


async def _probe(lags: list[float]) -> None:
    while True:
        before = time.perf_counter()
        await trio.sleep(0.001)
        lags.append(time.perf_counter() - before - 0.001)


def _request(count: int, epoch: int, leader: Callable[[int], int], *, is_new: bool) -> LeaderAndIsrRequest:
    states = [
        LeaderAndIsrPartitionState(
            partition_index=number,
            controller_epoch=1,
            leader=leader(number),
            leader_epoch=epoch,
            isr=[ME, OTHER],
            partition_epoch=epoch,
            replicas=[ME, OTHER],
            is_new=is_new,
        )
        for number in range(count)
    ]
    return LeaderAndIsrRequest(
        controller_id=OTHER,
        controller_epoch=1,
        broker_epoch=5,
        topic_states=[LeaderAndIsrTopicState("t", bytes([1] * 16), states)],
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.leader_and_isr",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--partitions", type=int, default=2000)
    parser.add_argument("--directory", type=Path, help="where the data directory is made")
    options = parser.parse_args(arguments)
    started = os.getloadavg()[0]
    print(f"| LeaderAndIsr | took s | longest turn, processor ms | lag p99.9 ms | max ms | max ≤ {MOST_LAG_MS} ms |")
    print("|---|---:|---:|---:|---:|---|")
    os.fsync, os.fdatasync, os.sync = _slow(os.fsync), _slow(os.fdatasync), _slow(os.sync)
    with scratch(options.directory) as directory, short_collections():
        trio.run(measure, directory, options.partitions)
    print(f"\n{run_line(started)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
