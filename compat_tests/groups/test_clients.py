"""Published clients in groups on wirebroker: they share partitions, commit, leave, and go on where they were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.conftest import unique_name, wait_until
from compat_tests.group_clients import MEMBERS, Crew
from compat_tests.java_clients import JavaClients, Sent
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
    assert producer.flush(20) == 0


@clients
def test_share_commit_leave_and_go_on(bootstrap: str, filled: str, name: str) -> None:
    group = unique_name("group")
    with Crew() as crew:
        first = crew.add(MEMBERS[name](bootstrap, group, filled))
        crew.poll_until(lambda: len(crew.read) == 40)
        assert first.owned() == {0, 1, 2, 3}
        first.commit()
        crew.add(MEMBERS[name](bootstrap, group, filled))
        crew.poll_until(lambda: crew.shares(PARTITIONS))
        CLIENTS["confluent-kafka"].produce(bootstrap, filled, [Record(None, b"more", 1_900_000_000_000)])
        crew.poll_until(lambda: len(crew.read) > 40)
        for member in crew.members:
            if 0 in member.owned():
                member.commit()
        crew.leave(first)
        crew.poll_until(lambda: crew.shares(PARTITIONS))
    assert sorted(crew.read)[10] == (0, 10, b"more")
    assert len(crew.read) == 41  # nothing twice

    with Crew() as later:
        last = later.add(MEMBERS[name](bootstrap, group, filled))
        later.poll_until(lambda: last.owned() == {0, 1, 2, 3})
        CLIENTS["confluent-kafka"].produce(bootstrap, filled, [Record(None, b"last", 1_900_000_000_000)])
        later.poll_until(lambda: bool(later.read))
        assert later.read == [(0, 11, b"last")]


@pytest.mark.parametrize("name", ["confluent-kafka", "confluent-kafka cooperative"])
def test_a_static_member_is_back_before_anybody_notices(
    bootstrap: str, filled: str, name: str, request: pytest.FixtureRequest
) -> None:
    from confluent_kafka.admin import AdminClient

    group = unique_name("static")
    with Crew() as crew:
        one = crew.add(MEMBERS[name](bootstrap, group, filled, "one"))
        crew.add(MEMBERS[name](bootstrap, group, filled, "two"))
        crew.poll_until(lambda: crew.shares(PARTITIONS) and len(crew.read) >= 40)
        before = one.owned()
        admin = AdminClient({"bootstrap.servers": bootstrap})
        ids = _member_ids(admin, group)
        crew.leave(one)  # a static member does not say that it leaves
        again = crew.add(MEMBERS[name](bootstrap, group, filled, "one"))
        crew.poll_until(lambda: crew.shares(PARTITIONS))
        assert again.owned() == before
        after = _member_ids(admin, group)
        assert after["two"] == ids["two"]
        assert after["one"] != ids["one"]


def _member_ids(admin: Any, group: str) -> dict[str, str]:
    described = admin.describe_consumer_groups([group])[group].result(timeout=20)
    return {each.group_instance_id: each.member_id for each in described.members}


def test_all_clients_in_one_group(bootstrap: str, topic: str) -> None:
    """Three implementations of the range assignor agree, whoever leads."""
    fill(bootstrap, topic)
    group = unique_name("mixed")
    with Crew() as crew:
        for name in ("confluent-kafka", "kafka-python"):
            crew.add(MEMBERS[name](bootstrap, group, topic))
        crew.poll_until(lambda: crew.shares(PARTITIONS))
        crew.poll_until(lambda: len({value for _, _, value in crew.read}) == 40)


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
        "session_timeout_ms": "6000",
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

            wait_until(shared, 20)
            assert {len(_owned(each)) for each in owners} == {2}

        def alone() -> bool:
            assert java.receive(first, 1, 0.2) == []
            return _owned(first) == list(range(PARTITIONS))

        wait_until(alone, 20)
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
        wait_until(lambda: java.receive(first, 1, 0.2) == [] and len(_owned(first)) == PARTITIONS, 20)
        with java.consumer(**settings) as double:
            double.subscribe([name])
            wait_until(lambda: java.receive(double, 1, 0.2) == [] and len(_owned(double)) == PARTITIONS, 20)
            with pytest.raises(Py4JJavaError, match="FencedInstanceIdException"):
                java.receive(first, 1, 10)
