"""ConsumerGroupHeartbeat: the state of a member of a consumer group, and its assignment (KIP-848).

v1  subscribed_topic_regex; the client generates its member id (KIP-848, KIP-1082)

Generated from protocol_specs/68_consumer_group_heartbeat by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ii = Struct(">ii").pack
_pack_list_i = array_packer("i")
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_unpack_iB = Struct(">iB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class RequestTopicPartitions(Data):
    """An element of `ConsumerGroupHeartbeatRequest.topic_partitions`."""

    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []


class ConsumerGroupHeartbeatRequest(ReadableMessage):
    API_KEY = 68
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0

    group_id: str = ""
    member_id: str = ""
    member_epoch: int = 0
    """0 joins, -1 leaves, -2 leaves temporarily (static member)."""
    instance_id: str | None = None
    """group.instance.id of a static member (KIP-345)."""
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    """How long the member may take to revoke partitions; -1: unchanged."""
    subscribed_topic_names: list[str] | None = None
    """Null: unchanged."""
    subscribed_topic_regex: str | None = None  # v1+
    """RE2 pattern of topic names."""
    server_assignor: str | None = None
    """Server-side assignor; null: the group's default."""
    topic_partitions: list[RequestTopicPartitions] | None = None
    """Partitions that the member owns; null: unchanged."""


class ResponseTopicPartitions(Data):
    """An element of `Assignment.topic_partitions`."""

    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []


class Assignment(Data):
    """The value of `ConsumerGroupHeartbeatResponse.assignment`."""

    topic_partitions: list[ResponseTopicPartitions] = []
    """Partitions that are assigned to the member."""


class ConsumerGroupHeartbeatResponse(WritableMessage):
    API_KEY = 68
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    error_message: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    """0 joins, -1 leaves, -2 leaves temporarily (static member)."""
    heartbeat_interval_ms: int = 0
    assignment: Assignment | None = None
    """Null: unchanged."""


def _read_consumer_group_heartbeat_request_v0_1(b: bytes, at: int, version: int) -> tuple[ConsumerGroupHeartbeatRequest, int]:
    size = len(b)
    m = new(ConsumerGroupHeartbeatRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.member_epoch, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.instance_id = None
    else:
        end = at + n - 1
        m.instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.rack_id = None
    else:
        end = at + n - 1
        m.rack_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.rebalance_timeout_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.subscribed_topic_names = None
    else:
        if n > size - at:
            raise count_error("subscribed_topic_names", n)
        subscribed_topic_names: list[str] = []
        m.subscribed_topic_names = subscribed_topic_names
        for _ in range(n):
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("subscribed_topic_names is null")
            end = at + n - 1
            subscribed_topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            subscribed_topic_names.append(subscribed_topic_name)
    if version >= 1:
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            m.subscribed_topic_regex = None
        else:
            end = at + n - 1
            m.subscribed_topic_regex = b[at:end].decode("utf-8", "replace")
            at = end
    else:
        m.subscribed_topic_regex = None
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.server_assignor = None
    else:
        end = at + n - 1
        m.server_assignor = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topic_partitions = None
    else:
        if n * 18 > size - at:
            raise count_error("topic_partitions", n)
        topic_partitions: list[RequestTopicPartitions] = []
        m.topic_partitions = topic_partitions
        for _ in range(n):
            topic_partition = new(RequestTopicPartitions)
            topic_partition.topic_id, n = _unpack_uB(b, at)
            at += 17
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("partitions", n)
            end = at + n * 4
            topic_partition.partitions = [each for (each,) in _iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            topic_partitions.append(topic_partition)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConsumerGroupHeartbeatRequest is {at - size} bytes short")
    return m, at


ConsumerGroupHeartbeatRequest.READERS = dict.fromkeys(range(0, 2), _read_consumer_group_heartbeat_request_v0_1)


def _write_consumer_group_heartbeat_response_v0_1(m: ConsumerGroupHeartbeatResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    out += error_message_bytes
    member_id = m.member_id
    member_id_bytes = b"" if member_id is None else member_id.encode()
    n = 0 if member_id is None else len(member_id_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    assignment = m.assignment
    out += _pack_ii(m.member_epoch, m.heartbeat_interval_ms)
    if assignment is None:
        out.append(255)
    else:
        topic_partitions = assignment.topic_partitions
        n = len(topic_partitions) + 1
        if n > 127:
            out += _pack_b(1)
            write_uvarint(out, n)
        else:
            out += _pack_bB(1, n)
        for topic_partition in topic_partitions:
            partitions = topic_partition.partitions
            n = len(partitions) + 1
            if n > 127:
                out += _pack_u(topic_partition.topic_id)
                write_uvarint(out, n)
            else:
                out += _pack_uB(topic_partition.topic_id, n)
            out += _pack_list_i(partitions)
            out.append(0)
        out.append(0)
    out.append(0)


ConsumerGroupHeartbeatResponse.WRITERS = dict.fromkeys(range(0, 2), _write_consumer_group_heartbeat_response_v0_1)
