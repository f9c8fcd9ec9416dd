"""JoinGroup: enter a classic group, or its next generation.

v1  rebalance_timeout_ms (KIP-62)
v2  throttle_time_ms (KIP-124)
v3  answers before it throttles (KIP-219)
v4  a first try gets MEMBER_ID_REQUIRED and a member id (KIP-394)
v5  group_instance_id (KIP-345)
v6  flexible
v7  protocol_type in the answer, protocol_name may be null (KIP-559)
v8  reason (KIP-800)
v9  skip_assignment (KIP-814)

Generated from protocol_specs/11_join_group by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import (
    UNSET,
    fault_absent,
    fault_length,
    fault_null,
    long_uvarint,
    put_uvarint,
    skip_tags,
)

new = object.__new__
pack_h = Struct(">h").pack
pack_hih = Struct(">hih").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihi = Struct(">ihi").pack
pack_ihih = Struct(">ihih").pack
pack_ii = Struct(">ii").pack
pack_iih = Struct(">iih").pack
pack_t = Struct(">?").pack
unpack_h = Struct(">h").unpack_from
unpack_hih = Struct(">hih").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihiB = Struct(">ihiB").unpack_from
unpack_ihih = Struct(">ihih").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
unpack_iih = Struct(">iih").unpack_from
unpack_tB = Struct(">?B").unpack_from


class JoinGroupRequestProtocol(Data):
    """assignors that the member supports, most wanted first"""

    __slots__ = FIELDS = ("name", "metadata")

    def __init__(
        self,
        name: str = "",
        metadata: bytes = b"",
    ) -> None:
        self.name = name
        self.metadata = metadata


class JoinGroupRequest(Message):
    API_KEY = 11
    VERSIONS = range(0, 10)
    FLEXIBLE_FROM = 6
    __slots__ = FIELDS = (
        "group_id",
        "session_timeout_ms",
        "rebalance_timeout_ms",
        "member_id",
        "group_instance_id",
        "protocol_type",
        "protocols",
        "reason",
    )

    def __init__(
        self,
        group_id: str = "",
        session_timeout_ms: int = 0,
        rebalance_timeout_ms: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str = "",
        protocols: list[JoinGroupRequestProtocol] = UNSET,
        reason: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocols = [] if protocols is UNSET else protocols
        self.reason = reason


class JoinGroupResponseMember(Data):
    """filled for the leader only"""

    __slots__ = FIELDS = ("member_id", "group_instance_id", "metadata")

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        metadata: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.metadata = metadata


class JoinGroupResponse(Message):
    API_KEY = 11
    VERSIONS = range(0, 10)
    FLEXIBLE_FROM = 6
    __slots__ = FIELDS = (
        "throttle_time_ms",
        "error_code",
        "generation_id",
        "protocol_type",
        "protocol_name",
        "leader",
        "skip_assignment",
        "member_id",
        "members",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        generation_id: int = -1,
        protocol_type: str | None = None,
        protocol_name: str | None = "",
        leader: str = "",
        skip_assignment: bool = False,
        member_id: str = "",
        members: list[JoinGroupResponseMember] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.generation_id = generation_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.leader = leader
        self.skip_assignment = skip_assignment
        self.member_id = member_id
        self.members = [] if members is UNSET else members


def _read_join_group_request_v0(b: bytes, at: int) -> tuple[JoinGroupRequest, int]:
    size = len(b)
    m = new(JoinGroupRequest)
    m.rebalance_timeout_ms = -1
    m.group_instance_id = None
    m.reason = None
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.session_timeout_ms, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("protocol_type is null")
    end = at + n
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("protocols", n)
    protocols: list[JoinGroupRequestProtocol] = []
    m.protocols = protocols
    for _ in range(n):
        protocol = new(JoinGroupRequestProtocol)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        protocol.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("metadata is null")
        end = at + n
        protocol.metadata = b[at:end]
        at = end
        protocols.append(protocol)
    if at > size:
        raise ProtocolError(f"JoinGroupRequest is {at - size} bytes short")
    return m, at


def _read_join_group_request_v1_4(b: bytes, at: int) -> tuple[JoinGroupRequest, int]:
    size = len(b)
    m = new(JoinGroupRequest)
    m.group_instance_id = None
    m.reason = None
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.session_timeout_ms, m.rebalance_timeout_ms, n = unpack_iih(b, at)
    at += 10
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("protocol_type is null")
    end = at + n
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("protocols", n)
    protocols: list[JoinGroupRequestProtocol] = []
    m.protocols = protocols
    for _ in range(n):
        protocol = new(JoinGroupRequestProtocol)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        protocol.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("metadata is null")
        end = at + n
        protocol.metadata = b[at:end]
        at = end
        protocols.append(protocol)
    if at > size:
        raise ProtocolError(f"JoinGroupRequest is {at - size} bytes short")
    return m, at


def _read_join_group_request_v5(b: bytes, at: int) -> tuple[JoinGroupRequest, int]:
    size = len(b)
    m = new(JoinGroupRequest)
    m.reason = None
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.session_timeout_ms, m.rebalance_timeout_ms, n = unpack_iih(b, at)
    at += 10
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.group_instance_id = None
    else:
        end = at + n
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("protocol_type is null")
    end = at + n
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("protocols", n)
    protocols: list[JoinGroupRequestProtocol] = []
    m.protocols = protocols
    for _ in range(n):
        protocol = new(JoinGroupRequestProtocol)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        protocol.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("metadata is null")
        end = at + n
        protocol.metadata = b[at:end]
        at = end
        protocols.append(protocol)
    if at > size:
        raise ProtocolError(f"JoinGroupRequest is {at - size} bytes short")
    return m, at


def _read_join_group_request_v6_7(b: bytes, at: int) -> tuple[JoinGroupRequest, int]:
    size = len(b)
    m = new(JoinGroupRequest)
    m.reason = None
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.session_timeout_ms, m.rebalance_timeout_ms, n = unpack_iiB(b, at)
    at += 9
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.group_instance_id = None
    else:
        end = at + n - 1
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("protocol_type is null")
    end = at + n - 1
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("protocols", n)
    protocols: list[JoinGroupRequestProtocol] = []
    m.protocols = protocols
    for _ in range(n):
        protocol = new(JoinGroupRequestProtocol)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        protocol.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("metadata is null")
        end = at + n - 1
        protocol.metadata = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        protocols.append(protocol)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"JoinGroupRequest is {at - size} bytes short")
    return m, at


def _read_join_group_request_v8_9(b: bytes, at: int) -> tuple[JoinGroupRequest, int]:
    size = len(b)
    m = new(JoinGroupRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.session_timeout_ms, m.rebalance_timeout_ms, n = unpack_iiB(b, at)
    at += 9
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.group_instance_id = None
    else:
        end = at + n - 1
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("protocol_type is null")
    end = at + n - 1
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("protocols", n)
    protocols: list[JoinGroupRequestProtocol] = []
    m.protocols = protocols
    for _ in range(n):
        protocol = new(JoinGroupRequestProtocol)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        protocol.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("metadata is null")
        end = at + n - 1
        protocol.metadata = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        protocols.append(protocol)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.reason = None
    else:
        end = at + n - 1
        m.reason = b[at:end].decode("utf-8", "replace")
        at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"JoinGroupRequest is {at - size} bytes short")
    return m, at


def _write_join_group_request_v0(m: JoinGroupRequest, out: bytearray) -> None:
    if m.group_instance_id is not None:
        raise fault_absent("group_instance_id")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_ih(m.session_timeout_ms, len(member_id_bytes))
    out += member_id_bytes
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    out += pack_h(len(protocol_type_bytes))
    out += protocol_type_bytes
    protocols = m.protocols
    out += pack_i(len(protocols))
    for protocol in protocols:
        name = protocol.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        metadata = protocol.metadata
        out += pack_i(len(metadata))
        out += metadata


def _write_join_group_request_v1_4(m: JoinGroupRequest, out: bytearray) -> None:
    if m.group_instance_id is not None:
        raise fault_absent("group_instance_id")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_iih(m.session_timeout_ms, m.rebalance_timeout_ms, len(member_id_bytes))
    out += member_id_bytes
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    out += pack_h(len(protocol_type_bytes))
    out += protocol_type_bytes
    protocols = m.protocols
    out += pack_i(len(protocols))
    for protocol in protocols:
        name = protocol.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        metadata = protocol.metadata
        out += pack_i(len(metadata))
        out += metadata


def _write_join_group_request_v5(m: JoinGroupRequest, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_iih(m.session_timeout_ms, m.rebalance_timeout_ms, len(member_id_bytes))
    out += member_id_bytes
    group_instance_id = m.group_instance_id
    group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
    out += pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
    out += group_instance_id_bytes
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    out += pack_h(len(protocol_type_bytes))
    out += protocol_type_bytes
    protocols = m.protocols
    out += pack_i(len(protocols))
    for protocol in protocols:
        name = protocol.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        metadata = protocol.metadata
        out += pack_i(len(metadata))
        out += metadata


def _write_join_group_request_v6_7(m: JoinGroupRequest, out: bytearray) -> None:
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
    out += pack_ii(m.session_timeout_ms, m.rebalance_timeout_ms)
    n = len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    group_instance_id = m.group_instance_id
    group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
    n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_instance_id_bytes
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    n = len(protocol_type_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_type_bytes
    protocols = m.protocols
    n = len(protocols) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for protocol in protocols:
        name = protocol.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        metadata = protocol.metadata
        n = len(metadata) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += metadata
        out.append(0)
    out.append(0)


def _write_join_group_request_v8_9(m: JoinGroupRequest, out: bytearray) -> None:
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
    out += pack_ii(m.session_timeout_ms, m.rebalance_timeout_ms)
    n = len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    group_instance_id = m.group_instance_id
    group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
    n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_instance_id_bytes
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    n = len(protocol_type_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_type_bytes
    protocols = m.protocols
    n = len(protocols) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for protocol in protocols:
        name = protocol.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        metadata = protocol.metadata
        n = len(metadata) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += metadata
        out.append(0)
    reason = m.reason
    reason_bytes = b"" if reason is None else reason.encode()
    n = 0 if reason is None else len(reason_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += reason_bytes
    out.append(0)


def _read_join_group_response_v0_1(b: bytes, at: int) -> tuple[JoinGroupResponse, int]:
    size = len(b)
    m = new(JoinGroupResponse)
    m.throttle_time_ms = 0
    m.protocol_type = None
    m.skip_assignment = False
    m.error_code, m.generation_id, n = unpack_hih(b, at)
    at += 8
    if n < 0:
        raise ProtocolError("protocol_name is null")
    end = at + n
    m.protocol_name = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("leader is null")
    end = at + n
    m.leader = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("members", n)
    members: list[JoinGroupResponseMember] = []
    m.members = members
    for _ in range(n):
        member = new(JoinGroupResponseMember)
        member.group_instance_id = None
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("metadata is null")
        end = at + n
        member.metadata = b[at:end]
        at = end
        members.append(member)
    if at > size:
        raise ProtocolError(f"JoinGroupResponse is {at - size} bytes short")
    return m, at


def _read_join_group_response_v2_4(b: bytes, at: int) -> tuple[JoinGroupResponse, int]:
    size = len(b)
    m = new(JoinGroupResponse)
    m.protocol_type = None
    m.skip_assignment = False
    m.throttle_time_ms, m.error_code, m.generation_id, n = unpack_ihih(b, at)
    at += 12
    if n < 0:
        raise ProtocolError("protocol_name is null")
    end = at + n
    m.protocol_name = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("leader is null")
    end = at + n
    m.leader = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("members", n)
    members: list[JoinGroupResponseMember] = []
    m.members = members
    for _ in range(n):
        member = new(JoinGroupResponseMember)
        member.group_instance_id = None
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("metadata is null")
        end = at + n
        member.metadata = b[at:end]
        at = end
        members.append(member)
    if at > size:
        raise ProtocolError(f"JoinGroupResponse is {at - size} bytes short")
    return m, at


def _read_join_group_response_v5(b: bytes, at: int) -> tuple[JoinGroupResponse, int]:
    size = len(b)
    m = new(JoinGroupResponse)
    m.protocol_type = None
    m.skip_assignment = False
    m.throttle_time_ms, m.error_code, m.generation_id, n = unpack_ihih(b, at)
    at += 12
    if n < 0:
        raise ProtocolError("protocol_name is null")
    end = at + n
    m.protocol_name = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("leader is null")
    end = at + n
    m.leader = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 8 > size - at:
        raise fault_length("members", n)
    members: list[JoinGroupResponseMember] = []
    m.members = members
    for _ in range(n):
        member = new(JoinGroupResponseMember)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            member.group_instance_id = None
        else:
            end = at + n
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("metadata is null")
        end = at + n
        member.metadata = b[at:end]
        at = end
        members.append(member)
    if at > size:
        raise ProtocolError(f"JoinGroupResponse is {at - size} bytes short")
    return m, at


def _read_join_group_response_v6(b: bytes, at: int) -> tuple[JoinGroupResponse, int]:
    size = len(b)
    m = new(JoinGroupResponse)
    m.protocol_type = None
    m.skip_assignment = False
    m.throttle_time_ms, m.error_code, m.generation_id, n = unpack_ihiB(b, at)
    at += 11
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("protocol_name is null")
    end = at + n - 1
    m.protocol_name = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("leader is null")
    end = at + n - 1
    m.leader = b[at:end].decode("utf-8", "replace")
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
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("members", n)
    members: list[JoinGroupResponseMember] = []
    m.members = members
    for _ in range(n):
        member = new(JoinGroupResponseMember)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            member.group_instance_id = None
        else:
            end = at + n - 1
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("metadata is null")
        end = at + n - 1
        member.metadata = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        members.append(member)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"JoinGroupResponse is {at - size} bytes short")
    return m, at


def _read_join_group_response_v7_8(b: bytes, at: int) -> tuple[JoinGroupResponse, int]:
    size = len(b)
    m = new(JoinGroupResponse)
    m.skip_assignment = False
    m.throttle_time_ms, m.error_code, m.generation_id, n = unpack_ihiB(b, at)
    at += 11
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.protocol_type = None
    else:
        end = at + n - 1
        m.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.protocol_name = None
    else:
        end = at + n - 1
        m.protocol_name = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("leader is null")
    end = at + n - 1
    m.leader = b[at:end].decode("utf-8", "replace")
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
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("members", n)
    members: list[JoinGroupResponseMember] = []
    m.members = members
    for _ in range(n):
        member = new(JoinGroupResponseMember)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            member.group_instance_id = None
        else:
            end = at + n - 1
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("metadata is null")
        end = at + n - 1
        member.metadata = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        members.append(member)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"JoinGroupResponse is {at - size} bytes short")
    return m, at


def _read_join_group_response_v9(b: bytes, at: int) -> tuple[JoinGroupResponse, int]:
    size = len(b)
    m = new(JoinGroupResponse)
    m.throttle_time_ms, m.error_code, m.generation_id, n = unpack_ihiB(b, at)
    at += 11
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.protocol_type = None
    else:
        end = at + n - 1
        m.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.protocol_name = None
    else:
        end = at + n - 1
        m.protocol_name = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("leader is null")
    end = at + n - 1
    m.leader = b[at:end].decode("utf-8", "replace")
    at = end
    m.skip_assignment, n = unpack_tB(b, at)
    at += 2
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("members", n)
    members: list[JoinGroupResponseMember] = []
    m.members = members
    for _ in range(n):
        member = new(JoinGroupResponseMember)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            member.group_instance_id = None
        else:
            end = at + n - 1
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("metadata is null")
        end = at + n - 1
        member.metadata = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        members.append(member)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"JoinGroupResponse is {at - size} bytes short")
    return m, at


def _write_join_group_response_v0_1(m: JoinGroupResponse, out: bytearray) -> None:
    if m.skip_assignment:
        raise fault_absent("skip_assignment")
    protocol_name = m.protocol_name
    if protocol_name is None:
        raise fault_null("protocol_name")
    protocol_name_bytes = protocol_name.encode()
    out += pack_hih(m.error_code, m.generation_id, len(protocol_name_bytes))
    out += protocol_name_bytes
    leader = m.leader
    leader_bytes = leader.encode()
    out += pack_h(len(leader_bytes))
    out += leader_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_h(len(member_id_bytes))
    out += member_id_bytes
    members = m.members
    out += pack_i(len(members))
    for member in members:
        member_id2 = member.member_id
        member_id_bytes2 = member_id2.encode()
        out += pack_h(len(member_id_bytes2))
        out += member_id_bytes2
        metadata = member.metadata
        out += pack_i(len(metadata))
        out += metadata


def _write_join_group_response_v2_4(m: JoinGroupResponse, out: bytearray) -> None:
    if m.skip_assignment:
        raise fault_absent("skip_assignment")
    protocol_name = m.protocol_name
    if protocol_name is None:
        raise fault_null("protocol_name")
    protocol_name_bytes = protocol_name.encode()
    out += pack_ihih(m.throttle_time_ms, m.error_code, m.generation_id, len(protocol_name_bytes))
    out += protocol_name_bytes
    leader = m.leader
    leader_bytes = leader.encode()
    out += pack_h(len(leader_bytes))
    out += leader_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_h(len(member_id_bytes))
    out += member_id_bytes
    members = m.members
    out += pack_i(len(members))
    for member in members:
        member_id2 = member.member_id
        member_id_bytes2 = member_id2.encode()
        out += pack_h(len(member_id_bytes2))
        out += member_id_bytes2
        metadata = member.metadata
        out += pack_i(len(metadata))
        out += metadata


def _write_join_group_response_v5(m: JoinGroupResponse, out: bytearray) -> None:
    if m.skip_assignment:
        raise fault_absent("skip_assignment")
    protocol_name = m.protocol_name
    if protocol_name is None:
        raise fault_null("protocol_name")
    protocol_name_bytes = protocol_name.encode()
    out += pack_ihih(m.throttle_time_ms, m.error_code, m.generation_id, len(protocol_name_bytes))
    out += protocol_name_bytes
    leader = m.leader
    leader_bytes = leader.encode()
    out += pack_h(len(leader_bytes))
    out += leader_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_h(len(member_id_bytes))
    out += member_id_bytes
    members = m.members
    out += pack_i(len(members))
    for member in members:
        member_id2 = member.member_id
        member_id_bytes2 = member_id2.encode()
        out += pack_h(len(member_id_bytes2))
        out += member_id_bytes2
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        out += pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
        out += group_instance_id_bytes
        metadata = member.metadata
        out += pack_i(len(metadata))
        out += metadata


def _write_join_group_response_v6(m: JoinGroupResponse, out: bytearray) -> None:
    if m.skip_assignment:
        raise fault_absent("skip_assignment")
    protocol_name = m.protocol_name
    if protocol_name is None:
        raise fault_null("protocol_name")
    protocol_name_bytes = protocol_name.encode()
    out += pack_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
    n = len(protocol_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_name_bytes
    leader = m.leader
    leader_bytes = leader.encode()
    n = len(leader_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += leader_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    n = len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    members = m.members
    n = len(members) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for member in members:
        member_id2 = member.member_id
        member_id_bytes2 = member_id2.encode()
        n = len(member_id_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes2
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_instance_id_bytes
        metadata = member.metadata
        n = len(metadata) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += metadata
        out.append(0)
    out.append(0)


def _write_join_group_response_v7_8(m: JoinGroupResponse, out: bytearray) -> None:
    if m.skip_assignment:
        raise fault_absent("skip_assignment")
    protocol_type = m.protocol_type
    protocol_type_bytes = b"" if protocol_type is None else protocol_type.encode()
    out += pack_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
    n = 0 if protocol_type is None else len(protocol_type_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_type_bytes
    protocol_name = m.protocol_name
    protocol_name_bytes = b"" if protocol_name is None else protocol_name.encode()
    n = 0 if protocol_name is None else len(protocol_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_name_bytes
    leader = m.leader
    leader_bytes = leader.encode()
    n = len(leader_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += leader_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    n = len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    members = m.members
    n = len(members) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for member in members:
        member_id2 = member.member_id
        member_id_bytes2 = member_id2.encode()
        n = len(member_id_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes2
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_instance_id_bytes
        metadata = member.metadata
        n = len(metadata) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += metadata
        out.append(0)
    out.append(0)


def _write_join_group_response_v9(m: JoinGroupResponse, out: bytearray) -> None:
    protocol_type = m.protocol_type
    protocol_type_bytes = b"" if protocol_type is None else protocol_type.encode()
    out += pack_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
    n = 0 if protocol_type is None else len(protocol_type_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_type_bytes
    protocol_name = m.protocol_name
    protocol_name_bytes = b"" if protocol_name is None else protocol_name.encode()
    n = 0 if protocol_name is None else len(protocol_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_name_bytes
    leader = m.leader
    leader_bytes = leader.encode()
    n = len(leader_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += leader_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_t(m.skip_assignment)
    n = len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    members = m.members
    n = len(members) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for member in members:
        member_id2 = member.member_id
        member_id_bytes2 = member_id2.encode()
        n = len(member_id_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes2
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_instance_id_bytes
        metadata = member.metadata
        n = len(metadata) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += metadata
        out.append(0)
    out.append(0)


JoinGroupRequest.READERS = {
    0: _read_join_group_request_v0,
    1: _read_join_group_request_v1_4,
    2: _read_join_group_request_v1_4,
    3: _read_join_group_request_v1_4,
    4: _read_join_group_request_v1_4,
    5: _read_join_group_request_v5,
    6: _read_join_group_request_v6_7,
    7: _read_join_group_request_v6_7,
    8: _read_join_group_request_v8_9,
    9: _read_join_group_request_v8_9,
}
JoinGroupRequest.WRITERS = {
    0: _write_join_group_request_v0,
    1: _write_join_group_request_v1_4,
    2: _write_join_group_request_v1_4,
    3: _write_join_group_request_v1_4,
    4: _write_join_group_request_v1_4,
    5: _write_join_group_request_v5,
    6: _write_join_group_request_v6_7,
    7: _write_join_group_request_v6_7,
    8: _write_join_group_request_v8_9,
    9: _write_join_group_request_v8_9,
}
JoinGroupResponse.READERS = {
    0: _read_join_group_response_v0_1,
    1: _read_join_group_response_v0_1,
    2: _read_join_group_response_v2_4,
    3: _read_join_group_response_v2_4,
    4: _read_join_group_response_v2_4,
    5: _read_join_group_response_v5,
    6: _read_join_group_response_v6,
    7: _read_join_group_response_v7_8,
    8: _read_join_group_response_v7_8,
    9: _read_join_group_response_v9,
}
JoinGroupResponse.WRITERS = {
    0: _write_join_group_response_v0_1,
    1: _write_join_group_response_v0_1,
    2: _write_join_group_response_v2_4,
    3: _write_join_group_response_v2_4,
    4: _write_join_group_response_v2_4,
    5: _write_join_group_response_v5,
    6: _write_join_group_response_v6,
    7: _write_join_group_response_v7_8,
    8: _write_join_group_response_v7_8,
    9: _write_join_group_response_v9,
}
