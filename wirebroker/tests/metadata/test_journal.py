"""The metadata journal: torn tails, damage, compaction, failures of the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.metadata.errors import StoreDamaged, StoreUnavailable
from wirebroker.metadata.journal import (
    ENTRY_HEADER_SIZE,
    STARTED_EMPTY,
    Entry,
    Journal,
    frame,
)
from wirebroker.storage.files import Files
from wirebroker.tests.metadata.fakes import FaultyFiles

if TYPE_CHECKING:
    from pathlib import Path

PAYLOADS = [b'[["ClusterIdSet","abc"]]', b"[[]]", b'[["ProducerIdsAllocated",1000]]']


def written(path: Path, payloads: list[bytes]) -> list[int]:
    """Append *payloads* to a fresh journal; return the file size after the magic and after each."""
    journal, _ = Journal.open(path, Files())
    sizes = [journal.size_bytes]
    for payload in payloads:
        journal.append(payload)
        sizes.append(journal.size_bytes)
    journal.close()
    assert path.stat().st_size == sizes[-1]
    return sizes


def reopened(path: Path) -> list[bytes]:
    journal, entries = Journal.open(path, Files())
    journal.close()
    assert [entry.version for entry in entries] == list(range(1, len(entries) + 1))
    return [entry.payload for entry in entries]


@pytest.mark.parametrize("tail", [b"", b"\0", b"\0" * 4096], ids=["cut", "zero", "zeros"])
def test_cut_at_every_byte_a_journal_opens_with_what_was_acknowledged(
    tmp_path: Path, tail: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "j"
    sizes = written(path, PAYLOADS)
    whole = path.read_bytes()
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut] + tail)
        caplog.clear()
        acknowledged = sum(size <= cut for size in sizes[1:])
        assert reopened(path) == PAYLOADS[:acknowledged], cut
        torn = cut not in sizes or tail
        assert bool("torn tail" in caplog.text) == bool(torn and cut + len(tail)), cut
        # The dropped bytes are gone: the next append follows the last good entry.
        journal, entries = Journal.open(path, Files())
        assert journal.append(b"[9]") == len(entries) + 1
        journal.close()
        assert reopened(path) == [*PAYLOADS[:acknowledged], b"[9]"]


def test_any_flipped_bit_is_refused_and_the_file_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "j"
    written(path, PAYLOADS)
    whole = path.read_bytes()
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 0x20
        path.write_bytes(damaged)
        with pytest.raises(StoreDamaged, match="journal"):
            Journal.open(path, Files())
        assert path.read_bytes() == damaged


def test_a_missing_entry_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(STARTED_EMPTY + frame(1, PAYLOADS[0]) + frame(3, PAYLOADS[1]))
    with pytest.raises(StoreDamaged, match="version 3 at byte 52, 2 was due"):
        Journal.open(path, Files())


def test_a_cut_snapshot_is_refused_because_no_crash_makes_one(tmp_path: Path) -> None:
    path = tmp_path / "j"
    journal, _ = Journal.open(path, Files())
    journal.append(PAYLOADS[0])
    journal.compact(b"[1]")
    snapshot_size = journal.size_bytes
    journal.append(b"[2]")
    journal.close()
    whole = path.read_bytes()
    assert reopened_versions(path) == [Entry(1, b"[1]"), Entry(2, b"[2]")]
    for cut in range(1, snapshot_size):
        path.write_bytes(whole[:cut])
        with pytest.raises(StoreDamaged):
            Journal.open(path, Files())
    for cut in range(snapshot_size, len(whole)):
        path.write_bytes(whole[:cut])
        assert reopened_versions(path) == [Entry(1, b"[1]")]


def reopened_versions(path: Path) -> list[Entry]:
    journal, entries = Journal.open(path, Files())
    journal.close()
    return entries


def test_an_entry_is_written_then_fsynced(tmp_path: Path) -> None:
    files = FaultyFiles()
    journal, _ = Journal.open(tmp_path / "j", files)
    assert files.log == ["write", "sync", "sync_directory"]
    files.log.clear()
    journal.append(PAYLOADS[0])
    assert files.log == ["write", "sync"]
    journal.close()


def test_a_full_disk_leaves_no_trace_and_is_got_over(tmp_path: Path) -> None:
    path = tmp_path / "j"
    for room in range(ENTRY_HEADER_SIZE + len(PAYLOADS[0])):
        path.unlink(missing_ok=True)
        files = FaultyFiles()
        journal, _ = Journal.open(path, files)
        files.room_bytes = room
        with pytest.raises(StoreUnavailable, match="No space left"):
            journal.append(PAYLOADS[0])
        assert path.stat().st_size == len(STARTED_EMPTY)
        files.room_bytes = None
        assert journal.append(PAYLOADS[1]) == 1
        journal.close()
        assert reopened(path) == [PAYLOADS[1]]


@pytest.mark.parametrize("verbs", [{"sync"}, {"write", "truncate"}])
def test_after_a_failure_of_unknown_outcome_nothing_more_is_written(tmp_path: Path, verbs: set[str]) -> None:
    files = FaultyFiles()
    journal, _ = Journal.open(tmp_path / "j", files)
    files.fail = verbs
    with pytest.raises(StoreUnavailable):
        journal.append(PAYLOADS[0])
    files.fail = set()
    with pytest.raises(StoreUnavailable, match="failed earlier"):
        journal.append(PAYLOADS[0])
    journal.close()


@pytest.mark.parametrize("verb", ["write", "sync", "rename"])
def test_a_failed_compaction_keeps_the_old_file(tmp_path: Path, verb: str) -> None:
    path = tmp_path / "j"
    files = FaultyFiles()
    journal, _ = Journal.open(path, files)
    journal.append(PAYLOADS[0])
    files.fail = {verb}
    with pytest.raises(OSError, match="No space left"):
        journal.compact(b"[1]")
    files.fail = set()
    journal.append(PAYLOADS[1])
    journal.close()
    assert reopened(path) == PAYLOADS[:2]
    assert [each.name for each in tmp_path.iterdir()] == ["j"]


def test_a_compaction_is_durable_before_it_has_the_name(tmp_path: Path) -> None:
    files = FaultyFiles()
    journal, _ = Journal.open(tmp_path / "j", files)
    journal.append(PAYLOADS[0])
    files.log.clear()
    journal.compact(b"[1]")
    assert files.log == ["write", "sync", "rename", "sync_directory"]
    files.fail = {"sync_directory"}
    with pytest.raises(StoreUnavailable, match="directory"):
        journal.compact(b"[1]")
    with pytest.raises(StoreUnavailable, match="failed earlier"):
        journal.append(PAYLOADS[0])
    journal.close()


def test_an_unfinished_compaction_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "j"
    written(path, PAYLOADS)
    (tmp_path / "j.new").write_bytes(b"half")
    assert reopened(path) == PAYLOADS
    assert [each.name for each in tmp_path.iterdir()] == ["j"]


def test_another_file_of_that_name_is_not_taken_for_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(b"some notes of mine")
    with pytest.raises(StoreDamaged, match="not a metadata journal"):
        Journal.open(path, Files())
    assert path.read_bytes() == b"some notes of mine"
