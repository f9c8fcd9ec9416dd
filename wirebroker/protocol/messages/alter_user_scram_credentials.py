"""AlterUserScramCredentials: upsert and delete SCRAM credentials (KIP-554).

Generated from protocol_specs/51_alter_user_scram_credentials by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_bi = Struct(">bi").pack
_pack_biB = Struct(">biB").pack
_pack_bx = Struct(">bx").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_biB = Struct(">biB").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_iB = Struct(">iB").unpack_from


class ScramCredentialDeletion(Data):
    """An element of `AlterUserScramCredentialsRequest.deletions`."""

    name: str = ""
    mechanism: int = 0
    """1 SCRAM-SHA-256, 2 SCRAM-SHA-512."""


class ScramCredentialUpsertion(Data):
    """An element of `AlterUserScramCredentialsRequest.upsertions`."""

    name: str = ""
    mechanism: int = 0
    """1 SCRAM-SHA-256, 2 SCRAM-SHA-512."""
    iterations: int = 0
    salt: bytes = b""
    salted_password: bytes = b""


class AlterUserScramCredentialsRequest(ReadableMessage, WritableMessage):
    API_KEY = 51
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    deletions: list[ScramCredentialDeletion] = []
    upsertions: list[ScramCredentialUpsertion] = []


class AlterUserScramCredentialsResult(Data):
    """An element of `AlterUserScramCredentialsResponse.results`."""

    user: str = ""
    error_code: int = 0
    error_message: str | None = ""


class AlterUserScramCredentialsResponse(ReadableMessage, WritableMessage):
    API_KEY = 51
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    results: list[AlterUserScramCredentialsResult] = []


def _read_alter_user_scram_credentials_request_v0(b: bytes, at: int, version: int) -> tuple[AlterUserScramCredentialsRequest, int]:
    size = len(b)
    m = new(AlterUserScramCredentialsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("deletions", n)
    deletions: list[ScramCredentialDeletion] = []
    m.deletions = deletions
    for _ in range(n):
        deletion = new(ScramCredentialDeletion)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        deletion.name = b[at:end].decode("utf-8", "replace")
        at = end
        deletion.mechanism, tags = _unpack_bB(b, at)
        at += 2
        if tags:
            at = skip_tagged_fields(b, at, tags)
        deletions.append(deletion)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 9 > size - at:
        raise count_error("upsertions", n)
    upsertions: list[ScramCredentialUpsertion] = []
    m.upsertions = upsertions
    for _ in range(n):
        upsertion = new(ScramCredentialUpsertion)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        upsertion.name = b[at:end].decode("utf-8", "replace")
        at = end
        upsertion.mechanism, upsertion.iterations, n = _unpack_biB(b, at)
        at += 6
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("salt is null")
        end = at + n - 1
        upsertion.salt = b[at:end]
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("salted_password is null")
        end = at + n - 1
        upsertion.salted_password = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        upsertions.append(upsertion)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterUserScramCredentialsRequest is {at - size} bytes short")
    return m, at


AlterUserScramCredentialsRequest.READERS = dict.fromkeys(range(0, 1), _read_alter_user_scram_credentials_request_v0)


def _write_alter_user_scram_credentials_request_v0(m: AlterUserScramCredentialsRequest, out: bytearray, version: int) -> None:
    deletions = m.deletions
    n = len(deletions) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for deletion in deletions:
        name = deletion.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        out += _pack_bx(deletion.mechanism)
    upsertions = m.upsertions
    n = len(upsertions) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for upsertion in upsertions:
        name2 = upsertion.name
        name_bytes2 = name2.encode()
        n = len(name_bytes2) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes2
        salt = upsertion.salt
        n = len(salt) + 1
        if n > 127:
            out += _pack_bi(upsertion.mechanism, upsertion.iterations)
            write_uvarint(out, n)
        else:
            out += _pack_biB(upsertion.mechanism, upsertion.iterations, n)
        out += salt
        salted_password = upsertion.salted_password
        n = len(salted_password) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += salted_password
        out.append(0)
    out.append(0)


AlterUserScramCredentialsRequest.WRITERS = dict.fromkeys(range(0, 1), _write_alter_user_scram_credentials_request_v0)


def _read_alter_user_scram_credentials_response_v0(b: bytes, at: int, version: int) -> tuple[AlterUserScramCredentialsResponse, int]:
    size = len(b)
    m = new(AlterUserScramCredentialsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise count_error("results", n)
    results: list[AlterUserScramCredentialsResult] = []
    m.results = results
    for _ in range(n):
        result = new(AlterUserScramCredentialsResult)
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
        raise ProtocolError(f"AlterUserScramCredentialsResponse is {at - size} bytes short")
    return m, at


AlterUserScramCredentialsResponse.READERS = dict.fromkeys(range(0, 1), _read_alter_user_scram_credentials_response_v0)


def _write_alter_user_scram_credentials_response_v0(m: AlterUserScramCredentialsResponse, out: bytearray, version: int) -> None:
    results = m.results
    n = len(results) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for result in results:
        user = result.user
        user_bytes = user.encode()
        n = len(user_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += user_bytes
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            out += _pack_h(result.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(result.error_code, n)
        out += error_message_bytes
        out.append(0)
    out.append(0)


AlterUserScramCredentialsResponse.WRITERS = dict.fromkeys(range(0, 1), _write_alter_user_scram_credentials_response_v0)
