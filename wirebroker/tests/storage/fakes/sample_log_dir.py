"""A log directory with every kind of file that storage knows, and what is in it, for tests that damage it."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.model import TopicPartition
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.legacy import any_batches, build_legacy_record, wrap
from wirebroker.record.record_batch import Record, RecordBatch
from wirebroker.storage.errors import CorruptLogError, StorageError
from wirebroker.storage.log_manager import LogManager
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, Clock, batch, marker, run_flush

if TYPE_CHECKING:
    from wirebroker.config.log import LogConfig
    from wirebroker.storage.log import Log

CONFIG = SMALL._replace(segment_bytes=2500, segment_index_bytes=400, index_interval_bytes=300)
COMPACTED = CONFIG._replace(cleanup_policy=("compact",))
PARTITIONS = tuple(
    TopicPartition(name, 0)
    for name in ("plain", "codecs", "idempotent", "transactions", "compacted", "old", "mixed", "shortened")
)
_EPOCH_AT, _EPOCH_END = 12, 16


class SampleLogDir(NamedTuple):
    """A log directory and what its logs hold."""

    disk: FakeDisk
    batches: dict[TopicPartition, dict[int, bytes]]
    """Last offset -> the batch's bytes, without the leader epoch (which no checksum covers)."""
    starts: dict[TopicPartition, int]
    earlier: dict[str, bytes]
    """Path -> contents at an earlier time, for files that have changed since."""


def config_of(topic: str) -> LogConfig:
    return COMPACTED if topic == "compacted" else CONFIG


def without_epoch(data: bytes) -> bytes:
    """The batch with its leader epoch blanked out."""
    return data if data[16] < 2 else data[:_EPOCH_AT] + bytes(4) + data[_EPOCH_END:]


def stored(log: Log) -> dict[int, bytes]:
    """All batches of an undamaged log, by last offset."""
    found = {}
    for segment in log.segments:
        for each in any_batches(segment.log_file.open().pread(segment.size_bytes, 0)):
            found[each.last_offset] = without_epoch(bytes(each.buffer))
    return found


def load(disk: FakeDisk) -> LogManager:
    """The logs on *disk*, loaded."""
    manager = LogManager([DIR], CONFIG, files=disk, clock=Clock())
    manager.load(config_of)
    return manager


@cache
def sample_log_dir(*, clean: bool) -> SampleLogDir:
    """Write, and stop with a clean shutdown or by kill -9."""
    disk, random = FakeDisk(), Random(1)
    manager = load(disk)
    logs = {
        at: manager.get_or_create(at.topic, 0, bytes([n + 1]) * 16, config_of(at.topic))
        for n, at in enumerate(PARTITIONS)
    }
    for log in logs.values():
        log.assign_leader_epoch(0)
    earlier: dict[str, bytes] = {}
    for turn in range(4):
        if turn in (1, 3):
            run_flush(manager, 0)
            manager.log_dirs.checkpoint_recovery_points()
            manager.log_dirs.checkpoint_high_watermarks({at: log.log_end_offset for at, log in logs.items()})
        if turn == 2:
            logs[TopicPartition("shortened", 0)].delete_records(7)
            manager.log_dirs.checkpoint_log_starts()
        if turn == 3:
            earlier = {path: disk.content(path) for path in disk.names}
        _write(logs, turn, random)
    starts = {at: log.log_start_offset for at, log in logs.items()}
    batches = {at: stored(log) for at, log in logs.items()}
    if clean:
        manager.close()
    disk = disk.restarted()
    now = {path: disk.content(path) for path in disk.names}
    earlier = {path: data for path, data in earlier.items() if path in now and now[path] != data}
    return SampleLogDir(disk, batches, starts, earlier)


def _write(logs: dict[TopicPartition, Log], turn: int, random: Random) -> None:
    by_name = {at.topic: log for at, log in logs.items()}
    epoch = turn // 2
    for n in range(30):
        timestamp = 1000 * turn + n
        value = random.randbytes(random.randint(20, 90))
        by_name["plain"].append_as_leader(batch(value, value[:9], timestamp=timestamp), epoch, 0)
        by_name["idempotent"].append_as_leader(
            batch(value[:40], timestamp=timestamp + 3, producer=(n % 3, 0, turn * 10 + n // 3)), epoch, 0
        )
        by_name["shortened"].append_as_leader(batch(value[:33], timestamp=timestamp + 5), epoch, 0)
        records = [Record(k, timestamp, b"key", value[k:], [(b"h", None)]) for k in range(3)]
        packed = build_batch(records, compression=Compression(Codec(n % 5)))
        by_name["codecs"].append_as_leader(RecordBatch.parse(bytearray(packed)), epoch, 0)
        _write_gap(by_name["compacted"], value, timestamp, epoch, random)
        _write_old(by_name["old"], value, timestamp, n, 0 if turn < 2 else 1)
        if n % 2:
            _write_old(by_name["mixed"], value, timestamp, n, n % 3 % 2)
        else:
            by_name["mixed"].append_as_leader(batch(value, timestamp=timestamp), epoch, 0)
    _write_transactions(by_name["transactions"], turn, epoch, random)


def _write_gap(log: Log, value: bytes, timestamp: int, epoch: int, random: Random) -> None:
    offset = log.log_end_offset + random.choice((0, 0, 1, 5))
    gapped = batch(value[:50], timestamp=timestamp, base_offset=offset, leader_epoch=epoch)
    log.append_as_follower(gapped.buffer)


def _write_old(log: Log, value: bytes, timestamp: int, n: int, magic: int) -> None:
    offset = log.log_end_offset
    if n % 4:
        message = build_legacy_record(offset, magic, b"k", value, timestamp=timestamp)
    else:
        inside = b"".join(
            build_legacy_record(k if magic else offset + k, magic, None, value[k:], timestamp=timestamp)
            for k in range(3)
        )
        message = wrap(inside, magic, Compression(Codec.GZIP), offset + 2, timestamp=timestamp)
    log.append_as_follower(memoryview(message))


def _write_transactions(log: Log, turn: int, epoch: int, random: Random) -> None:
    for n in range(12):
        producer = 10 + n % 2
        first = (turn * 12 + n) // 2 * 2
        for k in range(2):
            data = batch(random.randbytes(30), timestamp=9, producer=(producer, 0, first + k), transactional=True)
            log.append_as_leader(data, epoch, 0)
        log.append_as_leader(marker(producer, 0, committed=n % 3 != 0), epoch, 0, AppendOrigin.COORDINATOR)


class Served(NamedTuple):
    """The batches that readers of a log get, and the errors."""

    batches: dict[int, bytes]
    """Last offset -> bytes without the epoch."""
    errors: list[str]


def serve(manager: LogManager, at: TopicPartition, start: int, end: int) -> Served:
    """Read all of a partition from *start* to *end*, stepping over what cannot be read."""
    found: dict[int, bytes] = {}
    errors: list[str] = []
    try:
        log = manager.get(at.topic, at.partition)
    except (StorageError, CorruptLogError) as refusal:
        return Served(found, [str(refusal)])
    if log is None:
        return Served(found, ["there is no log"])
    offset = max(start, log.log_start_offset)
    while offset < min(end, log.log_end_offset):
        try:
            piece = log.read(offset, 700, log.log_end_offset, min_one_batch=True)
        except (StorageError, CorruptLogError) as fault:
            errors.append(str(fault))
            offset += 1
            continue
        whole = list(any_batches(piece.tobytes()))
        if not whole:
            errors.append(f"nothing at {offset}")
            offset += 1
            continue
        for each in whole:
            found[each.last_offset] = without_epoch(bytes(each.buffer))
        offset = max(offset + 1, whole[-1].last_offset + 1)
    return Served(found, errors)
