"""Control records of the KRaft metadata log and its snapshots (KIP-630, KIP-853).

The values of control batches; each begins with its version, which is a field like the others.

Generated from protocol_specs/internal/raft_control by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message, default_of
from wirebroker.protocol.primitives import UNSET, ZERO_UUID, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_Hx = Struct(">Hx").pack
pack_h = Struct(">h").pack
pack_hhx = Struct(">hhx").pack
pack_hhxx = Struct(">hhxx").pack
pack_hqx = Struct(">hqx").pack
pack_hx = Struct(">hx").pack
pack_iu = Struct(">i16s").pack
unpack_HB = Struct(">HB").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hhB = Struct(">hhB").unpack_from
unpack_hqB = Struct(">hqB").unpack_from
unpack_iuB = Struct(">i16sB").unpack_from


class SnapshotHeaderRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("version", "last_contained_log_timestamp")

    def __init__(
        self,
        version: int = 0,
        last_contained_log_timestamp: int = 0,
    ) -> None:
        self.version = version
        self.last_contained_log_timestamp = last_contained_log_timestamp


class SnapshotFooterRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("version",)

    def __init__(
        self,
        version: int = 0,
    ) -> None:
        self.version = version


class KRaftVersionRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("version", "k_raft_version")

    def __init__(
        self,
        version: int = 0,
        k_raft_version: int = 0,
    ) -> None:
        self.version = version
        self.k_raft_version = k_raft_version


class Endpoint(Data):
    __slots__ = FIELDS = ("name", "host", "port")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port


class KRaftVersionFeature(Data):
    __slots__ = FIELDS = ("min_supported_version", "max_supported_version")

    def __init__(
        self,
        min_supported_version: int = 0,
        max_supported_version: int = 0,
    ) -> None:
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version


DEFAULT_KRaftVersionFeature = default_of(KRaftVersionFeature)


class Voter(Data):
    __slots__ = FIELDS = ("voter_id", "voter_directory_id", "endpoints", "k_raft_version_feature")

    def __init__(
        self,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        endpoints: list[Endpoint] = UNSET,
        k_raft_version_feature: KRaftVersionFeature = DEFAULT_KRaftVersionFeature,
    ) -> None:
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.endpoints = [] if endpoints is UNSET else endpoints
        self.k_raft_version_feature = k_raft_version_feature


class VotersRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("version", "voters")

    def __init__(
        self,
        version: int = 0,
        voters: list[Voter] = UNSET,
    ) -> None:
        self.version = version
        self.voters = [] if voters is UNSET else voters


def _read_snapshot_header_record_v0(b: bytes, at: int) -> tuple[SnapshotHeaderRecord, int]:
    size = len(b)
    m = new(SnapshotHeaderRecord)
    m.version, m.last_contained_log_timestamp, tags = unpack_hqB(b, at)
    at += 11
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"SnapshotHeaderRecord is {at - size} bytes short")
    return m, at


def _write_snapshot_header_record_v0(m: SnapshotHeaderRecord, out: bytearray) -> None:
    out += pack_hqx(m.version, m.last_contained_log_timestamp)


def _read_snapshot_footer_record_v0(b: bytes, at: int) -> tuple[SnapshotFooterRecord, int]:
    size = len(b)
    m = new(SnapshotFooterRecord)
    m.version, tags = unpack_hB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"SnapshotFooterRecord is {at - size} bytes short")
    return m, at


def _write_snapshot_footer_record_v0(m: SnapshotFooterRecord, out: bytearray) -> None:
    out += pack_hx(m.version)


def _read_k_raft_version_record_v0(b: bytes, at: int) -> tuple[KRaftVersionRecord, int]:
    size = len(b)
    m = new(KRaftVersionRecord)
    m.version, m.k_raft_version, tags = unpack_hhB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"KRaftVersionRecord is {at - size} bytes short")
    return m, at


def _write_k_raft_version_record_v0(m: KRaftVersionRecord, out: bytearray) -> None:
    out += pack_hhx(m.version, m.k_raft_version)


def _read_voters_record_v0(b: bytes, at: int) -> tuple[VotersRecord, int]:
    size = len(b)
    m = new(VotersRecord)
    m.version, n = unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 27 > size - at:
        raise fault_length("voters", n)
    voters: list[Voter] = []
    m.voters = voters
    for _ in range(n):
        voter = new(Voter)
        voter.voter_id, voter.voter_directory_id, n = unpack_iuB(b, at)
        at += 21
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 5 > size - at:
            raise fault_length("endpoints", n)
        endpoints: list[Endpoint] = []
        voter.endpoints = endpoints
        for _ in range(n):
            endpoint = new(Endpoint)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            endpoint.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("host is null")
            end = at + n - 1
            endpoint.host = b[at:end].decode("utf-8", "replace")
            at = end
            endpoint.port, tags = unpack_HB(b, at)
            at += 3
            if tags:
                at = skip_tags(b, at, tags)
            endpoints.append(endpoint)
        k_raft_version_feature = new(KRaftVersionFeature)
        k_raft_version_feature.min_supported_version, k_raft_version_feature.max_supported_version, tags = unpack_hhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        voter.k_raft_version_feature = k_raft_version_feature
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        voters.append(voter)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"VotersRecord is {at - size} bytes short")
    return m, at


def _write_voters_record_v0(m: VotersRecord, out: bytearray) -> None:
    voters = m.voters
    out += pack_h(m.version)
    n = len(voters) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for voter in voters:
        endpoints = voter.endpoints
        out += pack_iu(voter.voter_id, voter.voter_directory_id)
        n = len(endpoints) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for endpoint in endpoints:
            name = endpoint.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            host = endpoint.host
            host_bytes = host.encode()
            n = len(host_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += host_bytes
            out += pack_Hx(endpoint.port)
        k_raft_version_feature = voter.k_raft_version_feature
        out += pack_hhxx(k_raft_version_feature.min_supported_version, k_raft_version_feature.max_supported_version)
    out.append(0)


SnapshotHeaderRecord.READERS = {
    0: _read_snapshot_header_record_v0,
}
SnapshotHeaderRecord.WRITERS = {
    0: _write_snapshot_header_record_v0,
}
SnapshotFooterRecord.READERS = {
    0: _read_snapshot_footer_record_v0,
}
SnapshotFooterRecord.WRITERS = {
    0: _write_snapshot_footer_record_v0,
}
KRaftVersionRecord.READERS = {
    0: _read_k_raft_version_record_v0,
}
KRaftVersionRecord.WRITERS = {
    0: _write_k_raft_version_record_v0,
}
VotersRecord.READERS = {
    0: _read_voters_record_v0,
}
VotersRecord.WRITERS = {
    0: _write_voters_record_v0,
}
