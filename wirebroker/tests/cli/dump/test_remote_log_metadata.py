"""Records of __remote_log_metadata as text, in the original's words; compat_tests compares with the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tools.codegen import codecs
from wirebroker.cli.dump.remote_log_metadata import TYPES, decode_record
from wirebroker.cli.main import main
from wirebroker.protocol.internal import remote_log_metadata as records
from wirebroker.record.builder import simple_batch
from wirebroker.record.record_batch import Record

if TYPE_CHECKING:
    from pathlib import Path

TOPIC_ID, SEGMENT_ID = bytes(range(16)), bytes(range(240, 256))
PARTITION = records.TopicIdPartitionEntry("t", TOPIC_ID, 3)
SEGMENT = records.RemoteLogSegmentIdEntry(PARTITION, SEGMENT_ID)
UPDATED = records.UpdatedSegmentId(records.UpdatedTopicIdPartition("t", TOPIC_ID, 3), SEGMENT_ID)
WHICH = "remoteLogSegmentId=RemoteLogSegmentId{topicIdPartition=AAECAwQFBgcICQoLDA0ODw:t-3, id=8PHy8_T19vf4-fr7_P3-_w}"
TOLD = [
    (
        records.RemoteLogSegmentMetadataRecord(
            remote_log_segment_id=SEGMENT,
            start_offset=5,
            end_offset=9,
            broker_id=1,
            max_timestamp_ms=77,
            event_timestamp_ms=88,
            segment_leader_epochs=[records.SegmentLeaderEpochEntry(2, 7), records.SegmentLeaderEpochEntry(0, 5)],
            segment_size_in_bytes=1000,
            custom_metadata=b"abc",
            remote_log_segment_state=0,
        ),
        f"RemoteLogSegmentMetadata{{{WHICH}, startOffset=5, endOffset=9, brokerId=1, maxTimestampMs=77, "
        "eventTimestampMs=88, segmentLeaderEpochs={0=5, 2=7}, segmentSizeInBytes=1000, "
        "customMetadata=Optional[CustomMetadata{3 bytes}], state=COPY_SEGMENT_STARTED}",
    ),
    (
        records.RemoteLogSegmentMetadataUpdateRecord(
            remote_log_segment_id=UPDATED, broker_id=1, event_timestamp_ms=88, remote_log_segment_state=3
        ),
        f"RemoteLogSegmentMetadataUpdate{{{WHICH}, customMetadata=Optional.empty, state=DELETE_SEGMENT_FINISHED, "
        "eventTimestampMs=88, brokerId=1}",
    ),
    (
        records.RemotePartitionDeleteMetadataRecord(
            topic_id_partition=records.DeletedTopicIdPartition("t", TOPIC_ID, 3),
            broker_id=2,
            event_timestamp_ms=99,
            remote_partition_delete_state=1,
        ),
        "RemotePartitionDeleteMetadata{topicPartition=AAECAwQFBgcICQoLDA0ODw:t-3, state=DELETE_PARTITION_STARTED, "
        "eventTimestampMs=99, brokerId=2}",
    ),
    (
        records.RemoteLogSegmentMetadataSnapshotRecord(
            segment_id=SEGMENT_ID, start_offset=5, end_offset=9, max_timestamp_ms=77, remote_log_segment_state=1
        ),
        "RemoteLogSegmentMetadataSnapshot{segmentId=8PHy8_T19vf4-fr7_P3-_w, startOffset=5, endOffset=9, "
        "maxTimestampMs=77, segmentLeaderEpochs={}, segmentSizeInBytes=0, customMetadata=Optional.empty, "
        "state=COPY_SEGMENT_FINISHED}",
    ),
]


def framed(message: Any) -> bytes:
    type_id = next(number for number, kind in TYPES.items() if kind is type(message))
    out = bytearray((1, type_id, 0))
    codecs.write(message, out, 0)
    return bytes(out)


@pytest.mark.parametrize(("message", "text"), TOLD, ids=lambda each: type(each).__name__)
def test_each_kind(message: Any, text: str) -> None:
    assert decode_record(Record(0, 0, None, framed(message), [])) == (None, text)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "no value"),
        (b"", "ends in its frame"),
        (b"\x01\x00", "ends in its frame"),
        (b"\x02\x00\x00", "frame version 2"),
        (b"\x01\x04\x00", "record type 4"),
        (b"\x01\x00\x01", "version 1"),
        (framed(TOLD[0][0])[:-1], ""),
        (framed(TOLD[0][0]) + b"\0", "1 bytes after"),
        (framed(records.RemoteLogSegmentMetadataUpdateRecord(remote_log_segment_state=4)), "no state has number 4"),
        (framed(records.RemotePartitionDeleteMetadataRecord(remote_partition_delete_state=-1)), "number -1"),
    ],
)
def test_invalid_records_are_skipped_with_the_reason(value: bytes | None, reason: str) -> None:
    key, text = decode_record(Record(7, 0, None, value, []))
    assert key is None
    assert text.startswith("Error at offset 7, skipping. ")
    assert reason in text


def test_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{0:020}.log"
    path.write_bytes(simple_batch([framed(message) for message, _ in TOLD]))
    assert main(["dump-log", "--files", str(path), "--remote-log-metadata-decoder"]) == 0
    said = capsys.readouterr().out
    assert [text for _, text in TOLD if f"payload: {text}" not in said] == []
