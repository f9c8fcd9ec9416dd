"""Faults of a broker of a FaultyCluster: each begins, shows its effect, and ends before its function returns."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from typing import TYPE_CHECKING, Final

from compat_tests.cluster.faulty_cluster import BOTH, OURS, THEIRS
from compat_tests.cluster.tcp_proxy import cut_off

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compat_tests.cluster.faulty_cluster import FaultyCluster

_FOLLOWED_LEADER: Final = {("t", 1): (THEIRS, frozenset({THEIRS}))}
"""The state of the partition that wirebroker follows when its leader is alone in the ISR."""
_ALONE: Final = {("t", 0): (OURS, frozenset({OURS}))}
_UNCHANGED: Final = {("t", 0): (OURS, BOTH)}


def kill(faulty: FaultyCluster) -> None:
    """kill -9: the leaders move when the session has expired, and wirebroker starts on what it finds."""
    faulty.cluster.kill(OURS)
    faulty.await_leader(THEIRS)
    faulty.load.await_more()
    faulty.cluster.wirebroker(OURS)


def restart_at_once(faulty: FaultyCluster) -> None:
    """kill -9 and a start before the session has expired."""
    faulty.cluster.kill(OURS)
    faulty.cluster.wirebroker(OURS)


def bounce(faulty: FaultyCluster) -> None:
    """A stop with controlled shutdown, and a start."""
    faulty.cluster.stop(OURS)
    faulty.await_leader(THEIRS)
    faulty.load.await_more()
    faulty.cluster.wirebroker(OURS)


def pause(faulty: FaultyCluster) -> None:
    """SIGSTOP until the session has expired and others lead."""
    pid = faulty.cluster.brokers[OURS].pid
    os.kill(pid, signal.SIGSTOP)
    try:
        faulty.await_leader(THEIRS)
        faulty.load.await_more()
    finally:
        os.kill(pid, signal.SIGCONT)


def kill_peer(faulty: FaultyCluster) -> None:
    """kill -9 of the Apache Kafka broker that has the other replicas: wirebroker leads and coordinates all."""
    faulty.cluster.kill(THEIRS)
    faulty.await_leader(OURS)
    faulty.load.await_more()
    faulty.cluster.kafka(THEIRS)


def stop_zookeeper(faulty: FaultyCluster, seconds: float) -> None:
    """ZooKeeper ends, and comes back within the sessions or after them; records are written all the time."""
    faulty.cluster.zookeeper.stop()
    try:
        time.sleep(seconds)
        faulty.load.await_more()
    finally:
        faulty.cluster.zookeeper.start()


def cut_off_from_zookeeper(faulty: FaultyCluster) -> None:
    """wirebroker reaches everybody but ZooKeeper until its session has expired."""
    with cut_off([faulty.proxies.to_zookeeper]):
        faulty.await_leader(THEIRS)
        faulty.load.await_more()


def cut_off_from_peers(faulty: FaultyCluster) -> None:
    """wirebroker has its session, and no connection to another broker in either direction.

    The leader on the other side goes on alone.  wirebroker takes its follower out of the ISR in ZooKeeper up to
    protocol 2.6; from 2.8 on it would have to ask the controller, so its records are acknowledged after the cut.
    """
    with cut_off(faulty.proxies.peers):
        asks_controller = faulty.cluster.protocol not in ("2.0", "2.6")
        faulty.await_states(_FOLLOWED_LEADER | (_UNCHANGED if asks_controller else _ALONE), [0])
        faulty.load.await_more([1] if asks_controller else None)


def cut_off_from_all(faulty: FaultyCluster) -> None:
    """wirebroker reaches neither ZooKeeper nor brokers, and clients do not reach it, until others lead."""
    with cut_off([faulty.proxies.to_zookeeper, faulty.proxies.from_clients, *faulty.proxies.peers]):
        faulty.await_leader(THEIRS)
        faulty.load.await_more()


FAULTS: Final[Mapping[str, Mapping[str, Callable[[FaultyCluster], None]]]] = {
    "process": {
        "kill -9": kill,
        "kill -9, started at once": restart_at_once,
        "clean bounce": bounce,
        "SIGSTOP beyond the session": pause,
        "kill -9 of the Apache Kafka broker": kill_peer,
    },
    "zookeeper": {f"ZooKeeper gone for {each} s": partial(stop_zookeeper, seconds=each) for each in (1, 4, 15)},
    "network": {
        "cut off from ZooKeeper": cut_off_from_zookeeper,
        "cut off from peers": cut_off_from_peers,
        "cut off from all": cut_off_from_all,
    },
}
"""Kind of the faults -> name of each -> the function that has it happen."""
