"""Client quotas in a cluster: those that one broker is given hold at the other, and a change holds at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import await_leader_and_isr
from compat_tests.conftest import wait_until
from compat_tests.kafka_requests import list_offsets
from compat_tests.test_quotas import USER, C, alter, described, throttle_ms
from compat_tests.versions import KAFKA, OLD_KAFKA
from compat_tests.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Broker
    from compat_tests.test_quotas import Entity
    from tools.jvm.kafka import KafkaDist

KEY, RATE, HIGH_RATE = "producer_byte_rate", 10_000, 1_000_000_000
SECONDS = pytest.approx(10_000, rel=0.15)
"""The throttle time in ms of 200 kB, which are over the quota of a window."""


@pytest.mark.parametrize("version", [OLD_KAFKA, pytest.param(KAFKA, marks=pytest.mark.nightly)])
def test_quotas_hold_at_the_other_broker(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str) -> None:
    """Client "c" gets its quotas from Apache Kafka's tool, by ZooKeeper where it can, and "d" from wirebroker."""
    dist = kafka_dist(version)
    with MixedCluster(tmp_path, dist) as cluster:
        theirs, ours = cluster.kafka(0), cluster.wirebroker(1)
        cluster.await_brokers(0, 1)
        for topic, leader in (("theirs", 0), ("ours", 1)):
            cluster.create_topic(topic, {0: (leader,)})
            await_leader_and_isr(cluster.bootstrap(), topic, leader, {leader})
        where = ["--zookeeper", cluster.zookeeper_connect]
        if version != OLD_KAFKA:
            where = ["--bootstrap-server", theirs.bootstrap]
        configs = ("kafka-configs", *where, "--alter", "--entity-type", "clients", "--entity-name", "c")
        by_client: Entity = ((C, "c"),)
        by_user: Entity = (("user", USER), (C, "d"))
        assert throttle_ms(ours, "ours", "c") == throttle_ms(theirs, "theirs", "d") == 0

        dist.run(*configs, "--add-config", f"{KEY}={RATE}")
        await_quota(ours, by_client, RATE)
        assert throttle_ms(ours, "ours", "c", 400_000) == pytest.approx(30_000, rel=0.15)
        dist.run(*configs, "--add-config", f"{KEY}={HIGH_RATE}")
        await_quota(ours, by_client, HIGH_RATE)
        assert throttle_ms(ours, "ours", "c") == 0
        dist.run(*configs, "--delete-config", KEY)
        await_quota(ours, by_client, None)

        alter(ours, {by_user: {KEY: RATE}})
        # what it describes it reads in ZooKeeper, of whose change it hears later
        wait_until(lambda: throttle_ms(theirs, "theirs", "d", 400_000) > 25_000)
        alter(ours, {by_user: {KEY: None}})
        wait_until(lambda: throttle_ms(theirs, "theirs", "d") == 0)

        # what a broker does not know when it starts it reads
        alter(ours, {by_user: {KEY: RATE}, (("ip", None),): {"connection_creation_rate": 1e6}})
        before = quotas(ours)
        assert len(before) == 2
        cluster.stop(0)
        cluster.kafka(0)
        await_leadership(theirs, "theirs")
        wait_until(lambda: throttle_ms(theirs, "theirs", "d", 400_000) > 25_000)
        cluster.stop(1)
        cluster.wirebroker(1)
        await_leadership(ours, "ours")
        wait_until(lambda: quotas(ours) == before)
        assert throttle_ms(ours, "ours", "d") == SECONDS


def quotas(broker: Broker) -> dict[tuple[frozenset[tuple[str, str | None]], str], float]:
    with Wire(broker.host, broker.port) as wire:
        return described(wire)


def await_leadership(broker: Broker, topic: str) -> None:
    """Wait until *broker* knows that it leads the topic."""
    with Wire(broker.host, broker.port) as wire:
        wait_until(lambda: not wire.ask(list_offsets(topic, -1), 5).topics[0].partitions[0].error_code)


def await_quota(broker: Broker, entity: Entity, limit: float | None) -> None:
    """Wait until *broker* knows the quota, or no longer has one."""
    wait_until(lambda: quotas(broker).get((frozenset(entity), KEY)) == limit)
