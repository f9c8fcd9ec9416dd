"""Batches to append and a log manager to append them to, in a line each."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wirebroker.config.topic import default_log_config
from wirebroker.record.builder import build_batch
from wirebroker.record.control import build_marker
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record, RecordBatch, batches, stamp
from wirebroker.storage.errors import CorruptLogError, StorageError
from wirebroker.storage.log_manager import LogManager
from wirebroker.storage.retention import delete_old_segments

if TYPE_CHECKING:
    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.storage.files import Files
    from wirebroker.storage.log import Log

DIR = Path("/data")
DAY_MS = 86_400_000
LARGE = default_log_config(index_interval_bytes=200, segment_index_bytes=4096)
"""Segments that need not be rolled, with several index entries each."""
SMALL = default_log_config(segment_bytes=1000, segment_index_bytes=240, index_interval_bytes=200)
"""Segments of a few batches, so that everything about them happens soon."""


class Clock:
    """The time stands still until a test moves it."""

    def __init__(self, now_ms: int = 1_000_000) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms


def batch(
    *values: bytes,
    timestamp: int = 1,
    producer: tuple[int, int, int] = (-1, -1, -1),
    transactional: bool = False,
    base_offset: int = 0,
    leader_epoch: int = -1,
) -> RecordBatch:
    """A batch with these values; *producer* is (id, epoch, base sequence)."""
    records = [Record(base_offset + n, timestamp, None, value, []) for n, value in enumerate(values or (b"value",))]
    data = build_batch(records, producer=BatchProducer(*producer), attributes=TRANSACTIONAL if transactional else 0)
    made = RecordBatch.parse(bytearray(data))
    stamp(made, base_offset, leader_epoch)
    return made


def marker(producer_id: int, epoch: int, *, committed: bool, coordinator_epoch: int = 0) -> RecordBatch:
    """The end of a transaction."""
    data = build_marker(
        committed=committed,
        producer_id=producer_id,
        producer_epoch=epoch,
        coordinator_epoch=coordinator_epoch,
        timestamp=1,
    )
    return RecordBatch.parse(bytearray(data))


def manager(files: Files, config: LogConfig = SMALL, clock: Clock | None = None, *dirs: Path) -> LogManager:
    """A loaded manager."""
    made = LogManager(dirs or (DIR,), config, files=files, clock=clock or Clock(), producer_id_expiration_ms=DAY_MS)
    made.load()
    return made


def new_log(files: Files, config: LogConfig = SMALL, clock: Clock | None = None, **changes: object) -> Log:
    """The log t-0 in a fresh manager."""
    return manager(files, config._replace(**changes), clock).get_or_create("t", 0)  # type: ignore[arg-type]


def filled(disk: Files, count: int, config: LogConfig = LARGE, size: int = 50, per_batch: int = 1) -> Log:
    """The log t-0 with *count* batches, of *per_batch* records with *size* bytes and their offset in front."""
    log = new_log(disk, config)
    for n in range(count):
        records = [b"%d" % (n * per_batch + k) + bytes(size) for k in range(per_batch)]
        log.append_as_leader(batch(*records, timestamp=1000 + n), 0, 1000)
    return log


def values(log: Log, offset: int | None = None) -> list[tuple[int, bytes | None]]:
    """(offset, value) of all records from *offset* (the log start) on, read as a consumer would."""
    at = log.log_start_offset if offset is None else offset
    found: list[tuple[int, bytes | None]] = []
    while at < log.log_end_offset:
        piece = log.read(at, 100, log.log_end_offset, min_one_batch=True)
        whole = list(batches(piece.tobytes()))
        if not whole:
            break
        for each in whole:
            found += [(record.offset, record.value) for record in each.records() if record.offset >= at]
        at = whole[-1].next_offset
    return found


def high_watermarks(manager: LogManager) -> dict[TopicPartition, int]:
    """The high watermarks in the checkpoints of all log directories that are online."""
    return {at: offset for log_dir in manager.log_dirs.online for at, offset in log_dir.high_watermarks().items()}


def run_retention(manager: LogManager, now_ms: int) -> int:
    """Apply retention to every log up to its end; returns how many segments went.  A fault fails the log alone."""
    count = 0
    for log in manager.logs():
        with suppress(StorageError, CorruptLogError):
            count += delete_old_segments(log, now_ms, log.log_end_offset)
    return count


def run_flush(manager: LogManager, now_ms: int) -> None:
    """Flush rolled segments, and logs whose flush.ms is over; a disk that fails takes its directory offline."""
    for log in manager.logs():
        due = now_ms - log.local_log.last_flush_ms >= log.config.flush_ms
        if due or log.local_log.has_unflushed_segments:
            try:
                log.flush(rolled_only=not due)
            except StorageError as fault:
                manager.log_dirs.mark_offline(log.directory.parent, fault)
            except CorruptLogError:
                pass  # concerns this log alone
