"""ApiVersions: the APIs and versions that the broker supports; the first request of most clients (KIP-35).

v1  throttle_time_ms (KIP-124)
v2  responds before it throttles (KIP-219)
v3  flexible body, old header; client software; features (KIP-511, KIP-584)
v4  a feature's min_version may be 0

A version that the broker does not know is answered with UNSUPPORTED_VERSION in the form of v0.

Generated from protocol_specs/18_api_versions by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    count_error,
    new,
    read_long_uvarint,
    read_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_hhh = Struct(">hhh").iter_unpack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hhh = Struct(">hhh").pack
_pack_hhhx = Struct(">hhhx").pack
_pack_hhx = Struct(">hhx").pack
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_q = Struct(">q").pack
_pack_t = Struct(">?").pack
_unpack_hB = Struct(">hB").unpack_from
_unpack_hhB = Struct(">hhB").unpack_from
_unpack_hhhB = Struct(">hhhB").unpack_from
_unpack_hi = Struct(">hi").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_t = Struct(">?").unpack_from


class ApiVersionsRequest(ReadableMessage, WritableMessage):
    API_KEY = 18
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 3

    client_software_name: str = ""
    """Letters and digits, with dots and dashes between them."""
    client_software_version: str = ""


class ApiVersion(Data):
    """An element of `ApiVersionsResponse.api_keys`."""

    api_key: int = 0
    min_version: int = 0
    max_version: int = 0


class SupportedFeatureKey(Data):
    """An element of `ApiVersionsResponse.supported_features`."""

    name: str = ""
    min_version: int = 0
    max_version: int = 0


class FinalizedFeatureKey(Data):
    """An element of `ApiVersionsResponse.finalized_features`."""

    name: str = ""
    max_version_level: int = 0
    min_version_level: int = 0


class ApiVersionsResponse(ReadableMessage, WritableMessage):
    API_KEY = 18
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 3

    error_code: int = 0
    api_keys: list[ApiVersion] = []
    throttle_time_ms: int = 0  # v1+
    """Throttle time because of a quota; 0 for none."""
    supported_features: list[SupportedFeatureKey] = []  # v3+
    """Feature versions that this broker supports (KIP-584)."""
    finalized_features_epoch: int = -1  # v3+
    """Epoch of the finalized features; -1 unknown."""
    finalized_features: list[FinalizedFeatureKey] = []  # v3+
    """Finalized feature levels of the cluster."""
    zk_migration_ready: bool = False  # v3+
    """Whether the broker is ready for the migration from ZooKeeper (KIP-866)."""


def _read_api_versions_request_v0_2(b: bytes, at: int, version: int) -> tuple[ApiVersionsRequest, int]:
    size = len(b)
    m = new(ApiVersionsRequest)
    m.client_software_name = ""
    m.client_software_version = ""
    if at > size:
        raise ProtocolError(f"ApiVersionsRequest is {at - size} bytes short")
    return m, at


def _read_api_versions_request_v3_4(b: bytes, at: int, version: int) -> tuple[ApiVersionsRequest, int]:
    size = len(b)
    m = new(ApiVersionsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("client_software_name is null")
    end = at + n - 1
    m.client_software_name = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("client_software_version is null")
    end = at + n - 1
    m.client_software_version = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ApiVersionsRequest is {at - size} bytes short")
    return m, at


ApiVersionsRequest.READERS = dict.fromkeys(range(0, 3), _read_api_versions_request_v0_2) | dict.fromkeys(range(3, 5), _read_api_versions_request_v3_4)


def _write_api_versions_request_v0_2(m: ApiVersionsRequest, out: bytearray, version: int) -> None:
    pass


def _write_api_versions_request_v3_4(m: ApiVersionsRequest, out: bytearray, version: int) -> None:
    client_software_name = m.client_software_name
    client_software_name_bytes = client_software_name.encode()
    n = len(client_software_name_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += client_software_name_bytes
    client_software_version = m.client_software_version
    client_software_version_bytes = client_software_version.encode()
    n = len(client_software_version_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += client_software_version_bytes
    out.append(0)


ApiVersionsRequest.WRITERS = dict.fromkeys(range(0, 3), _write_api_versions_request_v0_2) | dict.fromkeys(range(3, 5), _write_api_versions_request_v3_4)


def _read_api_versions_response_v0_2(b: bytes, at: int, version: int) -> tuple[ApiVersionsResponse, int]:
    size = len(b)
    m = new(ApiVersionsResponse)
    m.supported_features = []
    m.finalized_features_epoch = -1
    m.finalized_features = []
    m.zk_migration_ready = False
    m.error_code, n = _unpack_hi(b, at)
    at += 6
    if n < 0 or n * 6 > size - at:
        raise count_error("api_keys", n)
    api_keys: list[ApiVersion] = []
    m.api_keys = api_keys
    end = at + n * 6
    for values in _iter_hhh(b[at:end]):
        api_key = new(ApiVersion)
        api_key.api_key, api_key.min_version, api_key.max_version = values
        api_keys.append(api_key)
    at = end
    if version >= 1:
        m.throttle_time_ms = _unpack_i(b, at)[0]
        at += 4
    else:
        m.throttle_time_ms = 0
    if at > size:
        raise ProtocolError(f"ApiVersionsResponse is {at - size} bytes short")
    return m, at


def _read_api_versions_response_v3_4(b: bytes, at: int, version: int) -> tuple[ApiVersionsResponse, int]:
    size = len(b)
    m = new(ApiVersionsResponse)
    m.supported_features = []
    m.finalized_features_epoch = -1
    m.finalized_features = []
    m.zk_migration_ready = False
    m.error_code, n = _unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise count_error("api_keys", n)
    api_keys: list[ApiVersion] = []
    m.api_keys = api_keys
    for _ in range(n):
        api_key = new(ApiVersion)
        api_key.api_key, api_key.min_version, api_key.max_version, tags = _unpack_hhhB(b, at)
        at += 7
        if tags:
            at = skip_tagged_fields(b, at, tags)
        api_keys.append(api_key)
    m.throttle_time_ms, tags = _unpack_iB(b, at)
    at += 5
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 6 > size - at:
                    raise count_error("supported_features", n)
                supported_features: list[SupportedFeatureKey] = []
                m.supported_features = supported_features
                for _ in range(n):
                    supported_feature = new(SupportedFeatureKey)
                    n = b[at]
                    at += 1
                    if n > 127:
                        n, at = read_long_uvarint(b, at, n)
                    if n == 0:
                        raise ProtocolError("name is null")
                    end = at + n - 1
                    supported_feature.name = b[at:end].decode("utf-8", "replace")
                    at = end
                    supported_feature.min_version, supported_feature.max_version, tags = _unpack_hhB(b, at)
                    at += 5
                    if tags:
                        at = skip_tagged_fields(b, at, tags)
                    supported_features.append(supported_feature)
            elif tag == 1:
                m.finalized_features_epoch = _unpack_q(b, at)[0]
                at += 8
            elif tag == 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 6 > size - at:
                    raise count_error("finalized_features", n)
                finalized_features: list[FinalizedFeatureKey] = []
                m.finalized_features = finalized_features
                for _ in range(n):
                    finalized_feature = new(FinalizedFeatureKey)
                    n = b[at]
                    at += 1
                    if n > 127:
                        n, at = read_long_uvarint(b, at, n)
                    if n == 0:
                        raise ProtocolError("name is null")
                    end = at + n - 1
                    finalized_feature.name = b[at:end].decode("utf-8", "replace")
                    at = end
                    finalized_feature.max_version_level, finalized_feature.min_version_level, tags = _unpack_hhB(b, at)
                    at += 5
                    if tags:
                        at = skip_tagged_fields(b, at, tags)
                    finalized_features.append(finalized_feature)
            elif tag == 3:
                m.zk_migration_ready = _unpack_t(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"ApiVersionsResponse is {at - size} bytes short")
    return m, at


ApiVersionsResponse.READERS = dict.fromkeys(range(0, 3), _read_api_versions_response_v0_2) | dict.fromkeys(range(3, 5), _read_api_versions_response_v3_4)


def _write_api_versions_response_v0_2(m: ApiVersionsResponse, out: bytearray, version: int) -> None:
    api_keys = m.api_keys
    out += _pack_hi(m.error_code, len(api_keys))
    for api_key in api_keys:
        out += _pack_hhh(api_key.api_key, api_key.min_version, api_key.max_version)
    if version >= 1:
        out += _pack_i(m.throttle_time_ms)


def _write_api_versions_response_v3_4(m: ApiVersionsResponse, out: bytearray, version: int) -> None:
    api_keys = m.api_keys
    n = len(api_keys) + 1
    if n > 127:
        out += _pack_h(m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_hB(m.error_code, n)
    for api_key in api_keys:
        out += _pack_hhhx(api_key.api_key, api_key.min_version, api_key.max_version)
    out += _pack_i(m.throttle_time_ms)
    has_supported_features = bool(m.supported_features)
    has_finalized_features_epoch = m.finalized_features_epoch != -1
    has_finalized_features = bool(m.finalized_features)
    has_zk_migration_ready = m.zk_migration_ready
    n = has_supported_features + has_finalized_features_epoch + has_finalized_features + has_zk_migration_ready
    out.append(n)
    if n:
        if has_supported_features:
            part = bytearray()
            supported_features = m.supported_features
            n = len(supported_features) + 1
            if n > 127:
                write_uvarint(part, n)
            else:
                part.append(n)
            for supported_feature in supported_features:
                name = supported_feature.name
                name_bytes = name.encode()
                n = len(name_bytes) + 1
                if n > 127:
                    write_uvarint(part, n)
                else:
                    part.append(n)
                part += name_bytes
                part += _pack_hhx(supported_feature.min_version, supported_feature.max_version)
            write_uvarint(out, 0)
            write_uvarint(out, len(part))
            out += part
        if has_finalized_features_epoch:
            part2 = bytearray()
            part2 += _pack_q(m.finalized_features_epoch)
            write_uvarint(out, 1)
            write_uvarint(out, len(part2))
            out += part2
        if has_finalized_features:
            part3 = bytearray()
            finalized_features = m.finalized_features
            n = len(finalized_features) + 1
            if n > 127:
                write_uvarint(part3, n)
            else:
                part3.append(n)
            for finalized_feature in finalized_features:
                name2 = finalized_feature.name
                name_bytes2 = name2.encode()
                n = len(name_bytes2) + 1
                if n > 127:
                    write_uvarint(part3, n)
                else:
                    part3.append(n)
                part3 += name_bytes2
                part3 += _pack_hhx(finalized_feature.max_version_level, finalized_feature.min_version_level)
            write_uvarint(out, 2)
            write_uvarint(out, len(part3))
            out += part3
        if has_zk_migration_ready:
            part4 = bytearray()
            part4 += _pack_t(m.zk_migration_ready)
            write_uvarint(out, 3)
            write_uvarint(out, len(part4))
            out += part4


ApiVersionsResponse.WRITERS = dict.fromkeys(range(0, 3), _write_api_versions_response_v0_2) | dict.fromkeys(range(3, 5), _write_api_versions_response_v3_4)
