"""StopReplica: the controller tells a broker to give replicas up (ZooKeeper clusters only).

v1  broker_epoch; partitions grouped by topic (KIP-380)
v2  flexible
v3  delete flag and leader_epoch per partition (KIP-570)
v4  is_kraft_controller (KIP-866)

Generated from protocol_specs/05_stop_replica by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihx = Struct(">ihx").pack
pack_iiq = Struct(">iiq").pack
pack_iiqt = Struct(">iiq?").pack
pack_iiqti = Struct(">iiq?i").pack
pack_iiti = Struct(">ii?i").pack
pack_iitx = Struct(">ii?x").pack
pack_itiq = Struct(">i?iq").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_iiqB = Struct(">iiqB").unpack_from
unpack_iiqtB = Struct(">iiq?B").unpack_from
unpack_iiqti = Struct(">iiq?i").unpack_from
unpack_iitB = Struct(">ii?B").unpack_from
unpack_iiti = Struct(">ii?i").unpack_from
unpack_itiqB = Struct(">i?iqB").unpack_from


class StopReplicaPartitionV0(Data):
    __slots__ = FIELDS = ("topic_name", "partition_index")

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index


class StopReplicaTopicV1(Data):
    __slots__ = FIELDS = ("name", "partition_indexes")

    def __init__(
        self,
        name: str = "",
        partition_indexes: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes


class StopReplicaPartitionState(Data):
    __slots__ = FIELDS = ("partition_index", "leader_epoch", "delete_partition")

    def __init__(
        self,
        partition_index: int = 0,
        leader_epoch: int = -1,
        delete_partition: bool = False,
    ) -> None:
        self.partition_index = partition_index
        self.leader_epoch = leader_epoch
        self.delete_partition = delete_partition


class StopReplicaTopicState(Data):
    __slots__ = FIELDS = ("topic_name", "partition_states")

    def __init__(
        self,
        topic_name: str = "",
        partition_states: list[StopReplicaPartitionState] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partition_states = [] if partition_states is UNSET else partition_states


class StopReplicaRequest(Message):
    API_KEY = 5
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = (
        "controller_id",
        "is_kraft_controller",
        "controller_epoch",
        "broker_epoch",
        "delete_partitions",
        "ungrouped_partitions",
        "topics",
        "topic_states",
    )

    def __init__(
        self,
        controller_id: int = 0,
        is_kraft_controller: bool = False,
        controller_epoch: int = 0,
        broker_epoch: int = -1,
        delete_partitions: bool = False,
        ungrouped_partitions: list[StopReplicaPartitionV0] = UNSET,
        topics: list[StopReplicaTopicV1] = UNSET,
        topic_states: list[StopReplicaTopicState] = UNSET,
    ) -> None:
        self.controller_id = controller_id
        self.is_kraft_controller = is_kraft_controller
        self.controller_epoch = controller_epoch
        self.broker_epoch = broker_epoch
        self.delete_partitions = delete_partitions
        self.ungrouped_partitions = [] if ungrouped_partitions is UNSET else ungrouped_partitions
        self.topics = [] if topics is UNSET else topics
        self.topic_states = [] if topic_states is UNSET else topic_states


class StopReplicaPartitionError(Data):
    __slots__ = FIELDS = ("topic_name", "partition_index", "error_code")

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.error_code = error_code


class StopReplicaResponse(Message):
    API_KEY = 5
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("error_code", "partition_errors")

    def __init__(
        self,
        error_code: int = 0,
        partition_errors: list[StopReplicaPartitionError] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.partition_errors = [] if partition_errors is UNSET else partition_errors


def _read_stop_replica_request_v0(b: bytes, at: int) -> tuple[StopReplicaRequest, int]:
    size = len(b)
    m = new(StopReplicaRequest)
    m.is_kraft_controller = False
    m.broker_epoch = -1
    m.topics = []
    m.topic_states = []
    m.controller_id, m.controller_epoch, m.delete_partitions, n = unpack_iiti(b, at)
    at += 13
    if n < 0 or n * 6 > size - at:
        raise fault_length("ungrouped_partitions", n)
    ungrouped_partitions: list[StopReplicaPartitionV0] = []
    m.ungrouped_partitions = ungrouped_partitions
    for _ in range(n):
        ungrouped_partition = new(StopReplicaPartitionV0)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        ungrouped_partition.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        ungrouped_partition.partition_index = unpack_i(b, at)[0]
        at += 4
        ungrouped_partitions.append(ungrouped_partition)
    if at > size:
        raise ProtocolError(f"StopReplicaRequest is {at - size} bytes short")
    return m, at


def _read_stop_replica_request_v1(b: bytes, at: int) -> tuple[StopReplicaRequest, int]:
    size = len(b)
    m = new(StopReplicaRequest)
    m.is_kraft_controller = False
    m.ungrouped_partitions = []
    m.topic_states = []
    m.controller_id, m.controller_epoch, m.broker_epoch, m.delete_partitions, n = unpack_iiqti(b, at)
    at += 21
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[StopReplicaTopicV1] = []
    m.topics = topics
    for _ in range(n):
        topic = new(StopReplicaTopicV1)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("partition_indexes", n)
        end = at + n * 4
        topic.partition_indexes = [each for (each,) in iter_i(b[at:end])]
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"StopReplicaRequest is {at - size} bytes short")
    return m, at


def _read_stop_replica_request_v2(b: bytes, at: int) -> tuple[StopReplicaRequest, int]:
    size = len(b)
    m = new(StopReplicaRequest)
    m.is_kraft_controller = False
    m.ungrouped_partitions = []
    m.topic_states = []
    m.controller_id, m.controller_epoch, m.broker_epoch, m.delete_partitions, n = unpack_iiqtB(b, at)
    at += 18
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[StopReplicaTopicV1] = []
    m.topics = topics
    for _ in range(n):
        topic = new(StopReplicaTopicV1)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partition_indexes", n)
        end = at + n * 4
        topic.partition_indexes = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"StopReplicaRequest is {at - size} bytes short")
    return m, at


def _read_stop_replica_request_v3(b: bytes, at: int) -> tuple[StopReplicaRequest, int]:
    size = len(b)
    m = new(StopReplicaRequest)
    m.is_kraft_controller = False
    m.delete_partitions = False
    m.ungrouped_partitions = []
    m.topics = []
    m.controller_id, m.controller_epoch, m.broker_epoch, n = unpack_iiqB(b, at)
    at += 17
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topic_states", n)
    topic_states: list[StopReplicaTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(StopReplicaTopicState)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 10 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[StopReplicaPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(StopReplicaPartitionState)
            partition_state.partition_index, partition_state.leader_epoch, partition_state.delete_partition, tags = unpack_iitB(b, at)
            at += 10
            if tags:
                at = skip_tags(b, at, tags)
            partition_states.append(partition_state)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topic_states.append(topic_state)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"StopReplicaRequest is {at - size} bytes short")
    return m, at


def _read_stop_replica_request_v4(b: bytes, at: int) -> tuple[StopReplicaRequest, int]:
    size = len(b)
    m = new(StopReplicaRequest)
    m.delete_partitions = False
    m.ungrouped_partitions = []
    m.topics = []
    m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch, n = unpack_itiqB(b, at)
    at += 18
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topic_states", n)
    topic_states: list[StopReplicaTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(StopReplicaTopicState)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 10 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[StopReplicaPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(StopReplicaPartitionState)
            partition_state.partition_index, partition_state.leader_epoch, partition_state.delete_partition, tags = unpack_iitB(b, at)
            at += 10
            if tags:
                at = skip_tags(b, at, tags)
            partition_states.append(partition_state)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topic_states.append(topic_state)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"StopReplicaRequest is {at - size} bytes short")
    return m, at


def _write_stop_replica_request_v0(m: StopReplicaRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.topics:
        raise fault_absent("topics")
    if m.topic_states:
        raise fault_absent("topic_states")
    ungrouped_partitions = m.ungrouped_partitions
    out += pack_iiti(m.controller_id, m.controller_epoch, m.delete_partitions, len(ungrouped_partitions))
    for ungrouped_partition in ungrouped_partitions:
        topic_name = ungrouped_partition.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        out += pack_i(ungrouped_partition.partition_index)


def _write_stop_replica_request_v1(m: StopReplicaRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.ungrouped_partitions:
        raise fault_absent("ungrouped_partitions")
    if m.topic_states:
        raise fault_absent("topic_states")
    topics = m.topics
    out += pack_iiqti(m.controller_id, m.controller_epoch, m.broker_epoch, m.delete_partitions, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partition_indexes = topic.partition_indexes
        out += pack_i(len(partition_indexes))
        out += b"".join(map(pack_i, partition_indexes))


def _write_stop_replica_request_v2(m: StopReplicaRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.ungrouped_partitions:
        raise fault_absent("ungrouped_partitions")
    if m.topic_states:
        raise fault_absent("topic_states")
    topics = m.topics
    out += pack_iiqt(m.controller_id, m.controller_epoch, m.broker_epoch, m.delete_partitions)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partition_indexes = topic.partition_indexes
        n = len(partition_indexes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partition_indexes))
        out.append(0)
    out.append(0)


def _write_stop_replica_request_v3(m: StopReplicaRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.delete_partitions:
        raise fault_absent("delete_partitions")
    if m.ungrouped_partitions:
        raise fault_absent("ungrouped_partitions")
    if m.topics:
        raise fault_absent("topics")
    topic_states = m.topic_states
    out += pack_iiq(m.controller_id, m.controller_epoch, m.broker_epoch)
    n = len(topic_states) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic_state in topic_states:
        topic_name = topic_state.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partition_states = topic_state.partition_states
        n = len(partition_states) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_state in partition_states:
            out += pack_iitx(partition_state.partition_index, partition_state.leader_epoch, partition_state.delete_partition)
        out.append(0)
    out.append(0)


def _write_stop_replica_request_v4(m: StopReplicaRequest, out: bytearray) -> None:
    if m.delete_partitions:
        raise fault_absent("delete_partitions")
    if m.ungrouped_partitions:
        raise fault_absent("ungrouped_partitions")
    if m.topics:
        raise fault_absent("topics")
    topic_states = m.topic_states
    out += pack_itiq(m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch)
    n = len(topic_states) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic_state in topic_states:
        topic_name = topic_state.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partition_states = topic_state.partition_states
        n = len(partition_states) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_state in partition_states:
            out += pack_iitx(partition_state.partition_index, partition_state.leader_epoch, partition_state.delete_partition)
        out.append(0)
    out.append(0)


def _read_stop_replica_response_v0_1(b: bytes, at: int) -> tuple[StopReplicaResponse, int]:
    size = len(b)
    m = new(StopReplicaResponse)
    m.error_code, n = unpack_hi(b, at)
    at += 6
    if n < 0 or n * 8 > size - at:
        raise fault_length("partition_errors", n)
    partition_errors: list[StopReplicaPartitionError] = []
    m.partition_errors = partition_errors
    for _ in range(n):
        partition_error = new(StopReplicaPartitionError)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        partition_error.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        partition_error.partition_index, partition_error.error_code = unpack_ih(b, at)
        at += 6
        partition_errors.append(partition_error)
    if at > size:
        raise ProtocolError(f"StopReplicaResponse is {at - size} bytes short")
    return m, at


def _read_stop_replica_response_v2_4(b: bytes, at: int) -> tuple[StopReplicaResponse, int]:
    size = len(b)
    m = new(StopReplicaResponse)
    m.error_code, n = unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise fault_length("partition_errors", n)
    partition_errors: list[StopReplicaPartitionError] = []
    m.partition_errors = partition_errors
    for _ in range(n):
        partition_error = new(StopReplicaPartitionError)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        partition_error.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        partition_error.partition_index, partition_error.error_code, tags = unpack_ihB(b, at)
        at += 7
        if tags:
            at = skip_tags(b, at, tags)
        partition_errors.append(partition_error)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"StopReplicaResponse is {at - size} bytes short")
    return m, at


def _write_stop_replica_response_v0_1(m: StopReplicaResponse, out: bytearray) -> None:
    partition_errors = m.partition_errors
    out += pack_hi(m.error_code, len(partition_errors))
    for partition_error in partition_errors:
        topic_name = partition_error.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        out += pack_ih(partition_error.partition_index, partition_error.error_code)


def _write_stop_replica_response_v2_4(m: StopReplicaResponse, out: bytearray) -> None:
    partition_errors = m.partition_errors
    out += pack_h(m.error_code)
    n = len(partition_errors) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for partition_error in partition_errors:
        topic_name = partition_error.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        out += pack_ihx(partition_error.partition_index, partition_error.error_code)
    out.append(0)


StopReplicaRequest.READERS = {
    0: _read_stop_replica_request_v0,
    1: _read_stop_replica_request_v1,
    2: _read_stop_replica_request_v2,
    3: _read_stop_replica_request_v3,
    4: _read_stop_replica_request_v4,
}
StopReplicaRequest.WRITERS = {
    0: _write_stop_replica_request_v0,
    1: _write_stop_replica_request_v1,
    2: _write_stop_replica_request_v2,
    3: _write_stop_replica_request_v3,
    4: _write_stop_replica_request_v4,
}
StopReplicaResponse.READERS = {
    0: _read_stop_replica_response_v0_1,
    1: _read_stop_replica_response_v0_1,
    2: _read_stop_replica_response_v2_4,
    3: _read_stop_replica_response_v2_4,
    4: _read_stop_replica_response_v2_4,
}
StopReplicaResponse.WRITERS = {
    0: _write_stop_replica_response_v0_1,
    1: _write_stop_replica_response_v0_1,
    2: _write_stop_replica_response_v2_4,
    3: _write_stop_replica_response_v2_4,
    4: _write_stop_replica_response_v2_4,
}
