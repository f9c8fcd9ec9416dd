"""A start with files that were changed meanwhile: cut what a crash explains, refuse the rest."""

from __future__ import annotations

import logging
import zlib
from typing import TYPE_CHECKING

import pytest

from wirebroker.storage.errors import (
    CorruptLogError,
    StorageError,
    UnwritableLogError,
)
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, batch, manager, new_log, run_retention, values

if TYPE_CHECKING:
    from wirebroker.storage.log import Log

LOG = "/data/t-0/00000000000000000000.log"
ONE_SEGMENT = SMALL._replace(segment_bytes=100_000, index_interval_bytes=100)
BATCHES = 6


def filled(disk: FakeDisk, count: int = BATCHES, size: int = 50) -> tuple[Log, list[int]]:
    """A log of *count* one-record batches, and where each begins."""
    log = new_log(disk, ONE_SEGMENT)
    positions = []
    for n in range(count):
        positions.append(log.size_bytes)
        log.append_as_leader(batch(b"%d" % n * size), 0, 0)
    return log, positions


def reopened(disk: FakeDisk) -> Log:
    return manager(disk, ONE_SEGMENT).get_or_create("t", 0)


def offsets(log: Log) -> list[int]:
    return [offset for offset, _ in values(log)]


@pytest.mark.parametrize(
    "tail",
    [b"\0", bytes(30), bytes(5000), b"\xff" * 200, b"garbage that is no batch at all " * 4, b"\0\0\0\0\0\0\0\6"],
)
def test_a_tail_that_is_no_batch_is_cut(tail: bytes, caplog: pytest.LogCaptureFixture) -> None:
    disk = FakeDisk()
    filled(disk)
    whole = disk.content(LOG)
    left = disk.restarted()
    left.overwrite(LOG, whole + tail)
    log = reopened(left)
    assert offsets(log) == list(range(BATCHES))
    assert left.content(LOG) == whole
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert warnings[0].endswith(f", 1 truncated (t-0 to offset {BATCHES})")


def test_a_last_batch_cut_anywhere_is_dropped_whole() -> None:
    disk = FakeDisk()
    _, positions = filled(disk)
    whole = disk.content(LOG)
    for size in range(positions[-1] + 1, len(whole)):
        left = disk.restarted()
        left.overwrite(LOG, whole[:size])
        log = reopened(left)
        assert log.log_end_offset == BATCHES - 1
        assert left.content(LOG) == whole[: positions[-1]]


def test_a_zero_filled_end_of_the_last_batch_is_a_torn_write() -> None:
    disk = FakeDisk()
    _, positions = filled(disk)
    whole = disk.content(LOG)
    left = disk.restarted()
    left.overwrite(LOG, whole[: positions[-1] + 80] + bytes(len(whole) - positions[-1] - 80 + 4096))
    assert reopened(left).log_end_offset == BATCHES - 1


def refusal(disk: FakeDisk) -> StorageError:
    made = manager(disk, ONE_SEGMENT)
    with pytest.raises(StorageError) as caught:
        made.get("t", 0)
    made.close()
    return caught.value


@pytest.mark.parametrize("damaged", range(BATCHES - 1))
@pytest.mark.parametrize("at", [8, 16, 17, 30, 70])
def test_a_damaged_batch_with_a_valid_one_behind_it_is_refused(
    damaged: int, at: int, caplog: pytest.LogCaptureFixture
) -> None:
    disk = FakeDisk()
    _, positions = filled(disk)
    data = bytearray(disk.content(LOG))
    data[positions[damaged] + at] ^= 0x55
    left = disk.restarted()
    left.overwrite(LOG, bytes(data))
    refusal(left)
    assert left.content(LOG) == bytes(data)
    errors = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 1
    assert f" 00000000000000000000.log at byte {positions[damaged]}: " in errors[0]
    assert "a valid batch is at byte" in errors[0]
    assert "`wirebroker log repair /data`" in errors[0]
    assert len(errors[0]) < 200


@pytest.mark.parametrize("damaged", range(BATCHES - 1))
@pytest.mark.parametrize("at", range(8))
def test_a_wrong_offset_which_no_checksum_covers_is_seen_by_the_next_one(damaged: int, at: int) -> None:
    disk = FakeDisk()
    _, positions = filled(disk)
    data = bytearray(disk.content(LOG))
    data[positions[damaged] + at] ^= 0x55
    left = disk.restarted()
    left.overwrite(LOG, bytes(data))
    assert "its checksum is right" in str(refusal(left))
    assert left.content(LOG) == bytes(data)


def test_a_refused_partition_is_loaded_again_by_every_start() -> None:
    disk = FakeDisk()
    _, positions = filled(disk)
    whole = disk.content(LOG)
    data = bytearray(whole)
    data[positions[2] + 70] ^= 1
    left = disk.restarted()
    left.overwrite(LOG, bytes(data))
    refusal(left)  # which ends with a clean shutdown
    refusal(left)
    left.overwrite(LOG, whole)
    assert offsets(reopened(left)) == list(range(BATCHES))


def test_others_load_when_one_is_refused() -> None:
    disk = FakeDisk()
    made = manager(disk, ONE_SEGMENT)
    for topic in "abc":
        log = made.get_or_create(topic, 0)
        for n in range(4):
            log.append_as_leader(batch(b"%d" % n * 30), 0, 0)
    left = disk.restarted()
    path = "/data/b-0/00000000000000000000.log"
    data = bytearray(left.content(path))
    data[100] ^= 1
    left.overwrite(path, bytes(data))
    made = manager(left, ONE_SEGMENT)
    assert [str(at) for at in made.refused()] == ["b-0"]
    assert [log.topic_partition.topic for log in made.logs()] == ["a", "c"]
    made.delete("b", 0)
    assert made.get("b", 0) is None
    assert made.get_or_create("b", 0).log_end_offset == 0


def test_a_torn_end_below_the_recovery_point_is_damage() -> None:
    disk = FakeDisk()
    log, _ = filled(disk)
    made = manager(disk.restarted(), ONE_SEGMENT)
    log = made.get_or_create("t", 0)
    log.flush()
    made.log_dirs.checkpoint_recovery_points()
    left = _disk(made)
    left = left.restarted()
    left.overwrite(LOG, left.content(LOG)[:-10])
    assert f"below the recovery point {BATCHES}" in str(refusal(left))


@pytest.mark.parametrize("clean", [True, False])
def test_records_that_were_flushed_and_are_gone_are_missed(clean: bool) -> None:
    disk = FakeDisk()
    _, positions = filled(disk)
    made = manager(disk.restarted(), ONE_SEGMENT)
    made.get_or_create("t", 0).flush()
    made.log_dirs.checkpoint_recovery_points()
    if clean:
        made.close()
    left = _disk(made).restarted()
    left.overwrite(LOG, left.content(LOG)[: positions[-1]])
    assert "the log ends at offset 5, below the recovery point 6" in str(refusal(left))


def _disk(made: object) -> FakeDisk:
    disk = made._files  # type: ignore[attr-defined]
    assert isinstance(disk, FakeDisk)
    return disk


def test_damage_in_a_segment_before_the_last_is_refused() -> None:
    disk = FakeDisk()
    log = new_log(disk, ONE_SEGMENT)
    for _ in range(3):
        log.append_as_leader(batch(b"x" * 50), 0, 0)
    log.roll()
    log.append_as_leader(batch(b"y" * 50), 0, 0)
    left = disk.restarted()
    left.overwrite(LOG, left.content(LOG)[:-20])
    assert "a valid batch is in 00000000000000000003.log" in str(refusal(left))


def test_a_torn_segment_before_empty_ones_is_cut_and_they_go() -> None:
    disk = FakeDisk()
    log = new_log(disk, ONE_SEGMENT)
    for _ in range(3):
        log.append_as_leader(batch(b"x" * 50), 0, 0)
    log.roll()
    left = disk.restarted()
    left.overwrite(LOG, left.content(LOG)[:-20])
    log = reopened(left)
    assert log.log_end_offset == 2
    assert len(log.segments) == 1
    assert not [path for path in left.names if "00000000000000000003" in path]


def test_an_old_batch_inside_the_garbage_does_not_count() -> None:
    """Blocks of a deleted file may come back in a torn tail: what cannot follow is no sign of damage."""
    disk = FakeDisk()
    filled(disk)
    whole = disk.content(LOG)
    left = disk.restarted()
    left.overwrite(LOG, whole + b"\xff" * 40 + whole[:200])
    assert reopened(left).log_end_offset == BATCHES


def test_damage_found_while_serving_fails_only_the_read_that_meets_it() -> None:
    disk = FakeDisk()
    log, positions = filled(disk)
    made = manager(disk.restarted(), ONE_SEGMENT)
    log, other = made.get_or_create("t", 0), made.get_or_create("u", 0)
    data = bytearray(_disk(made).content(LOG))
    data[positions[1] + 16] = 77  # the magic byte
    _disk(made).overwrite(LOG, bytes(data))
    with pytest.raises(CorruptLogError) as caught:
        log.read(1, 1, 6, min_one_batch=True)
    assert type(caught.value) is CorruptLogError
    assert log.read(5, 1, 6, min_one_batch=True).first_offset == 5
    assert log.append_as_leader(batch(), 0, 0).base_offset == 6
    assert other.append_as_leader(batch(), 0, 0).base_offset == 0
    assert log.failure is None


@pytest.mark.parametrize("position", [-7, 590, 1 << 30])
def test_corrupt_offset_index_is_not_followed(position: int, caplog: pytest.LogCaptureFixture) -> None:
    disk = FakeDisk()
    made = manager(disk, ONE_SEGMENT)
    log = made.get_or_create("t", 0)
    for _ in range(5):
        log.append_as_leader(batch(b"x" * 50), 0, 0)
    log.roll()
    log.append_as_leader(batch(), 0, 0)
    made.close()
    path = LOG.replace(".log", ".index")
    disk.overwrite(path, disk.content(path)[:-4] + (position & 0xFFFFFFFF).to_bytes(4, "big"))
    log = manager(disk, ONE_SEGMENT).get_or_create("t", 0)
    for offset in (4, 1):
        assert log.read(offset, 1, 6, min_one_batch=True).first_offset == offset
    assert f"offset index {path} is corrupt" in caplog.text


def test_a_log_that_cannot_be_written_to_leaves_the_others_alone() -> None:
    disk = FakeDisk()
    made = manager(disk, ONE_SEGMENT)
    log, other = made.get_or_create("t", 0), made.get_or_create("u", 0)
    log.append_as_leader(batch(b"x" * 200), 0, 0)
    log.segments[-1].offset_index.append(1 << 20, 3)  # an entry from nowhere
    with pytest.raises(CorruptLogError) as caught:
        log.append_as_leader(batch(b"x" * 200), 0, 0)
    assert type(caught.value) is UnwritableLogError
    assert made.logs() == [other]
    run_retention(made, 0)
    made.close()
    assert "/data/.kafka_cleanshutdown" not in disk.names
    again = manager(disk, ONE_SEGMENT)
    assert again.get_or_create("t", 0).log_end_offset == 2  # the one that was not answered is there


def old_message(offset: int, magic: int, value: bytes) -> bytes:
    """A message of format 0 or 1, as brokers before 0.11 wrote it."""
    timestamp = (500 + offset).to_bytes(8, "big") if magic else b""
    body = bytes([magic, 0]) + timestamp + b"\xff\xff\xff\xff" + len(value).to_bytes(4, "big") + value
    message = zlib.crc32(body).to_bytes(4, "big") + body
    return offset.to_bytes(8, "big") + len(message).to_bytes(4, "big") + message


@pytest.mark.parametrize("torn", [0, 5])
def test_messages_of_the_old_formats_are_kept(torn: int) -> None:
    old = b"".join(old_message(offset, magic, b"old" * 20) for offset, magic in enumerate((0, 1, 1)))
    disk = FakeDisk()
    new_log(disk, ONE_SEGMENT).close()
    left = disk.restarted()
    torn_message = old_message(3, 1, b"new" * 20)
    left.overwrite(LOG, old + torn_message[: len(torn_message) - torn])
    log = reopened(left)
    assert log.log_end_offset == (3 if torn else 4)
    assert log.segments[0].max_timestamp_and_offset()[0] == 500 + log.log_end_offset - 1
    assert log.read(0, 1000, 4, min_one_batch=True).tobytes()[: len(old)] == old
    log.append_as_leader(batch(b"x" * 50), 0, 0)
    log.append_as_leader(batch(b"x" * 50), 0, 0)
    assert log.read(log.log_end_offset - 1, 1, 99, min_one_batch=True).first_offset == log.log_end_offset - 1


def test_a_damaged_old_message_is_no_torn_one() -> None:
    disk = FakeDisk()
    new_log(disk, ONE_SEGMENT).close()
    left = disk.restarted()
    old = bytearray(b"".join(old_message(offset, 1, b"old" * 20) for offset in range(3)))
    old[100 + 40] ^= 1
    left.overwrite(LOG, bytes(old) + bytes(batch(base_offset=3).buffer))
    assert "a valid batch is at byte" in str(refusal(left))


def test_missing_indexes_are_made_again() -> None:
    disk = FakeDisk()
    made = manager(disk, ONE_SEGMENT)
    log = made.get_or_create("t", 0)
    for n in range(20):
        log.append_as_leader(batch(b"x" * 50, timestamp=n), 0, 0)
    made.close()
    indexes = {path: disk.content(path) for path in disk.names if path.endswith("index")}
    assert all(indexes.values())
    for path in indexes:
        left = disk.restarted()
        del left.names[path]
        again = manager(left, ONE_SEGMENT)
        assert offsets(again.get_or_create("t", 0)) == list(range(20))
        again.close()
        assert {name: left.content(name) for name in indexes} == indexes


def test_an_index_that_makes_no_sense_is_made_again_even_after_a_clean_shutdown() -> None:
    disk = FakeDisk()
    made = manager(disk, ONE_SEGMENT)
    log = made.get_or_create("t", 0)
    for n in range(20):
        log.append_as_leader(batch(b"x" * 50, timestamp=n), 0, 0)
    made.close()
    path = LOG.replace(".log", ".index")
    good = disk.content(path)
    for bad in (good + b"\0", good[:-8] + b"\xff\xff\xff\xff\0\0\0\0", good[:-4] + b"\0\0\0\1"):
        left = disk.restarted()
        left.overwrite(path, bad)
        again = manager(left, ONE_SEGMENT)
        assert offsets(again.get_or_create("t", 0)) == list(range(20))
        again.close()
        assert left.content(path) == good


@pytest.mark.parametrize("damage", [b"", b"7\n", b"0\n1\n", b"0\n2\n0 0\n", b"0\n1\n0 x\n", b"\xff\xfe"])
def test_leader_epochs_are_read_from_the_log_when_their_file_is_broken(damage: bytes) -> None:
    disk = FakeDisk()
    made = manager(disk, ONE_SEGMENT)
    log = made.get_or_create("t", 0)
    for epoch in (0, 0, 3, 7, 7):
        log.append_as_leader(batch(), epoch, 0)
    log.flush()
    left = disk.restarted()
    left.overwrite("/data/t-0/leader-epoch-checkpoint", damage)
    assert reopened(left).leader_epoch_cache.entries == [(0, 0), (3, 2), (7, 3)]


def test_a_broken_snapshot_is_replaced_from_the_log() -> None:
    disk = FakeDisk()
    made = manager(disk, ONE_SEGMENT)
    log = made.get_or_create("t", 0)
    for sequence in range(5):
        log.append_as_leader(batch(producer=(9, 0, sequence), timestamp=1_000_000), 0, 0)
        if sequence == 2:
            log.roll()
    made.close()
    path = "/data/t-0/00000000000000000005.snapshot"
    good = disk.content(path)
    left = disk.restarted()
    left.overwrite(path, good[:-1] + b"\x01")
    again = manager(left, ONE_SEGMENT).get_or_create("t", 0)
    assert [entry.last_sequence for entry in again.producer_state_manager.active_producers()] == [4]
