"""UpdateFeatures: raise or lower the levels of cluster features (KIP-584).

v1  upgrade_type in place of allow_downgrade; validate_only (KIP-778)
v2  one error for all features

Generated from protocol_specs/57_update_features by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_hbx = Struct(">hbx").pack
pack_htx = Struct(">h?x").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_tx = Struct(">?x").pack
unpack_hB = Struct(">hB").unpack_from
unpack_hbB = Struct(">hbB").unpack_from
unpack_htB = Struct(">h?B").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_tB = Struct(">?B").unpack_from


class FeatureUpdateKey(Data):
    __slots__ = FIELDS = ("feature", "max_version_level", "allow_downgrade", "upgrade_type")

    def __init__(
        self,
        feature: str = "",
        max_version_level: int = 0,
        allow_downgrade: bool = False,
        upgrade_type: int = 1,
    ) -> None:
        self.feature = feature
        self.max_version_level = max_version_level
        self.allow_downgrade = allow_downgrade
        self.upgrade_type = upgrade_type


class UpdateFeaturesRequest(Message):
    API_KEY = 57
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("timeout_ms", "feature_updates", "validate_only")

    def __init__(
        self,
        timeout_ms: int = 60000,
        feature_updates: list[FeatureUpdateKey] = UNSET,
        validate_only: bool = False,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.feature_updates = [] if feature_updates is UNSET else feature_updates
        self.validate_only = validate_only


class UpdatableFeatureResult(Data):
    __slots__ = FIELDS = ("feature", "error_code", "error_message")

    def __init__(
        self,
        feature: str = "",
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.feature = feature
        self.error_code = error_code
        self.error_message = error_message


class UpdateFeaturesResponse(Message):
    API_KEY = 57
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "error_message", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        results: list[UpdatableFeatureResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = [] if results is UNSET else results


def _read_update_features_request_v0(b: bytes, at: int) -> tuple[UpdateFeaturesRequest, int]:
    size = len(b)
    m = new(UpdateFeaturesRequest)
    m.validate_only = False
    m.timeout_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("feature_updates", n)
    feature_updates: list[FeatureUpdateKey] = []
    m.feature_updates = feature_updates
    for _ in range(n):
        feature_update = new(FeatureUpdateKey)
        feature_update.upgrade_type = 1
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("feature is null")
        end = at + n - 1
        feature_update.feature = b[at:end].decode("utf-8", "replace")
        at = end
        feature_update.max_version_level, feature_update.allow_downgrade, tags = unpack_htB(b, at)
        at += 4
        if tags:
            at = skip_tags(b, at, tags)
        feature_updates.append(feature_update)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"UpdateFeaturesRequest is {at - size} bytes short")
    return m, at


def _read_update_features_request_v1_2(b: bytes, at: int) -> tuple[UpdateFeaturesRequest, int]:
    size = len(b)
    m = new(UpdateFeaturesRequest)
    m.timeout_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("feature_updates", n)
    feature_updates: list[FeatureUpdateKey] = []
    m.feature_updates = feature_updates
    for _ in range(n):
        feature_update = new(FeatureUpdateKey)
        feature_update.allow_downgrade = False
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("feature is null")
        end = at + n - 1
        feature_update.feature = b[at:end].decode("utf-8", "replace")
        at = end
        feature_update.max_version_level, feature_update.upgrade_type, tags = unpack_hbB(b, at)
        at += 4
        if tags:
            at = skip_tags(b, at, tags)
        feature_updates.append(feature_update)
    m.validate_only, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"UpdateFeaturesRequest is {at - size} bytes short")
    return m, at


def _write_update_features_request_v0(m: UpdateFeaturesRequest, out: bytearray) -> None:
    if m.validate_only:
        raise fault_absent("validate_only")
    feature_updates = m.feature_updates
    out += pack_i(m.timeout_ms)
    n = len(feature_updates) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for feature_update in feature_updates:
        if feature_update.upgrade_type != 1:
            raise fault_absent("upgrade_type")
        feature = feature_update.feature
        feature_bytes = feature.encode()
        n = len(feature_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += feature_bytes
        out += pack_htx(feature_update.max_version_level, feature_update.allow_downgrade)
    out.append(0)


def _write_update_features_request_v1_2(m: UpdateFeaturesRequest, out: bytearray) -> None:
    feature_updates = m.feature_updates
    out += pack_i(m.timeout_ms)
    n = len(feature_updates) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for feature_update in feature_updates:
        if feature_update.allow_downgrade:
            raise fault_absent("allow_downgrade")
        feature = feature_update.feature
        feature_bytes = feature.encode()
        n = len(feature_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += feature_bytes
        out += pack_hbx(feature_update.max_version_level, feature_update.upgrade_type)
    out += pack_tx(m.validate_only)


def _read_update_features_response_v0_1(b: bytes, at: int) -> tuple[UpdateFeaturesResponse, int]:
    size = len(b)
    m = new(UpdateFeaturesResponse)
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
    if n < 0 or n * 5 > size - at:
        raise fault_length("results", n)
    results: list[UpdatableFeatureResult] = []
    m.results = results
    for _ in range(n):
        result = new(UpdatableFeatureResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("feature is null")
        end = at + n - 1
        result.feature = b[at:end].decode("utf-8", "replace")
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
        raise ProtocolError(f"UpdateFeaturesResponse is {at - size} bytes short")
    return m, at


def _read_update_features_response_v2(b: bytes, at: int) -> tuple[UpdateFeaturesResponse, int]:
    size = len(b)
    m = new(UpdateFeaturesResponse)
    m.results = []
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
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"UpdateFeaturesResponse is {at - size} bytes short")
    return m, at


def _write_update_features_response_v0_1(m: UpdateFeaturesResponse, out: bytearray) -> None:
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
        feature = result.feature
        feature_bytes = feature.encode()
        n = len(feature_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += feature_bytes
        error_message2 = result.error_message
        error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
        out += pack_h(result.error_code)
        n = 0 if error_message2 is None else len(error_message_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes2
        out.append(0)
    out.append(0)


def _write_update_features_response_v2(m: UpdateFeaturesResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    out.append(0)


UpdateFeaturesRequest.READERS = {
    0: _read_update_features_request_v0,
    1: _read_update_features_request_v1_2,
    2: _read_update_features_request_v1_2,
}
UpdateFeaturesRequest.WRITERS = {
    0: _write_update_features_request_v0,
    1: _write_update_features_request_v1_2,
    2: _write_update_features_request_v1_2,
}
UpdateFeaturesResponse.READERS = {
    0: _read_update_features_response_v0_1,
    1: _read_update_features_response_v0_1,
    2: _read_update_features_response_v2,
}
UpdateFeaturesResponse.WRITERS = {
    0: _write_update_features_response_v0_1,
    1: _write_update_features_response_v0_1,
    2: _write_update_features_response_v2,
}
