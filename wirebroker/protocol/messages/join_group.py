"""JoinGroup: join a classic group, or rejoin it in a rebalance.

v1  rebalance_timeout_ms (KIP-62)
v2  throttle_time_ms (KIP-124)
v3  responds before it throttles (KIP-219)
v4  the first request returns MEMBER_ID_REQUIRED and a member id (KIP-394)
v5  group_instance_id (KIP-345)
v6  flexible
v7  protocol_type in the response, protocol_name may be null (KIP-559)
v8  reason (KIP-800)
v9  skip_assignment (KIP-814)

Generated from protocol_specs/11_join_group by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    absent_field_error,
    count_error,
    new,
    null_field_error,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_pack_h = Struct(">h").pack
_pack_hih = Struct(">hih").pack
_pack_i = Struct(">i").pack
_pack_ihi = Struct(">ihi").pack
_pack_ihiB = Struct(">ihiB").pack
_pack_ihih = Struct(">ihih").pack
_pack_t = Struct(">?").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_iih = Struct(">iih").unpack_from


class JoinGroupRequestProtocol(Data):
    """An element of `JoinGroupRequest.protocols`."""

    name: str = ""
    metadata: bytes = b""


class JoinGroupRequest(ReadableMessage):
    API_KEY = 11
    VERSIONS = range(0, 10)
    FLEXIBLE_FROM = 6

    group_id: str = ""
    session_timeout_ms: int = 0
    """Time without a heartbeat after which the member is removed."""
    rebalance_timeout_ms: int = -1  # v1+
    """How long members have to rejoin in a rebalance; -1: session_timeout_ms."""
    member_id: str = ""
    group_instance_id: str | None = None  # v5+
    """group.instance.id of a static member (KIP-345); null for dynamic members."""
    protocol_type: str = ""
    protocols: list[JoinGroupRequestProtocol] = []
    """Assignors that the member supports, in order of preference."""
    reason: str | None = None  # v8+
    """Why the member joins, for the broker's log."""


class JoinGroupResponseMember(Data):
    """An element of `JoinGroupResponse.members`."""

    member_id: str = ""
    group_instance_id: str | None = None  # v5+
    """group.instance.id of a static member (KIP-345); null for dynamic members."""
    metadata: bytes = b""


class JoinGroupResponse(WritableMessage):
    API_KEY = 11
    VERSIONS = range(0, 10)
    FLEXIBLE_FROM = 6

    throttle_time_ms: int = 0  # v2+
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    generation_id: int = -1
    """Generation: incremented with each rebalance; -1 for consumers that are not members."""
    protocol_type: str | None = None  # v7+
    protocol_name: str | None = ""
    leader: str = ""
    """Member id of the leader, which computes the assignment."""
    skip_assignment: bool = False  # v9+
    """True if the leader must not compute an assignment (KIP-814)."""
    member_id: str = ""
    members: list[JoinGroupResponseMember] = []
    """Empty for members other than the leader."""


def _read_join_group_request_v0_5(b: bytes, at: int, version: int) -> tuple[JoinGroupRequest, int]:
    size = len(b)
    m = new(JoinGroupRequest)
    m.reason = None
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    if version >= 1:
        m.session_timeout_ms, m.rebalance_timeout_ms, n = _unpack_iih(b, at)
        at += 10
    else:
        m.rebalance_timeout_ms = -1
        m.session_timeout_ms, n = _unpack_ih(b, at)
        at += 6
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    if version >= 5:
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            m.group_instance_id = None
        else:
            end = at + n
            m.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
    else:
        m.group_instance_id = None
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("protocol_type is null")
    end = at + n
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("protocols", n)
    protocols: list[JoinGroupRequestProtocol] = []
    m.protocols = protocols
    for _ in range(n):
        protocol = new(JoinGroupRequestProtocol)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        protocol.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
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


def _read_join_group_request_v6_9(b: bytes, at: int, version: int) -> tuple[JoinGroupRequest, int]:
    size = len(b)
    m = new(JoinGroupRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.session_timeout_ms, m.rebalance_timeout_ms, n = _unpack_iiB(b, at)
    at += 9
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.group_instance_id = None
    else:
        end = at + n - 1
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("protocol_type is null")
    end = at + n - 1
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("protocols", n)
    protocols: list[JoinGroupRequestProtocol] = []
    m.protocols = protocols
    for _ in range(n):
        protocol = new(JoinGroupRequestProtocol)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        protocol.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("metadata is null")
        end = at + n - 1
        protocol.metadata = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        protocols.append(protocol)
    if version >= 8:
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            m.reason = None
        else:
            end = at + n - 1
            m.reason = b[at:end].decode("utf-8", "replace")
            at = end
    else:
        m.reason = None
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"JoinGroupRequest is {at - size} bytes short")
    return m, at


JoinGroupRequest.READERS = dict.fromkeys(range(0, 6), _read_join_group_request_v0_5) | dict.fromkeys(range(6, 10), _read_join_group_request_v6_9)


def _write_join_group_response_v0_5(m: JoinGroupResponse, out: bytearray, version: int) -> None:
    if m.skip_assignment:
        raise absent_field_error("skip_assignment")
    protocol_name = m.protocol_name
    if protocol_name is None:
        raise null_field_error("protocol_name")
    protocol_name_bytes = protocol_name.encode()
    if version >= 2:
        out += _pack_ihih(m.throttle_time_ms, m.error_code, m.generation_id, len(protocol_name_bytes))
    else:
        out += _pack_hih(m.error_code, m.generation_id, len(protocol_name_bytes))
    out += protocol_name_bytes
    leader = m.leader
    leader_bytes = leader.encode()
    out += _pack_h(len(leader_bytes))
    out += leader_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += _pack_h(len(member_id_bytes))
    out += member_id_bytes
    members = m.members
    out += _pack_i(len(members))
    for member in members:
        member_id2 = member.member_id
        member_id_bytes2 = member_id2.encode()
        out += _pack_h(len(member_id_bytes2))
        out += member_id_bytes2
        if version >= 5:
            group_instance_id = member.group_instance_id
            group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
            out += _pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
            out += group_instance_id_bytes
        metadata = member.metadata
        out += _pack_i(len(metadata))
        out += metadata


def _write_join_group_response_v6_9(m: JoinGroupResponse, out: bytearray, version: int) -> None:
    if version >= 7:
        protocol_type = m.protocol_type
        protocol_type_bytes = b"" if protocol_type is None else protocol_type.encode()
        n = 0 if protocol_type is None else len(protocol_type_bytes) + 1
        if n > 127:
            out += _pack_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
            write_uvarint(out, n)
        else:
            out += _pack_ihiB(m.throttle_time_ms, m.error_code, m.generation_id, n)
        out += protocol_type_bytes
    else:
        out += _pack_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
    protocol_name = m.protocol_name
    if protocol_name is None and version <= 6:
        raise null_field_error("protocol_name")
    protocol_name_bytes = b"" if protocol_name is None else protocol_name.encode()
    n = 0 if protocol_name is None else len(protocol_name_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_name_bytes
    leader = m.leader
    leader_bytes = leader.encode()
    n = len(leader_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += leader_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    n = len(member_id_bytes) + 1
    if version >= 9:
        out += _pack_t(m.skip_assignment)
    else:
        if m.skip_assignment:
            raise absent_field_error("skip_assignment")
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    members = m.members
    n = len(members) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for member in members:
        member_id2 = member.member_id
        member_id_bytes2 = member_id2.encode()
        n = len(member_id_bytes2) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes2
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += group_instance_id_bytes
        metadata = member.metadata
        n = len(metadata) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += metadata
        out.append(0)
    out.append(0)


JoinGroupResponse.WRITERS = dict.fromkeys(range(0, 6), _write_join_group_response_v0_5) | dict.fromkeys(range(6, 10), _write_join_group_response_v6_9)
