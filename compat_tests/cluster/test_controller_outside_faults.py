"""ZooKeeper, networks and disks fail while a wirebroker is the controller: every acknowledged record stays.

Three wirebrokers have all faults of a test in turn in one cluster, twice for every change; the clusters with an Apache
Kafka have one fault each, nightly.  `--fault-runs 20` repeats each fault 20 times in its cluster.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.broker_proxies import BrokerProxies
from compat_tests.cluster.fault_cluster import (
    BROKERS,
    CLUSTER_NAMES,
    KINDS,
    LONG_SESSION_S,
    SETTINGS,
    TOPIC,
    FaultCluster,
    fault_cluster,
)
from compat_tests.cluster.small_disk import NoNamespaces, SmallDisk
from compat_tests.cluster.tcp_proxy import TcpProxy, cut_off
from compat_tests.conftest import wait_until
from tools.jvm.zookeeper import SHORT_TICKS, ZooKeeperEnsemble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from _pytest.mark import ParameterSet

    from compat_tests.cluster.fault_rounds import StartRounds
    from tools.jvm.kafka import KafkaDist

LAG_S = int(SETTINGS["replica.lag.time.max.ms"]) / 1000
ROLES = {"controller": "the controller", "other": "another broker"}
CUT_OFF = 1
"""The broker that is cut off, or whose disk fails; a wirebroker that leads partition 1."""


def clusters_with(faults: Iterable[str], kinds: Iterable[str] = KINDS) -> list[ParameterSet]:
    """Return the kinds of clusters with the names of the faults that happen in each, as parameters of a test."""
    nightly = pytest.mark.nightly
    return [
        pytest.param("wirebroker", tuple(faults), id="wirebroker"),
        *(
            pytest.param(kind, (each,), id=f"{kind}-{each}", marks=nightly)
            for kind in kinds
            if kind != "wirebroker"
            for each in faults
        ),
    ]


ENSEMBLE_FAULTS = {
    "leader-killed": "ZooKeeper's leader killed (ensemble of three)",
    "quorum-lost-shortly": "ZooKeeper's quorum lost shortly",
    "quorum-lost-beyond-sessions": "ZooKeeper's quorum lost for twice the session",
}


@pytest.mark.parametrize(("kind", "faults"), clusters_with(ENSEMBLE_FAULTS))
def test_zookeeper_loses_servers(
    kafka_dist: Callable[[str], KafkaDist],
    tmp_path: Path,
    fault_rounds: StartRounds,
    kind: str,
    faults: tuple[str, ...],
) -> None:
    rounds = fault_rounds(CLUSTER_NAMES[kind], *(ENSEMBLE_FAULTS[each] for each in faults))
    with ExitStack() as stack:
        servers: list[ZooKeeperEnsemble] = []

        def ensemble(dist: KafkaDist) -> ZooKeeperEnsemble:
            ticks = SHORT_TICKS | {"initLimit": "40", "syncLimit": "20"}
            servers.append(ZooKeeperEnsemble(dist, tmp_path / "zookeeper", settings=ticks))
            return servers[-1]

        cluster = stack.enter_context(fault_cluster(tmp_path, kafka_dist, kind, ensemble=ensemble))
        load = stack.enter_context(cluster.checked_load(rounds))
        for fault in rounds:
            cluster.await_controller(*cluster.ours)
            wait_until(lambda: sum(each.mode() == "leader" for each in servers[0].servers) == 1)
            leader = next(each for each in servers[0].servers if each.mode() == "leader")
            others = [each for each in servers[0].servers if each is not leader]
            leader.kill()
            if fault != ENSEMBLE_FAULTS["leader-killed"]:
                others[0].kill()
                if fault == ENSEMBLE_FAULTS["quorum-lost-beyond-sessions"]:
                    time.sleep(2 * LONG_SESSION_S)
            load.await_more()
            servers[0].start()
            cluster.recover(load)


CUTS: Mapping[str, Callable[[BrokerProxies], list[TcpProxy]]] = {
    "zookeeper": lambda proxies: [proxies.to_zookeeper],
    "from-peers": lambda proxies: [proxies.from_peers],
    "peers": lambda proxies: proxies.peers,
    "all": lambda proxies: [proxies.to_zookeeper, proxies.from_clients, *proxies.peers],
}
"""Name of a cut -> the proxies that hold everything back."""
CUT_FAULTS = {
    "zookeeper": "the controller cut off from ZooKeeper",
    "from-peers": "the controller not reached by its peers",
    "peers": "the controller cut off from its peers, in both directions",
    "all": "the controller cut off from ZooKeeper, peers and clients",
}


@pytest.mark.parametrize(("kind", "cuts"), clusters_with(CUTS, ["kafka-3.9.1-leads"]))
def test_the_controller_is_cut_off(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, kind: str, cuts: tuple[str, ...]
) -> None:
    """It does not reach ZooKeeper, other brokers do not reach it, nor it them, or nobody reaches anybody."""
    named = {CUT_FAULTS[each]: each for each in cuts}
    rounds = fault_rounds(CLUSTER_NAMES[kind], *named)
    version, kafka_id = KINDS[kind]
    with ExitStack() as stack:
        cluster = stack.enter_context(FaultCluster(tmp_path, kafka_dist(version), kafka_id, second_listener="INTERNAL"))
        peers = [each for each in BROKERS if each != CUT_OFF]
        proxies = stack.enter_context(BrokerProxies(cluster, CUT_OFF, peers, cuts_clients=True))
        for broker_id in peers:
            cluster.more_settings[broker_id] = {"inter.broker.listener.name": "INTERNAL"}
        proxies.add_wirebroker("INTERNAL", SETTINGS)
        cluster.start_all()
        load = stack.enter_context(cluster.checked_load(rounds))
        for fault in rounds:
            cut = named[fault]
            cluster.await_controller(CUT_OFF)
            with cut_off(CUTS[cut](proxies)):
                if "peers" in cut:
                    # it keeps its session, and the leaders on it have nobody in sync but themselves
                    time.sleep(2 * LAG_S)
                    assert cluster.controller_id(0) == CUT_OFF
                else:
                    wait_until(lambda: cluster.controller_id(0) not in (-1, CUT_OFF))
                if cut == "all":
                    load.await_more()
                elif cut == "zookeeper":
                    time.sleep(2)
            cluster.recover(load)


@pytest.mark.parametrize(("kind", "whose"), clusters_with(ROLES))
def test_a_log_directory_fails(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, kind: str, whose: tuple[str, ...]
) -> None:
    """A file is in its place: the leaders in it move, the broker goes on, and is started again with the directory."""
    named = {f"a log directory of {ROLES[each]} fails": each for each in whose}
    rounds = fault_rounds(CLUSTER_NAMES[kind], *named)
    version, kafka_id = KINDS[kind]
    with FaultCluster(tmp_path, kafka_dist(version), kafka_id) as cluster:
        directories = [tmp_path / "wirebroker-1" / name for name in ("one", "two")]
        cluster.more_settings[CUT_OFF] = {"log.dirs": ",".join(map(str, directories))}
        cluster.start_all()
        with cluster.checked_load(rounds) as load:
            for fault in rounds:
                await_role(cluster, is_controller=named[fault] == "controller")
                failing = cluster.log_directory(CUT_OFF, 1)
                away = failing.rename(failing.with_name("away"))
                failing.write_text("what a disk that fails looks like")
                wait_until(lambda: all(cluster.states(TOPIC, each)[1][0] == 2 for each in BROKERS))
                load.await_more()
                cluster.stop(CUT_OFF)
                failing.unlink()
                away.rename(failing)
                cluster.start(CUT_OFF)
                cluster.recover(load)


@pytest.mark.parametrize(("kind", "whose"), clusters_with(ROLES))
def test_a_disk_is_full(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, kind: str, whose: tuple[str, ...]
) -> None:
    """The broker whose only disk is full ends, with exit code 1, and is started again when there is room."""
    named = {f"the only disk of {ROLES[each]} is full": each for each in whose}
    rounds = fault_rounds(CLUSTER_NAMES[kind], *named)
    version, kafka_id = KINDS[kind]
    with ExitStack() as stack:
        try:
            disk = stack.enter_context(SmallDisk(tmp_path / "disk", 64 + 16 * len(named) * rounds.most))
        except NoNamespaces as error:
            pytest.skip(f"a disk that can be filled needs user namespaces: {error}")
        cluster = stack.enter_context(FaultCluster(tmp_path, kafka_dist(version), kafka_id))
        disk.hold(cluster.add_wirebroker(CUT_OFF, SETTINGS))
        cluster.start_all()
        broker = cluster.brokers[CUT_OFF]
        broker.data_directory = disk.seen_from_outside / "data"  # from where the logs are compared
        load = stack.enter_context(cluster.checked_load(rounds))
        for fault in rounds:
            await_role(cluster, is_controller=named[fault] == "controller")
            disk.fill()
            assert cluster.await_end(CUT_OFF) == 1
            load.await_more()
            disk.free()
            broker.data_directory = disk.path / "data"
            cluster.start(CUT_OFF)
            broker.data_directory = disk.seen_from_outside / "data"
            cluster.recover(load)


def await_role(cluster: FaultCluster, *, is_controller: bool) -> None:
    """Have the broker whose disk fails be the controller, or another wirebroker."""
    cluster.await_controller(*({CUT_OFF} if is_controller else set(cluster.ours) - {CUT_OFF}))
