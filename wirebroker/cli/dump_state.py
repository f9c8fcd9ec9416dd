"""Dump the small files of a partition: `.txnindex`, `.snapshot`, leader epochs, partition metadata."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from wirebroker.cli.dump_report import optional_long
from wirebroker.record.crc32c import crc32c
from wirebroker.record.faults import RecordError
from wirebroker.storage.checkpoints import parse_lines

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.cli.dump_report import Report
    from wirebroker.cli.log_dump import DumpOptions

# version (an int16 of which the original reads the first byte), producer id, first, last and last stable offset
ABORTED = Struct(">bxqqqq")
SNAPSHOT_HEAD = Struct(">hIi")  # version, crc, count
# producer id, epoch, last sequence, last offset, offset delta, timestamp, coordinator epoch, transaction's first offset
PRODUCER = Struct(">qhiqiqiq")


def dump_transaction_index(path: Path, options: DumpOptions, report: Report) -> None:
    """Print the aborted transactions whose marker is in the segment; nothing if any entry is bad."""
    data = path.read_bytes()
    if len(data) % ABORTED.size:
        raise RecordError(f"{len(data) % ABORTED.size} bytes at the end are no entry")
    entries = list(ABORTED.iter_unpack(data))
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


def dump_producer_snapshot(path: Path, options: DumpOptions, report: Report) -> None:
    """Print the producers' state.  A damaged snapshot is a remark, no fault: a broker does without it."""
    data = path.read_bytes()
    if len(data) < SNAPSHOT_HEAD.size:
        report.remark("Snapshot failed schema validation: the file ends in its header")
        return
    version, crc, count = SNAPSHOT_HEAD.unpack_from(data)
    computed = crc32c(data[6:])
    if not 0 <= count <= (len(data) - SNAPSHOT_HEAD.size) // PRODUCER.size:
        report.remark(f"Snapshot failed schema validation: {count} producers do not fit in {len(data)} bytes")
    elif version != 1:
        report.remark(f"Snapshot contained an unknown file version {version}")
    elif crc != computed:
        report.remark(f"Snapshot is corrupt (CRC is no longer valid). Stored crc: {crc}. Computed crc: {computed}")
    else:
        for number in range(count):
            _dump_producer(data, SNAPSHOT_HEAD.size + number * PRODUCER.size, report)


def _dump_producer(data: bytes, at: int, report: Report) -> None:
    producer_id, epoch, sequence, offset, delta, timestamp, coordinator_epoch, txn_offset = PRODUCER.unpack_from(
        data, at
    )
    open_since = txn_offset if txn_offset >= 0 else None
    text = (
        f"producerId: {producer_id} producerEpoch: {epoch} coordinatorEpoch: {coordinator_epoch}"
        f" currentTxnFirstOffset: {optional_long(open_since)} lastTimestamp: {timestamp} "
    )
    last_batch = {}
    if offset >= 0:
        first_sequence = sequence - delta & 0x7FFFFFFF
        text += (
            f"firstSequence: {first_sequence} lastSequence: {sequence} lastOffset: {offset}"
            f" offsetDelta: {delta} timestamp: {timestamp}"
        )
        last_batch = {
            "firstSequence": first_sequence,
            "lastSequence": sequence,
            "lastOffset": offset,
            "offsetDelta": delta,
        }
    report.line(
        "producer",
        text,
        producerId=producer_id,
        producerEpoch=epoch,
        coordinatorEpoch=coordinator_epoch,
        currentTxnFirstOffset=open_since,
        lastTimestamp=timestamp,
        **last_batch,
    )


def dump_leader_epochs(path: Path, options: DumpOptions, report: Report) -> None:
    """Print where each leader epoch begins (not in the original)."""
    for words in parse_lines(path.read_bytes(), str(path)):
        epoch, start = map(int, words)
        report.line("epoch", f"epoch: {epoch} startOffset: {start}", epoch=epoch, startOffset=start)


def dump_partition_metadata(path: Path, options: DumpOptions, report: Report) -> None:
    """Print the topic's id (not in the original)."""
    fields = dict(line.split(": ", 1) for line in path.read_text().splitlines())
    report.line("metadata", " ".join(f"{name}: {value}" for name, value in fields.items()), **fields)
