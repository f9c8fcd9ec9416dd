"""AlterUserScramCredentials: add, change and remove SCRAM credentials (KIP-554).

Generated from protocol_specs/51_alter_user_scram_credentials by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_bi = Struct(">bi").pack
pack_bx = Struct(">bx").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_bB = Struct(">bB").unpack_from
unpack_biB = Struct(">biB").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_iB = Struct(">iB").unpack_from


class ScramCredentialDeletion(Data):
    __slots__ = FIELDS = ("name", "mechanism")

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
    ) -> None:
        self.name = name
        self.mechanism = mechanism


class ScramCredentialUpsertion(Data):
    __slots__ = FIELDS = ("name", "mechanism", "iterations", "salt", "salted_password")

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
        iterations: int = 0,
        salt: bytes = b"",
        salted_password: bytes = b"",
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.iterations = iterations
        self.salt = salt
        self.salted_password = salted_password


class AlterUserScramCredentialsRequest(Message):
    API_KEY = 51
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("deletions", "upsertions")

    def __init__(
        self,
        deletions: list[ScramCredentialDeletion] = UNSET,
        upsertions: list[ScramCredentialUpsertion] = UNSET,
    ) -> None:
        self.deletions = [] if deletions is UNSET else deletions
        self.upsertions = [] if upsertions is UNSET else upsertions


class AlterUserScramCredentialsResult(Data):
    __slots__ = FIELDS = ("user", "error_code", "error_message")

    def __init__(
        self,
        user: str = "",
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message


class AlterUserScramCredentialsResponse(Message):
    API_KEY = 51
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[AlterUserScramCredentialsResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results


def _read_alter_user_scram_credentials_request_v0(b: bytes, at: int) -> tuple[AlterUserScramCredentialsRequest, int]:
    size = len(b)
    m = new(AlterUserScramCredentialsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("deletions", n)
    deletions: list[ScramCredentialDeletion] = []
    m.deletions = deletions
    for _ in range(n):
        deletion = new(ScramCredentialDeletion)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        deletion.name = b[at:end].decode("utf-8", "replace")
        at = end
        deletion.mechanism, tags = unpack_bB(b, at)
        at += 2
        if tags:
            at = skip_tags(b, at, tags)
        deletions.append(deletion)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 9 > size - at:
        raise fault_length("upsertions", n)
    upsertions: list[ScramCredentialUpsertion] = []
    m.upsertions = upsertions
    for _ in range(n):
        upsertion = new(ScramCredentialUpsertion)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        upsertion.name = b[at:end].decode("utf-8", "replace")
        at = end
        upsertion.mechanism, upsertion.iterations, n = unpack_biB(b, at)
        at += 6
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("salt is null")
        end = at + n - 1
        upsertion.salt = b[at:end]
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("salted_password is null")
        end = at + n - 1
        upsertion.salted_password = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        upsertions.append(upsertion)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterUserScramCredentialsRequest is {at - size} bytes short")
    return m, at


def _write_alter_user_scram_credentials_request_v0(m: AlterUserScramCredentialsRequest, out: bytearray) -> None:
    deletions = m.deletions
    n = len(deletions) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for deletion in deletions:
        name = deletion.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        out += pack_bx(deletion.mechanism)
    upsertions = m.upsertions
    n = len(upsertions) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for upsertion in upsertions:
        name2 = upsertion.name
        name_bytes2 = name2.encode()
        n = len(name_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes2
        salt = upsertion.salt
        out += pack_bi(upsertion.mechanism, upsertion.iterations)
        n = len(salt) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += salt
        salted_password = upsertion.salted_password
        n = len(salted_password) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += salted_password
        out.append(0)
    out.append(0)


def _read_alter_user_scram_credentials_response_v0(b: bytes, at: int) -> tuple[AlterUserScramCredentialsResponse, int]:
    size = len(b)
    m = new(AlterUserScramCredentialsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("results", n)
    results: list[AlterUserScramCredentialsResult] = []
    m.results = results
    for _ in range(n):
        result = new(AlterUserScramCredentialsResult)
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
        raise ProtocolError(f"AlterUserScramCredentialsResponse is {at - size} bytes short")
    return m, at


def _write_alter_user_scram_credentials_response_v0(m: AlterUserScramCredentialsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_i(m.throttle_time_ms)
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
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_h(result.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        out.append(0)
    out.append(0)


AlterUserScramCredentialsRequest.READERS = {
    0: _read_alter_user_scram_credentials_request_v0,
}
AlterUserScramCredentialsRequest.WRITERS = {
    0: _write_alter_user_scram_credentials_request_v0,
}
AlterUserScramCredentialsResponse.READERS = {
    0: _read_alter_user_scram_credentials_response_v0,
}
AlterUserScramCredentialsResponse.WRITERS = {
    0: _write_alter_user_scram_credentials_response_v0,
}
