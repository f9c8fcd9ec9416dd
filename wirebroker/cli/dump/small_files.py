"""Dump the small files of a partition: `.txnindex`, `.snapshot`, leader epochs, partition metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.dump.text_report import optional_long
from wirebroker.record.crc32c import crc32c
from wirebroker.record.errors import RecordError
from wirebroker.storage.checkpoints import parse_lines
from wirebroker.storage.producer_snapshots import CRC_END, SNAPSHOT_ENTRY, SNAPSHOT_HEADER, SNAPSHOT_VERSION, entry_of
from wirebroker.storage.transaction_index import ENTRY as TXN_INDEX_ENTRY

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.cli.dump.options import DumpOptions
    from wirebroker.cli.dump.report import Report
    from wirebroker.storage.producer_state_entry import ProducerStateEntry

_LOW_BYTE_BITS: Final = 8


def dump_transaction_index(path: Path, _: DumpOptions, report: Report) -> None:
    """Print the aborted transactions whose marker is in the segment; nothing if any entry is bad."""
    data = path.read_bytes()
    if len(data) % TXN_INDEX_ENTRY.size:
        raise RecordError(f"{len(data) % TXN_INDEX_ENTRY.size} bytes at the end are no entry")
    # of the version, an int16, the original reads the first byte
    entries = [(version >> _LOW_BYTE_BITS, *rest) for version, *rest in TXN_INDEX_ENTRY.iter_unpack(data)]
    unknown = max((version for version, *_ in entries), default=0)
    if unknown > 0:
        raise RecordError(f"unknown version {unknown}")
    for version, producer_id, first, last, stable in entries:
        report.line(
            "aborted",
            f"version: {version} producerId: {producer_id} firstOffset: {first} lastOffset: {last}"
            f" lastStableOffset: {stable}",
            version=version,
            producerId=producer_id,
            firstOffset=first,
            lastOffset=last,
            lastStableOffset=stable,
        )


def dump_producer_snapshot(path: Path, _: DumpOptions, report: Report) -> None:
    """Print the state of the producers.  A damaged snapshot is a warning, no error: a broker does without it."""
    data = path.read_bytes()
    if len(data) < SNAPSHOT_HEADER.size:
        report.warning("Snapshot failed schema validation: the file ends in its header")
        return
    version, crc, count = SNAPSHOT_HEADER.unpack_from(data)
    computed = crc32c(data[CRC_END:])
    entries = memoryview(data)[SNAPSHOT_HEADER.size :]
    if not 0 <= count <= len(entries) // SNAPSHOT_ENTRY.size:
        report.warning(f"Snapshot failed schema validation: {count} producers do not fit in {len(data)} bytes")
    elif version != SNAPSHOT_VERSION:
        report.warning(f"Snapshot contained an unknown file version {version}")
    elif crc != computed:
        report.warning(f"Snapshot is corrupt (CRC is no longer valid). Stored crc: {crc}. Computed crc: {computed}")
    else:
        for fields in SNAPSHOT_ENTRY.iter_unpack(entries[: count * SNAPSHOT_ENTRY.size]):
            _dump_producer(entry_of(fields), report)


def _dump_producer(entry: ProducerStateEntry, report: Report) -> None:
    """Print one producer; a producer that has only written markers has no last batch."""
    txn_first_offset = entry.current_txn_first_offset if entry.current_txn_first_offset >= 0 else None
    text = (
        f"producerId: {entry.producer_id} producerEpoch: {entry.epoch} coordinatorEpoch: {entry.coordinator_epoch}"
        f" currentTxnFirstOffset: {optional_long(txn_first_offset)} lastTimestamp: {entry.last_timestamp} "
    )
    last_batch = {}
    if entry.batches:
        batch = entry.batches[-1]
        text += (
            f"firstSequence: {batch.first_sequence} lastSequence: {batch.last_sequence}"
            f" lastOffset: {batch.last_offset} offsetDelta: {batch.offset_delta} timestamp: {batch.timestamp}"
        )
        last_batch = {
            "firstSequence": batch.first_sequence,
            "lastSequence": batch.last_sequence,
            "lastOffset": batch.last_offset,
            "offsetDelta": batch.offset_delta,
        }
    report.line(
        "producer",
        text,
        producerId=entry.producer_id,
        producerEpoch=entry.epoch,
        coordinatorEpoch=entry.coordinator_epoch,
        currentTxnFirstOffset=txn_first_offset,
        lastTimestamp=entry.last_timestamp,
        **last_batch,
    )


def dump_leader_epochs(path: Path, _: DumpOptions, report: Report) -> None:
    """Print where each leader epoch begins (not in the original)."""
    for words in parse_lines(path.read_bytes(), str(path)):
        epoch, start_offset = map(int, words)
        text = f"epoch: {epoch} startOffset: {start_offset}"
        report.line("epoch", text, epoch=epoch, startOffset=start_offset)


def dump_partition_metadata(path: Path, _: DumpOptions, report: Report) -> None:
    """Print the topic's id (not in the original)."""
    fields = dict(line.split(": ", 1) for line in path.read_text().splitlines())
    report.line("metadata", " ".join(f"{name}: {value}" for name, value in fields.items()), **fields)
