"""ApiVersions: which APIs and versions the broker speaks; the first request of most clients (KIP-35).

v1  throttle_time_ms (KIP-124)
v2  answers before it throttles (KIP-219)
v3  flexible body, old header; client software; features (KIP-511, KIP-584)
v4  a feature's min_version may be 0

A version that the broker does not know is answered with UNSUPPORTED_VERSION in the form of v0.

Generated from protocol_specs/18_api_versions by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, read_uvarint, skip_tags

new = object.__new__
iter_hhh = Struct(">hhh").iter_unpack
pack_h = Struct(">h").pack
pack_hhh = Struct(">hhh").pack
pack_hhhx = Struct(">hhhx").pack
pack_hhx = Struct(">hhx").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_q = Struct(">q").pack
pack_t = Struct(">?").pack
unpack_hB = Struct(">hB").unpack_from
unpack_hhB = Struct(">hhB").unpack_from
unpack_hhhB = Struct(">hhhB").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_t = Struct(">?").unpack_from


class ApiVersionsRequest(Message):
    API_KEY = 18
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("client_software_name", "client_software_version")

    def __init__(
        self,
        client_software_name: str = "",
        client_software_version: str = "",
    ) -> None:
        self.client_software_name = client_software_name
        self.client_software_version = client_software_version


class ApiVersion(Data):
    __slots__ = FIELDS = ("api_key", "min_version", "max_version")

    def __init__(
        self,
        api_key: int = 0,
        min_version: int = 0,
        max_version: int = 0,
    ) -> None:
        self.api_key = api_key
        self.min_version = min_version
        self.max_version = max_version


class SupportedFeatureKey(Data):
    """ranges that this broker could run with (KIP-584)"""

    __slots__ = FIELDS = ("name", "min_version", "max_version")

    def __init__(
        self,
        name: str = "",
        min_version: int = 0,
        max_version: int = 0,
    ) -> None:
        self.name = name
        self.min_version = min_version
        self.max_version = max_version


class FinalizedFeatureKey(Data):
    """levels that the cluster runs with"""

    __slots__ = FIELDS = ("name", "max_version_level", "min_version_level")

    def __init__(
        self,
        name: str = "",
        max_version_level: int = 0,
        min_version_level: int = 0,
    ) -> None:
        self.name = name
        self.max_version_level = max_version_level
        self.min_version_level = min_version_level


class ApiVersionsResponse(Message):
    API_KEY = 18
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = (
        "error_code",
        "api_keys",
        "throttle_time_ms",
        "supported_features",
        "finalized_features_epoch",
        "finalized_features",
        "zk_migration_ready",
    )

    def __init__(
        self,
        error_code: int = 0,
        api_keys: list[ApiVersion] = UNSET,
        throttle_time_ms: int = 0,
        supported_features: list[SupportedFeatureKey] = UNSET,
        finalized_features_epoch: int = -1,
        finalized_features: list[FinalizedFeatureKey] = UNSET,
        zk_migration_ready: bool = False,
    ) -> None:
        self.error_code = error_code
        self.api_keys = [] if api_keys is UNSET else api_keys
        self.throttle_time_ms = throttle_time_ms
        self.supported_features = [] if supported_features is UNSET else supported_features
        self.finalized_features_epoch = finalized_features_epoch
        self.finalized_features = [] if finalized_features is UNSET else finalized_features
        self.zk_migration_ready = zk_migration_ready


def _read_api_versions_request_v0_2(b: bytes, at: int) -> tuple[ApiVersionsRequest, int]:
    size = len(b)
    m = new(ApiVersionsRequest)
    m.client_software_name = ""
    m.client_software_version = ""
    if at > size:
        raise ProtocolError(f"ApiVersionsRequest is {at - size} bytes short")
    return m, at


def _read_api_versions_request_v3_4(b: bytes, at: int) -> tuple[ApiVersionsRequest, int]:
    size = len(b)
    m = new(ApiVersionsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("client_software_name is null")
    end = at + n - 1
    m.client_software_name = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("client_software_version is null")
    end = at + n - 1
    m.client_software_version = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ApiVersionsRequest is {at - size} bytes short")
    return m, at


def _write_api_versions_request_v0_2(m: ApiVersionsRequest, out: bytearray) -> None:
    pass


def _write_api_versions_request_v3_4(m: ApiVersionsRequest, out: bytearray) -> None:
    client_software_name = m.client_software_name
    client_software_name_bytes = client_software_name.encode()
    n = len(client_software_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += client_software_name_bytes
    client_software_version = m.client_software_version
    client_software_version_bytes = client_software_version.encode()
    n = len(client_software_version_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += client_software_version_bytes
    out.append(0)


def _read_api_versions_response_v0(b: bytes, at: int) -> tuple[ApiVersionsResponse, int]:
    size = len(b)
    m = new(ApiVersionsResponse)
    m.throttle_time_ms = 0
    m.supported_features = []
    m.finalized_features_epoch = -1
    m.finalized_features = []
    m.zk_migration_ready = False
    m.error_code, n = unpack_hi(b, at)
    at += 6
    if n < 0 or n * 6 > size - at:
        raise fault_length("api_keys", n)
    api_keys: list[ApiVersion] = []
    m.api_keys = api_keys
    end = at + n * 6
    for values in iter_hhh(b[at:end]):
        api_key = new(ApiVersion)
        api_key.api_key, api_key.min_version, api_key.max_version = values
        api_keys.append(api_key)
    at = end
    if at > size:
        raise ProtocolError(f"ApiVersionsResponse is {at - size} bytes short")
    return m, at


def _read_api_versions_response_v1_2(b: bytes, at: int) -> tuple[ApiVersionsResponse, int]:
    size = len(b)
    m = new(ApiVersionsResponse)
    m.supported_features = []
    m.finalized_features_epoch = -1
    m.finalized_features = []
    m.zk_migration_ready = False
    m.error_code, n = unpack_hi(b, at)
    at += 6
    if n < 0 or n * 6 > size - at:
        raise fault_length("api_keys", n)
    api_keys: list[ApiVersion] = []
    m.api_keys = api_keys
    end = at + n * 6
    for values in iter_hhh(b[at:end]):
        api_key = new(ApiVersion)
        api_key.api_key, api_key.min_version, api_key.max_version = values
        api_keys.append(api_key)
    at = end
    m.throttle_time_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"ApiVersionsResponse is {at - size} bytes short")
    return m, at


def _read_api_versions_response_v3_4(b: bytes, at: int) -> tuple[ApiVersionsResponse, int]:
    size = len(b)
    m = new(ApiVersionsResponse)
    m.supported_features = []
    m.finalized_features_epoch = -1
    m.finalized_features = []
    m.zk_migration_ready = False
    m.error_code, n = unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise fault_length("api_keys", n)
    api_keys: list[ApiVersion] = []
    m.api_keys = api_keys
    for _ in range(n):
        api_key = new(ApiVersion)
        api_key.api_key, api_key.min_version, api_key.max_version, tags = unpack_hhhB(b, at)
        at += 7
        if tags:
            at = skip_tags(b, at, tags)
        api_keys.append(api_key)
    m.throttle_time_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 6 > size - at:
                    raise fault_length("supported_features", n)
                supported_features: list[SupportedFeatureKey] = []
                m.supported_features = supported_features
                for _ in range(n):
                    supported_feature = new(SupportedFeatureKey)
                    n = b[at]
                    at += 1
                    if n > 127:
                        n, at = long_uvarint(b, at, n)
                    if n == 0:
                        raise ProtocolError("name is null")
                    end = at + n - 1
                    supported_feature.name = b[at:end].decode("utf-8", "replace")
                    at = end
                    supported_feature.min_version, supported_feature.max_version, tags = unpack_hhB(b, at)
                    at += 5
                    if tags:
                        at = skip_tags(b, at, tags)
                    supported_features.append(supported_feature)
            elif tag == 1:
                m.finalized_features_epoch = unpack_q(b, at)[0]
                at += 8
            elif tag == 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 6 > size - at:
                    raise fault_length("finalized_features", n)
                finalized_features: list[FinalizedFeatureKey] = []
                m.finalized_features = finalized_features
                for _ in range(n):
                    finalized_feature = new(FinalizedFeatureKey)
                    n = b[at]
                    at += 1
                    if n > 127:
                        n, at = long_uvarint(b, at, n)
                    if n == 0:
                        raise ProtocolError("name is null")
                    end = at + n - 1
                    finalized_feature.name = b[at:end].decode("utf-8", "replace")
                    at = end
                    finalized_feature.max_version_level, finalized_feature.min_version_level, tags = unpack_hhB(b, at)
                    at += 5
                    if tags:
                        at = skip_tags(b, at, tags)
                    finalized_features.append(finalized_feature)
            elif tag == 3:
                m.zk_migration_ready = unpack_t(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"ApiVersionsResponse is {at - size} bytes short")
    return m, at


def _write_api_versions_response_v0(m: ApiVersionsResponse, out: bytearray) -> None:
    api_keys = m.api_keys
    out += pack_hi(m.error_code, len(api_keys))
    for api_key in api_keys:
        out += pack_hhh(api_key.api_key, api_key.min_version, api_key.max_version)


def _write_api_versions_response_v1_2(m: ApiVersionsResponse, out: bytearray) -> None:
    api_keys = m.api_keys
    out += pack_hi(m.error_code, len(api_keys))
    for api_key in api_keys:
        out += pack_hhh(api_key.api_key, api_key.min_version, api_key.max_version)
    out += pack_i(m.throttle_time_ms)


def _write_api_versions_response_v3_4(m: ApiVersionsResponse, out: bytearray) -> None:
    api_keys = m.api_keys
    out += pack_h(m.error_code)
    n = len(api_keys) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for api_key in api_keys:
        out += pack_hhhx(api_key.api_key, api_key.min_version, api_key.max_version)
    out += pack_i(m.throttle_time_ms)
    has_supported_features = bool(m.supported_features)
    has_finalized_features_epoch = m.finalized_features_epoch != -1
    has_finalized_features = bool(m.finalized_features)
    has_zk_migration_ready = m.zk_migration_ready
    out.append(has_supported_features + has_finalized_features_epoch + has_finalized_features + has_zk_migration_ready)
    if has_supported_features:
        part = bytearray()
        supported_features = m.supported_features
        n = len(supported_features) + 1
        if n > 127:
            put_uvarint(part, n)
        else:
            part.append(n)
        for supported_feature in supported_features:
            name = supported_feature.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                put_uvarint(part, n)
            else:
                part.append(n)
            part += name_bytes
            part += pack_hhx(supported_feature.min_version, supported_feature.max_version)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part
    if has_finalized_features_epoch:
        part2 = bytearray()
        part2 += pack_q(m.finalized_features_epoch)
        put_uvarint(out, 1)
        put_uvarint(out, len(part2))
        out += part2
    if has_finalized_features:
        part3 = bytearray()
        finalized_features = m.finalized_features
        n = len(finalized_features) + 1
        if n > 127:
            put_uvarint(part3, n)
        else:
            part3.append(n)
        for finalized_feature in finalized_features:
            name2 = finalized_feature.name
            name_bytes2 = name2.encode()
            n = len(name_bytes2) + 1
            if n > 127:
                put_uvarint(part3, n)
            else:
                part3.append(n)
            part3 += name_bytes2
            part3 += pack_hhx(finalized_feature.max_version_level, finalized_feature.min_version_level)
        put_uvarint(out, 2)
        put_uvarint(out, len(part3))
        out += part3
    if has_zk_migration_ready:
        part4 = bytearray()
        part4 += pack_t(m.zk_migration_ready)
        put_uvarint(out, 3)
        put_uvarint(out, len(part4))
        out += part4


ApiVersionsRequest.READERS = {
    0: _read_api_versions_request_v0_2,
    1: _read_api_versions_request_v0_2,
    2: _read_api_versions_request_v0_2,
    3: _read_api_versions_request_v3_4,
    4: _read_api_versions_request_v3_4,
}
ApiVersionsRequest.WRITERS = {
    0: _write_api_versions_request_v0_2,
    1: _write_api_versions_request_v0_2,
    2: _write_api_versions_request_v0_2,
    3: _write_api_versions_request_v3_4,
    4: _write_api_versions_request_v3_4,
}
ApiVersionsResponse.READERS = {
    0: _read_api_versions_response_v0,
    1: _read_api_versions_response_v1_2,
    2: _read_api_versions_response_v1_2,
    3: _read_api_versions_response_v3_4,
    4: _read_api_versions_response_v3_4,
}
ApiVersionsResponse.WRITERS = {
    0: _write_api_versions_response_v0,
    1: _write_api_versions_response_v1_2,
    2: _write_api_versions_response_v1_2,
    3: _write_api_versions_response_v3_4,
    4: _write_api_versions_response_v3_4,
}
