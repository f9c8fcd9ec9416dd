"""CreateDelegationToken: a shared secret for workers of an authenticated principal (KIP-48).

v1  answers before it throttles (KIP-219)
v2  flexible
v3  for another owner (KIP-373)

Generated from protocol_specs/38_create_delegation_token by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_hh = Struct(">hh").pack
pack_i = Struct(">i").pack
pack_ix = Struct(">ix").pack
pack_q = Struct(">q").pack
pack_qqq = Struct(">qqq").pack
pack_qqqh = Struct(">qqqh").pack
pack_qx = Struct(">qx").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_qB = Struct(">qB").unpack_from
unpack_qqqB = Struct(">qqqB").unpack_from
unpack_qqqh = Struct(">qqqh").unpack_from


class CreatableRenewers(Data):
    __slots__ = FIELDS = ("principal_type", "principal_name")

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name


class CreateDelegationTokenRequest(Message):
    API_KEY = 38
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("owner_principal_type", "owner_principal_name", "renewers", "max_lifetime_ms")

    def __init__(
        self,
        owner_principal_type: str | None = "",
        owner_principal_name: str | None = "",
        renewers: list[CreatableRenewers] = UNSET,
        max_lifetime_ms: int = 0,
    ) -> None:
        self.owner_principal_type = owner_principal_type
        self.owner_principal_name = owner_principal_name
        self.renewers = [] if renewers is UNSET else renewers
        self.max_lifetime_ms = max_lifetime_ms


class CreateDelegationTokenResponse(Message):
    API_KEY = 38
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = (
        "error_code",
        "principal_type",
        "principal_name",
        "token_requester_principal_type",
        "token_requester_principal_name",
        "issue_timestamp_ms",
        "expiry_timestamp_ms",
        "max_timestamp_ms",
        "token_id",
        "hmac",
        "throttle_time_ms",
    )

    def __init__(
        self,
        error_code: int = 0,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp_ms: int = 0,
        expiry_timestamp_ms: int = 0,
        max_timestamp_ms: int = 0,
        token_id: str = "",
        hmac: bytes = b"",
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp_ms = issue_timestamp_ms
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.max_timestamp_ms = max_timestamp_ms
        self.token_id = token_id
        self.hmac = hmac
        self.throttle_time_ms = throttle_time_ms


def _read_create_delegation_token_request_v0_1(b: bytes, at: int) -> tuple[CreateDelegationTokenRequest, int]:
    size = len(b)
    m = new(CreateDelegationTokenRequest)
    m.owner_principal_type = ""
    m.owner_principal_name = ""
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 4 > size - at:
        raise fault_length("renewers", n)
    renewers: list[CreatableRenewers] = []
    m.renewers = renewers
    for _ in range(n):
        renewer = new(CreatableRenewers)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("principal_type is null")
        end = at + n
        renewer.principal_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("principal_name is null")
        end = at + n
        renewer.principal_name = b[at:end].decode("utf-8", "replace")
        at = end
        renewers.append(renewer)
    m.max_lifetime_ms = unpack_q(b, at)[0]
    at += 8
    if at > size:
        raise ProtocolError(f"CreateDelegationTokenRequest is {at - size} bytes short")
    return m, at


def _read_create_delegation_token_request_v2(b: bytes, at: int) -> tuple[CreateDelegationTokenRequest, int]:
    size = len(b)
    m = new(CreateDelegationTokenRequest)
    m.owner_principal_type = ""
    m.owner_principal_name = ""
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("renewers", n)
    renewers: list[CreatableRenewers] = []
    m.renewers = renewers
    for _ in range(n):
        renewer = new(CreatableRenewers)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal_type is null")
        end = at + n - 1
        renewer.principal_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal_name is null")
        end = at + n - 1
        renewer.principal_name = b[at:end].decode("utf-8", "replace")
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        renewers.append(renewer)
    m.max_lifetime_ms, tags = unpack_qB(b, at)
    at += 9
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateDelegationTokenRequest is {at - size} bytes short")
    return m, at


def _read_create_delegation_token_request_v3(b: bytes, at: int) -> tuple[CreateDelegationTokenRequest, int]:
    size = len(b)
    m = new(CreateDelegationTokenRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.owner_principal_type = None
    else:
        end = at + n - 1
        m.owner_principal_type = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.owner_principal_name = None
    else:
        end = at + n - 1
        m.owner_principal_name = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("renewers", n)
    renewers: list[CreatableRenewers] = []
    m.renewers = renewers
    for _ in range(n):
        renewer = new(CreatableRenewers)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal_type is null")
        end = at + n - 1
        renewer.principal_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal_name is null")
        end = at + n - 1
        renewer.principal_name = b[at:end].decode("utf-8", "replace")
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        renewers.append(renewer)
    m.max_lifetime_ms, tags = unpack_qB(b, at)
    at += 9
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateDelegationTokenRequest is {at - size} bytes short")
    return m, at


def _write_create_delegation_token_request_v0_1(m: CreateDelegationTokenRequest, out: bytearray) -> None:
    if m.owner_principal_type != "":
        raise fault_absent("owner_principal_type")
    if m.owner_principal_name != "":
        raise fault_absent("owner_principal_name")
    renewers = m.renewers
    out += pack_i(len(renewers))
    for renewer in renewers:
        principal_type = renewer.principal_type
        principal_type_bytes = principal_type.encode()
        out += pack_h(len(principal_type_bytes))
        out += principal_type_bytes
        principal_name = renewer.principal_name
        principal_name_bytes = principal_name.encode()
        out += pack_h(len(principal_name_bytes))
        out += principal_name_bytes
    out += pack_q(m.max_lifetime_ms)


def _write_create_delegation_token_request_v2(m: CreateDelegationTokenRequest, out: bytearray) -> None:
    if m.owner_principal_type != "":
        raise fault_absent("owner_principal_type")
    if m.owner_principal_name != "":
        raise fault_absent("owner_principal_name")
    renewers = m.renewers
    n = len(renewers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for renewer in renewers:
        principal_type = renewer.principal_type
        principal_type_bytes = principal_type.encode()
        n = len(principal_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += principal_type_bytes
        principal_name = renewer.principal_name
        principal_name_bytes = principal_name.encode()
        n = len(principal_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += principal_name_bytes
        out.append(0)
    out += pack_qx(m.max_lifetime_ms)


def _write_create_delegation_token_request_v3(m: CreateDelegationTokenRequest, out: bytearray) -> None:
    owner_principal_type = m.owner_principal_type
    owner_principal_type_bytes = b"" if owner_principal_type is None else owner_principal_type.encode()
    n = 0 if owner_principal_type is None else len(owner_principal_type_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += owner_principal_type_bytes
    owner_principal_name = m.owner_principal_name
    owner_principal_name_bytes = b"" if owner_principal_name is None else owner_principal_name.encode()
    n = 0 if owner_principal_name is None else len(owner_principal_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += owner_principal_name_bytes
    renewers = m.renewers
    n = len(renewers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for renewer in renewers:
        principal_type = renewer.principal_type
        principal_type_bytes = principal_type.encode()
        n = len(principal_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += principal_type_bytes
        principal_name = renewer.principal_name
        principal_name_bytes = principal_name.encode()
        n = len(principal_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += principal_name_bytes
        out.append(0)
    out += pack_qx(m.max_lifetime_ms)


def _read_create_delegation_token_response_v0_1(b: bytes, at: int) -> tuple[CreateDelegationTokenResponse, int]:
    size = len(b)
    m = new(CreateDelegationTokenResponse)
    m.token_requester_principal_type = ""
    m.token_requester_principal_name = ""
    m.error_code, n = unpack_hh(b, at)
    at += 4
    if n < 0:
        raise ProtocolError("principal_type is null")
    end = at + n
    m.principal_type = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("principal_name is null")
    end = at + n
    m.principal_name = b[at:end].decode("utf-8", "replace")
    at = end
    m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms, n = unpack_qqqh(b, at)
    at += 26
    if n < 0:
        raise ProtocolError("token_id is null")
    end = at + n
    m.token_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        raise ProtocolError("hmac is null")
    end = at + n
    m.hmac = b[at:end]
    at = end
    m.throttle_time_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"CreateDelegationTokenResponse is {at - size} bytes short")
    return m, at


def _read_create_delegation_token_response_v2(b: bytes, at: int) -> tuple[CreateDelegationTokenResponse, int]:
    size = len(b)
    m = new(CreateDelegationTokenResponse)
    m.token_requester_principal_type = ""
    m.token_requester_principal_name = ""
    m.error_code, n = unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("principal_type is null")
    end = at + n - 1
    m.principal_type = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("principal_name is null")
    end = at + n - 1
    m.principal_name = b[at:end].decode("utf-8", "replace")
    at = end
    m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms, n = unpack_qqqB(b, at)
    at += 25
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("token_id is null")
    end = at + n - 1
    m.token_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("hmac is null")
    end = at + n - 1
    m.hmac = b[at:end]
    at = end
    m.throttle_time_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateDelegationTokenResponse is {at - size} bytes short")
    return m, at


def _read_create_delegation_token_response_v3(b: bytes, at: int) -> tuple[CreateDelegationTokenResponse, int]:
    size = len(b)
    m = new(CreateDelegationTokenResponse)
    m.error_code, n = unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("principal_type is null")
    end = at + n - 1
    m.principal_type = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("principal_name is null")
    end = at + n - 1
    m.principal_name = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("token_requester_principal_type is null")
    end = at + n - 1
    m.token_requester_principal_type = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("token_requester_principal_name is null")
    end = at + n - 1
    m.token_requester_principal_name = b[at:end].decode("utf-8", "replace")
    at = end
    m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms, n = unpack_qqqB(b, at)
    at += 25
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("token_id is null")
    end = at + n - 1
    m.token_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("hmac is null")
    end = at + n - 1
    m.hmac = b[at:end]
    at = end
    m.throttle_time_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateDelegationTokenResponse is {at - size} bytes short")
    return m, at


def _write_create_delegation_token_response_v0_1(m: CreateDelegationTokenResponse, out: bytearray) -> None:
    if m.token_requester_principal_type != "":
        raise fault_absent("token_requester_principal_type")
    if m.token_requester_principal_name != "":
        raise fault_absent("token_requester_principal_name")
    principal_type = m.principal_type
    principal_type_bytes = principal_type.encode()
    out += pack_hh(m.error_code, len(principal_type_bytes))
    out += principal_type_bytes
    principal_name = m.principal_name
    principal_name_bytes = principal_name.encode()
    out += pack_h(len(principal_name_bytes))
    out += principal_name_bytes
    token_id = m.token_id
    token_id_bytes = token_id.encode()
    out += pack_qqqh(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms, len(token_id_bytes))
    out += token_id_bytes
    hmac = m.hmac
    out += pack_i(len(hmac))
    out += hmac
    out += pack_i(m.throttle_time_ms)


def _write_create_delegation_token_response_v2(m: CreateDelegationTokenResponse, out: bytearray) -> None:
    if m.token_requester_principal_type != "":
        raise fault_absent("token_requester_principal_type")
    if m.token_requester_principal_name != "":
        raise fault_absent("token_requester_principal_name")
    principal_type = m.principal_type
    principal_type_bytes = principal_type.encode()
    out += pack_h(m.error_code)
    n = len(principal_type_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += principal_type_bytes
    principal_name = m.principal_name
    principal_name_bytes = principal_name.encode()
    n = len(principal_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += principal_name_bytes
    token_id = m.token_id
    token_id_bytes = token_id.encode()
    out += pack_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
    n = len(token_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += token_id_bytes
    hmac = m.hmac
    n = len(hmac) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += hmac
    out += pack_ix(m.throttle_time_ms)


def _write_create_delegation_token_response_v3(m: CreateDelegationTokenResponse, out: bytearray) -> None:
    principal_type = m.principal_type
    principal_type_bytes = principal_type.encode()
    out += pack_h(m.error_code)
    n = len(principal_type_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += principal_type_bytes
    principal_name = m.principal_name
    principal_name_bytes = principal_name.encode()
    n = len(principal_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += principal_name_bytes
    token_requester_principal_type = m.token_requester_principal_type
    token_requester_principal_type_bytes = token_requester_principal_type.encode()
    n = len(token_requester_principal_type_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += token_requester_principal_type_bytes
    token_requester_principal_name = m.token_requester_principal_name
    token_requester_principal_name_bytes = token_requester_principal_name.encode()
    n = len(token_requester_principal_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += token_requester_principal_name_bytes
    token_id = m.token_id
    token_id_bytes = token_id.encode()
    out += pack_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
    n = len(token_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += token_id_bytes
    hmac = m.hmac
    n = len(hmac) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += hmac
    out += pack_ix(m.throttle_time_ms)


CreateDelegationTokenRequest.READERS = {
    0: _read_create_delegation_token_request_v0_1,
    1: _read_create_delegation_token_request_v0_1,
    2: _read_create_delegation_token_request_v2,
    3: _read_create_delegation_token_request_v3,
}
CreateDelegationTokenRequest.WRITERS = {
    0: _write_create_delegation_token_request_v0_1,
    1: _write_create_delegation_token_request_v0_1,
    2: _write_create_delegation_token_request_v2,
    3: _write_create_delegation_token_request_v3,
}
CreateDelegationTokenResponse.READERS = {
    0: _read_create_delegation_token_response_v0_1,
    1: _read_create_delegation_token_response_v0_1,
    2: _read_create_delegation_token_response_v2,
    3: _read_create_delegation_token_response_v3,
}
CreateDelegationTokenResponse.WRITERS = {
    0: _write_create_delegation_token_response_v0_1,
    1: _write_create_delegation_token_response_v0_1,
    2: _write_create_delegation_token_response_v2,
    3: _write_create_delegation_token_response_v3,
}
