"""Control records other than the two that golden bytes cover."""

from __future__ import annotations

import pytest

from wirebroker.record.builder import build_batch
from wirebroker.record.control import ControlType, EndTxnMarker, build_marker, control_type, parse_marker, read_marker
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import CONTROL, BatchProducer, Record, RecordBatch


def control_record(key: bytes | None, value: bytes | None) -> Record:
    return Record(0, 0, key, value, [])


@pytest.mark.parametrize("committed", [True, False])
def test_round_trip(committed: bool) -> None:
    data = build_marker(
        committed=committed, producer_id=77, producer_epoch=4, coordinator_epoch=9, timestamp=5, base_offset=3
    )
    batch = RecordBatch.parse(data)
    assert read_marker(batch) == EndTxnMarker(committed, 9)
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (77, 4, -1)
    assert (batch.base_offset, batch.last_offset, batch.record_count) == (3, 3, 1)


def test_newer_versions_are_read_by_the_fields_we_know() -> None:
    record = control_record(b"\x00\x05\x00\x01more", b"\x00\x09\x00\x00\x00\x07and more")
    assert parse_marker(record) == EndTxnMarker(True, 7)


def test_other_kinds_are_no_markers() -> None:
    assert parse_marker(control_record(b"\x00\x00\x00\x02", b"leader change")) is None
    assert control_type(b"\x00\x00\x00\x63") is ControlType.UNKNOWN
    assert parse_marker(control_record(b"\x00\x00\x00\x63", None)) is None


def test_a_compacted_control_batch_holds_nothing() -> None:
    data = build_batch([], producer=BatchProducer(1, 0), attributes=CONTROL, offsets=(3, 3))
    assert read_marker(RecordBatch.parse(data)) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, b""),
        (b"\x00\x00\x00", b""),
        (b"\xff\xff\x00\x01", b"\x00\x00\x00\x00\x00\x07"),
        (b"\x00\x00\x00\x01", None),
        (b"\x00\x00\x00\x01", b"\x00\x00\x00"),
        (b"\x00\x00\x00\x01", b"\xff\xff\x00\x00\x00\x07"),
    ],
)
def test_malformed(key: bytes | None, value: bytes | None) -> None:
    with pytest.raises(RecordError):
        parse_marker(control_record(key, value))
