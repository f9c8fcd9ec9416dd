"""Releases before 2.3: the versions of what they write to __consumer_offsets, and how 2.0 expires offsets."""

from __future__ import annotations

import pytest

from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
from wirebroker.coordinator.group.records import RecordVersions, record_versions
from wirebroker.protocol.errors import ErrorCode
from wirebroker.releases.profile import WIREBROKER, ReleaseProfile
from wirebroker.tests.coordinator.shard_harness import CONFIG, WALL_OFFSET_MS, ShardHarness
from wirebroker.tests.coordinator.test_expiry import HOUR_MS, LOOK_MS, READS_U, RETENTION_MS, Reader

E = ErrorCode
OLD = record_versions(ReleaseProfile("2.0.1"))


@pytest.mark.parametrize(
    ("release", "versions"),
    [
        ("1.1", RecordVersions(1, 1, expires_by_record=True)),
        ("2.0.1", RecordVersions(1, 1, expires_by_record=True)),
        ("2.1", RecordVersions(2)),
        ("2.2", RecordVersions(2)),
        ("2.3", RecordVersions(3)),
        ("3.9", RecordVersions(3)),
    ],
)
def test_the_versions_of_a_release(release: str, versions: RecordVersions) -> None:
    assert record_versions(ReleaseProfile(release)) == versions


def test_wirebroker_itself_writes_the_newest() -> None:
    assert record_versions(WIREBROKER) == RecordVersions(3)


@pytest.mark.parametrize(
    ("protocol", "versions"),
    [
        ("0.11.0-IV2", RecordVersions(1, 1)),
        ("2.0", RecordVersions(1, 1)),
        ("2.1-IV0", RecordVersions(2, 2)),
        ("2.1-IV1", RecordVersions(2, 3)),
        ("2.2", RecordVersions(2, 3)),
        ("2.3-IV0", RecordVersions(3, 3)),
        ("3.9", RecordVersions(3, 3)),
    ],
)
def test_brokers_of_a_cluster_write_what_its_protocol_lets_all_of_them_read(
    protocol: str, versions: RecordVersions
) -> None:
    assert record_versions(WIREBROKER, InterBrokerProtocol(protocol)) == versions


@pytest.mark.parametrize(
    ("version", "value"),
    [
        (1, "0001 0000000000000005 0001 6d 00000000000003e8 ffffffffffffffff"),
        (2, "0002 0000000000000005 0001 6d 00000000000003e8"),
        (3, "0003 0000000000000005 00000007 0001 6d 00000000000003e8"),
    ],
)
def test_the_bytes_of_a_commit_in_each_version(version: int, value: str) -> None:
    record = records.offset_record("g", "t", 0, OffsetAndMetadata(5, 7, "m", 1000), version)
    assert record.value == bytes.fromhex(value)
    parsed = records.read(record)
    assert isinstance(parsed, records.OffsetRecord)
    assert parsed.committed == OffsetAndMetadata(5, 7 if version == 3 else -1, "m", 1000)


def test_commits_of_a_cluster_with_an_old_protocol_expire_with_their_group() -> None:
    harness = ShardHarness(versions=record_versions(WIREBROKER, InterBrokerProtocol("2.0")))
    assert harness.commit(5) == E.NONE
    assert committed(harness).expire_ms == -1


def committed(harness: ShardHarness) -> OffsetAndMetadata:
    """The commit in the last record, whose value has version 1."""
    record = harness.log[-1]
    assert record.value is not None
    assert record.value[:2] == b"\0\1"
    parsed = records.read(record)
    assert isinstance(parsed, records.OffsetRecord)
    assert parsed.committed is not None
    return parsed.committed


def test_a_commit_has_the_expire_timestamp_of_the_brokers_retention() -> None:
    harness = ShardHarness(versions=OLD)
    assert harness.commit(5) == E.NONE
    now_ms = harness.now_ms + WALL_OFFSET_MS
    assert committed(harness) == OffsetAndMetadata(5, -1, "", now_ms, now_ms + RETENTION_MS)


@pytest.mark.parametrize(("release", "version"), [("2.0.1", 1), ("2.2", 2), ("2.3", 3)])
def test_a_group_is_written_and_read_in_the_version_of_the_release(release: str, version: int) -> None:
    harness = ShardHarness(versions=record_versions(ReleaseProfile(release)))
    reader = Reader(harness)
    record = harness.log[-1]
    assert record.value is not None
    assert record.value[:2] == version.to_bytes(2, "big")
    group = harness.restarted().shard.manager.groups["g"]
    (member,) = group.members.values()
    assert (group.generation_id, member.member_id) == (reader.generation, reader.member_id)
    assert (member.session_timeout_ms, member.rebalance_timeout_ms) == (1_800_000, 30_000)


def test_offsets_expire_by_their_timestamp_though_the_group_reads_the_topic() -> None:
    for versions, left in ((OLD, None), (records.NEWEST, 7)):
        harness = ShardHarness(versions=versions)
        reader = Reader(harness, metadata=READS_U)
        reader.commit("u")
        reader.stay(RETENTION_MS - HOUR_MS)
        assert harness.offset(topic="u") == 7
        reader.stay(HOUR_MS + LOOK_MS)
        assert harness.offset(topic="u") == left


def test_the_expire_timestamp_of_a_record_is_obeyed_after_a_load() -> None:
    written_ms = 1_000_000 + WALL_OFFSET_MS
    log = [
        records.offset_record("g", "t", 0, OffsetAndMetadata(5, -1, "", written_ms, written_ms + HOUR_MS)),
        records.offset_record("g", "t", 1, OffsetAndMetadata(6, -1, "", written_ms, written_ms + 24 * HOUR_MS)),
        # of a release that writes no expire timestamp: the commit's age counts
        records.offset_record("g", "t", 2, OffsetAndMetadata(7, 1, "", written_ms)),
    ]
    harness = ShardHarness(CONFIG, log, OLD)
    harness.pass_ms(HOUR_MS + LOOK_MS)
    assert [harness.offset(partition=each) for each in range(3)] == [None, 6, 7]
    harness.pass_ms(23 * HOUR_MS)
    assert [harness.offset(partition=each) for each in range(3)] == [None, None, 7]
    harness.pass_ms(RETENTION_MS - 24 * HOUR_MS)
    assert harness.offset(partition=2) is None


def test_release_2_0_expires_an_offset_by_the_timestamp_that_its_client_gave_it() -> None:
    harness = ShardHarness(versions=OLD)
    now_ms = harness.now_ms + harness.wall_offset_ms
    harness.commit(1, version=1, timestamp_ms=now_ms - HOUR_MS)
    committed = harness.shard.manager.offsets.get("g", "t", 0)
    assert committed == OffsetAndMetadata(1, -1, "", now_ms, now_ms - HOUR_MS + RETENTION_MS)
