"""Every fault again and again, in clusters of all releases and protocols, under a load whose records are all checked.

How often: `--fault-runs`, by default twice; with more of them all pairs are nightly tests.  The faults of a kind take
turns.  wirebroker leads, follows and coordinates groups and transactions; after each fault all replicas get in sync
again, and the leaders move back, before the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.faults import FAULTS
from compat_tests.cluster.faulty_cluster import SHORT_SESSION_S, FaultyCluster
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.cluster.fault_rounds import StartRounds
    from tools.jvm.kafka import KafkaDist

CLUSTERS = [(OLDEST_KAFKA, "2.0"), (OLD_KAFKA, "2.6"), (OLD_KAFKA, "2.8"), (KAFKA, "3.9")]
EVERY_CHANGE = {("process", OLD_KAFKA, "2.6"), ("zookeeper", OLDEST_KAFKA, "2.0"), ("network", KAFKA, "3.9")}
"""The pairs that are tested with every change; the others nightly."""
CASES = [
    pytest.param(kind, *each, marks=[] if (kind, *each) in EVERY_CHANGE else pytest.mark.nightly)
    for kind in FAULTS
    for each in CLUSTERS
]


@pytest.mark.parametrize(("kind", "version", "protocol"), CASES)
def test_no_acknowledged_record_is_lost(
    kafka_dist: Callable[[str], KafkaDist],
    tmp_path: Path,
    fault_rounds: StartRounds,
    kind: str,
    version: str,
    protocol: str,
) -> None:
    rounds = fault_rounds(f"Apache Kafka {version} at protocol {protocol}", *FAULTS[kind])
    # after a pause of half a session wirebroker waits for ZooKeeper, and a busy machine makes such pauses
    session_s = 2 * SHORT_SESSION_S if kind == "zookeeper" else SHORT_SESSION_S
    with FaultyCluster(
        tmp_path, kafka_dist(version), protocol, cuts_clients=kind == "network", session_s=session_s
    ) as faulty:
        for fault in rounds:
            FAULTS[kind][fault](faulty)
            faulty.settle()
        faulty.check(rounds)
