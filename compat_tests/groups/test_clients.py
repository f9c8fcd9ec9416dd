"""Published clients in groups: they share partitions, commit, leave, and continue at their offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.conftest import unique_name, wait_until
from compat_tests.group_clients import MEMBERS, MemberPool
from compat_tests.java_clients import JavaClients, Sent
from compat_tests.limits import WITHIN_S, flush
from compat_tests.python_clients import CLIENTS, Record
from compat_tests.spark_help import create_topic
from compat_tests.versions import KAFKA
from tools.jvm import resolve
from tools.jvm.bridge import jvm

if TYPE_CHECKING:
    from collections.abc import Iterator
pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")]

PARTITIONS = 4
ASSIGNORS = "org.apache.kafka.clients.consumer."
STRATEGIES = ["RangeAssignor", "RoundRobinAssignor", "StickyAssignor", "CooperativeStickyAssignor"]
clients = pytest.mark.parametrize("name", MEMBERS)


@pytest.fixture
def filled(bootstrap: str, topic: str) -> str:
    """A topic of four partitions with ten records each."""
    fill(bootstrap, topic)
    return topic


def fill(bootstrap: str, topic: str) -> None:
    from confluent_kafka import Producer

    create_topic(bootstrap, topic, PARTITIONS)
    producer = Producer({"bootstrap.servers": bootstrap})
    for number in range(40):
        producer.produce(topic, b"%d" % number, partition=number % PARTITIONS)
    flush(producer)


@clients
def test_share_commit_leave_and_go_on(bootstrap: str, filled: str, name: str) -> None:
    group = unique_name("group")
    with MemberPool() as pool:
        first = pool.add(MEMBERS[name](bootstrap, group, filled))
        pool.poll_until(lambda: len(pool.read) == 40)
        assert first.owned() == {0, 1, 2, 3}
        first.commit()
        pool.add(MEMBERS[name](bootstrap, group, filled))
        pool.poll_until(lambda: pool.shares(PARTITIONS))
        CLIENTS["confluent-kafka"].produce(bootstrap, filled, [Record(None, b"more", 1_900_000_000_000)])
        pool.poll_until(lambda: len(pool.read) > 40)
        for member in pool.members:
            if 0 in member.owned():
                member.commit()
        pool.leave(first)
        pool.poll_until(lambda: pool.shares(PARTITIONS))
    assert sorted(pool.read)[10] == (0, 10, b"more")
    assert len(pool.read) == 41  # nothing twice

    with MemberPool() as later:
        last = later.add(MEMBERS[name](bootstrap, group, filled))
        later.poll_until(lambda: last.owned() == {0, 1, 2, 3})
        CLIENTS["confluent-kafka"].produce(bootstrap, filled, [Record(None, b"last", 1_900_000_000_000)])
        later.poll_until(lambda: bool(later.read))
        assert later.read == [(0, 11, b"last")]


@pytest.mark.parametrize("name", ["confluent-kafka", "confluent-kafka cooperative"])
def test_a_static_member_returns_within_its_session(
    bootstrap: str, filled: str, name: str, request: pytest.FixtureRequest
) -> None:
    from confluent_kafka.admin import AdminClient

    group = unique_name("static")
    with MemberPool() as pool:
        one = pool.add(MEMBERS[name](bootstrap, group, filled, "one"))
        pool.add(MEMBERS[name](bootstrap, group, filled, "two"))
        pool.poll_until(lambda: pool.shares(PARTITIONS) and len(pool.read) >= 40)
        before = one.owned()
        admin = AdminClient({"bootstrap.servers": bootstrap})
        ids = _member_ids(admin, group)
        pool.leave(one)  # a static member sends no LeaveGroup
        again = pool.add(MEMBERS[name](bootstrap, group, filled, "one"))
        pool.poll_until(lambda: pool.shares(PARTITIONS))
        assert again.owned() == before
        after = _member_ids(admin, group)
        assert after["two"] == ids["two"]
        assert after["one"] != ids["one"]


def _member_ids(admin: Any, group: str) -> dict[str, str]:
    described = admin.describe_consumer_groups([group])[group].result(timeout=WITHIN_S)
    return {each.group_instance_id: each.member_id for each in described.members}


def test_all_clients_in_one_group(bootstrap: str, topic: str) -> None:
    """Three implementations of the range assignor agree, whichever client is the leader."""
    fill(bootstrap, topic)
    group = unique_name("mixed")
    with MemberPool() as pool:
        for name in ("confluent-kafka", "kafka-python"):
            pool.add(MEMBERS[name](bootstrap, group, topic))
        pool.poll_until(lambda: pool.shares(PARTITIONS))
        pool.poll_until(lambda: len({value for _, _, value in pool.read}) == 40)


@pytest.fixture(scope="module")
def java(bootstrap: str) -> Iterator[JavaClients]:
    jars = resolve([f"org.apache.kafka:kafka-clients:{KAFKA}", "org.slf4j:slf4j-nop:1.7.36"])
    with jvm(jars) as root:
        yield JavaClients(root, bootstrap)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_java_consumers_share_and_go_on(java: JavaClients, strategy: str) -> None:
    name, group = unique_name("java-group"), unique_name("java")
    settings: dict[str, Any] = {
        "group_id": group,
        "partition_assignment_strategy": ASSIGNORS + strategy,
        "session_timeout_ms": "30000",
        "heartbeat_interval_ms": "300",
    }
    with java.admin() as admin:
        java.create_topic(admin, name, PARTITIONS)
    with java.producer() as producer:
        java.send(producer, name, [Sent(b"%d" % i, partition=i % PARTITIONS) for i in range(40)])
    with java.consumer(**settings) as first:
        first.subscribe([name])
        assert len(java.receive(first, 40)) == 40
        first.commitSync()
        with java.consumer(**settings) as second:
            second.subscribe([name])
            owners = (first, second)

            def shared() -> bool:
                for each in owners:
                    assert java.receive(each, 1, 0.1) == []
                owned = [_owned(each) for each in owners]
                return all(owned) and sorted(owned[0] + owned[1]) == list(range(PARTITIONS))

            wait_until(shared)
            assert {len(_owned(each)) for each in owners} == {2}

        def alone() -> bool:
            assert java.receive(first, 1, 0.2) == []
            return _owned(first) == list(range(PARTITIONS))

        wait_until(alone)
        with java.producer() as producer:
            java.send(producer, name, [Sent(b"more", partition=3)])
        assert [each.sent.value for each in java.receive(first, 1)] == [b"more"]


def _owned(consumer: Any) -> list[int]:
    return sorted(each.partition() for each in consumer.assignment().toArray())


def test_java_static_member_is_fenced_by_its_double(java: JavaClients) -> None:
    from py4j.protocol import Py4JJavaError

    name = unique_name("fenced")
    settings: dict[str, Any] = {"group_id": unique_name("java"), "group_instance_id": "i"}
    with java.admin() as admin:
        java.create_topic(admin, name, PARTITIONS)
    with java.consumer(heartbeat_interval_ms="200", **settings) as first:
        first.subscribe([name])
        wait_until(lambda: java.receive(first, 1, 0.2) == [] and len(_owned(first)) == PARTITIONS)
        with java.consumer(**settings) as double:
            double.subscribe([name])
            wait_until(lambda: java.receive(double, 1, 0.2) == [] and len(_owned(double)) == PARTITIONS)
            with pytest.raises(Py4JJavaError, match="FencedInstanceIdException"):
                java.receive(first, 1, 60)
