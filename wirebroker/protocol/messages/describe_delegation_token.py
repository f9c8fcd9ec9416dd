"""DescribeDelegationToken: tokens that the caller may see (KIP-48).

v1  answers before it throttles (KIP-219)
v2  flexible
v3  who asked for the token (KIP-373)

Generated from protocol_specs/41_describe_delegation_token by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_ix = Struct(">ix").pack
pack_qqq = Struct(">qqq").pack
pack_qqqh = Struct(">qqqh").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_qqqB = Struct(">qqqB").unpack_from
unpack_qqqh = Struct(">qqqh").unpack_from


class DescribeDelegationTokenOwner(Data):
    """null: all"""

    __slots__ = FIELDS = ("principal_type", "principal_name")

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name


class DescribeDelegationTokenRequest(Message):
    API_KEY = 41
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("owners",)

    def __init__(
        self,
        owners: list[DescribeDelegationTokenOwner] | None = UNSET,
    ) -> None:
        self.owners = [] if owners is UNSET else owners


class DescribedDelegationTokenRenewer(Data):
    __slots__ = FIELDS = ("principal_type", "principal_name")

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name


class DescribedDelegationToken(Data):
    __slots__ = FIELDS = (
        "principal_type",
        "principal_name",
        "token_requester_principal_type",
        "token_requester_principal_name",
        "issue_timestamp",
        "expiry_timestamp",
        "max_timestamp",
        "token_id",
        "hmac",
        "renewers",
    )

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp: int = 0,
        expiry_timestamp: int = 0,
        max_timestamp: int = 0,
        token_id: str = "",
        hmac: bytes = b"",
        renewers: list[DescribedDelegationTokenRenewer] = UNSET,
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp = issue_timestamp
        self.expiry_timestamp = expiry_timestamp
        self.max_timestamp = max_timestamp
        self.token_id = token_id
        self.hmac = hmac
        self.renewers = [] if renewers is UNSET else renewers


class DescribeDelegationTokenResponse(Message):
    API_KEY = 41
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("error_code", "tokens", "throttle_time_ms")

    def __init__(
        self,
        error_code: int = 0,
        tokens: list[DescribedDelegationToken] = UNSET,
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.tokens = [] if tokens is UNSET else tokens
        self.throttle_time_ms = throttle_time_ms


def _read_describe_delegation_token_request_v0_1(b: bytes, at: int) -> tuple[DescribeDelegationTokenRequest, int]:
    size = len(b)
    m = new(DescribeDelegationTokenRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.owners = None
    else:
        if n * 4 > size - at:
            raise fault_length("owners", n)
        owners: list[DescribeDelegationTokenOwner] = []
        m.owners = owners
        for _ in range(n):
            owner = new(DescribeDelegationTokenOwner)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("principal_type is null")
            end = at + n
            owner.principal_type = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("principal_name is null")
            end = at + n
            owner.principal_name = b[at:end].decode("utf-8", "replace")
            at = end
            owners.append(owner)
    if at > size:
        raise ProtocolError(f"DescribeDelegationTokenRequest is {at - size} bytes short")
    return m, at


def _read_describe_delegation_token_request_v2_3(b: bytes, at: int) -> tuple[DescribeDelegationTokenRequest, int]:
    size = len(b)
    m = new(DescribeDelegationTokenRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.owners = None
    else:
        if n * 3 > size - at:
            raise fault_length("owners", n)
        owners: list[DescribeDelegationTokenOwner] = []
        m.owners = owners
        for _ in range(n):
            owner = new(DescribeDelegationTokenOwner)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("principal_type is null")
            end = at + n - 1
            owner.principal_type = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("principal_name is null")
            end = at + n - 1
            owner.principal_name = b[at:end].decode("utf-8", "replace")
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            owners.append(owner)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeDelegationTokenRequest is {at - size} bytes short")
    return m, at


def _write_describe_delegation_token_request_v0_1(m: DescribeDelegationTokenRequest, out: bytearray) -> None:
    owners = m.owners
    out += pack_i(-1 if owners is None else len(owners))
    if owners is not None:
        for owner in owners:
            principal_type = owner.principal_type
            principal_type_bytes = principal_type.encode()
            out += pack_h(len(principal_type_bytes))
            out += principal_type_bytes
            principal_name = owner.principal_name
            principal_name_bytes = principal_name.encode()
            out += pack_h(len(principal_name_bytes))
            out += principal_name_bytes


def _write_describe_delegation_token_request_v2_3(m: DescribeDelegationTokenRequest, out: bytearray) -> None:
    owners = m.owners
    n = 0 if owners is None else len(owners) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if owners is not None:
        for owner in owners:
            principal_type = owner.principal_type
            principal_type_bytes = principal_type.encode()
            n = len(principal_type_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += principal_type_bytes
            principal_name = owner.principal_name
            principal_name_bytes = principal_name.encode()
            n = len(principal_name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += principal_name_bytes
            out.append(0)
    out.append(0)


def _read_describe_delegation_token_response_v0_1(b: bytes, at: int) -> tuple[DescribeDelegationTokenResponse, int]:
    size = len(b)
    m = new(DescribeDelegationTokenResponse)
    m.error_code, n = unpack_hi(b, at)
    at += 6
    if n < 0 or n * 38 > size - at:
        raise fault_length("tokens", n)
    tokens: list[DescribedDelegationToken] = []
    m.tokens = tokens
    for _ in range(n):
        token = new(DescribedDelegationToken)
        token.token_requester_principal_type = ""
        token.token_requester_principal_name = ""
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("principal_type is null")
        end = at + n
        token.principal_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("principal_name is null")
        end = at + n
        token.principal_name = b[at:end].decode("utf-8", "replace")
        at = end
        token.issue_timestamp, token.expiry_timestamp, token.max_timestamp, n = unpack_qqqh(b, at)
        at += 26
        if n < 0:
            raise ProtocolError("token_id is null")
        end = at + n
        token.token_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("hmac is null")
        end = at + n
        token.hmac = b[at:end]
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("renewers", n)
        renewers: list[DescribedDelegationTokenRenewer] = []
        token.renewers = renewers
        for _ in range(n):
            renewer = new(DescribedDelegationTokenRenewer)
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
        tokens.append(token)
    m.throttle_time_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"DescribeDelegationTokenResponse is {at - size} bytes short")
    return m, at


def _read_describe_delegation_token_response_v2(b: bytes, at: int) -> tuple[DescribeDelegationTokenResponse, int]:
    size = len(b)
    m = new(DescribeDelegationTokenResponse)
    m.error_code, n = unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 30 > size - at:
        raise fault_length("tokens", n)
    tokens: list[DescribedDelegationToken] = []
    m.tokens = tokens
    for _ in range(n):
        token = new(DescribedDelegationToken)
        token.token_requester_principal_type = ""
        token.token_requester_principal_name = ""
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal_type is null")
        end = at + n - 1
        token.principal_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal_name is null")
        end = at + n - 1
        token.principal_name = b[at:end].decode("utf-8", "replace")
        at = end
        token.issue_timestamp, token.expiry_timestamp, token.max_timestamp, n = unpack_qqqB(b, at)
        at += 25
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("token_id is null")
        end = at + n - 1
        token.token_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("hmac is null")
        end = at + n - 1
        token.hmac = b[at:end]
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("renewers", n)
        renewers: list[DescribedDelegationTokenRenewer] = []
        token.renewers = renewers
        for _ in range(n):
            renewer = new(DescribedDelegationTokenRenewer)
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
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        tokens.append(token)
    m.throttle_time_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeDelegationTokenResponse is {at - size} bytes short")
    return m, at


def _read_describe_delegation_token_response_v3(b: bytes, at: int) -> tuple[DescribeDelegationTokenResponse, int]:
    size = len(b)
    m = new(DescribeDelegationTokenResponse)
    m.error_code, n = unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 32 > size - at:
        raise fault_length("tokens", n)
    tokens: list[DescribedDelegationToken] = []
    m.tokens = tokens
    for _ in range(n):
        token = new(DescribedDelegationToken)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal_type is null")
        end = at + n - 1
        token.principal_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal_name is null")
        end = at + n - 1
        token.principal_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("token_requester_principal_type is null")
        end = at + n - 1
        token.token_requester_principal_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("token_requester_principal_name is null")
        end = at + n - 1
        token.token_requester_principal_name = b[at:end].decode("utf-8", "replace")
        at = end
        token.issue_timestamp, token.expiry_timestamp, token.max_timestamp, n = unpack_qqqB(b, at)
        at += 25
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("token_id is null")
        end = at + n - 1
        token.token_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("hmac is null")
        end = at + n - 1
        token.hmac = b[at:end]
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("renewers", n)
        renewers: list[DescribedDelegationTokenRenewer] = []
        token.renewers = renewers
        for _ in range(n):
            renewer = new(DescribedDelegationTokenRenewer)
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
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        tokens.append(token)
    m.throttle_time_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeDelegationTokenResponse is {at - size} bytes short")
    return m, at


def _write_describe_delegation_token_response_v0_1(m: DescribeDelegationTokenResponse, out: bytearray) -> None:
    tokens = m.tokens
    out += pack_hi(m.error_code, len(tokens))
    for token in tokens:
        if token.token_requester_principal_type != "":
            raise fault_absent("token_requester_principal_type")
        if token.token_requester_principal_name != "":
            raise fault_absent("token_requester_principal_name")
        principal_type = token.principal_type
        principal_type_bytes = principal_type.encode()
        out += pack_h(len(principal_type_bytes))
        out += principal_type_bytes
        principal_name = token.principal_name
        principal_name_bytes = principal_name.encode()
        out += pack_h(len(principal_name_bytes))
        out += principal_name_bytes
        token_id = token.token_id
        token_id_bytes = token_id.encode()
        out += pack_qqqh(token.issue_timestamp, token.expiry_timestamp, token.max_timestamp, len(token_id_bytes))
        out += token_id_bytes
        hmac = token.hmac
        out += pack_i(len(hmac))
        out += hmac
        renewers = token.renewers
        out += pack_i(len(renewers))
        for renewer in renewers:
            principal_type2 = renewer.principal_type
            principal_type_bytes2 = principal_type2.encode()
            out += pack_h(len(principal_type_bytes2))
            out += principal_type_bytes2
            principal_name2 = renewer.principal_name
            principal_name_bytes2 = principal_name2.encode()
            out += pack_h(len(principal_name_bytes2))
            out += principal_name_bytes2
    out += pack_i(m.throttle_time_ms)


def _write_describe_delegation_token_response_v2(m: DescribeDelegationTokenResponse, out: bytearray) -> None:
    tokens = m.tokens
    out += pack_h(m.error_code)
    n = len(tokens) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for token in tokens:
        if token.token_requester_principal_type != "":
            raise fault_absent("token_requester_principal_type")
        if token.token_requester_principal_name != "":
            raise fault_absent("token_requester_principal_name")
        principal_type = token.principal_type
        principal_type_bytes = principal_type.encode()
        n = len(principal_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += principal_type_bytes
        principal_name = token.principal_name
        principal_name_bytes = principal_name.encode()
        n = len(principal_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += principal_name_bytes
        token_id = token.token_id
        token_id_bytes = token_id.encode()
        out += pack_qqq(token.issue_timestamp, token.expiry_timestamp, token.max_timestamp)
        n = len(token_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += token_id_bytes
        hmac = token.hmac
        n = len(hmac) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += hmac
        renewers = token.renewers
        n = len(renewers) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for renewer in renewers:
            principal_type2 = renewer.principal_type
            principal_type_bytes2 = principal_type2.encode()
            n = len(principal_type_bytes2) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += principal_type_bytes2
            principal_name2 = renewer.principal_name
            principal_name_bytes2 = principal_name2.encode()
            n = len(principal_name_bytes2) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += principal_name_bytes2
            out.append(0)
        out.append(0)
    out += pack_ix(m.throttle_time_ms)


def _write_describe_delegation_token_response_v3(m: DescribeDelegationTokenResponse, out: bytearray) -> None:
    tokens = m.tokens
    out += pack_h(m.error_code)
    n = len(tokens) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for token in tokens:
        principal_type = token.principal_type
        principal_type_bytes = principal_type.encode()
        n = len(principal_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += principal_type_bytes
        principal_name = token.principal_name
        principal_name_bytes = principal_name.encode()
        n = len(principal_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += principal_name_bytes
        token_requester_principal_type = token.token_requester_principal_type
        token_requester_principal_type_bytes = token_requester_principal_type.encode()
        n = len(token_requester_principal_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += token_requester_principal_type_bytes
        token_requester_principal_name = token.token_requester_principal_name
        token_requester_principal_name_bytes = token_requester_principal_name.encode()
        n = len(token_requester_principal_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += token_requester_principal_name_bytes
        token_id = token.token_id
        token_id_bytes = token_id.encode()
        out += pack_qqq(token.issue_timestamp, token.expiry_timestamp, token.max_timestamp)
        n = len(token_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += token_id_bytes
        hmac = token.hmac
        n = len(hmac) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += hmac
        renewers = token.renewers
        n = len(renewers) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for renewer in renewers:
            principal_type2 = renewer.principal_type
            principal_type_bytes2 = principal_type2.encode()
            n = len(principal_type_bytes2) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += principal_type_bytes2
            principal_name2 = renewer.principal_name
            principal_name_bytes2 = principal_name2.encode()
            n = len(principal_name_bytes2) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += principal_name_bytes2
            out.append(0)
        out.append(0)
    out += pack_ix(m.throttle_time_ms)


DescribeDelegationTokenRequest.READERS = {
    0: _read_describe_delegation_token_request_v0_1,
    1: _read_describe_delegation_token_request_v0_1,
    2: _read_describe_delegation_token_request_v2_3,
    3: _read_describe_delegation_token_request_v2_3,
}
DescribeDelegationTokenRequest.WRITERS = {
    0: _write_describe_delegation_token_request_v0_1,
    1: _write_describe_delegation_token_request_v0_1,
    2: _write_describe_delegation_token_request_v2_3,
    3: _write_describe_delegation_token_request_v2_3,
}
DescribeDelegationTokenResponse.READERS = {
    0: _read_describe_delegation_token_response_v0_1,
    1: _read_describe_delegation_token_response_v0_1,
    2: _read_describe_delegation_token_response_v2,
    3: _read_describe_delegation_token_response_v3,
}
DescribeDelegationTokenResponse.WRITERS = {
    0: _write_describe_delegation_token_response_v0_1,
    1: _write_describe_delegation_token_response_v0_1,
    2: _write_describe_delegation_token_response_v2,
    3: _write_describe_delegation_token_response_v3,
}
