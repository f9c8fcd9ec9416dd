"""Replicas are assigned as by AdminUtils of Apache Kafka, in clusters with and without racks."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from compat_tests.versions import KAFKA
from tools.jvm.bridge import jvm
from wirebroker.controller.assignment import assign

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.jvm.kafka import KafkaDist

CLUSTERS = 150


def random_racks(chance: random.Random) -> dict[int, str | None]:
    """Ids of 1 to 9 brokers, with racks or without."""
    ids = chance.sample(range(20), chance.randint(1, 9))
    names = "abcd"[: chance.randint(1, 4)]
    return {each: chance.choice(names) for each in ids} if chance.random() < 0.7 else dict.fromkeys(ids)


def assigned_by_kafka(
    java: Any, racks: dict[int, str | None], partitions: int, replicas: int, start: int, first: int
) -> list[tuple[int, ...]]:
    """The assignment of AdminUtils; *start* is where it begins, and the distance of second replicas."""
    brokers = java.java.util.ArrayList()
    for broker_id in sorted(racks):
        brokers.add(
            java.org.apache.kafka.admin.BrokerMetadata(broker_id, java.java.util.Optional.ofNullable(racks[broker_id]))
        )
    found = java.org.apache.kafka.admin.AdminUtils.assignReplicasToBrokers(brokers, partitions, replicas, start, first)
    return [tuple(found[number]) for number in sorted(found)]


def test_assignments_are_equal(kafka_dist: Callable[[str], KafkaDist]) -> None:
    chance = random.Random(36)
    with jvm(kafka_dist(KAFKA).jars) as java:
        for _ in range(CLUSTERS):
            racks = random_racks(chance)
            replicas, partitions = chance.randint(1, len(racks)), chance.randint(1, 30)
            start, first = chance.randrange(len(racks)), chance.choice((0, 0, 1, chance.randint(2, 20)))
            ours = assign(racks, partitions, replicas, start=start, shift=start, first_partition=first)
            theirs = assigned_by_kafka(java, racks, partitions, replicas, start, first)
            assert ours == theirs, (racks, partitions, replicas, start, first)
