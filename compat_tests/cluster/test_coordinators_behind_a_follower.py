"""Coordinators whose records are not replicated, as a follower in the ISR hangs, beside Apache Kafka 3.9.1."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.limits import join
from compat_tests.transactions.scenario import Producer, RecordedAnswer, TransactionScenario, differences
from compat_tests.versions import KAFKA
from compat_tests.wire import CLIENT_ID
from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.list_groups import ListGroupsRequest
from wirebroker.protocol.messages.list_transactions import ListTransactionsRequest
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist
    from wirebroker.protocol.message import Message

LEADER, FOLLOWER = 0, 1
INTERNAL: Final = ("__consumer_offsets", "__transaction_state")
ONE_PARTITION: Final = {
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "replica.lag.time.max.ms": "900000",
    "zookeeper.session.timeout.ms": "600000",
}
"""Every group and transactional id depends on the records of the others."""
TIMEOUT_MS: Final = 5000
"""The timeout of a commit, and of the transactions that wait."""
AT_ONCE_S: Final = 4.0


@pytest.fixture
def clusters(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> Iterator[list[MixedCluster]]:
    """Two wirebrokers, and two of Apache Kafka, of which one leads the internal topics, and the topic t."""
    dist = kafka_dist(KAFKA)
    clusters = [MixedCluster(tmp_path / name, dist) for name in ("ours", "theirs")]
    for cluster in clusters:
        cluster.zookeeper.settings["maxSessionTimeout"] = "900000"
    with clusters[0] as ours, clusters[1] as theirs:
        for broker_id in (LEADER, FOLLOWER):
            ours.wirebroker(broker_id, ONE_PARTITION)
            theirs.kafka(broker_id, settings=ONE_PARTITION)
        for cluster in (ours, theirs):
            cluster.await_brokers(LEADER, FOLLOWER)
            cluster.create_topic("t", {0: (LEADER,)})
            for topic in INTERNAL:
                cluster.create_topic(topic, {0: (LEADER, FOLLOWER)}, {"cleanup.policy": "compact"})
                cluster.await_states(topic, {0: (LEADER, {LEADER, FOLLOWER})})
        yield [ours, theirs]


class TimedScenario(TransactionScenario):
    """Also records whether a request was answered before it could time out."""

    def ask(self, client: str, request: Message, version: int, client_id: str | None = CLIENT_ID) -> Any:
        began = time.monotonic()
        answer = super().ask(client, request, version, client_id)
        took = time.monotonic() - began
        last = self.recorded[-1]
        self.recorded[-1] = last._replace(value=(last.value, took < AT_ONCE_S))
        return answer


def test_only_requests_with_records_wait(clusters: list[MixedCluster]) -> None:
    recorded: dict[int, list[RecordedAnswer]] = {}

    def run(number: int) -> None:
        leader, follower = (clusters[number].brokers[each] for each in (LEADER, FOLLOWER))
        with TimedScenario(leader, "short", "t") as scenario:
            state = prepare(scenario)
            os.kill(follower.pid, signal.SIGSTOP)
            try:
                time.sleep(0.7)  # the follower's last fetch has been answered
                use(scenario, *state)
            finally:
                os.kill(follower.pid, signal.SIGCONT)
            recorded[number] = scenario.recorded

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(2)]
    for thread in threads:
        thread.start()
    join(*threads, timeout_s=300)
    assert not differences(recorded[0], recorded[1], KAFKA)


def prepare(scenario: TransactionScenario) -> tuple[str, int, Producer, Producer]:
    """A stable group of one member, groups with an offset only, an open transaction, and an idle producer."""

    def is_coordinator() -> bool:
        return bool(scenario.ask_unrecorded("t", DescribeGroupsRequest(["short"]), 5).groups[0].error_code == 0)

    wait_until(is_coordinator)
    (member,), generation = scenario.stable(5, "member")
    scenario.commit("member", 7, 5, member, generation)
    for group in ("simple", "to delete", "offset to delete"):
        scenario.commit("simple", 7, 6, group=group)
    open_one, idle = scenario.producer(), scenario.producer("idle", timeout_ms=TIMEOUT_MS)
    scenario.add(2, open_one)
    scenario.add_offsets(2, open_one, "simple")
    return member, generation, open_one, idle


def use(scenario: TransactionScenario, member: str, generation: int, open_one: Producer, idle: Producer) -> None:
    """Ask for what coordinators do, when an earlier commit and then a transactional id are not replicated."""

    def offset_delete(group: str, partition: int) -> None:
        wanted = [OffsetDeleteRequestTopic("t", [OffsetDeleteRequestPartition(partition)])]
        scenario.ask("admin", OffsetDeleteRequest(group, wanted), 0)

    scenario.commit("simple", 7, 8, group="simple")
    scenario.commit("member", 7, 8, member, generation)
    scenario.commit("simple", 7, 8, metadata="x" * 5000, group="simple")
    scenario.commit("member", 7, 8, member, generation + 1)
    scenario.commit("member", 7, 8, "unknown", generation)
    scenario.offsets(3, open_one, group="simple")
    scenario.committed("simple", 7, group="simple")
    scenario.heartbeat("member", 4, member, generation)
    scenario.sync("member", 5, member, generation)
    scenario.sync("member", 5, "unknown", generation)
    scenario.ask("admin", DescribeGroupsRequest(["short", "simple", "nowhere"]), 5)
    scenario.ask("admin", ListGroupsRequest(), 4)
    scenario.ask("admin", DeleteGroupsRequest(["nowhere"]), 2)
    scenario.ask("admin", DeleteGroupsRequest(["short"]), 2)
    offset_delete("nowhere", 0)
    offset_delete("short", 0)
    offset_delete("offset to delete", 1)
    offset_delete("offset to delete", 0)
    for _ in range(2):
        scenario.ask("admin", DeleteGroupsRequest(["to delete"]), 2)
    scenario.join("other", 5, "unknown")
    scenario.join("other", 5, kind="connect")
    new = scenario.join("other", 5, group="other").member_id
    joined = scenario.join("other", 5, new, group="other")
    scenario.sync("other", 5, new, joined.generation_id, {new: b"all"}, group="other")
    scenario.heartbeat("other", 4, new, joined.generation_id, group="other")
    again = scenario.join("other", 5, new, group="other")
    scenario.heartbeat("other", 4, new, again.generation_id, group="other")
    scenario.leave("other", 4, ("unknown", None), group="other")
    scenario.leave("other", 4, (new, None), group="other")
    scenario.leave("member", 4, (member, None))
    scenario.leave("member", 4, (member, None))
    scenario.ask("admin", DescribeGroupsRequest(["short", "other", "simple"]), 5)

    scenario.add(2, idle)
    scenario.describe(idle.name, open_one.name, "nowhere")
    scenario.ask("admin", ListTransactionsRequest(), 0)
    scenario.add(2, open_one)
    scenario.add(2, open_one.with_epoch(-1))
    scenario.add(2, open_one.with_id(1))
    scenario.add_many(4, (open_one, True))
    scenario.init(4, None, TIMEOUT_MS)
    scenario.init(4, scenario.name("new"), TIMEOUT_MS)
    scenario.describe(open_one.name)
