"""RecordingBroker: a registration and a socket that record the requests of a controller, and answer them."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from typing import Any

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.headers import read_request_header
from wirebroker.protocol.messages.leader_and_isr import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
)
from wirebroker.protocol.messages.stop_replica import (
    StopReplicaPartitionError,
    StopReplicaRequest,
    StopReplicaResponse,
)
from wirebroker.protocol.messages.update_metadata import UpdateMetadataRequest, UpdateMetadataResponse

REQUESTS: dict[int, Any] = {4: LeaderAndIsrRequest, 5: StopReplicaRequest, 6: UpdateMetadataRequest}
RESPONSES: dict[int, Any] = {4: LeaderAndIsrResponse, 5: StopReplicaResponse, 6: UpdateMetadataResponse}


class RecordingBroker:
    """A socket that records what a controller says, and answers without an error."""

    def __init__(self, broker_id: int) -> None:
        self.broker_id = broker_id
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.received: list[tuple[str, int, Any]] = []
        self.offline: set[tuple[str, int]] = set()
        """Partitions whose replicas are on a log directory that has failed: LeaderAndIsr fails for them."""
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
        if key == 4:
            self._fill(response, request, version)
        elif key == 5:
            response.partition_errors = [StopReplicaPartitionError(*partition, 0) for partition in stopped(request)]
        body = bytearray()
        response.write(body, version)
        head = struct.pack(">i", correlation_id) + (b"\0" if version >= RESPONSES[key].FLEXIBLE_FROM else b"")
        return struct.pack(">i", len(head) + len(body)) + head + body

    def _fill(self, response: Any, request: Any, version: int) -> None:
        errors: dict[bytes, list[LeaderAndIsrPartitionError]] = {}
        for topic, topic_id, state in states(request):
            at = (topic, state.partition_index)
            code = ErrorCode.KAFKA_STORAGE_ERROR if at in self.offline else ErrorCode.NONE
            error = LeaderAndIsrPartitionError("" if version >= 5 else topic, state.partition_index, code)
            errors.setdefault(topic_id, []).append(error)
        if version >= 5:
            response.topics = [LeaderAndIsrTopicError(topic_id, each) for topic_id, each in errors.items()]
        else:
            response.partition_errors = [error for each in errors.values() for error in each]

    def take(self) -> dict[str, Any]:
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
