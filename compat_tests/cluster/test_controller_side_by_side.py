"""The same story told to a controller of Apache Kafka and to a wirebroker: equal requests to brokers, equal znodes.

Brokers 1 to 3 are registrations and sockets of the test, which record the requests of the controller, broker 100, and
answer them without an error.  Compared is, after each step of the story, what each broker was told of each partition,
with the kinds and versions of requests, and all znodes that a controller writes (`compared_znodes.py`); at the end,
what was written to each of them meanwhile, in its order.  Ids, epochs of brokers and times are left out.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, Self

import pytest
from kazoo.client import KazooClient

from compat_tests.cluster.compared_znodes import written_znodes, znode_tree
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.recording_broker import RecordingBroker
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA
from compat_tests.wire import Wire
from wirebroker.protocol.messages.alter_configs import AlterableConfig, AlterConfigsRequest, AlterConfigsResource
from wirebroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from wirebroker.protocol.messages.controlled_shutdown import ControlledShutdownRequest
from wirebroker.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from wirebroker.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist
    from wirebroker.protocol.message import Message

CONTROLLER: Final = 100
QUIET_S: Final = 1.5
"""A step is over when a controller has no event left and no request came for so long."""
STEP_S: Final = 60
KNOWN_TOPICS: Final = ("t",)
"""The topics whose ids the test has chosen."""
_TOPIC: Final = 2
"""The type of resource."""
WRITTEN_BY_THE_STORY: Final = ("/isr_change_notification/", "/log_dir_event_notification/")
IN_ANY_ORDER: Final = "all that was written to /brokers/topics/t"
"""Apache Kafka begins with the partitions of one reassignment in the order of a hash table."""
NOT_TOLD_BY_2_0: Final = "a broker is to shut down: broker 1 is told LeaderAndIsrRequest v1"
"""Kafka 2.0 stops the leaders of a broker that shuts down without telling it who leads now."""


class Story:
    """One controller, and what it says in each step."""

    def __init__(self, cluster: MixedCluster, kind: str) -> None:
        self._cluster, self._kind, self._stack = cluster, kind, ExitStack()
        self.steps: list[tuple[str, object]] = []
        self._requests = 0

    def __enter__(self) -> Self:
        self.zookeeper = KazooClient(self._cluster.zookeeper.connect)
        self.zookeeper.start()
        self._stack.callback(self.zookeeper.close)
        self._stack.callback(self.zookeeper.stop)
        self.brokers = {broker_id: RecordingBroker(broker_id) for broker_id in (1, 2, 3)}
        for broker in self.brokers.values():
            self._stack.callback(broker.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self) -> None:
        """Start the controller, with all brokers registered."""
        for broker_id in self.brokers:
            self.register(broker_id)
        settings = {"auto.leader.rebalance.enable": "false", "offsets.topic.replication.factor": "1"}
        start = self._cluster.kafka if self._kind == "kafka" else self._cluster.wirebroker
        start(CONTROLLER, settings=settings)
        self.end_step("the controller starts")

    def tell_of_failures(self) -> None:
        """A topic is created, grows, loses brokers, and is deleted."""
        self.assign({0: [1, 2, 3], 1: [2, 3, 1], 2: [3, 1]})
        self.end_step("a topic is created")
        self.zookeeper.delete("/brokers/ids/2")
        self.end_step("a broker fails")
        self.register(2)
        self.end_step("the broker comes back")
        self.assign({0: [1, 2, 3], 1: [2, 3, 1], 2: [3, 1], 3: [2, 1]})
        self.end_step("a partition is added")
        self.change_isrs({0: [1]})
        self.end_step("an ISR is changed")
        self.zookeeper.delete("/brokers/ids/1")
        self.end_step("the only broker in sync fails")
        self.register(1)
        self.end_step("it comes back")
        self.zookeeper.create("/admin/delete_topics/t")
        self.end_step("the topic is deleted")

    def tell_of_maintenance(self) -> None:
        """Leaders and replicas of a topic move, as operators and broken disks want it."""
        self.assign({0: [1, 2, 3], 1: [2, 3, 1], 2: [3, 1]})
        self.end_step("a topic is created again")
        left = self.shut_down(1)
        self.steps.append(("left to a broker that shuts down", left))
        self.end_step("a broker is to shut down")
        self.zookeeper.delete("/brokers/ids/1")
        self.end_step("it has shut down")
        self.register(1)
        self.end_step("it is started again")
        self.change_isrs({0: [2, 3, 1], 1: [2, 3, 1], 2: [3, 1]})
        self.end_step("it is in sync again")
        self.ask("/admin/preferred_replica_election", [{"topic": "t", "partition": 0}])
        self.end_step("the preferred leader is elected")
        if self._cluster.protocol >= "2.2":  # before, the znode of a broker that is away shortly is not missed
            bounce = self.zookeeper.transaction()
            bounce.delete("/brokers/ids/2")
            bounce.create("/brokers/ids/2", self.brokers[2].registration(), ephemeral=True)
            bounce.commit()
            self.end_step("a broker is bounced")
            self.change_isrs({0: [1, 3, 2], 1: [3, 1, 2]})
            self.end_step("the bounced broker is in sync again")
        leader = self.state(1)["leader"]
        self.brokers[leader].offline.add(("t", 1))
        failure = {"version": 1, "broker": leader, "event": 1}
        path = "/log_dir_event_notification/log_dir_event_"
        self.zookeeper.create(path, json.dumps(failure).encode(), sequence=True)
        self.end_step("a log directory fails")
        self.brokers[leader].offline.clear()
        if self._cluster.protocol >= "2.4":  # which has other steps than the protocols before
            self.tell_of_a_reassignment({0: [1, 2], 2: [1, 2]})
        unclean = {"version": 1, "config": {"unclean.leader.election.enable": "true"}}
        self.zookeeper.create("/config/topics/t", json.dumps(unclean).encode(), makepath=True)
        self.change_isrs({0: [1]})
        self.end_step("an ISR has one broker")
        self.zookeeper.delete("/brokers/ids/1")
        self.end_step("the only broker in sync fails, and another one may lead")

    def tell_of_requests(self) -> None:
        """A topic is created, configured, grown, moved and deleted by requests to the controller."""
        self.register(1)
        self.end_step("all brokers run")
        assignments = [CreatableReplicaAssignment(0, [1, 2]), CreatableReplicaAssignment(1, [2, 3])]
        configs = [
            CreatableTopicConfig("retention.ms", "60000"),
            CreatableTopicConfig("cleanup.policy", "compact,delete"),
        ]
        topic = CreatableTopic("u", -1, -1, assignments=assignments, configs=configs)
        self.request(CreateTopicsRequest([topic], 10_000), 2)
        self.end_step("a topic is created by a request")
        resource = AlterConfigsResource(_TOPIC, "u", [AlterableConfig("retention.ms", "70000")])
        self.request(AlterConfigsRequest([resource]), 0)
        self.steps.append(("settings of a topic are altered: znodes", self.znodes()))
        grown = CreatePartitionsTopic("u", 3, [CreatePartitionsAssignment([3, 1])])
        self.request(CreatePartitionsRequest([grown], 10_000), 0)
        self.end_step("it grows by a request")
        if self._cluster.protocol >= "2.4":
            for replicas, step in (([3, 1], "it is to move by a request"), (None, "the move is cancelled")):
                moved = [ReassignableTopic("u", [ReassignablePartition(0, replicas)])]
                self.request(AlterPartitionReassignmentsRequest(10_000, topics=moved), 0)
                self.end_step(step)
        self.request(DeleteTopicsRequest(topic_names=["u"], timeout_ms=10_000), 1)
        self.end_step("it is deleted by a request")

    def request(self, request: Message, version: int) -> None:
        """Send a request to the controller, and note the response."""
        with Wire("127.0.0.1", self._cluster.brokers[CONTROLLER].port) as wire:
            response = wire.ask(request, version)
        errors = [each for each in re.findall(r"error_code=(?:<\S+ )?(-?\d+)", repr(response)) if each != "0"]
        self._requests += 1
        self.steps.append((f"errors of request {self._requests}, {type(request).__name__}", errors))

    def tell_of_a_reassignment(self, targets: dict[int, list[int]]) -> None:
        """One replica is removed while another one is not in sync, and one moves to another broker."""
        self.change_isrs({0: [1, 3]})
        self.end_step("a replica falls behind")
        partitions = [{"topic": "t", "partition": each, "replicas": target} for each, target in targets.items()]
        self.ask("/admin/reassign_partitions", partitions)
        self.end_step("a reassignment is asked for")
        self.change_isrs({0: [1, 3, 2]})
        self.end_step("the replica has caught up")
        self.change_isrs({2: [3, 1, 2]})
        self.end_step("the new replica has caught up")

    def shut_down(self, broker_id: int) -> object:
        """Ask for the leaders of a broker to be moved; return the error and the partitions that it still leads."""
        _, stat = self.zookeeper.get(f"/brokers/ids/{broker_id}")
        version = 3 if self._cluster.protocol >= "2.4" else 1
        with Wire("127.0.0.1", self._cluster.brokers[CONTROLLER].port) as wire:
            response = wire.ask(ControlledShutdownRequest(broker_id, stat.czxid), version)
        return response.error_code, [(each.topic_name, each.partition_index) for each in response.remaining_partitions]

    def ask(self, path: str, partitions: list[dict[str, Any]]) -> None:
        """Write a znode upon which the controller begins."""
        self.zookeeper.create(path, json.dumps({"version": 1, "partitions": partitions}).encode())

    def state(self, partition: int) -> Any:
        return json.loads(self.zookeeper.get(f"/brokers/topics/t/partitions/{partition}/state")[0])

    def change_isrs(self, isrs: dict[int, list[int]]) -> None:
        """Change ISRs as leaders did before protocol 2.7, which controllers of all releases take notice of."""
        for partition, isr in isrs.items():
            path = f"/brokers/topics/t/partitions/{partition}/state"
            data = json.dumps(self.state(partition) | {"isr": isr}, separators=(",", ":")).encode()
            self.zookeeper.set(path, data)
        changed = {"version": 1, "partitions": [{"topic": "t", "partition": each} for each in isrs]}
        self.zookeeper.create("/isr_change_notification/isr_change_", json.dumps(changed).encode(), sequence=True)

    def register(self, broker_id: int) -> None:
        self.zookeeper.ensure_path("/brokers/ids")
        self.zookeeper.create(f"/brokers/ids/{broker_id}", self.brokers[broker_id].registration(), ephemeral=True)

    def assign(self, replicas: dict[int, list[int]]) -> None:
        content = json.dumps({"version": 1, "partitions": {str(each): replicas[each] for each in replicas}}).encode()
        if self.zookeeper.exists("/brokers/topics/t"):
            data = json.loads(self.zookeeper.get("/brokers/topics/t")[0])
            data["partitions"] = {str(each): replicas[each] for each in replicas}
            self.zookeeper.set("/brokers/topics/t", json.dumps(data).encode())
        else:
            fields = {"version": 1, "partitions": json.loads(content)["partitions"]}
            if self._cluster.protocol >= "2.8":
                fields |= {
                    "version": 3,
                    "topic_id": "AAECAwQFBgcICQoLDA0ODw",
                    "adding_replicas": {},
                    "removing_replicas": {},
                }
            self.zookeeper.create("/brokers/topics/t", json.dumps(fields).encode())

    def end_step(self, name: str) -> None:
        """Wait until the controller has said something and is silent; note what it has said and written."""
        brokers = self.brokers.values()
        wait_until(lambda: any(each.received for each in brokers), STEP_S)
        count = -1
        while count != (count := sum(len(each.received) for each in brokers)):
            self.await_events()
            wait_until(lambda: time.monotonic() - max(each.last_at for each in brokers) > QUIET_S, STEP_S)
        for broker_id, broker in self.brokers.items():
            for kind, told in sorted(broker.take().items()):
                self.steps.append((f"{name}: broker {broker_id} is told {kind}", _without_chosen_ids(told)))
        self.steps.append((f"{name}: znodes", self.znodes()))

    def await_events(self) -> None:
        """Wait until the controller has processed the events that are in its queue.

        The last one of them is a notification of no changed ISR, which it deletes.
        """
        path = "/isr_change_notification/isr_change_"
        made = self.zookeeper.create(path, b'{"version":1,"partitions":[]}', sequence=True)
        wait_until(lambda: self.zookeeper.exists(made) is None, STEP_S)

    def znodes(self) -> dict[str, tuple[bytes | None, int]]:
        """All znodes that a controller writes, with their versions."""
        return znode_tree(self.zookeeper, KNOWN_TOPICS)


def _without_chosen_ids(told: set[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """Mask the ids of topics that the controller has chosen, in what a broker was told."""
    return {
        (each[0], b"chosen" if any(each[1]) and each[0] not in KNOWN_TOPICS else each[1], *each[2:])
        if len(each) > 1 and isinstance(each[1], bytes)
        else each
        for each in told
    }


def _as_of_2_0(step: str, told: Any) -> Any:
    """Leave out what later releases have changed in the znodes, whichever protocol their brokers have.

    Kafka 2.0 creates /controller_epoch with its first epoch, and knows no fields but the partitions of a topic's znode.
    It takes those, and the replicas of a topic that is deleted, in the order of a hash table.
    """
    if step.endswith(": znodes"):
        return {
            path: (_assignment(content), version if path != "/controller_epoch" else 0)
            for path, (content, version) in told.items()
        }
    if step == "all that was written to /controller_epoch":
        return told[-1:]
    if step.startswith("all that was written to /brokers/topics/u/partitions/"):
        return told[:1], len(told)
    if step.startswith("all that was written to /brokers/topics/"):
        return [_assignment(each) for each in told]
    return told


def _assignment(content: bytes | None) -> object:
    """Return the partitions in the znode of a topic, any other content as it is."""
    fields = json.loads(content) if content is not None and content.startswith(b"{") else {}
    return fields["partitions"] if isinstance(fields.get("partitions"), dict) else content


@pytest.mark.parametrize("version", [OLDEST_KAFKA, OLD_KAFKA, KAFKA])
@pytest.mark.nightly
def test_both_kinds_of_controllers_say_and_write_the_same(
    version: str, kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    stories: dict[str, dict[str, object]] = {}
    for kind in ("kafka", "wirebroker"):
        with MixedCluster(tmp_path / kind, kafka_dist(version)) as cluster, Story(cluster, kind) as story:
            story.start()
            story.tell_of_failures()
            story.tell_of_maintenance()
            story.tell_of_requests()
            stories[kind] = dict(story.steps)
            stories[kind] |= {
                f"all that was written to {path}": contents
                for path, contents in sorted(written_znodes(cluster.zookeeper.directory / "data", KNOWN_TOPICS).items())
                if not path.startswith(WRITTEN_BY_THE_STORY)
            }
    theirs, ours = stories["kafka"], stories["wirebroker"]
    if version == OLDEST_KAFKA:
        del ours[NOT_TOLD_BY_2_0]
        theirs, ours = ({step: _as_of_2_0(step, told) for step, told in each.items()} for each in (theirs, ours))
    assert list(ours) == list(theirs)
    different = {
        step: (ours[step], told)
        for step, told in theirs.items()
        if not (
            # Kafka 2.0 repeats all partitions to all brokers when one of them starts
            ours[step] <= told  # type: ignore[operator]
            if version == OLDEST_KAFKA and "UpdateMetadata" in step
            else len(ours[step]) == len(told) and ours[step][-1] == told[-1]  # type: ignore[arg-type, index]
            if step == IN_ANY_ORDER
            else ours[step] == told
        )
    }
    assert not different, "\n".join(
        f"{step}: {own}, but Apache Kafka: {told}" for step, (own, told) in different.items()
    )
