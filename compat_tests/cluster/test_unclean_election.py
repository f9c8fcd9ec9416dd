"""An unclean leader is elected when a setting that allows it is changed while the cluster runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.cluster.mixed_cluster import NO_LEADER, MixedCluster
from compat_tests.cluster.replicated_logs import await_equal_logs, produce
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA
from compat_tests.wire import Wire
from tools.jvm.zookeeper_log import znode_writes
from wirebroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

CONTROLLER, LEADER, LATE = 0, 1, 2
KILLED = {"zookeeper.session.timeout.ms": "15000"}
"""Of the broker that is to be missed soon; the others keep their sessions on a busy machine, too."""
STATE = "/brokers/topics/t/partitions/0/state"
TOPIC, BROKER = 2, 4
RESOURCES = {"topic": (TOPIC, "t"), "cluster default": (BROKER, "")}


def allow_unclean_election(cluster: MixedCluster, resource: str) -> None:
    """Set `unclean.leader.election.enable` of the topic, or of all topics without a setting of their own."""
    change = AlterableConfig(name="unclean.leader.election.enable", config_operation=0, value="true")
    request = IncrementalAlterConfigsRequest([AlterConfigsResource(*RESOURCES[resource], [change])])
    with Wire("127.0.0.1", cluster.brokers[CONTROLLER].port) as wire:
        (answer,) = wire.ask(request, 1).responses
    assert answer.error_code == 0, answer.error_message


@pytest.mark.parametrize(
    ("protocol", "resource"),
    [
        ("3.9", "topic"),
        pytest.param("3.9", "cluster default", marks=pytest.mark.nightly),
        pytest.param("2.8", "topic", marks=pytest.mark.nightly),
        pytest.param("2.8", "cluster default", marks=pytest.mark.nightly),
    ],
)
def test_a_replica_that_is_not_in_sync_leads_when_that_is_allowed(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, protocol: str, resource: str
) -> None:
    with MixedCluster(tmp_path, kafka_dist(KAFKA), protocol=protocol) as cluster:
        for broker_id in (CONTROLLER, LEADER, LATE):
            cluster.wirebroker(broker_id, KILLED if broker_id == LEADER else {})
        cluster.await_brokers(CONTROLLER, LEADER, LATE)
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap()})
        admin.create_topics([NewTopic("t", 1, replica_assignment=[[LEADER, LATE]])])["t"].result(240)
        cluster.await_states("t", {0: (LEADER, {LEADER, LATE})})
        produce(cluster.bootstrap(), "t", [b"both-%d" % number for number in range(10)])
        cluster.stop(LATE)
        cluster.await_states("t", {0: (LEADER, {LEADER})})
        produce(cluster.bootstrap(), "t", [b"lost-%d" % number for number in range(10)])
        cluster.kill(LEADER)
        cluster.await_states("t", {0: (NO_LEADER, {LEADER})})
        cluster.wirebroker(LATE)
        cluster.await_brokers(CONTROLLER, LATE)
        found: dict[int, tuple[int, set[int]]] = {}
        wait_until(lambda: bool(found.update(cluster.states("t", CONTROLLER)) or found))
        assert found == {0: (NO_LEADER, {LEADER})}, "a replica that is late leads"

        allow_unclean_election(cluster, resource)
        cluster.await_states("t", {0: (LATE, {LATE})})
        produce(cluster.bootstrap(), "t", [b"new-%d" % number for number in range(5)])
        cluster.wirebroker(LEADER)
        cluster.await_states("t", {0: (LATE, {LEADER, LATE})})
        data = await_equal_logs("t", 0, *(cluster.brokers[each].data_directory for each in (LEADER, LATE)))
        assert (data.count(b"both-"), data.count(b"lost-"), data.count(b"new-")) == (10, 0, 5)

    history = [json.loads(each.data) for each in znode_writes(tmp_path / "zookeeper" / "data") if each.path == STATE]
    unclean = next(each for each in history if each["leader"] == LATE)
    assert unclean["isr"] == [LATE]
    # brokers at protocol 3.2 or later are told that the leader recovers, until it changes the ISR (KIP-704)
    assert unclean.get("leader_recovery_state") == (1 if protocol == "3.9" else None)
    assert "leader_recovery_state" not in history[-1]
    assert set(history[-1]["isr"]) == {LEADER, LATE}
