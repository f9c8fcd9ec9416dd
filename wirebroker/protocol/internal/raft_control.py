"""Control records of the KRaft metadata log and its snapshots (KIP-630, KIP-853).

The values of control batches; each begins with its version, which is a field like the others.

Generated from protocol_specs/internal/raft_control by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, default_of
from wirebroker.protocol.primitives import ZERO_UUID, count_error, new, read_long_uvarint, skip_tagged_fields

_unpack_HB = Struct(">HB").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hhB = Struct(">hhB").unpack_from
_unpack_hqB = Struct(">hqB").unpack_from
_unpack_iuB = Struct(">i16sB").unpack_from


class SnapshotHeaderRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    version: int = 0
    last_contained_log_timestamp: int = 0


class SnapshotFooterRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    version: int = 0


class KRaftVersionRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    version: int = 0
    k_raft_version: int = 0


class Endpoint(Data):
    """An element of `Voter.endpoints`."""

    name: str = ""
    host: str = ""
    port: int = 0


class KRaftVersionFeature(Data):
    """The value of `Voter.k_raft_version_feature`."""

    min_supported_version: int = 0
    max_supported_version: int = 0


DEFAULT_KRaftVersionFeature = default_of(KRaftVersionFeature)


class Voter(Data):
    """An element of `VotersRecord.voters`."""

    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    endpoints: list[Endpoint] = []
    k_raft_version_feature: KRaftVersionFeature = DEFAULT_KRaftVersionFeature


class VotersRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    version: int = 0
    voters: list[Voter] = []


def _read_snapshot_header_record_v0(b: bytes, at: int, version: int) -> tuple[SnapshotHeaderRecord, int]:
    size = len(b)
    m = new(SnapshotHeaderRecord)
    m.version, m.last_contained_log_timestamp, tags = _unpack_hqB(b, at)
    at += 11
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"SnapshotHeaderRecord is {at - size} bytes short")
    return m, at


SnapshotHeaderRecord.READERS = dict.fromkeys(range(0, 1), _read_snapshot_header_record_v0)


def _read_snapshot_footer_record_v0(b: bytes, at: int, version: int) -> tuple[SnapshotFooterRecord, int]:
    size = len(b)
    m = new(SnapshotFooterRecord)
    m.version, tags = _unpack_hB(b, at)
    at += 3
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"SnapshotFooterRecord is {at - size} bytes short")
    return m, at


SnapshotFooterRecord.READERS = dict.fromkeys(range(0, 1), _read_snapshot_footer_record_v0)


def _read_kraft_version_record_v0(b: bytes, at: int, version: int) -> tuple[KRaftVersionRecord, int]:
    size = len(b)
    m = new(KRaftVersionRecord)
    m.version, m.k_raft_version, tags = _unpack_hhB(b, at)
    at += 5
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"KRaftVersionRecord is {at - size} bytes short")
    return m, at


KRaftVersionRecord.READERS = dict.fromkeys(range(0, 1), _read_kraft_version_record_v0)


def _read_voters_record_v0(b: bytes, at: int, version: int) -> tuple[VotersRecord, int]:
    size = len(b)
    m = new(VotersRecord)
    m.version, n = _unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 27 > size - at:
        raise count_error("voters", n)
    voters: list[Voter] = []
    m.voters = voters
    for _ in range(n):
        voter = new(Voter)
        voter.voter_id, voter.voter_directory_id, n = _unpack_iuB(b, at)
        at += 21
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 5 > size - at:
            raise count_error("endpoints", n)
        endpoints: list[Endpoint] = []
        voter.endpoints = endpoints
        for _ in range(n):
            endpoint = new(Endpoint)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            endpoint.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("host is null")
            end = at + n - 1
            endpoint.host = b[at:end].decode("utf-8", "replace")
            at = end
            endpoint.port, tags = _unpack_HB(b, at)
            at += 3
            if tags:
                at = skip_tagged_fields(b, at, tags)
            endpoints.append(endpoint)
        k_raft_version_feature = new(KRaftVersionFeature)
        k_raft_version_feature.min_supported_version, k_raft_version_feature.max_supported_version, tags = _unpack_hhB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        voter.k_raft_version_feature = k_raft_version_feature
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        voters.append(voter)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"VotersRecord is {at - size} bytes short")
    return m, at


VotersRecord.READERS = dict.fromkeys(range(0, 1), _read_voters_record_v0)
