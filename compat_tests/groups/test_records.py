"""The records of a group in __consumer_offsets: the same bytes, in the same batches, as Apache Kafka 3.9.1 writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from compat_tests.conftest import unique_name
from compat_tests.group_scenario import UUID, run_script, subscription
from compat_tests.groups.operators import delete, delete_offsets
from tools.codegen.codecs import encode_record
from wirebroker.protocol.internal.consumer_offsets import (
    GroupMetadataKey,
    GroupMetadataValue,
    OffsetCommitKey,
    OffsetCommitValue,
)
from wirebroker.record.record_batch import batches

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Wirebroker
    from compat_tests.group_scenario import GroupScenario
    from tools.jvm.kafka import KafkaBroker

GROUP_KEY = 2


class Written(NamedTuple):
    """One record."""

    key: bytes
    value: bytes | None


class Batch(NamedTuple):
    """The records that one request wrote.

    Apache Kafka's come in the order of a hash table, and it numbers commits from 0 though no producer sends them: a
    sequence without a producer means nothing.
    """

    attributes: int
    producer: tuple[int, int]
    records: list[Written]


def written(data_directory: Path, group: str) -> list[Batch]:
    """The group's records as they are in the files, in log order."""
    found: list[Batch] = []
    for segment in sorted(data_directory.glob("__consumer_offsets-*/*.log")):
        for batch in batches(memoryview(segment.read_bytes())):
            records = [Written(key, value) for _, key, value in batch.keyed_records() if key is not None]
            if records and _group_of(records[0].key) == group:
                found.append(Batch(batch.attributes, (batch.producer_id, batch.producer_epoch), sorted(records)))
    return found


def _group_of(key: bytes) -> str:
    return key[4 : 4 + int.from_bytes(key[2:4], "big")].decode()


def timeless(record: Written) -> Written:
    """The record with its times set to 0; the codec must give its bytes back first."""
    kind, value = int.from_bytes(record.key[:2], "big"), record.value
    if kind == GROUP_KEY:
        assert GroupMetadataKey.from_record(record.key).to_record(kind) == record.key
        if value is not None:
            group, version = GroupMetadataValue.from_record(value), int.from_bytes(value[:2], "big")
            assert group.to_record(version) == value
            assert group.current_state_timestamp > 0
            group.current_state_timestamp = 0
            group.members.sort(key=lambda member: bytes(member.assignment))  # out of a hash table, too
            value = group.to_record(version)
    else:
        assert encode_record(OffsetCommitKey.from_record(record.key), kind) == record.key
        if value is not None:
            offset, version = OffsetCommitValue.from_record(value), int.from_bytes(value[:2], "big")
            assert offset.to_record(version) == value
            assert offset.commit_timestamp > 0
            kept_ms = offset.expire_timestamp - offset.commit_timestamp if offset.expire_timestamp > 0 else 0
            offset.commit_timestamp, offset.expire_timestamp = 0, kept_ms
            value = offset.to_record(version)
    return record._replace(value=value)


def comparable(found: list[Batch]) -> list[Batch]:
    """Without times, and with member ids numbered in the order in which they appear."""
    ids: dict[str, str] = {}

    def numbered(data: bytes) -> bytes:
        text = data.decode("latin-1")
        return UUID.sub(lambda found: ids.setdefault(found[0], f"id {len(ids):033}"), text).encode("latin-1")

    def to_plain(record: Written) -> Written:
        key, value = timeless(record)
        return Written(key, None if value is None else numbered(value))

    return [each._replace(records=[to_plain(record) for record in each.records]) for each in found]


def members_come_and_go(s: GroupScenario) -> None:
    ids, generation = s.stable(5, "a", "b")
    s.commit("a", 7, 5, ids[0], generation, partitions=[0, 1], leader_epoch=4, metadata="é")
    s.commit("b", 4, 6, ids[1], generation, retention_ms=60_000)
    s.leave("b", 3, (ids[1], None))
    s.start_join("a", 5, ids[0])
    generation = s.receive("a").generation_id
    s.sync("a", 3, ids[0], generation, {ids[0]: b"all"})
    s.leave("a", 3, (ids[0], None))
    delete_offsets(s, ("read", [0]))
    delete(s, 2)


def static_members_are_back(s: GroupScenario) -> None:
    s.start_join("a", 5, instance="i1", rebalance_ms=9_000, session_ms=8_000)
    member = s.receive("a").member_id
    s.sync("a", 3, member, 1, {member: b"1"}, instance="i1")
    s.join("b", 5, instance="i1")
    s.join("c", 5, instance="i1", protocols=(("range", subscription(b"changed")),), session_ms=7_000)


def a_simple_group(s: GroupScenario) -> None:
    for version in range(1, 10):
        s.commit("x", version, version, partitions=[1, 0], metadata=None if version % 2 else "text")
        s.commit("x", version, version, retention_ms=1_000_000)
    delete_offsets(s, ("read", [1, 0]))


def another_kind_of_group(s: GroupScenario) -> None:
    s.start_join("a", 3, kind="connect", protocols=(("v1", b"\x01"), ("v0", b"\x00")))
    member = s.receive("a").member_id
    s.sync("a", 3, member, 1, {})
    s.leave("a", 2, (member, None))


@pytest.mark.parametrize(
    "script", [members_come_and_go, static_members_are_back, a_simple_group, another_kind_of_group]
)
def test_the_same_bytes(ours: Wirebroker, theirs: KafkaBroker, script: Callable[[GroupScenario], None]) -> None:
    group = unique_name("records")
    recorded = run_script((ours, theirs), group, "read", script)
    assert not [each for broker in recorded for each in broker if each[0] == "the script broke off"]
    mine, other = (written(broker.data_directory, group) for broker in (ours, theirs))
    assert len(other) > 1
    assert comparable(mine) == comparable(other)
