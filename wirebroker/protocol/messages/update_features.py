"""UpdateFeatures: upgrade or downgrade finalized feature levels (KIP-584).

v1  upgrade_type in place of allow_downgrade; validate_only (KIP-778)
v2  one error for all features

Generated from protocol_specs/57_update_features by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    absent_field_error,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hbx = Struct(">hbx").pack
_pack_htx = Struct(">h?x").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_tx = Struct(">?x").pack
_unpack_hB = Struct(">hB").unpack_from
_unpack_hbB = Struct(">hbB").unpack_from
_unpack_htB = Struct(">h?B").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_tB = Struct(">?B").unpack_from


class FeatureUpdateKey(Data):
    """An element of `UpdateFeaturesRequest.feature_updates`."""

    feature: str = ""
    max_version_level: int = 0
    """New feature level; below 1: delete the finalized feature."""
    allow_downgrade: bool = False  # v0
    upgrade_type: int = 1  # v1+
    """1 upgrade, 2 safe downgrade, 3 unsafe downgrade."""


class UpdateFeaturesRequest(ReadableMessage, WritableMessage):
    API_KEY = 57
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0

    timeout_ms: int = 60000
    """How long to wait for the operation to complete."""
    feature_updates: list[FeatureUpdateKey] = []
    validate_only: bool = False  # v1+
    """Validate the request, but change nothing."""


class UpdatableFeatureResult(Data):
    """An element of `UpdateFeaturesResponse.results`."""

    feature: str = ""
    error_code: int = 0
    error_message: str | None = ""


class UpdateFeaturesResponse(ReadableMessage, WritableMessage):
    API_KEY = 57
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    error_message: str | None = ""
    results: list[UpdatableFeatureResult] = []  # v0-1


def _read_update_features_request_v0_2(b: bytes, at: int, version: int) -> tuple[UpdateFeaturesRequest, int]:
    size = len(b)
    m = new(UpdateFeaturesRequest)
    m.timeout_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise count_error("feature_updates", n)
    feature_updates: list[FeatureUpdateKey] = []
    m.feature_updates = feature_updates
    for _ in range(n):
        feature_update = new(FeatureUpdateKey)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("feature is null")
        end = at + n - 1
        feature_update.feature = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 1:
            feature_update.allow_downgrade = False
            feature_update.max_version_level, feature_update.upgrade_type, tags = _unpack_hbB(b, at)
            at += 4
        else:
            feature_update.upgrade_type = 1
            feature_update.max_version_level, feature_update.allow_downgrade, tags = _unpack_htB(b, at)
            at += 4
        if tags:
            at = skip_tagged_fields(b, at, tags)
        feature_updates.append(feature_update)
    if version >= 1:
        m.validate_only, tags = _unpack_tB(b, at)
        at += 2
    else:
        m.validate_only = False
        tags = b[at]
        at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"UpdateFeaturesRequest is {at - size} bytes short")
    return m, at


UpdateFeaturesRequest.READERS = dict.fromkeys(range(0, 3), _read_update_features_request_v0_2)


def _write_update_features_request_v0_2(m: UpdateFeaturesRequest, out: bytearray, version: int) -> None:
    feature_updates = m.feature_updates
    n = len(feature_updates) + 1
    if n > 127:
        out += _pack_i(m.timeout_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.timeout_ms, n)
    for feature_update in feature_updates:
        feature = feature_update.feature
        feature_bytes = feature.encode()
        n = len(feature_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += feature_bytes
        if version >= 1:
            if feature_update.allow_downgrade:
                raise absent_field_error("allow_downgrade")
            out += _pack_hbx(feature_update.max_version_level, feature_update.upgrade_type)
        else:
            if feature_update.upgrade_type != 1:
                raise absent_field_error("upgrade_type")
            out += _pack_htx(feature_update.max_version_level, feature_update.allow_downgrade)
    if version >= 1:
        out += _pack_tx(m.validate_only)
    else:
        if m.validate_only:
            raise absent_field_error("validate_only")
        out.append(0)


UpdateFeaturesRequest.WRITERS = dict.fromkeys(range(0, 3), _write_update_features_request_v0_2)


def _read_update_features_response_v0_2(b: bytes, at: int, version: int) -> tuple[UpdateFeaturesResponse, int]:
    size = len(b)
    m = new(UpdateFeaturesResponse)
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
    if version >= 2:
        m.results = []
    else:
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 5 > size - at:
            raise count_error("results", n)
        results: list[UpdatableFeatureResult] = []
        m.results = results
        for _ in range(n):
            result = new(UpdatableFeatureResult)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("feature is null")
            end = at + n - 1
            result.feature = b[at:end].decode("utf-8", "replace")
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
        raise ProtocolError(f"UpdateFeaturesResponse is {at - size} bytes short")
    return m, at


UpdateFeaturesResponse.READERS = dict.fromkeys(range(0, 3), _read_update_features_response_v0_2)


def _write_update_features_response_v0_2(m: UpdateFeaturesResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    out += error_message_bytes
    if version <= 1:
        results = m.results
        n = len(results) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for result in results:
            feature = result.feature
            feature_bytes = feature.encode()
            n = len(feature_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += feature_bytes
            error_message2 = result.error_message
            error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
            n = 0 if error_message2 is None else len(error_message_bytes2) + 1
            if n > 127:
                out += _pack_h(result.error_code)
                write_uvarint(out, n)
            else:
                out += _pack_hB(result.error_code, n)
            out += error_message_bytes2
            out.append(0)
    out.append(0)


UpdateFeaturesResponse.WRITERS = dict.fromkeys(range(0, 3), _write_update_features_response_v0_2)
