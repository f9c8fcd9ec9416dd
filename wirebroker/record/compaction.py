"""Compaction of one batch: which records are retained by their keys, and the batch that is built of them.

A batch in which nothing is removed stays as it is, to the byte.  In any other the records that stay keep their offsets,
and the batch keeps its base offset, last offset, producer and sequence, so that a producer's last sequence is known as
long as its last batch is in the log, even without records.  The changes are those of Apache Kafka (KIP-98,
KIP-534): the first record that stays gives the base timestamp; with the first tombstone or marker that compaction meets
the base timestamp becomes the delete horizon, the time from which on the tombstone may go, and attribute bit 6 says so.
Releases before 3.1 write no horizon down: a tombstone or marker goes by the age of the segment that it is in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.record.compression import Codec, Compression, compress
from wirebroker.record.convert import encode_set
from wirebroker.record.crc32c import crc32c
from wirebroker.record.errors import RecordError
from wirebroker.record.key_run import KeyRuns
from wirebroker.record.legacy import LegacyBatch, wrap
from wirebroker.record.record_batch import (
    ATTRIBUTES_AT,
    CODEC_MASK,
    CONTROL,
    CRC_AT,
    DELETE_HORIZON,
    HEADER,
    HEADER_SIZE,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    NO_TIMESTAMP,
    TRANSACTIONAL,
    RecordBatch,
)
from wirebroker.record.varint import encode_varint, read_varint, read_varlong

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.record.key_run import KeyRun
    from wirebroker.record.legacy import AnyBatch

    LatestOffset = Callable[[bytes], int]
    LatestMarks = Callable[[int, int], bytearray | None]


def _no_marks(_first: int, _last: int) -> None:
    return None


class Emptied(Enum):
    """The treatment of a batch that no record stays in."""

    REMOVE = "remove"
    KEEP_HEADER = "keep header"
    """The header stays without records: it is the last batch of its producer, or of the range that is compacted."""


@dataclass(frozen=True, slots=True)
class CompactionRule:
    """The criteria by which records of a range of the log stay or go.

    Attributes:
        latest_offset: the last offset of a key in the range that was read, -1 if the key is not in it.
        map_end: records at or above this offset were not read, so they stay.
        now_ms: the time at which the compaction began.
        delete_retention_ms: how long a tombstone stays after the compaction that met it first.
        latest_marks: (first, last offset) -> a byte for each offset, 1 if the last record of a key in the range that
            was read is there; None if there are none for these offsets.  In a batch with marks no key is looked up.
        keeps_by_age: tombstones and markers without a delete horizon stay in this segment, as it is young enough; those
            of formats 0 and 1 have none, and without *marks_horizon* those of format 2 get none.
        marks_horizon: the first tombstone or marker that is met gives its batch of format 2 a delete horizon.
        key_runs: the layouts of batches that were met before.
    """

    latest_offset: LatestOffset
    map_end: int
    now_ms: int
    delete_retention_ms: int
    latest_marks: LatestMarks = _no_marks
    keeps_by_age: bool = True
    marks_horizon: bool = True
    key_runs: KeyRuns = field(default_factory=KeyRuns)

    def keeps_tombstones(self, delete_horizon_ms: int | None) -> bool:
        """Return whether tombstones, or the marker, of a batch with this delete horizon stay."""
        if delete_horizon_ms is not None:
            return self.now_ms < delete_horizon_ms
        return self.marks_horizon or self.keeps_by_age


class CompactedBatch(NamedTuple):
    """A batch after compaction."""

    data: bytes | memoryview
    """The bytes to write, empty if the batch goes; those of the original batch if nothing was removed."""
    kept: int
    """Records that stay."""
    read: int
    """Records that the batch held."""
    max_timestamp: int


_NOTHING: Final = b""
_Span = tuple[int, int, int]
"""One record in place: its position, that of its attributes, behind its length, and that of its end."""


def compact_batch(
    batch: AnyBatch,
    rule: CompactionRule,
    emptied: Emptied = Emptied.REMOVE,
    *,
    discard: bool = False,
    is_empty_transaction_marker: bool = False,
) -> CompactedBatch:
    """Return *batch* after compaction.

    Args:
        batch: a batch of whatever format, with its bytes.
        rule: which records stay.
        emptied: what becomes of the batch if none does.
        discard: no record stays, whatever the rule says: the batch is part of an aborted transaction, or a marker
            whose horizon has passed.
        is_empty_transaction_marker: a marker whose transaction has no records left, so that its horizon begins.

    Raises:
        RecordError: the records are not what the batch's header says.
    """
    if isinstance(batch, LegacyBatch):
        return _compact_legacy(batch, rule)
    if discard:
        return _without_records(batch, emptied, batch.record_count)
    if batch.attributes & CONTROL:
        return _compact_marker(batch, rule, emptied, is_empty_transaction_marker)
    marks = rule.latest_marks(batch.base_offset, batch.last_offset)
    if marks is not None and 1 not in marks:
        return _without_records(batch, emptied, batch.record_count)
    data = bytes(batch.uncompressed())
    run = rule.key_runs.find(batch, data) if marks is not None else None
    if run is not None and marks is not None:
        spans, tombstones = _marked_spans(data, run, marks, rule.keeps_tombstones(batch.delete_horizon_ms))
    else:
        spans, tombstones = _retained_spans(data, batch, rule, marks)
    if not spans:
        return _without_records(batch, emptied, batch.record_count)
    sets_horizon = rule.marks_horizon and tombstones and not batch.attributes & DELETE_HORIZON
    if len(spans) == batch.record_count and not sets_horizon:
        return CompactedBatch(batch.buffer, len(spans), len(spans), batch.max_timestamp)
    horizon = rule.now_ms + rule.delete_retention_ms if sets_horizon else batch.delete_horizon_ms
    return _rebuilt(batch, data, spans, horizon)


def _marked_spans(data: bytes, run: KeyRun, marks: bytearray, keeps_tombstones: bool) -> tuple[list[_Span], bool]:
    """Return as `_retained_spans`, of a batch with a known layout and a mark for each record."""
    stay: list[_Span] = []
    tombstones = False
    delta = marks.find(1)
    while delta >= 0:
        begin, start, _, value_at, end = run.record(delta)
        value_size, place = read_varint(data, value_at)
        if place + max(value_size, 0) >= end:
            raise RecordError(f"a record ends at {end}, its value at {place + max(value_size, 0)}")
        if value_size >= 0 or keeps_tombstones:
            stay.append((begin, start, end))
            tombstones = tombstones or value_size < 0
        delta = marks.find(1, delta + 1)
    return stay, tombstones


def _retained_spans(
    data: bytes, batch: RecordBatch, rule: CompactionRule, marks: bytearray | None
) -> tuple[list[_Span], bool]:
    """(records that stay, whether a tombstone is among them) of the uncompressed record area *data*."""
    latest_offset, map_end = rule.latest_offset, rule.map_end
    base_offset = batch.base_offset
    keeps_tombstones = rule.keeps_tombstones(batch.delete_horizon_ms)
    stay: list[_Span] = []
    tombstones = False
    at, end = 0, len(data)
    try:
        for _ in range(batch.record_count):
            begin = at
            number = data[at]
            if number > 0x7F and (second := data[at + 1]) < 0x80 and not number & 1:  # what most records have
                start = at + 2
                at = start + (second << 6) + ((number & 0x7F) >> 1)
            else:
                length, start = read_varint(data, at)
                at = start + length
            place = start + 1
            while data[place] > 0x7F:  # the timestamp
                place += 1
            place += 1
            number = data[place]
            if number & 0x81:  # more than one byte, or negative
                delta, place = read_varint(data, place)
            else:
                delta = number >> 1
                place += 1
            is_marked = marks is not None and 0 <= delta < len(marks)  # else the batch does not say how far it goes
            if marks is not None and is_marked and not marks[delta]:
                continue
            number = data[place]
            if number & 0x81:
                key_size, key_at = read_varint(data, place)
            else:
                key_size = number >> 1
                key_at = place + 1
            value_at = key_at + key_size if key_size > 0 else key_at
            number = data[value_at]
            if number > 0x7F and (second := data[value_at + 1]) < 0x80 and not number & 1:
                value_size = (second << 6) + ((number & 0x7F) >> 1)
                place = value_at + 2 + value_size
            else:
                value_size, place = read_varint(data, value_at)
                if value_size > 0:
                    place += value_size
            if place >= at or at > end:
                raise RecordError(f"a record ends at {at} of {end}, its fields at {place}")
            has_value = value_size >= 0
            offset = base_offset + delta
            if offset < map_end:
                if key_size < 0:
                    continue
                if not is_marked and offset < latest_offset(data[key_at:value_at]):
                    continue
                if not (has_value or keeps_tombstones):
                    continue
            stay.append((begin, start, at))
            tombstones = tombstones or not has_value
    except IndexError:
        raise RecordError("a record runs past the end") from None
    if at != end:
        raise RecordError(f"{end - at} bytes after the last record")
    return stay, tombstones


def _rebuilt(batch: RecordBatch, data: bytes, spans: list[_Span], horizon: int | None) -> CompactedBatch:
    """*batch* with the records of *spans* only, and with *horizon* as its delete horizon."""
    base_timestamp = batch.base_timestamp
    append_time = batch.max_timestamp if batch.attributes & LOG_APPEND_TIME else None
    found = [read_varlong(data, start + 1) for _, start, _ in spans]
    timestamps = [base_timestamp + delta if append_time is None else append_time for delta, _ in found]
    new_base = timestamps[0] if horizon is None else horizon
    if new_base == base_timestamp and append_time is None:  # the deltas stay as they are
        area = bytearray().join([data[begin:end] for begin, _, end in spans])
    else:
        area = bytearray()
        for (_, start, end), (_, body), timestamp in zip(spans, found, timestamps, strict=True):
            delta = encode_varint(timestamp - new_base)
            area += encode_varint(1 + len(delta) + end - body)
            area.append(data[start])
            area += delta
            area += data[body:end]
    highest = max(timestamps)
    attributes = batch.attributes if horizon is None else batch.attributes | DELETE_HORIZON
    packed: bytes | bytearray | memoryview = area
    codec = batch.codec
    if codec is not Codec.NONE:
        packed = compress(codec, bytes(area), None)
    written = _with_header(batch, packed, attributes, new_base, highest, len(spans))
    return CompactedBatch(written, len(spans), batch.record_count, highest)


def _with_header(
    batch: RecordBatch,
    area: bytes | bytearray | memoryview,
    attributes: int,
    base_timestamp: int,
    max_timestamp: int,
    count: int,
) -> bytes:
    """The header of *batch* with what compaction changes in it, and *area* behind it."""
    whole = bytearray(
        HEADER.pack(
            batch.base_offset,
            HEADER_SIZE - LOG_OVERHEAD + len(area),
            batch.partition_leader_epoch,
            batch.magic,
            0,
            attributes,
            batch.last_offset_delta,
            base_timestamp,
            max_timestamp,
            batch.producer_id,
            batch.producer_epoch,
            batch.base_sequence,
            count,
        )
    )
    whole += area
    view = memoryview(whole)
    view[CRC_AT : CRC_AT + 4] = crc32c(view[ATTRIBUTES_AT:]).to_bytes(4, "big")
    return bytes(whole)


def _without_records(batch: RecordBatch, emptied: Emptied, read: int) -> CompactedBatch:
    """Nothing, or the header alone."""
    if emptied is Emptied.REMOVE:
        return CompactedBatch(_NOTHING, 0, read, batch.max_timestamp)
    kept = batch.attributes & (LOG_APPEND_TIME | TRANSACTIONAL | CONTROL)
    header = _with_header(batch, _NOTHING, kept, NO_TIMESTAMP, batch.max_timestamp, 0)
    return CompactedBatch(header, 0, read, batch.max_timestamp)


def _compact_marker(
    batch: RecordBatch, rule: CompactionRule, emptied: Emptied, is_empty_transaction_marker: bool
) -> CompactedBatch:
    """A marker stays; if its transaction has no records left, its delete horizon is written down."""
    if not batch.record_count:
        return _without_records(batch, emptied, 0)
    if is_empty_transaction_marker and rule.marks_horizon and not batch.attributes & DELETE_HORIZON:
        data = bytes(batch.uncompressed())
        length, start = read_varint(data, 0)  # it has one record
        return _rebuilt(batch, data, [(0, start, start + length)], rule.now_ms + rule.delete_retention_ms)
    return CompactedBatch(batch.buffer, batch.record_count, batch.record_count, batch.max_timestamp)


def _compact_legacy(batch: LegacyBatch, rule: CompactionRule) -> CompactedBatch:
    """Compact a message of format 0 or 1; a wrapper is made anew around the messages that stay."""
    records = list(batch.records())
    stay = []
    for record in records:
        if record.offset < rule.map_end:
            if record.key is None:
                continue
            latest = record.offset >= rule.latest_offset(record.key)
            if not latest or (record.value is None and not rule.keeps_by_age):
                continue
        stay.append(record)
    if len(stay) == len(records):
        return CompactedBatch(batch.buffer, len(stay), len(records), batch.max_timestamp)
    if not stay:
        return CompactedBatch(_NOTHING, 0, len(records), batch.max_timestamp)
    append_time = batch.max_timestamp if batch.magic and batch.attributes & LOG_APPEND_TIME else None
    highest = max(record.timestamp for record in stay) if append_time is None else append_time
    last_offset = stay[-1].offset
    # inside a wrapper of format 1 offsets count from its first message
    first = stay[0].offset if batch.magic else 0
    inside = [record._replace(offset=record.offset - first) for record in stay]
    messages = b"".join(encode_set(inside, batch.magic, append_time))
    codec = Codec(batch.attributes & CODEC_MASK)
    data = wrap(
        messages,
        batch.magic,
        Compression(codec),
        last_offset,
        timestamp=highest,
        log_append_time=append_time is not None,
    )
    return CompactedBatch(data, len(stay), len(records), highest)
