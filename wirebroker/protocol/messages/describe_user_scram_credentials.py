"""DescribeUserScramCredentials: the users that have SCRAM credentials (KIP-554).

Generated from protocol_specs/50_describe_user_scram_credentials by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_bix = Struct(">bix").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_unpack_biB = Struct(">biB").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from


class UserName(Data):
    """An element of `DescribeUserScramCredentialsRequest.users`."""

    name: str = ""


class DescribeUserScramCredentialsRequest(ReadableMessage, WritableMessage):
    API_KEY = 50
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    users: list[UserName] | None = []
    """Null or empty: all."""


class CredentialInfo(Data):
    """An element of `DescribeUserScramCredentialsResult.credential_infos`."""

    mechanism: int = 0
    """1 SCRAM-SHA-256, 2 SCRAM-SHA-512."""
    iterations: int = 0


class DescribeUserScramCredentialsResult(Data):
    """An element of `DescribeUserScramCredentialsResponse.results`."""

    user: str = ""
    error_code: int = 0
    error_message: str | None = ""
    credential_infos: list[CredentialInfo] = []


class DescribeUserScramCredentialsResponse(ReadableMessage, WritableMessage):
    API_KEY = 50
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    error_message: str | None = ""
    results: list[DescribeUserScramCredentialsResult] = []


def _read_describe_user_scram_credentials_request_v0(b: bytes, at: int, version: int) -> tuple[DescribeUserScramCredentialsRequest, int]:
    size = len(b)
    m = new(DescribeUserScramCredentialsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.users = None
    else:
        if n * 2 > size - at:
            raise count_error("users", n)
        users: list[UserName] = []
        m.users = users
        for _ in range(n):
            user = new(UserName)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            user.name = b[at:end].decode("utf-8", "replace")
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            users.append(user)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeUserScramCredentialsRequest is {at - size} bytes short")
    return m, at


DescribeUserScramCredentialsRequest.READERS = dict.fromkeys(range(0, 1), _read_describe_user_scram_credentials_request_v0)


def _write_describe_user_scram_credentials_request_v0(m: DescribeUserScramCredentialsRequest, out: bytearray, version: int) -> None:
    users = m.users
    n = 0 if users is None else len(users) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    if users is not None:
        for user in users:
            name = user.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            out.append(0)
    out.append(0)


DescribeUserScramCredentialsRequest.WRITERS = dict.fromkeys(range(0, 1), _write_describe_user_scram_credentials_request_v0)


def _read_describe_user_scram_credentials_response_v0(b: bytes, at: int, version: int) -> tuple[DescribeUserScramCredentialsResponse, int]:
    size = len(b)
    m = new(DescribeUserScramCredentialsResponse)
    m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise count_error("results", n)
    results: list[DescribeUserScramCredentialsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeUserScramCredentialsResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("user is null")
        end = at + n - 1
        result.user = b[at:end].decode("utf-8", "replace")
        at = end
        result.error_code, n = _unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            result.error_message = None
        else:
            end = at + n - 1
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise count_error("credential_infos", n)
        credential_infos: list[CredentialInfo] = []
        result.credential_infos = credential_infos
        for _ in range(n):
            credential_info = new(CredentialInfo)
            credential_info.mechanism, credential_info.iterations, tags = _unpack_biB(b, at)
            at += 6
            if tags:
                at = skip_tagged_fields(b, at, tags)
            credential_infos.append(credential_info)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeUserScramCredentialsResponse is {at - size} bytes short")
    return m, at


DescribeUserScramCredentialsResponse.READERS = dict.fromkeys(range(0, 1), _read_describe_user_scram_credentials_response_v0)


def _write_describe_user_scram_credentials_response_v0(m: DescribeUserScramCredentialsResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    out += error_message_bytes
    results = m.results
    n = len(results) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for result in results:
        user = result.user
        user_bytes = user.encode()
        n = len(user_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += user_bytes
        error_message2 = result.error_message
        error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
        n = 0 if error_message2 is None else len(error_message_bytes2) + 1
        if n > 127:
            out += _pack_h(result.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(result.error_code, n)
        out += error_message_bytes2
        credential_infos = result.credential_infos
        n = len(credential_infos) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for credential_info in credential_infos:
            out += _pack_bix(credential_info.mechanism, credential_info.iterations)
        out.append(0)
    out.append(0)


DescribeUserScramCredentialsResponse.WRITERS = dict.fromkeys(range(0, 1), _write_describe_user_scram_credentials_response_v0)
