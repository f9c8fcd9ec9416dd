"""Tools that create, list, describe, alter and delete topics, also while a broker is down."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.compared_tools import BROKERS
from compat_tests.cluster.tool_matrix.scenario import create, skip_way
from compat_tests.conftest import wait_until

if TYPE_CHECKING:
    from compat_tests.cluster.compared_tools import ComparedTools
    from compat_tests.cluster.mixed_cluster import MixedCluster

pytestmark = pytest.mark.nightly


def test_topics_are_created_altered_and_deleted(tools: ComparedTools, zookeeper: bool) -> None:
    skip_way(tools, zookeeper, "2.2")
    topics = partial(tools.compare, "kafka-topics", zookeeper=zookeeper)
    one, two = f"first.{int(zookeeper)}", f"second_{int(zookeeper)}"
    topics("--create", "--topic", one, "--replica-assignment", "0:1,1:2", "--config", "retention.ms=3600000")
    tools.await_states(one, {0: (0, {0, 1}), 1: (1, {1, 2})})
    topics("--create", "--topic", one, "--partitions", "1", "--replication-factor", "1")
    topics("--create", "--topic", one, "--partitions", "1", "--replication-factor", "1", "--if-not-exists")
    topics("--create", "--topic", two, "--partitions", "3", "--replication-factor", "3", "--disable-rack-aware")
    topics("--create", "--topic", "too-many", "--partitions", "1", "--replication-factor", "4")
    topics("--create", "--topic", "none", "--partitions", "0", "--replication-factor", "1")
    topics("--create", "--topic", "a b", "--partitions", "1", "--replication-factor", "1")
    topics("--create", "--topic", "x" * 250, "--partitions", "1", "--replication-factor", "1")
    topics("--create", "--topic", one.replace(".", "_"), "--partitions", "1", "--replication-factor", "1")
    topics("--create", "--topic", "wrong", "--partitions", "1", "--replication-factor", "1", "--config", "no.such=1")
    topics(
        "--create", "--topic", "wrong", "--partitions", "1", "--replication-factor", "1", "--config", "retention.ms=x"
    )
    topics("--create", "--topic", "wrong", "--replica-assignment", "0:0")
    if not zookeeper:  # where the tool writes it, and the topic can never be deleted
        topics("--create", "--topic", "wrong", "--replica-assignment", "0:7")
    topics("--create", "--topic", "wrong", "--replica-assignment", "0:1,1")
    topics("--list", settles=True)
    topics("--list", "--topic", "first.*", settles=True)
    topics("--list", "--exclude-internal", settles=True)
    topics("--describe", "--topic", one, settles=True)
    topics("--describe", "--topics-with-overrides", settles=True)
    topics("--describe", "--topic", "absent")
    topics("--alter", "--topic", one, "--partitions", "3", "--replica-assignment", "0:1,1:2,2:0")
    tools.await_states(one, {0: (0, {0, 1}), 1: (1, {1, 2}), 2: (2, {2, 0})})
    topics("--alter", "--topic", one, "--partitions", "3")
    topics("--alter", "--topic", one, "--partitions", "2")
    topics("--alter", "--topic", "absent", "--partitions", "2")
    topics("--alter", "--topic", one, "--partitions", "4", "--replica-assignment", "0:1,1:2,2:0,0:1:2")
    topics("--alter", "--topic", one, "--partitions", "4", "--replica-assignment", "0:1,1:2,2:0,9:8")
    if zookeeper:
        topics("--alter", "--topic", one, "--config", "segment.bytes=123456")
        topics("--alter", "--topic", one, "--delete-config", "retention.ms")
    topics("--describe", "--topic", one, settles=True)
    topics("--delete", "--topic", "absent")
    topics("--delete", "--topic", "absent", "--if-exists")
    for each in (one, two):
        topics("--delete", "--topic", each)
    topics("--list", settles=True)


def test_filters_while_a_broker_is_down(tools: ComparedTools) -> None:
    """Partitions without a leader, under-replicated ones, and ones at and under min.insync.replicas."""
    create(tools, "filtered", {0: (0, 1), 1: (1, 2), 2: (2, 0)}, {"min.insync.replicas": "2"})
    create(tools, "alone", {0: (2,), 1: (0,)})
    create(tools, "wide", {0: (2, 1, 0)}, {"min.insync.replicas": "2"})
    tools.on_both(lambda cluster: cluster.stop(2))
    try:
        tools.await_states("filtered", {0: (0, {0, 1}), 1: (1, {1}), 2: (0, {0})})
        tools.on_both(await_no_leader)
        tools.await_states("wide", {0: (1, {0, 1})})
        compare_filters(tools)
        if tools.dist.version >= "2.4":
            elect = partial(tools.compare, "kafka-leader-election", "--topic", "alone", "--partition", "0")
            elect("--election-type", "preferred")
            elect("--election-type", "unclean")
        tools.compare("kafka-broker-api-versions", ordered=False, only=about_brokers)
        tools.compare("kafka-log-dirs", "--describe", "--topic-list", "filtered", "--broker-list", "0,1")
        tools.compare("kafka-log-dirs", "--describe", "--topic-list", "filtered", "--broker-list", "2")
    finally:
        tools.start(2)
    tools.on_both(lambda cluster: cluster.await_brokers(*BROKERS, timeout_s=180))
    tools.on_both(lambda cluster: wait_until(lambda: cluster.states("filtered", 0)[2][1] == {0, 2}, 180))
    tools.await_states("alone", {0: (2, {2}), 1: (0, {0})})


def await_no_leader(cluster: MixedCluster) -> None:
    """Wait until partition 0 of the topic has no leader; its ISR is not in the Metadata of brokers of 2.0."""

    def seen() -> bool:
        states = [cluster.states("alone", each) for each in cluster.live_brokers()]
        return all(each.get(0, (0,))[0] == -1 and each[1] == (0, {0}) for each in states)

    wait_until(seen, 180)


def compare_filters(tools: ComparedTools) -> None:
    """Describe the topics by each filter, and each way to the cluster that the release has."""
    for zookeeper in (True, False):
        if tools.dist.version >= "3" if zookeeper else tools.dist.version < "2.2":
            continue
        topics = partial(
            tools.compare,
            "kafka-topics",
            "--describe",
            zookeeper=zookeeper,
            ordered=False,
            settles=True,
            only=without_assignments_of_chance,
        )
        names = ["--exclude-internal"] if tools.dist.version >= "2.2" else []
        for name in ("filtered", "alone", "wide"):
            topics("--topic", name)
        topics("--under-replicated-partitions", *names)
        topics("--unavailable-partitions", *names)
        if not zookeeper:
            topics("--under-min-isr-partitions", *names)
            topics("--at-min-isr-partitions", *names)


def without_assignments_of_chance(printed: str) -> str:
    """The lines about topics whose replicas the tests have assigned.

    Chance assigns those of internal topics, which tools before 2.2 cannot exclude, and of "nobody", which a tool of
    another test asks for in a way that creates it.
    """
    return "\n".join(line for line in printed.splitlines() if not re.search(r"Topic: ?(__\w+|nobody)\b", line))


def about_brokers(printed: str) -> str:
    """The lines of kafka-broker-api-versions about brokers."""
    return "\n".join(line for line in printed.splitlines() if "id: " in line or "exit code" in line)
