"""DescribeUserScramCredentials: which users have SCRAM credentials (KIP-554).

Generated from protocol_specs/50_describe_user_scram_credentials by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_bix = Struct(">bix").pack
pack_h = Struct(">h").pack
pack_ih = Struct(">ih").pack
unpack_biB = Struct(">biB").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from


class UserName(Data):
    """null or empty: all"""

    __slots__ = FIELDS = ("name",)

    def __init__(
        self,
        name: str = "",
    ) -> None:
        self.name = name


class DescribeUserScramCredentialsRequest(Message):
    API_KEY = 50
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("users",)

    def __init__(
        self,
        users: list[UserName] | None = UNSET,
    ) -> None:
        self.users = [] if users is UNSET else users


class CredentialInfo(Data):
    __slots__ = FIELDS = ("mechanism", "iterations")

    def __init__(
        self,
        mechanism: int = 0,
        iterations: int = 0,
    ) -> None:
        self.mechanism = mechanism
        self.iterations = iterations


class DescribeUserScramCredentialsResult(Data):
    __slots__ = FIELDS = ("user", "error_code", "error_message", "credential_infos")

    def __init__(
        self,
        user: str = "",
        error_code: int = 0,
        error_message: str | None = "",
        credential_infos: list[CredentialInfo] = UNSET,
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message
        self.credential_infos = [] if credential_infos is UNSET else credential_infos


class DescribeUserScramCredentialsResponse(Message):
    API_KEY = 50
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "error_message", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        results: list[DescribeUserScramCredentialsResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = [] if results is UNSET else results


def _read_describe_user_scram_credentials_request_v0(b: bytes, at: int) -> tuple[DescribeUserScramCredentialsRequest, int]:
    size = len(b)
    m = new(DescribeUserScramCredentialsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.users = None
    else:
        if n * 2 > size - at:
            raise fault_length("users", n)
        users: list[UserName] = []
        m.users = users
        for _ in range(n):
            user = new(UserName)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            user.name = b[at:end].decode("utf-8", "replace")
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            users.append(user)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeUserScramCredentialsRequest is {at - size} bytes short")
    return m, at


def _write_describe_user_scram_credentials_request_v0(m: DescribeUserScramCredentialsRequest, out: bytearray) -> None:
    users = m.users
    n = 0 if users is None else len(users) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if users is not None:
        for user in users:
            name = user.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            out.append(0)
    out.append(0)


def _read_describe_user_scram_credentials_response_v0(b: bytes, at: int) -> tuple[DescribeUserScramCredentialsResponse, int]:
    size = len(b)
    m = new(DescribeUserScramCredentialsResponse)
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
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise fault_length("results", n)
    results: list[DescribeUserScramCredentialsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeUserScramCredentialsResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("user is null")
        end = at + n - 1
        result.user = b[at:end].decode("utf-8", "replace")
        at = end
        result.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            result.error_message = None
        else:
            end = at + n - 1
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise fault_length("credential_infos", n)
        credential_infos: list[CredentialInfo] = []
        result.credential_infos = credential_infos
        for _ in range(n):
            credential_info = new(CredentialInfo)
            credential_info.mechanism, credential_info.iterations, tags = unpack_biB(b, at)
            at += 6
            if tags:
                at = skip_tags(b, at, tags)
            credential_infos.append(credential_info)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeUserScramCredentialsResponse is {at - size} bytes short")
    return m, at


def _write_describe_user_scram_credentials_response_v0(m: DescribeUserScramCredentialsResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    results = m.results
    n = len(results) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for result in results:
        user = result.user
        user_bytes = user.encode()
        n = len(user_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += user_bytes
        error_message2 = result.error_message
        error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
        out += pack_h(result.error_code)
        n = 0 if error_message2 is None else len(error_message_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes2
        credential_infos = result.credential_infos
        n = len(credential_infos) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for credential_info in credential_infos:
            out += pack_bix(credential_info.mechanism, credential_info.iterations)
        out.append(0)
    out.append(0)


DescribeUserScramCredentialsRequest.READERS = {
    0: _read_describe_user_scram_credentials_request_v0,
}
DescribeUserScramCredentialsRequest.WRITERS = {
    0: _write_describe_user_scram_credentials_request_v0,
}
DescribeUserScramCredentialsResponse.READERS = {
    0: _read_describe_user_scram_credentials_response_v0,
}
DescribeUserScramCredentialsResponse.WRITERS = {
    0: _write_describe_user_scram_credentials_response_v0,
}
