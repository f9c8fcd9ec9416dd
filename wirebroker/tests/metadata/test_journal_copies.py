"""The journal in every log directory: no crash, lost directory or failing disk takes acknowledged entries away."""

from __future__ import annotations

import errno
import logging
import threading
from pathlib import Path

import pytest

from wirebroker.metadata.errors import StoreDamaged, StoreUnavailable
from wirebroker.metadata.journal import JOURNAL_NAME
from wirebroker.metadata.journal_copies import REPLACED, RETRY_S, JournalCopies, describe_version
from wirebroker.tests.storage.fakes.disk import Crash, FakeDisk

A, B, C = Path("/a"), Path("/b"), Path("/c")
FILE_A, FILE_B = f"/a/{JOURNAL_NAME}", f"/b/{JOURNAL_NAME}"


class TwoDisks(FakeDisk):
    """Directories of which one may fail."""

    def __init__(self) -> None:
        super().__init__()
        self.failing: tuple[str, str] | None = None
        """(verb, beginning of the path)"""

    def look(self, verb: str, path: str) -> None:
        super().look(verb, path)
        if self.failing is not None and verb == self.failing[0] and path.startswith(self.failing[1]):
            raise OSError(errno.EIO, "Input/output error", path)


def disk() -> TwoDisks:
    made = TwoDisks()
    made.directories |= {"/", "/a", "/b", "/c"}
    return made


def opened(files: FakeDisk, *dirs: Path, all_online: bool = True) -> JournalCopies:
    copies, _ = JournalCopies.open(dirs or (A, B), files, all_online=all_online)
    return copies


def append(copies: JournalCopies, text: str) -> int:
    return copies.append(f'["{text}"]'.encode(), lambda: b'["snapshot"]')


def written(files: FakeDisk, count: int, *dirs: Path) -> None:
    copies = opened(files, *dirs)
    for number in range(count):
        append(copies, f"change {number}")
    copies.close()


def payloads(files: FakeDisk, *dirs: Path) -> list[bytes]:
    copies, entries = JournalCopies.open(dirs or (A, B), files)
    copies.close()
    return [entry.payload for entry in entries]


@pytest.mark.parametrize("lost", ["/a", "/b"])
def test_lost_directory_loses_no_metadata(lost: str) -> None:
    files = disk()
    written(files, 3)
    before = payloads(files)
    files.remove_directory(lost)
    files.directories.add(lost)  # an empty disk in its place
    assert payloads(files) == before
    assert files.content(FILE_A) == files.content(FILE_B)
    files.remove_directory("/b" if lost == "/a" else "/a")
    assert payloads(files, Path(lost)) == before


def run_broker(files: FakeDisk, acknowledged: list[int]) -> None:
    """Two starts with writes and a compaction."""
    for compacted in (True, False):
        copies = opened(files)
        for _ in range(2):
            acknowledged.append(append(copies, f"change {len(acknowledged)}"))
        if compacted:
            copies.compact(b'["compacted"]')
        acknowledged.append(append(copies, f"change {len(acknowledged)}"))
        copies.close()


def test_crash_at_every_step_loses_nothing_acknowledged() -> None:
    step = 0
    while True:
        step += 1
        files = disk()
        files.crash_at = step
        acknowledged = [0]
        try:
            run_broker(files, acknowledged)
        except Crash:
            pass
        else:
            break
        for left in (files.restarted(), *map(files.after_power_failure, {0, files.unsynced // 2, files.unsynced})):
            left.directories |= {"/a", "/b"}
            only = left.restarted()
            copies = opened(left)
            assert acknowledged[-1] <= copies.version <= acknowledged[-1] + 1
            append(copies, "more")
            version = copies.version
            copies.close()
            assert opened(left.restarted(), B).version == version
            # the machine comes back with one of both directories
            assert max(opened(only, A).version, opened(only.restarted(), B).version) >= acknowledged[-1]
    assert step > 40


@pytest.mark.parametrize("kind", ["absent", "behind", "damaged", "torn"])
def test_crash_while_a_copy_is_brought_up_to_date(kind: str) -> None:
    step = 0
    while True:
        step += 1
        files = disk()
        written(files, 3)
        behind = files.content(FILE_B)
        copies = opened(files)
        append(copies, "last")
        copies.close()
        files = files.restarted()  # type: ignore[assignment]
        content = files.content(FILE_A)
        if kind == "absent":
            del files.names[FILE_B]
        else:
            files.overwrite(FILE_B, {"behind": behind, "damaged": b"x" * 50, "torn": content[:-3]}[kind])
        files.directories |= {"/a", "/b"}
        files.crash_at = files.steps + step
        try:
            opened(files).close()
        except Crash:
            left = files.restarted()
            assert opened(left).version == 4
            assert left.content(FILE_A) == left.content(FILE_B) == content
        else:
            assert files.content(FILE_B) == content
            break
    assert step > 2


@pytest.mark.parametrize("verb", ["pwrite", "sync"])
def test_copy_that_cannot_be_written_is_left_out_and_comes_back(verb: str, caplog: pytest.LogCaptureFixture) -> None:
    files = disk()
    now_s = 0.0
    copies, _ = JournalCopies.open((A, B), files)
    copies._monotonic = lambda: now_s
    append(copies, "both")
    files.failing = (verb, "/a")
    assert [append(copies, "one"), append(copies, "one more")] == [2, 3]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert f"metadata journal {FILE_A} is left out" in caplog.text
    assert copies.paths == [B / JOURNAL_NAME]
    now_s = RETRY_S + 1
    append(copies, "still one")
    assert copies.paths == [B / JOURNAL_NAME]
    files.failing = None
    now_s = 2 * RETRY_S + 2
    assert append(copies, "both again") == 5
    assert copies.paths == [B / JOURNAL_NAME, A / JOURNAL_NAME]
    assert files.content(FILE_A) == files.content(FILE_B)
    copies.close()


def test_nothing_is_acknowledged_that_no_copy_has() -> None:
    files = disk()
    copies = opened(files)
    append(copies, "both")
    files.broken = {"pwrite": errno.ENOSPC}
    with pytest.raises(StoreUnavailable):
        append(copies, "none")
    files.broken = {}
    assert append(copies, "both") == 2
    copies.close()
    assert payloads(files) == [b'["both"]', b'["both"]']


def test_entry_of_a_copy_whose_sync_failed_never_wins_over_an_acknowledged_one() -> None:
    files = disk()
    copies = opened(files)
    append(copies, "both")
    files.failing = ("sync", "/a")
    real = files.look

    def look(verb: str, path: str) -> None:
        real(verb, path)
        if verb == "pwrite" and path.startswith("/b"):
            raise OSError(errno.ENOSPC, "No space left on device", path)

    files.look = look  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable):
        append(copies, "refused")
    files.failing, files.look = None, real  # type: ignore[method-assign]
    append(copies, "acknowledged")
    copies.close()
    assert b"refused" in files.content(FILE_A)
    assert payloads(files) == [b'["snapshot"]', b'["acknowledged"]']


def test_copies_that_went_on_without_each_other_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    files = disk()
    written(files, 2)
    for directory, count in ((A, 1), (B, 2)):
        copies = opened(files, directory, all_online=False)
        for number in range(count):
            append(copies, f"only {directory} {number}")
        copies.close()
    alone = files.content(FILE_A)
    assert payloads(files) == [b'["snapshot"]', b'["only /b 0"]', b'["only /b 1"]']
    assert f"metadata journal {FILE_A} (version 3 of generation 1) holds changes that {FILE_B}" in caplog.text
    assert files.content(FILE_A + REPLACED) == alone
    assert files.content(FILE_A) == files.content(FILE_B)


def test_directory_that_was_away_is_brought_up_to_date(caplog: pytest.LogCaptureFixture) -> None:
    files = disk()
    written(files, 2)
    copies = opened(files, B, all_online=False)
    append(copies, "without a")
    copies.close()
    assert payloads(files) == [b'["snapshot"]', b'["without a"]']
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "is at version 2, behind /b/" in caplog.text
    assert FILE_A + REPLACED not in files.names


def test_damaged_copy_is_replaced_unless_it_is_newer(caplog: pytest.LogCaptureFixture) -> None:
    files = disk()
    written(files, 3)
    whole = files.content(FILE_A)
    files.overwrite(FILE_A, whole[:20] + b"x" + whole[21:])
    assert len(payloads(files)) == 3
    assert files.content(FILE_A) == whole
    assert "metadata journal /a/" in caplog.text
    assert f"the copy {FILE_B} is used instead" in caplog.text
    copies = opened(files, A)
    for number in range(3):
        append(copies, f"newer {number}")
    copies.close()
    newer = files.content(FILE_A)
    files.overwrite(FILE_A, newer[:-3] + b"x" + newer[-2:])
    with pytest.raises(StoreDamaged, match=f"the copy {FILE_B} is older"):
        opened(files)
    assert files.content(FILE_B) == whole
    with pytest.raises(StoreDamaged, match="is damaged"):
        opened(files, A)


def test_copies_are_synced_at_the_same_time() -> None:
    files = disk()
    copies = opened(files, A, B, C)
    barrier = threading.Barrier(3, timeout=10)
    real = files.look

    def look(verb: str, path: str) -> None:
        real(verb, path)
        if verb == "pwrite":
            files.turn.release()  # a disk of its own
            try:
                barrier.wait()
            finally:
                files.turn.acquire()

    files.look = look  # type: ignore[method-assign]
    assert append(copies, "together") == 1
    copies.close()


def test_version_is_described_by_generation_and_count() -> None:
    assert [describe_version(version) for version in (0, 7, (2 << 32) + 7)] == ["0", "7", "7 of generation 2"]
