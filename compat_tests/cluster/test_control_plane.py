"""The listener for the controller (KIP-291): Apache Kafka and wirebroker reach each other there, and clients may."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from compat_tests.cluster.clients import RecordingProducer
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA
from compat_tests.wire import Wire
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.jvm.kafka import KafkaDist

THEIRS, OURS = 0, 1
ESTABLISHED = "01"
NAMED = {"control.plane.listener.name": "CTRL"}


def test_the_controller_uses_its_own_listener(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    with MixedCluster(tmp_path, kafka_dist(KAFKA), second_listener="CTRL") as cluster:
        cluster.kafka(THEIRS, settings=NAMED)
        ours = cluster.wirebroker(OURS, NAMED)
        our_control = cluster.second_port(OURS)
        cluster.await_brokers(THEIRS, OURS)
        cluster.create_topic("t", {0: (OURS, THEIRS), 1: (THEIRS, OURS)})
        cluster.await_states("t", {0: (OURS, {OURS, THEIRS}), 1: (THEIRS, {OURS, THEIRS})})
        producer = RecordingProducer(cluster.bootstrap())
        producer.send("t", 100, 2)
        producer.flush()
        wait_until(lambda: established(our_control) > 0)  # by the controller
        with ours.connect() as wire:  # ids come from the controller, in blocks
            ids: list[int] = []

            def has_id() -> bool:
                ids[:] = [wire.ask(InitProducerIdRequest(transactional_id=None), 4).producer_id]
                return ids[0] >= 0

            wait_until(has_id)
            assert wire.ask(InitProducerIdRequest(transactional_id=None), 4).producer_id == ids[0] + 1
        cluster.stop(THEIRS)  # the ISR shrinks through the control plane of the controller, which is ours after this
        cluster.kafka(THEIRS)
        cluster.await_states("t", {0: (OURS, {OURS, THEIRS}), 1: (OURS, {OURS, THEIRS})})
        with Wire("127.0.0.1", our_control) as wire:
            served = {each.api_key for each in wire.ask(ApiVersionsRequest(), 0).api_keys}
            assert {ApiKey.LEADER_AND_ISR, ApiKey.PRODUCE} <= served
            brokers = wire.ask(MetadataRequest(topics=[]), 5).brokers
            assert {each.node_id: each.port for each in brokers}[OURS] == our_control


def test_a_leader_serves_again_after_its_session(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    """The LeaderAndIsr that confirms the leader after a pause comes on the listener for the controller."""
    with MixedCluster(tmp_path, kafka_dist(KAFKA), second_listener="CTRL") as cluster:
        cluster.kafka(THEIRS, settings=NAMED)
        ours = cluster.wirebroker(OURS, NAMED | {"zookeeper.session.timeout.ms": "6000"})
        cluster.await_brokers(THEIRS, OURS)
        cluster.create_topic("t", {0: (OURS,)})
        cluster.await_states("t", {0: (OURS, {OURS})})
        os.kill(ours.pid, signal.SIGSTOP)
        try:
            wait_until(lambda: cluster.metadata_brokers(THEIRS) == {THEIRS})
        finally:
            os.kill(ours.pid, signal.SIGCONT)
        producer = RecordingProducer(cluster.bootstrap())
        producer.send("t", 10, 1)
        producer.flush()
        assert [each.offset for each in producer.acked] == list(range(10))


def established(port: int) -> int:
    """How many connections there are to a port of this machine."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[3] == ESTABLISHED and int(row[1].rpartition(":")[2], 16) == port for row in rows)
