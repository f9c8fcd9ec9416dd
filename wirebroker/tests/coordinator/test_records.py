"""Offset records: the parser written by hand agrees with the generated codec, and leaves other versions to that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.codegen.codecs import encode_record
from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
from wirebroker.coordinator.turn import CoordinatorRecord
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal.consumer_offsets import OffsetCommitKey, OffsetCommitValue

longs, texts = st.integers(-(2**63), 2**63 - 1), st.text(max_size=20)


@given(texts, texts, st.integers(-(2**31), 2**31 - 1), longs, st.integers(-1, 2**31 - 1), texts, longs)
def test_both_parsers_agree_on_written_records(
    group: str, topic: str, partition: int, offset: int, epoch: int, metadata: str, written_ms: int
) -> None:
    committed = OffsetAndMetadata(offset, epoch, metadata, written_ms)
    record = records.offset_record(group, topic, partition, committed)
    assert record.value is not None
    assert records.read(record) == records.OffsetRecord(group, topic, partition, committed)
    assert record.key == encode_record(OffsetCommitKey(group, topic, partition), 1)
    twin = OffsetCommitValue(offset, leader_epoch=epoch, metadata=metadata, commit_timestamp=written_ms)
    assert record.value == twin.to_record(3)
    key, value = OffsetCommitKey.from_record(record.key), OffsetCommitValue.from_record(record.value)
    assert (key.group, key.topic, key.partition) == (group, topic, partition)
    assert (value.offset, value.leader_epoch, value.metadata, value.commit_timestamp) == committed[:4]


def test_other_versions_are_left_to_the_generated_codec() -> None:
    key = encode_record(OffsetCommitKey("g", "t", 1), 1)
    for version in (0, 1, 2, 4):
        value = OffsetCommitValue(7, metadata="m", commit_timestamp=5).to_record(version)
        assert records._parse_offset_v3(key, value) is None
        found = records.read(CoordinatorRecord(key, value))
        assert isinstance(found, records.OffsetRecord)
        assert found.committed is not None
        assert found.committed.offset == 7


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_record_cut_short_is_refused(cut: int) -> None:
    record = records.offset_record("group", "topic", 1, OffsetAndMetadata(5, -1, "metadata", 1))
    assert record.value is not None
    assert records._parse_offset_v3(record.key[:-cut], record.value) is None
    assert records._parse_offset_v3(record.key, record.value[:-cut]) is None
    with pytest.raises(ProtocolError):
        records.read(CoordinatorRecord(record.key, record.value[:-cut]))
