"""Coordinators whose partitions have fewer replicas in sync than min.insync.replicas, beside Apache Kafka 3.9.1."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import pytest

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.transactions.scenario import Producer, TransactionScenario, differences
from compat_tests.versions import KAFKA
from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.list_groups import ListGroupsRequest
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

STAYS, STOPS = 0, 1
INTERNAL: Final = ("__consumer_offsets", "__transaction_state")
PARTITIONS: Final = 4


@pytest.fixture
def clusters(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> Iterator[list[MixedCluster]]:
    """Two wirebrokers, and two of Apache Kafka, whose internal topics need both in sync, and the topic t."""
    dist = kafka_dist(KAFKA)
    with MixedCluster(tmp_path / "ours", dist) as ours, MixedCluster(tmp_path / "theirs", dist) as theirs:
        for broker_id in (STAYS, STOPS):
            ours.wirebroker(broker_id)
            theirs.kafka(broker_id)
        for cluster in (ours, theirs):
            cluster.await_brokers(STAYS, STOPS)
            cluster.create_topic("t", {0: (STAYS,)})
            for topic in INTERNAL:
                settings = {"cleanup.policy": "compact", "min.insync.replicas": "2"}
                cluster.create_topic(topic, dict.fromkeys(range(PARTITIONS), (STAYS, STOPS)), settings)
            await_isr(cluster, {STAYS, STOPS})
        yield [ours, theirs]


def await_isr(cluster: MixedCluster, isr: set[int]) -> None:
    for topic in INTERNAL:
        cluster.await_states(topic, dict.fromkeys(range(PARTITIONS), (STAYS, isr)))


def test_requests_without_records_are_served_and_others_refused(clusters: list[MixedCluster]) -> None:
    with ExitStack() as stack:
        scenarios = [
            stack.enter_context(TransactionScenario(cluster.brokers[STAYS], "short", "t")) for cluster in clusters
        ]
        states = [prepare(each) for each in scenarios]
        for cluster in clusters:
            cluster.stop(STOPS)
            await_isr(cluster, {STAYS})
        for scenario, state in zip(scenarios, states, strict=True):
            use_below_min_isr(scenario, *state)
        clusters[0].wirebroker(STOPS)
        clusters[1].kafka(STOPS)
        for cluster in clusters:
            await_isr(cluster, {STAYS, STOPS})
        for scenario, state in zip(scenarios, states, strict=True):
            use_again(scenario, *state)
    ours, theirs = (each.recorded for each in scenarios)
    assert not differences(ours, theirs, KAFKA)


def prepare(scenario: TransactionScenario) -> tuple[str, int, Producer, Producer]:
    """A stable group of one member, groups with an offset only, an open transaction, and an idle producer."""

    def is_coordinator() -> bool:
        return bool(scenario.ask_unrecorded("t", DescribeGroupsRequest(["short"]), 5).groups[0].error_code == 0)

    wait_until(is_coordinator)
    (member,), generation = scenario.stable(5, "member")
    scenario.commit("member", 7, 5, member, generation)
    for group in ("simple", "to delete", "offset to delete"):
        scenario.commit("simple", 7, 6, group=group)
    open_one, idle = scenario.producer(), scenario.producer("idle")
    scenario.add(2, open_one)
    return member, generation, open_one, idle


def use_below_min_isr(
    scenario: TransactionScenario, member: str, generation: int, open_one: Producer, idle: Producer
) -> None:
    """Ask for everything that a coordinator does; between, ask whether the group is as it was."""

    def check_group() -> None:
        scenario.heartbeat("member", 4, member, generation)
        scenario.committed("member", 7)

    check_group()
    scenario.commit("member", 7, 8, member, generation)
    check_group()
    scenario.commit("simple", 7, 8, group="simple")
    check_group()
    scenario.init(4, idle.name)
    scenario.init(4, "new")
    scenario.add(2, open_one)  # is in the transaction: no record
    scenario.add(2, idle)
    scenario.add(2, idle.with_epoch(-1))
    scenario.add_offsets(2, open_one)
    scenario.end(2, open_one)
    scenario.describe(open_one.name, idle.name)
    scenario.offsets(3, open_one)
    check_group()
    new = scenario.join("other", 5, group="other").member_id
    joined = scenario.join("other", 5, new, group="other")
    scenario.sync("other", 4, new, joined.generation_id, {new: b"all"}, group="other")
    scenario.heartbeat("other", 4, new, joined.generation_id, group="other")
    check_group()
    scenario.leave("other", 4, (new, None), group="other")
    scenario.leave("member", 4, (member, None))
    scenario.committed("member", 7)
    scenario.ask("admin", DescribeGroupsRequest(["short", "other", "simple"]), 5)
    scenario.ask("admin", ListGroupsRequest(), 4)
    partition = OffsetDeleteRequestPartition(0)
    scenario.ask("admin", OffsetDeleteRequest("offset to delete", [OffsetDeleteRequestTopic("t", [partition])]), 0)
    scenario.committed("member", 7, group="offset to delete")
    scenario.ask("admin", DeleteGroupsRequest(["to delete"]), 2)
    scenario.committed("member", 7, group="to delete")


def use_again(scenario: TransactionScenario, member: str, generation: int, open_one: Producer, idle: Producer) -> None:
    """Go on with the same transactions and groups when both replicas are in sync."""
    scenario.end(2, open_one)
    scenario.add(2, idle)
    scenario.end(2, idle)
    scenario.stable(5, "member again")
    for group in ("short", "simple", "other"):
        scenario.committed("member", 7, group=group)
