"""ConsumerGroupHeartbeat: all that a member of a KIP-848 group and its coordinator say to each other.

v1  subscription by pattern; the client makes up its member id (KIP-848, KIP-1082)

Generated from protocol_specs/68_consumer_group_heartbeat by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import (
    UNSET,
    ZERO_UUID,
    fault_absent,
    fault_length,
    long_uvarint,
    put_uvarint,
    skip_tags,
)

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_b = Struct(">b").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ii = Struct(">ii").pack
pack_u = Struct(">16s").pack
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_iib = Struct(">iib").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class RequestTopicPartitions(Data):
    """what the member owns now; null: as before"""

    __slots__ = FIELDS = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class ConsumerGroupHeartbeatRequest(Message):
    API_KEY = 68
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "group_id",
        "member_id",
        "member_epoch",
        "instance_id",
        "rack_id",
        "rebalance_timeout_ms",
        "subscribed_topic_names",
        "subscribed_topic_regex",
        "server_assignor",
        "topic_partitions",
    )

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        subscribed_topic_names: list[str] | None = None,
        subscribed_topic_regex: str | None = None,
        server_assignor: str | None = None,
        topic_partitions: list[RequestTopicPartitions] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.subscribed_topic_names = subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.server_assignor = server_assignor
        self.topic_partitions = topic_partitions


class ResponseTopicPartitions(Data):
    __slots__ = FIELDS = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class Assignment(Data):
    """null: as before"""

    __slots__ = FIELDS = ("topic_partitions",)

    def __init__(
        self,
        topic_partitions: list[ResponseTopicPartitions] = UNSET,
    ) -> None:
        self.topic_partitions = [] if topic_partitions is UNSET else topic_partitions


class ConsumerGroupHeartbeatResponse(Message):
    API_KEY = 68
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "member_id",
        "member_epoch",
        "heartbeat_interval_ms",
        "assignment",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str | None = None,
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        assignment: Assignment | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.assignment = assignment


def _read_consumer_group_heartbeat_request_v0(b: bytes, at: int) -> tuple[ConsumerGroupHeartbeatRequest, int]:
    size = len(b)
    m = new(ConsumerGroupHeartbeatRequest)
    m.subscribed_topic_regex = None
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.member_epoch, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.instance_id = None
    else:
        end = at + n - 1
        m.instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.rack_id = None
    else:
        end = at + n - 1
        m.rack_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.rebalance_timeout_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.subscribed_topic_names = None
    else:
        if n > size - at:
            raise fault_length("subscribed_topic_names", n)
        subscribed_topic_names: list[str] = []
        m.subscribed_topic_names = subscribed_topic_names
        for _ in range(n):
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("subscribed_topic_names is null")
            end = at + n - 1
            subscribed_topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            subscribed_topic_names.append(subscribed_topic_name)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.server_assignor = None
    else:
        end = at + n - 1
        m.server_assignor = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topic_partitions = None
    else:
        if n * 18 > size - at:
            raise fault_length("topic_partitions", n)
        topic_partitions: list[RequestTopicPartitions] = []
        m.topic_partitions = topic_partitions
        for _ in range(n):
            topic_partition = new(RequestTopicPartitions)
            topic_partition.topic_id, n = unpack_uB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("partitions", n)
            end = at + n * 4
            topic_partition.partitions = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topic_partitions.append(topic_partition)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConsumerGroupHeartbeatRequest is {at - size} bytes short")
    return m, at


def _read_consumer_group_heartbeat_request_v1(b: bytes, at: int) -> tuple[ConsumerGroupHeartbeatRequest, int]:
    size = len(b)
    m = new(ConsumerGroupHeartbeatRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.member_epoch, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.instance_id = None
    else:
        end = at + n - 1
        m.instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.rack_id = None
    else:
        end = at + n - 1
        m.rack_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.rebalance_timeout_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.subscribed_topic_names = None
    else:
        if n > size - at:
            raise fault_length("subscribed_topic_names", n)
        subscribed_topic_names: list[str] = []
        m.subscribed_topic_names = subscribed_topic_names
        for _ in range(n):
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("subscribed_topic_names is null")
            end = at + n - 1
            subscribed_topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            subscribed_topic_names.append(subscribed_topic_name)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.subscribed_topic_regex = None
    else:
        end = at + n - 1
        m.subscribed_topic_regex = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.server_assignor = None
    else:
        end = at + n - 1
        m.server_assignor = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topic_partitions = None
    else:
        if n * 18 > size - at:
            raise fault_length("topic_partitions", n)
        topic_partitions: list[RequestTopicPartitions] = []
        m.topic_partitions = topic_partitions
        for _ in range(n):
            topic_partition = new(RequestTopicPartitions)
            topic_partition.topic_id, n = unpack_uB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("partitions", n)
            end = at + n * 4
            topic_partition.partitions = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topic_partitions.append(topic_partition)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConsumerGroupHeartbeatRequest is {at - size} bytes short")
    return m, at


def _write_consumer_group_heartbeat_request_v0(m: ConsumerGroupHeartbeatRequest, out: bytearray) -> None:
    if m.subscribed_topic_regex is not None:
        raise fault_absent("subscribed_topic_regex")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    n = len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    instance_id = m.instance_id
    instance_id_bytes = b"" if instance_id is None else instance_id.encode()
    out += pack_i(m.member_epoch)
    n = 0 if instance_id is None else len(instance_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += instance_id_bytes
    rack_id = m.rack_id
    rack_id_bytes = b"" if rack_id is None else rack_id.encode()
    n = 0 if rack_id is None else len(rack_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_id_bytes
    subscribed_topic_names = m.subscribed_topic_names
    out += pack_i(m.rebalance_timeout_ms)
    n = 0 if subscribed_topic_names is None else len(subscribed_topic_names) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if subscribed_topic_names is not None:
        for subscribed_topic_name in subscribed_topic_names:
            subscribed_topic_names_bytes = subscribed_topic_name.encode()
            n = len(subscribed_topic_names_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += subscribed_topic_names_bytes
    server_assignor = m.server_assignor
    server_assignor_bytes = b"" if server_assignor is None else server_assignor.encode()
    n = 0 if server_assignor is None else len(server_assignor_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += server_assignor_bytes
    topic_partitions = m.topic_partitions
    n = 0 if topic_partitions is None else len(topic_partitions) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if topic_partitions is not None:
        for topic_partition in topic_partitions:
            partitions = topic_partition.partitions
            out += pack_u(topic_partition.topic_id)
            n = len(partitions) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, partitions))
            out.append(0)
    out.append(0)


def _write_consumer_group_heartbeat_request_v1(m: ConsumerGroupHeartbeatRequest, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    n = len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    instance_id = m.instance_id
    instance_id_bytes = b"" if instance_id is None else instance_id.encode()
    out += pack_i(m.member_epoch)
    n = 0 if instance_id is None else len(instance_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += instance_id_bytes
    rack_id = m.rack_id
    rack_id_bytes = b"" if rack_id is None else rack_id.encode()
    n = 0 if rack_id is None else len(rack_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_id_bytes
    subscribed_topic_names = m.subscribed_topic_names
    out += pack_i(m.rebalance_timeout_ms)
    n = 0 if subscribed_topic_names is None else len(subscribed_topic_names) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if subscribed_topic_names is not None:
        for subscribed_topic_name in subscribed_topic_names:
            subscribed_topic_names_bytes = subscribed_topic_name.encode()
            n = len(subscribed_topic_names_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += subscribed_topic_names_bytes
    subscribed_topic_regex = m.subscribed_topic_regex
    subscribed_topic_regex_bytes = b"" if subscribed_topic_regex is None else subscribed_topic_regex.encode()
    n = 0 if subscribed_topic_regex is None else len(subscribed_topic_regex_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += subscribed_topic_regex_bytes
    server_assignor = m.server_assignor
    server_assignor_bytes = b"" if server_assignor is None else server_assignor.encode()
    n = 0 if server_assignor is None else len(server_assignor_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += server_assignor_bytes
    topic_partitions = m.topic_partitions
    n = 0 if topic_partitions is None else len(topic_partitions) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if topic_partitions is not None:
        for topic_partition in topic_partitions:
            partitions = topic_partition.partitions
            out += pack_u(topic_partition.topic_id)
            n = len(partitions) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, partitions))
            out.append(0)
    out.append(0)


def _read_consumer_group_heartbeat_response_v0_1(b: bytes, at: int) -> tuple[ConsumerGroupHeartbeatResponse, int]:
    size = len(b)
    m = new(ConsumerGroupHeartbeatResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.member_id = None
    else:
        end = at + n - 1
        m.member_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.member_epoch, m.heartbeat_interval_ms, n = unpack_iib(b, at)
    at += 9
    if n < 0:
        m.assignment = None
    else:
        assignment = new(Assignment)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise fault_length("topic_partitions", n)
        topic_partitions: list[ResponseTopicPartitions] = []
        assignment.topic_partitions = topic_partitions
        for _ in range(n):
            topic_partition = new(ResponseTopicPartitions)
            topic_partition.topic_id, n = unpack_uB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("partitions", n)
            end = at + n * 4
            topic_partition.partitions = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topic_partitions.append(topic_partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        m.assignment = assignment
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConsumerGroupHeartbeatResponse is {at - size} bytes short")
    return m, at


def _write_consumer_group_heartbeat_response_v0_1(m: ConsumerGroupHeartbeatResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    member_id = m.member_id
    member_id_bytes = b"" if member_id is None else member_id.encode()
    n = 0 if member_id is None else len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    assignment = m.assignment
    out += pack_ii(m.member_epoch, m.heartbeat_interval_ms)
    if assignment is None:
        out.append(255)
    else:
        topic_partitions = assignment.topic_partitions
        out += pack_b(1)
        n = len(topic_partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for topic_partition in topic_partitions:
            partitions = topic_partition.partitions
            out += pack_u(topic_partition.topic_id)
            n = len(partitions) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, partitions))
            out.append(0)
        out.append(0)
    out.append(0)


ConsumerGroupHeartbeatRequest.READERS = {
    0: _read_consumer_group_heartbeat_request_v0,
    1: _read_consumer_group_heartbeat_request_v1,
}
ConsumerGroupHeartbeatRequest.WRITERS = {
    0: _write_consumer_group_heartbeat_request_v0,
    1: _write_consumer_group_heartbeat_request_v1,
}
ConsumerGroupHeartbeatResponse.READERS = {
    0: _read_consumer_group_heartbeat_response_v0_1,
    1: _read_consumer_group_heartbeat_response_v0_1,
}
ConsumerGroupHeartbeatResponse.WRITERS = {
    0: _write_consumer_group_heartbeat_response_v0_1,
    1: _write_consumer_group_heartbeat_response_v0_1,
}
