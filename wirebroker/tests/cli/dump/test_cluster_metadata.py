"""`dump-log --cluster-metadata-decoder`: JSON as Jackson writes it, numbers as Java prints them, damage, snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.dump.cluster_metadata import decode_record
from wirebroker.cli.main import main
from wirebroker.protocol.internal import cluster_metadata as records
from wirebroker.record.builder import build_batch, simple_batch
from wirebroker.record.record_batch import CONTROL, Record
from wirebroker.tests.metadata.kafka_import.kraft_frames import frame

if TYPE_CHECKING:
    from pathlib import Path

ONE = bytes([1]) * 16


def decoded(value: bytes | None) -> str:
    key, payload = decode_record(Record(7, 0, None, value, []))
    assert key is None
    return payload


def test_fields_by_version() -> None:
    partition = records.PartitionRecord(0, ONE, [0], [0], directories=[ONE])
    assert decoded(frame(records.PartitionRecord(0, ONE, [0], [0]), 0)) == (
        '{"type":"PARTITION_RECORD","version":0,"data":{"partitionId":0,"topicId":"AQEBAQEBAQEBAQEBAQEBAQ","replicas":[0],'
        '"isr":[0],"removingReplicas":[],"addingReplicas":[],"leader":-1,"leaderEpoch":-1,"partitionEpoch":-1}}'
    )
    assert '"partitionEpoch":-1,"directories":["AQEBAQEBAQEBAQEBAQEBAQ"]}' in decoded(frame(partition, 1))
    partition.eligible_leader_replicas, partition.leader_recovery_state = [3], 1
    shown = decoded(frame(partition, 2))
    assert '"leader":-1,"leaderRecoveryState":1,"leaderEpoch"' in shown
    assert shown.endswith('"eligibleLeaderReplicas":[3]}}')


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"), (-1.5, "-1.5"), (1e6, "1000000.0"), (1e7, "1.0E7"), (12345678.0, "1.2345678E7"), (0.001, "0.001"),
        (0.0001, "1.0E-4"), (1.5e-7, "1.5E-7"), (-2e20, "-2.0E20"), (float("nan"), '"NaN"'),
        (float("-inf"), '"-Infinity"'),
    ],
)  # fmt: skip
def test_doubles_as_java_prints_them(value: float, text: str) -> None:
    entity = records.EntityData("user", None)
    shown = decoded(frame(records.ClientQuotaRecord([entity], "k", value)))
    assert f'{{"entity":[{{"entityType":"user","entityName":null}}],"key":"k","value":{text},"remove":false}}' in shown


def test_invalid_records() -> None:
    assert decoded(None) == "Error at 7, skipping. the record has no value"
    assert decoded(b"\1\2") == "Error at 7, skipping. the record ends in its frame"
    assert "unknown metadata record type 99" in decoded(bytes((1, 99, 0)))


def test_snapshots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = Record(0, 9, b"\0\0\0\3", b"\0\0\0\0\0\0\0\0\0\5\0", [])
    version = Record(1, 9, b"\0\0\0\5", b"\0\0\0\1\0", [])
    data = build_batch([header, version], attributes=CONTROL)
    data += simple_batch([frame(records.NoOpRecord())], base_offset=2)
    path = tmp_path / f"{12:020}-{3:010}.checkpoint"
    path.write_bytes(data)
    assert main(["dump-log", "--cluster-metadata-decoder", str(path)]) == 0
    out = capsys.readouterr().out
    for text in (
        "Snapshot end offset: 12, epoch: 3",
        'SnapshotHeader {"version":0,"lastContainedLogTimestamp":5}',
        'KRaftVersion {"version":0,"kRaftVersion":1}',
        'payload: {"type":"NO_OP_RECORD","version":0,"data":{}}',
    ):
        assert text in out
    assert main(["dump-log", "--cluster-metadata-decoder", "--json", str(path)]) == 0
    assert '"content":{"version":0,"lastContainedLogTimestamp":5}' in capsys.readouterr().out
    wrong = tmp_path / "other.checkpoint"
    wrong.write_bytes(data)
    assert main(["dump-log", str(wrong)]) == 1
