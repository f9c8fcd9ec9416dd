"""StopReplica: the controller tells a broker to stop replicas (ZooKeeper clusters only).

v1  broker_epoch; partitions grouped by topic (KIP-380)
v2  flexible
v3  delete flag and leader_epoch per partition (KIP-570)
v4  is_kraft_controller (KIP-866)

Generated from protocol_specs/05_stop_replica by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    absent_field_error,
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_iiq = Struct(">iiq").pack
_pack_iiqt = Struct(">iiq?").pack
_pack_iiqti = Struct(">iiq?i").pack
_pack_iiti = Struct(">ii?i").pack
_pack_iitx = Struct(">ii?x").pack
_pack_itiq = Struct(">i?iq").pack
_pack_list_i = array_packer("i")
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hi = Struct(">hi").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_iiqB = Struct(">iiqB").unpack_from
_unpack_iiqtB = Struct(">iiq?B").unpack_from
_unpack_iiqti = Struct(">iiq?i").unpack_from
_unpack_iitB = Struct(">ii?B").unpack_from
_unpack_iiti = Struct(">ii?i").unpack_from
_unpack_itiqB = Struct(">i?iqB").unpack_from


class StopReplicaPartitionV0(Data):
    """An element of `StopReplicaRequest.ungrouped_partitions`."""

    topic_name: str = ""
    partition_index: int = 0


class StopReplicaTopicV1(Data):
    """An element of `StopReplicaRequest.topics`."""

    name: str = ""
    partition_indexes: list[int] = []


class StopReplicaPartitionState(Data):
    """An element of `StopReplicaTopicState.partition_states`."""

    partition_index: int = 0
    leader_epoch: int = -1
    """Leader epoch, incremented with each leader election; -1 unknown."""
    delete_partition: bool = False
    """Whether to delete the log."""


class StopReplicaTopicState(Data):
    """An element of `StopReplicaRequest.topic_states`."""

    topic_name: str = ""
    partition_states: list[StopReplicaPartitionState] = []


class StopReplicaRequest(ReadableMessage, WritableMessage):
    API_KEY = 5
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 2

    controller_id: int = 0
    is_kraft_controller: bool = False  # v4+
    """Whether the controller is a KRaft controller (migration, KIP-866)."""
    controller_epoch: int = 0
    """Controller epoch; requests of an earlier controller are refused."""
    broker_epoch: int = -1  # v1+
    """Epoch of the broker's registration (its czxid in ZooKeeper); -1 unknown."""
    delete_partitions: bool = False  # v0-2
    """Whether to delete the logs."""
    ungrouped_partitions: list[StopReplicaPartitionV0] = []  # v0
    topics: list[StopReplicaTopicV1] = []  # v1-2
    topic_states: list[StopReplicaTopicState] = []  # v3+


class StopReplicaPartitionError(Data):
    """An element of `StopReplicaResponse.partition_errors`."""

    topic_name: str = ""
    partition_index: int = 0
    error_code: int = 0


class StopReplicaResponse(ReadableMessage, WritableMessage):
    API_KEY = 5
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 2

    error_code: int = 0
    partition_errors: list[StopReplicaPartitionError] = []


def _read_stop_replica_request_v0_1(b: bytes, at: int, version: int) -> tuple[StopReplicaRequest, int]:
    size = len(b)
    m = new(StopReplicaRequest)
    m.is_kraft_controller = False
    m.topic_states = []
    if version >= 1:
        m.ungrouped_partitions = []
        m.controller_id, m.controller_epoch, m.broker_epoch, m.delete_partitions, n = _unpack_iiqti(b, at)
        at += 21
        if n < 0 or n * 6 > size - at:
            raise count_error("topics", n)
        topics: list[StopReplicaTopicV1] = []
        m.topics = topics
        for _ in range(n):
            topic = new(StopReplicaTopicV1)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise count_error("partition_indexes", n)
            end = at + n * 4
            topic.partition_indexes = [each for (each,) in _iter_i(b[at:end])]
            at = end
            topics.append(topic)
    else:
        m.broker_epoch = -1
        m.controller_id, m.controller_epoch, m.delete_partitions, n = _unpack_iiti(b, at)
        at += 13
        if n < 0 or n * 6 > size - at:
            raise count_error("ungrouped_partitions", n)
        ungrouped_partitions: list[StopReplicaPartitionV0] = []
        m.ungrouped_partitions = ungrouped_partitions
        for _ in range(n):
            ungrouped_partition = new(StopReplicaPartitionV0)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic_name is null")
            end = at + n
            ungrouped_partition.topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            ungrouped_partition.partition_index = _unpack_i(b, at)[0]
            at += 4
            ungrouped_partitions.append(ungrouped_partition)
        m.topics = []
    if at > size:
        raise ProtocolError(f"StopReplicaRequest is {at - size} bytes short")
    return m, at


def _read_stop_replica_request_v2_4(b: bytes, at: int, version: int) -> tuple[StopReplicaRequest, int]:
    size = len(b)
    m = new(StopReplicaRequest)
    m.ungrouped_partitions = []
    if version >= 4:
        m.topics = []
        m.delete_partitions = False
        m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch, n = _unpack_itiqB(b, at)
        at += 18
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("topic_states", n)
        topic_states: list[StopReplicaTopicState] = []
        m.topic_states = topic_states
        for _ in range(n):
            topic_state = new(StopReplicaTopicState)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic_name is null")
            end = at + n - 1
            topic_state.topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 10 > size - at:
                raise count_error("partition_states", n)
            partition_states: list[StopReplicaPartitionState] = []
            topic_state.partition_states = partition_states
            for _ in range(n):
                partition_state = new(StopReplicaPartitionState)
                partition_state.partition_index, partition_state.leader_epoch, partition_state.delete_partition, tags = _unpack_iitB(b, at)
                at += 10
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                partition_states.append(partition_state)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            topic_states.append(topic_state)
        tags = b[at]
        at += 1
    elif version >= 3:
        m.topics = []
        m.is_kraft_controller = False
        m.delete_partitions = False
        m.controller_id, m.controller_epoch, m.broker_epoch, n = _unpack_iiqB(b, at)
        at += 17
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("topic_states", n)
        topic_states2: list[StopReplicaTopicState] = []
        m.topic_states = topic_states2
        for _ in range(n):
            topic_state2 = new(StopReplicaTopicState)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic_name is null")
            end = at + n - 1
            topic_state2.topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 10 > size - at:
                raise count_error("partition_states", n)
            partition_states2: list[StopReplicaPartitionState] = []
            topic_state2.partition_states = partition_states2
            for _ in range(n):
                partition_state2 = new(StopReplicaPartitionState)
                partition_state2.partition_index, partition_state2.leader_epoch, partition_state2.delete_partition, tags = _unpack_iitB(b, at)
                at += 10
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                partition_states2.append(partition_state2)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            topic_states2.append(topic_state2)
        tags = b[at]
        at += 1
    else:
        m.is_kraft_controller = False
        m.controller_id, m.controller_epoch, m.broker_epoch, m.delete_partitions, n = _unpack_iiqtB(b, at)
        at += 18
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("topics", n)
        topics: list[StopReplicaTopicV1] = []
        m.topics = topics
        for _ in range(n):
            topic = new(StopReplicaTopicV1)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("partition_indexes", n)
            end = at + n * 4
            topic.partition_indexes = [each for (each,) in _iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            topics.append(topic)
        m.topic_states = []
        tags = b[at]
        at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"StopReplicaRequest is {at - size} bytes short")
    return m, at


StopReplicaRequest.READERS = dict.fromkeys(range(0, 2), _read_stop_replica_request_v0_1) | dict.fromkeys(range(2, 5), _read_stop_replica_request_v2_4)


def _write_stop_replica_request_v0_1(m: StopReplicaRequest, out: bytearray, version: int) -> None:
    if m.is_kraft_controller:
        raise absent_field_error("is_kraft_controller")
    if m.topic_states:
        raise absent_field_error("topic_states")
    if version >= 1:
        if m.ungrouped_partitions:
            raise absent_field_error("ungrouped_partitions")
        topics = m.topics
        out += _pack_iiqti(m.controller_id, m.controller_epoch, m.broker_epoch, m.delete_partitions, len(topics))
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            out += _pack_h(len(name_bytes))
            out += name_bytes
            partition_indexes = topic.partition_indexes
            out += _pack_i(len(partition_indexes))
            out += _pack_list_i(partition_indexes)
    else:
        ungrouped_partitions = m.ungrouped_partitions
        out += _pack_iiti(m.controller_id, m.controller_epoch, m.delete_partitions, len(ungrouped_partitions))
        for ungrouped_partition in ungrouped_partitions:
            topic_name = ungrouped_partition.topic_name
            topic_name_bytes = topic_name.encode()
            out += _pack_h(len(topic_name_bytes))
            out += topic_name_bytes
            out += _pack_i(ungrouped_partition.partition_index)
        if m.topics:
            raise absent_field_error("topics")


def _write_stop_replica_request_v2_4(m: StopReplicaRequest, out: bytearray, version: int) -> None:
    if m.ungrouped_partitions:
        raise absent_field_error("ungrouped_partitions")
    if version >= 4:
        if m.topics:
            raise absent_field_error("topics")
        topic_states = m.topic_states
        n = len(topic_states) + 1
        if m.delete_partitions:
            raise absent_field_error("delete_partitions")
        out += _pack_itiq(m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch)
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for topic_state in topic_states:
            topic_name = topic_state.topic_name
            topic_name_bytes = topic_name.encode()
            n = len(topic_name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_name_bytes
            partition_states = topic_state.partition_states
            n = len(partition_states) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for partition_state in partition_states:
                out += _pack_iitx(partition_state.partition_index, partition_state.leader_epoch, partition_state.delete_partition)
            out.append(0)
        out.append(0)
    elif version >= 3:
        if m.topics:
            raise absent_field_error("topics")
        topic_states2 = m.topic_states
        n = len(topic_states2) + 1
        if m.is_kraft_controller:
            raise absent_field_error("is_kraft_controller")
        if m.delete_partitions:
            raise absent_field_error("delete_partitions")
        out += _pack_iiq(m.controller_id, m.controller_epoch, m.broker_epoch)
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for topic_state2 in topic_states2:
            topic_name2 = topic_state2.topic_name
            topic_name_bytes2 = topic_name2.encode()
            n = len(topic_name_bytes2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_name_bytes2
            partition_states2 = topic_state2.partition_states
            n = len(partition_states2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for partition_state2 in partition_states2:
                out += _pack_iitx(partition_state2.partition_index, partition_state2.leader_epoch, partition_state2.delete_partition)
            out.append(0)
        out.append(0)
    else:
        topics = m.topics
        n = len(topics) + 1
        if m.is_kraft_controller:
            raise absent_field_error("is_kraft_controller")
        out += _pack_iiqt(m.controller_id, m.controller_epoch, m.broker_epoch, m.delete_partitions)
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            partition_indexes = topic.partition_indexes
            n = len(partition_indexes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(partition_indexes)
            out.append(0)
        if m.topic_states:
            raise absent_field_error("topic_states")
        out.append(0)


StopReplicaRequest.WRITERS = dict.fromkeys(range(0, 2), _write_stop_replica_request_v0_1) | dict.fromkeys(range(2, 5), _write_stop_replica_request_v2_4)


def _read_stop_replica_response_v0_1(b: bytes, at: int, version: int) -> tuple[StopReplicaResponse, int]:
    size = len(b)
    m = new(StopReplicaResponse)
    m.error_code, n = _unpack_hi(b, at)
    at += 6
    if n < 0 or n * 8 > size - at:
        raise count_error("partition_errors", n)
    partition_errors: list[StopReplicaPartitionError] = []
    m.partition_errors = partition_errors
    for _ in range(n):
        partition_error = new(StopReplicaPartitionError)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        partition_error.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        partition_error.partition_index, partition_error.error_code = _unpack_ih(b, at)
        at += 6
        partition_errors.append(partition_error)
    if at > size:
        raise ProtocolError(f"StopReplicaResponse is {at - size} bytes short")
    return m, at


def _read_stop_replica_response_v2_4(b: bytes, at: int, version: int) -> tuple[StopReplicaResponse, int]:
    size = len(b)
    m = new(StopReplicaResponse)
    m.error_code, n = _unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise count_error("partition_errors", n)
    partition_errors: list[StopReplicaPartitionError] = []
    m.partition_errors = partition_errors
    for _ in range(n):
        partition_error = new(StopReplicaPartitionError)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        partition_error.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        partition_error.partition_index, partition_error.error_code, tags = _unpack_ihB(b, at)
        at += 7
        if tags:
            at = skip_tagged_fields(b, at, tags)
        partition_errors.append(partition_error)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"StopReplicaResponse is {at - size} bytes short")
    return m, at


StopReplicaResponse.READERS = dict.fromkeys(range(0, 2), _read_stop_replica_response_v0_1) | dict.fromkeys(range(2, 5), _read_stop_replica_response_v2_4)


def _write_stop_replica_response_v0_1(m: StopReplicaResponse, out: bytearray, version: int) -> None:
    partition_errors = m.partition_errors
    out += _pack_hi(m.error_code, len(partition_errors))
    for partition_error in partition_errors:
        topic_name = partition_error.topic_name
        topic_name_bytes = topic_name.encode()
        out += _pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        out += _pack_ih(partition_error.partition_index, partition_error.error_code)


def _write_stop_replica_response_v2_4(m: StopReplicaResponse, out: bytearray, version: int) -> None:
    partition_errors = m.partition_errors
    n = len(partition_errors) + 1
    if n > 127:
        out += _pack_h(m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_hB(m.error_code, n)
    for partition_error in partition_errors:
        topic_name = partition_error.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        out += _pack_ihx(partition_error.partition_index, partition_error.error_code)
    out.append(0)


StopReplicaResponse.WRITERS = dict.fromkeys(range(0, 2), _write_stop_replica_response_v0_1) | dict.fromkeys(range(2, 5), _write_stop_replica_response_v2_4)
