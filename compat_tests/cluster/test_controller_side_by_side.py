"""The same story told to a controller of Apache Kafka and to a wirebroker: equal requests to brokers, equal znodes.

Brokers 1 to 3 are registrations and sockets of the test, which record the requests of the controller, broker 100, and
answer them without an error.  Compared is, after each step of the story, the newest state of each partition that each
broker was told, with the kinds of requests; ids, epochs of brokers and times are left out.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

import pytest
from kazoo.client import KazooClient

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA
from wirebroker.protocol.headers import read_request_header
from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrRequest, LeaderAndIsrResponse
from wirebroker.protocol.messages.stop_replica import (
    StopReplicaPartitionError,
    StopReplicaRequest,
    StopReplicaResponse,
)
from wirebroker.protocol.messages.update_metadata import UpdateMetadataRequest, UpdateMetadataResponse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

CONTROLLER = 100
REQUESTS: dict[int, Any] = {4: LeaderAndIsrRequest, 5: StopReplicaRequest, 6: UpdateMetadataRequest}
RESPONSES: dict[int, Any] = {4: LeaderAndIsrResponse, 5: StopReplicaResponse, 6: UpdateMetadataResponse}
QUIET_S = 1.5
"""A step is over when no request came for so long."""


class RecordingBroker:
    """A socket that records what a controller says, and answers without an error."""

    def __init__(self, broker_id: int) -> None:
        self.broker_id = broker_id
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.received: list[tuple[str, int, Any]] = []
        self.last_at = time.monotonic()
        threading.Thread(target=self._accept, daemon=True).start()

    def registration(self) -> bytes:
        """The content of its znode."""
        fields = {
            "version": 4,
            "host": "127.0.0.1",
            "port": self.port,
            "jmx_port": -1,
            "timestamp": "1",
            "endpoints": [f"PLAINTEXT://127.0.0.1:{self.port}"],
            "listener_security_protocol_map": {"PLAINTEXT": "PLAINTEXT"},
        }
        return json.dumps(fields).encode()

    def close(self) -> None:
        """Accept no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as stream:
            try:
                while len(size := stream.read(4)) == 4:
                    frame = stream.read(struct.unpack(">i", size)[0])
                    connection.sendall(self._answer(frame))
            except OSError:
                return

    def _answer(self, frame: bytes) -> bytes:
        key, version, correlation_id, _, at = read_request_header(frame)
        request = REQUESTS[key].read(frame, at, version)[0]
        self.last_at = time.monotonic()
        self.received.append((type(request).__name__, version, request))
        response = RESPONSES[key]()
        if key == 5:
            response.partition_errors = [StopReplicaPartitionError(*partition, 0) for partition in stopped(request)]
        body = bytearray()
        response.write(body, version)
        head = struct.pack(">i", correlation_id) + (b"\0" if version >= RESPONSES[key].FLEXIBLE_FROM else b"")
        return struct.pack(">i", len(head) + len(body)) + head + body

    def take(self) -> dict[str, object]:
        """Return the states that it was told since the last call, by the kind of request."""
        received, self.received = self.received, []
        told: dict[str, Any] = {}
        for name, version, request in received:
            of_kind = told.setdefault(f"{name} v{version}", set())
            if isinstance(request, StopReplicaRequest):
                of_kind |= {(*partition, *how) for partition, how in stopped(request).items()}
                continue
            if isinstance(request, UpdateMetadataRequest):
                of_kind.add(("live", *sorted(each.id for each in request.live_brokers)))
            for topic, topic_id, state in states(request):
                values = {field: getattr(state, field) for field in state.FIELDS if field != "topic_name"}
                of_kind.add((topic, topic_id, *(f"{field}={value}" for field, value in values.items())))
        return told


def states(request: Any) -> list[tuple[str, bytes, Any]]:
    """Topic, topic id and state of each partition."""
    grouped = [
        (each.topic_name, each.topic_id, state) for each in request.topic_states for state in each.partition_states
    ]
    return grouped + [(each.topic_name, bytes(16), each) for each in request.ungrouped_partition_states]


def stopped(request: StopReplicaRequest) -> dict[tuple[str, int], tuple[int, bool]]:
    """(topic, partition) -> leader epoch, delete."""
    found = {
        (each.topic_name, each.partition_index): (-1, request.delete_partitions)
        for each in request.ungrouped_partitions
    }
    found |= {
        (each.name, number): (-1, request.delete_partitions)
        for each in request.topics
        for number in each.partition_indexes
    }
    return found | {
        (topic.topic_name, state.partition_index): (state.leader_epoch, state.delete_partition)
        for topic in request.topic_states
        for state in topic.partition_states
    }


class Story:
    """One controller, and what it says in each step."""

    def __init__(self, cluster: MixedCluster, kind: str) -> None:
        self._cluster, self._kind, self._stack = cluster, kind, ExitStack()
        self.steps: list[tuple[str, object]] = []

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

    def tell(self) -> None:
        """Tell the whole story."""
        for broker_id in self.brokers:
            self.register(broker_id)
        settings = {"auto.leader.rebalance.enable": "false", "offsets.topic.replication.factor": "1"}
        start = self._cluster.kafka if self._kind == "kafka" else self._cluster.wirebroker
        start(CONTROLLER, settings=settings)
        self.end_step("the controller starts")
        self.assign({0: [1, 2, 3], 1: [2, 3, 1], 2: [3, 1]})
        self.end_step("a topic is created")
        self.zookeeper.delete("/brokers/ids/2")
        self.end_step("a broker fails")
        self.register(2)
        self.end_step("the broker comes back")
        self.assign({0: [1, 2, 3], 1: [2, 3, 1], 2: [3, 1], 3: [2, 1]})
        self.end_step("a partition is added")
        path = "/brokers/topics/t/partitions/0/state"
        state = json.loads(self.zookeeper.get(path)[0])
        self.zookeeper.set(path, json.dumps(state | {"isr": [1]}, separators=(",", ":")).encode())
        changed = {"version": 1, "partitions": [{"topic": "t", "partition": 0}]}
        self.zookeeper.create("/isr_change_notification/isr_change_", json.dumps(changed).encode(), sequence=True)
        self.end_step("an ISR is changed")
        self.zookeeper.delete("/brokers/ids/1")
        self.end_step("the only broker in sync fails")
        self.register(1)
        self.end_step("it comes back")
        self.zookeeper.create("/admin/delete_topics/t")
        self.end_step("the topic is deleted")

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
        """Wait until the controller is silent, and note what it has said and written."""
        for broker in self.brokers.values():
            broker.last_at = time.monotonic()
        while time.monotonic() - max(each.last_at for each in self.brokers.values()) < QUIET_S:
            time.sleep(0.05)
        for broker_id, broker in self.brokers.items():
            for kind, told in sorted(broker.take().items()):
                self.steps.append((f"{name}: broker {broker_id} is told {kind}", told))
        self.steps.append((f"{name}: znodes", self.znodes()))

    def znodes(self) -> dict[str, object]:
        """The states of the topic's partitions with their versions."""
        root = "/brokers/topics/t/partitions"
        found: dict[str, object] = {}
        for number in self.zookeeper.get_children(root) if self.zookeeper.exists(root) else ():
            data, stat = self.zookeeper.get(f"{root}/{number}/state")
            found[number] = (data, stat.version)
        return found


@pytest.mark.parametrize("version", [OLDEST_KAFKA, OLD_KAFKA, KAFKA])
@pytest.mark.nightly
def test_both_kinds_of_controllers_say_and_write_the_same(
    version: str, kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    stories: dict[str, dict[str, object]] = {}
    for kind in ("kafka", "wirebroker"):
        with MixedCluster(tmp_path / kind, kafka_dist(version)) as cluster, Story(cluster, kind) as story:
            story.tell()
            stories[kind] = dict(story.steps)
    assert list(stories["wirebroker"]) == list(stories["kafka"])
    for step, told in stories["kafka"].items():
        ours = stories["wirebroker"][step]
        if version == OLDEST_KAFKA and "UpdateMetadata" in step:
            # Kafka 2.0 repeats all partitions to all brokers when one of them starts
            assert ours <= told, step  # type: ignore[operator]
        else:
            assert ours == told, step
