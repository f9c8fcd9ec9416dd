"""AlterPartition: a leader has the controller change the ISR of a partition (KIP-497).

v1  leader_recovery_state (KIP-704)
v2  topic_id in place of topic_name (KIP-841)
v3  new_isr_with_epochs in place of new_isr (KIP-903)

Called AlterIsr before 3.2.

Generated from protocol_specs/56_alter_partition by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    absent_field_error,
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_bix = Struct(">bix").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihii = Struct(">ihii").pack
_pack_ihiiB = Struct(">ihiiB").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_iq = Struct(">iq").pack
_pack_iqB = Struct(">iqB").pack
_pack_iqx = Struct(">iqx").pack
_pack_ix = Struct(">ix").pack
_pack_list_i = array_packer("i")
_pack_u = Struct(">16s").pack
_unpack_biB = Struct(">biB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihiiB = Struct(">ihiiB").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class BrokerState(Data):
    """An element of `RequestPartitionData.new_isr_with_epochs`."""

    broker_id: int = 0
    broker_epoch: int = -1
    """Epoch of the broker's registration (its czxid in ZooKeeper); -1 unknown."""


class RequestPartitionData(Data):
    """An element of `RequestTopicData.partitions`."""

    partition_index: int = 0
    leader_epoch: int = 0
    """Leader epoch, incremented with each leader election; -1 unknown."""
    new_isr: list[int] = []  # v0-2
    new_isr_with_epochs: list[BrokerState] = []  # v3+
    """In-sync replicas with their broker epochs (KIP-903)."""
    leader_recovery_state: int = 0  # v1+
    """0 recovered, 1 recovering from an unclean election (KIP-704)."""
    partition_epoch: int = 0
    """Partition epoch, incremented with each change of the partition's state."""


class RequestTopicData(Data):
    """An element of `AlterPartitionRequest.topics`."""

    topic_name: str = ""  # v0-1
    topic_id: bytes = ZERO_UUID  # v2+
    partitions: list[RequestPartitionData] = []


class AlterPartitionRequest(ReadableMessage, WritableMessage):
    API_KEY = 56
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 0

    broker_id: int = 0
    broker_epoch: int = -1
    """Epoch of the broker's registration (its czxid in ZooKeeper); -1 unknown."""
    topics: list[RequestTopicData] = []


class ResponsePartitionData(Data):
    """An element of `ResponseTopicData.partitions`."""

    partition_index: int = 0
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    """Leader epoch, incremented with each leader election; -1 unknown."""
    isr: list[int] = []
    leader_recovery_state: int = 0  # v1+
    """0 recovered, 1 recovering from an unclean election (KIP-704)."""
    partition_epoch: int = 0
    """Partition epoch, incremented with each change of the partition's state."""


class ResponseTopicData(Data):
    """An element of `AlterPartitionResponse.topics`."""

    topic_name: str = ""  # v0-1
    topic_id: bytes = ZERO_UUID  # v2+
    partitions: list[ResponsePartitionData] = []


class AlterPartitionResponse(ReadableMessage, WritableMessage):
    API_KEY = 56
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    topics: list[ResponseTopicData] = []


def _read_alter_partition_request_v0_3(b: bytes, at: int, version: int) -> tuple[AlterPartitionRequest, int]:
    size = len(b)
    m = new(AlterPartitionRequest)
    m.broker_id, m.broker_epoch, n = _unpack_iqB(b, at)
    at += 13
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[RequestTopicData] = []
    m.topics = topics
    for _ in range(n):
        topic = new(RequestTopicData)
        if version >= 2:
            topic.topic_name = ""
            topic.topic_id, n = _unpack_uB(b, at)
            at += 17
        else:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic_name is null")
            end = at + n - 1
            topic.topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            topic.topic_id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 14 > size - at:
            raise count_error("partitions", n)
        partitions: list[RequestPartitionData] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(RequestPartitionData)
            if version >= 3:
                partition.new_isr = []
                partition.partition_index, partition.leader_epoch, n = _unpack_iiB(b, at)
                at += 9
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 13 > size - at:
                    raise count_error("new_isr_with_epochs", n)
                new_isr_with_epochs: list[BrokerState] = []
                partition.new_isr_with_epochs = new_isr_with_epochs
                for _ in range(n):
                    new_isr_with_epoch = new(BrokerState)
                    new_isr_with_epoch.broker_id, new_isr_with_epoch.broker_epoch, tags = _unpack_iqB(b, at)
                    at += 13
                    if tags:
                        at = skip_tagged_fields(b, at, tags)
                    new_isr_with_epochs.append(new_isr_with_epoch)
                partition.leader_recovery_state, partition.partition_epoch, tags = _unpack_biB(b, at)
                at += 6
            else:
                partition.partition_index, partition.leader_epoch, n = _unpack_iiB(b, at)
                at += 9
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 4 > size - at:
                    raise count_error("new_isr", n)
                end = at + n * 4
                partition.new_isr = [each for (each,) in _iter_i(b[at:end])]
                at = end
                partition.new_isr_with_epochs = []
                if version >= 1:
                    partition.leader_recovery_state, partition.partition_epoch, tags = _unpack_biB(b, at)
                    at += 6
                else:
                    partition.leader_recovery_state = 0
                    partition.partition_epoch, tags = _unpack_iB(b, at)
                    at += 5
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterPartitionRequest is {at - size} bytes short")
    return m, at


AlterPartitionRequest.READERS = dict.fromkeys(range(0, 4), _read_alter_partition_request_v0_3)


def _write_alter_partition_request_v0_3(m: AlterPartitionRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        out += _pack_iq(m.broker_id, m.broker_epoch)
        write_uvarint(out, n)
    else:
        out += _pack_iqB(m.broker_id, m.broker_epoch, n)
    for topic in topics:
        if version >= 2:
            out += _pack_u(topic.topic_id)
        else:
            topic_name = topic.topic_name
            topic_name_bytes = topic_name.encode()
            n = len(topic_name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            if version >= 3:
                if partition.new_isr:
                    raise absent_field_error("new_isr")
                new_isr_with_epochs = partition.new_isr_with_epochs
                n = len(new_isr_with_epochs) + 1
                if n > 127:
                    out += _pack_ii(partition.partition_index, partition.leader_epoch)
                    write_uvarint(out, n)
                else:
                    out += _pack_iiB(partition.partition_index, partition.leader_epoch, n)
                for new_isr_with_epoch in new_isr_with_epochs:
                    out += _pack_iqx(new_isr_with_epoch.broker_id, new_isr_with_epoch.broker_epoch)
                out += _pack_bix(partition.leader_recovery_state, partition.partition_epoch)
            else:
                new_isr = partition.new_isr
                n = len(new_isr) + 1
                if n > 127:
                    out += _pack_ii(partition.partition_index, partition.leader_epoch)
                    write_uvarint(out, n)
                else:
                    out += _pack_iiB(partition.partition_index, partition.leader_epoch, n)
                out += _pack_list_i(new_isr)
                if partition.new_isr_with_epochs:
                    raise absent_field_error("new_isr_with_epochs")
                if version >= 1:
                    out += _pack_bix(partition.leader_recovery_state, partition.partition_epoch)
                else:
                    if partition.leader_recovery_state != 0:
                        raise absent_field_error("leader_recovery_state")
                    out += _pack_ix(partition.partition_epoch)
        out.append(0)
    out.append(0)


AlterPartitionRequest.WRITERS = dict.fromkeys(range(0, 4), _write_alter_partition_request_v0_3)


def _read_alter_partition_response_v0_3(b: bytes, at: int, version: int) -> tuple[AlterPartitionResponse, int]:
    size = len(b)
    m = new(AlterPartitionResponse)
    m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[ResponseTopicData] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ResponseTopicData)
        if version >= 2:
            topic.topic_name = ""
            topic.topic_id, n = _unpack_uB(b, at)
            at += 17
        else:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic_name is null")
            end = at + n - 1
            topic.topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            topic.topic_id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 20 > size - at:
            raise count_error("partitions", n)
        partitions: list[ResponsePartitionData] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ResponsePartitionData)
            partition.partition_index, partition.error_code, partition.leader_id, partition.leader_epoch, n = _unpack_ihiiB(b, at)
            at += 15
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("isr", n)
            end = at + n * 4
            partition.isr = [each for (each,) in _iter_i(b[at:end])]
            at = end
            if version >= 1:
                partition.leader_recovery_state, partition.partition_epoch, tags = _unpack_biB(b, at)
                at += 6
            else:
                partition.leader_recovery_state = 0
                partition.partition_epoch, tags = _unpack_iB(b, at)
                at += 5
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterPartitionResponse is {at - size} bytes short")
    return m, at


AlterPartitionResponse.READERS = dict.fromkeys(range(0, 4), _read_alter_partition_response_v0_3)


def _write_alter_partition_response_v0_3(m: AlterPartitionResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    for topic in topics:
        if version >= 2:
            out += _pack_u(topic.topic_id)
        else:
            topic_name = topic.topic_name
            topic_name_bytes = topic_name.encode()
            n = len(topic_name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            isr = partition.isr
            n = len(isr) + 1
            if n > 127:
                out += _pack_ihii(partition.partition_index, partition.error_code, partition.leader_id, partition.leader_epoch)
                write_uvarint(out, n)
            else:
                out += _pack_ihiiB(partition.partition_index, partition.error_code, partition.leader_id, partition.leader_epoch, n)
            out += _pack_list_i(isr)
            if version >= 1:
                out += _pack_bix(partition.leader_recovery_state, partition.partition_epoch)
            else:
                out += _pack_ix(partition.partition_epoch)
        out.append(0)
    out.append(0)


AlterPartitionResponse.WRITERS = dict.fromkeys(range(0, 4), _write_alter_partition_response_v0_3)
