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


class UserName(Data):
    """An element of `DescribeUserScramCredentialsRequest.users`."""

    name: str = ""


class DescribeUserScramCredentialsRequest(ReadableMessage):
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


class DescribeUserScramCredentialsResponse(WritableMessage):
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
