"""Random logs, cleaned round by round by wirebroker and by Apache Kafka's own Cleaner, become the same files.

No broker takes part: Apache Kafka's class gets a copy of the directory before each round, and the same time.  The first
dirty and the first uncleanable offset, the end of the round, and each segment's batches, aborted transactions, largest
timestamp and modified time have to be equal, and its bytes if nothing is compressed.  Known differences:

- An empty header stays at the end of a round's range, as with Apache Kafka from 4.0 on, so that no offset is lost.
- Messages of formats 0 and 1 stay that when their wrapper is written anew, as up to 3.9; 4.1 makes format 2 of them.
- Apache Kafka 2.8 groups segments otherwise if the offsets of one alone are too far apart for an index.
- A map that is full takes further offsets of keys that it has; the rounds of this test have room for all keys.
"""

from __future__ import annotations

import os
import shutil
import struct
from typing import TYPE_CHECKING, NamedTuple

import pytest

from compat_tests.kafka_cleaner import KafkaCleaner, kafka_cleaner
from compat_tests.random_log import RandomLog
from compat_tests.versions import KAFKA, KAFKA_4, OLD_KAFKA
from wirebroker.record.legacy import LegacyBatch, any_batches
from wirebroker.record.record_batch import RecordBatch
from wirebroker.storage.cleaner.job import CleanerLimits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wirebroker.record.legacy import AnyBatch

ROUNDS = 4


class Batch(NamedTuple):
    """A batch without what depends on the library that has compressed it."""

    magic: int
    last_offset: int
    attributes: int
    max_timestamp: int
    fields: tuple[int, ...]
    """The other fields of the header of format 2."""
    records: object


class Segment(NamedTuple):
    """The files of one segment that compaction writes."""

    batches: list[Batch]
    log: bytes | None
    """The bytes of the log; None if they are compressed."""
    aborted: bytes
    last_timestamp: bytes
    """That of the last entry of the time index."""
    modified_s: int


@pytest.fixture(scope="module", params=[OLD_KAFKA, KAFKA, KAFKA_4])
def kafka(request: pytest.FixtureRequest) -> Iterator[KafkaCleaner]:
    with kafka_cleaner(request.param) as cleaner:
        yield cleaner


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(n, marks=pytest.mark.nightly) for n in range(8, 300))])
def test_rounds_of_a_random_log(kafka: KafkaCleaner, tmp_path: Path, seed: int) -> None:
    log = RandomLog(seed, kafka.most_gap, kafka.formats)
    log.marks_horizon = kafka.marks_horizon
    for _ in range(ROUNDS):
        log.write_one_round()
        _clean_and_compare(log, kafka, tmp_path / "t-0")


def _clean_and_compare(log: RandomLog, kafka: KafkaCleaner, directory: Path) -> None:
    limits = CleanerLimits(2**20, 0.9, log.random.choice([300, 4096, 65536]), 1e308)
    checkpoint = log.manager.log_dirs.cleaner_offset(log.log)
    job = log.job(limits)
    _copy(log, directory)
    theirs = kafka.clean(
        directory,
        log.settings,
        checkpoint,
        log.clock.now_ms,
        buffer_bytes=limits.dedupe_buffer_bytes,
        io_buffer_bytes=limits.io_buffer_bytes,
        log_start_offset=log.log.log_start_offset,
        log_end_offset=log.log.log_end_offset,
    )
    assert (job.first_dirty_offset, job.uncleanable_offset) == (theirs.first_dirty_offset, theirs.uncleanable_offset)
    assert log.clean(limits) == theirs.end_offset
    if theirs.end_offset is None:
        return
    disk = log.disk
    ours = {path.rpartition("/")[2]: bytes(inode.data) for path, inode in disk.names.items() if _is_of(log, path)}
    written = {path.name: path.read_bytes() for path in directory.iterdir() if path.suffix != ".deleted"}
    names = [name for name in ours if name.endswith(".log") and int(name[:-4]) < theirs.end_offset]
    assert names == sorted(name for name in written if name.endswith(".log") and int(name[:-4]) < theirs.end_offset)
    for name in names:
        modified_s = disk.names[f"{log.log.directory}/{name}"].modified_ms // 1000
        expected = _segment(written, name, int((directory / name).stat().st_mtime))
        found = _segment(ours, name, modified_s)
        if found.batches != expected.batches and not kafka.keeps_end:
            found = _without_empty_end(found, expected, job.uncleanable_offset)
        assert found == expected, f"{name} of {sorted(names)}"


def _is_of(log: RandomLog, path: str) -> bool:
    return path.startswith(f"{log.log.directory}/") and not path.endswith(".deleted")


def _copy(log: RandomLog, directory: Path) -> None:
    """Put the log's files into *directory*, after a clean stop."""
    log.log.producer_state_manager.take_snapshot()
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for path, inode in log.disk.names.items():
        if _is_of(log, path):
            copy = directory / path.rpartition("/")[2]
            copy.write_bytes(inode.data)
            if inode.modified_ms:
                os.utime(copy, ns=(inode.modified_ms * 10**6,) * 2)


def _segment(files: dict[str, bytes], name: str, modified_s: int) -> Segment:
    stem, data = name.removesuffix(".log"), files[name]
    batches = [_batch(each) for each in any_batches(data)]
    is_plain = all(not each.attributes & 7 for each in batches)
    last = files[stem + ".timeindex"][-12:]
    aborted = files.get(stem + ".txnindex", b"")
    return Segment(batches, data if is_plain else None, aborted, last[: struct.calcsize(">q")], modified_s)


def _batch(batch: AnyBatch) -> Batch:
    if isinstance(batch, LegacyBatch):
        records = [(each.offset, each.timestamp, each.key, each.value) for each in batch.records()]
        return Batch(batch.magic, batch.last_offset, batch.attributes, batch.max_timestamp, (), records)
    assert isinstance(batch, RecordBatch)
    assert batch.is_valid()
    return Batch(
        2,
        batch.last_offset,
        batch.attributes,
        batch.max_timestamp,
        (
            *(batch.base_offset, batch.base_timestamp, batch.partition_leader_epoch, batch.record_count),
            *(batch.producer_id, batch.producer_epoch, batch.base_sequence),
        ),
        bytes(batch.uncompressed()) if batch.record_count else b"",
    )


def _without_empty_end(found: Segment, expected: Segment, uncleanable_offset: int) -> Segment:
    """Return *found* as Apache Kafka before 4.0 would have written it, which removes the empty header at the end."""
    *batches, last = found.batches
    assert last.last_offset + 1 == uncleanable_offset
    assert last.records == b""
    return found._replace(batches=batches, log=expected.log, last_timestamp=expected.last_timestamp)
