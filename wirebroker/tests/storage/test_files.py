"""The real verbs on a real disk, and a whole broker's worth of storage through few descriptors."""

from __future__ import annotations

import errno
import gc
import os
from typing import TYPE_CHECKING

import pytest

from wirebroker.storage.errors import StorageError
from wirebroker.storage.files import File, Files
from wirebroker.tests.storage.fakes.logs import SMALL, batch, manager, values

if TYPE_CHECKING:
    from pathlib import Path


def test_read_write_truncate(tmp_path: Path) -> None:
    file = Files().open(f"{tmp_path}/a")
    file.pwrite(b"hello world", 0)
    file.pwrite(memoryview(b"W"), 6)
    file.sync()
    assert (file.pread(100, 0), file.pread(5, 6), file.pread(1, 11), file.size_bytes()) == (
        b"hello World",
        b"World",
        b"",
        11,
    )
    file.truncate(5)
    file.truncate(8)
    assert file.pread(100, 0) == b"hello\0\0\0"


def test_a_write_that_the_kernel_cuts_short_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = Files().open(f"{tmp_path}/a")
    real_write, real_read = os.pwrite, os.pread
    monkeypatch.setattr(os, "pwrite", lambda fd, data, at: real_write(fd, bytes(data)[:3], at))
    monkeypatch.setattr(os, "pread", lambda fd, size, at: real_read(fd, min(size, 4), at))
    file.pwrite(b"0123456789", 1)
    assert file.pread(100, 0) == b"\x000123456789"


def test_write_whole_leaves_no_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, path = Files(), f"{tmp_path}/a"
    files.write_whole(path, b"old")

    def full(fd: int, _: object) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="full"):
        files.write_whole(path, b"new")
    assert files.read(path) == b"old"
    assert files.read(path + "nothing") is None


def test_names(tmp_path: Path) -> None:
    files, base = Files(), str(tmp_path)
    files.make_directory(f"{base}/d/e")
    files.write_whole(f"{base}/d/f", b"x", sync=False)
    assert sorted(files.list(f"{base}/d")) == [("e", True), ("f", False)]
    assert (files.exists(f"{base}/d/f"), files.size_bytes(f"{base}/d/f")) == (True, 1)
    files.rename(f"{base}/d/f", f"{base}/d/g")
    files.sync(f"{base}/d/g")
    files.sync(f"{base}/d/f")
    files.unlink([f"{base}/d/g", f"{base}/d/h"])
    files.remove_directory(f"{base}/d")
    files.remove_directory(f"{base}/d")
    assert files.list(base) == []


def test_an_open_file_outlives_its_name_and_its_lazy_file(tmp_path: Path) -> None:
    files = Files(keep_open=1)
    lazy = files.lazy(f"{tmp_path}/a")
    file = lazy.create()
    file.pwrite(b"data", 0)
    files.unlink([lazy.path])
    files.lazy(f"{tmp_path}/b").create()
    assert lazy.opened is None
    assert file.pread(4, 0) == b"data"
    with pytest.raises(FileNotFoundError):
        lazy.open()
    assert not files.exists(lazy.path)


def test_a_lock_holds_until_it_is_closed(tmp_path: Path) -> None:
    files = Files()
    first = files.lock(f"{tmp_path}/.lock")
    assert isinstance(first, File)
    assert files.lock(f"{tmp_path}/.lock") is None
    first.close()
    assert files.lock(f"{tmp_path}/.lock") is not None


def test_running_out_of_descriptors_is_no_fault_of_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Files(keep_open=10)
    held = [files.lazy(f"{tmp_path}/{n}") for n in range(4)]
    for lazy in held[:3]:
        lazy.create()
    real_open = os.open
    refusals = [OSError(errno.EMFILE, "too many open files")]

    def limited(*arguments: object) -> int:
        if refusals:
            raise refusals.pop()
        return real_open(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", limited)
    assert held[3].create().size_bytes() == 0
    assert [lazy.opened is None for lazy in held] == [True, True, True, False]


def test_many_partitions_through_few_descriptors(tmp_path: Path) -> None:
    files = Files(keep_open=8)
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    made = manager(files, SMALL, None, tmp_path)
    logs = [made.get_or_create("t", partition) for partition in range(30)]
    for n in range(20):
        for log in logs:
            log.append_as_leader(batch(b"%d" % n * 30), 0, 0)
    assert len(os.listdir("/proc/self/fd")) <= before + 8 + 1  # and the lock
    for log in logs:
        assert [value for _, value in values(log)] == [b"%d" % n * 30 for n in range(20)]
    made.close()
    assert len(os.listdir("/proc/self/fd")) == before
    again = manager(Files(keep_open=8), SMALL, None, tmp_path)
    assert [log.log_end_offset for log in again.logs()] == [20] * 30
    assert again.was_clean
    with pytest.raises(StorageError, match="in use"):
        manager(files, SMALL, None, tmp_path)
    again.close()


def test_a_slice_can_be_sent_after_its_topic_is_gone(tmp_path: Path) -> None:
    made = manager(Files(), SMALL, None, tmp_path)
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(b"still here"), 0, 0)
    piece = log.read(0, 1000, 1, min_one_batch=True)
    made.delete("t", 0)
    made.delete_due_files(1 << 60)
    assert os.pread(piece.file.fd, piece.size_bytes, piece.position) == piece.tobytes()
    assert b"still here" in piece.tobytes()
    made.close()


def test_space_that_is_set_aside(tmp_path: Path) -> None:
    file = Files().open(str(tmp_path / "f"))
    if not file.reserve(1 << 20):
        pytest.skip("this file system cannot")
    status = os.stat(file.path)
    assert (status.st_size, status.st_blocks * 512 >= 1 << 20) == (0, True)
    file.pwrite(b"x", 0)
    file.truncate(1)
    assert os.stat(file.path).st_blocks * 512 < 1 << 20
    file.close()


@pytest.mark.parametrize("name", ["f", "f/d", "f/d/e"])
def test_a_file_in_the_way_of_a_directory_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "f").write_bytes(b"x")
    with pytest.raises(NotADirectoryError) as refused:
        Files().make_directory(f"{tmp_path}/{name}")
    assert refused.value.strerror == f"{tmp_path}/f is a file, not a directory"


def test_a_symbolic_link_to_nothing_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(NotADirectoryError) as refused:
        Files().make_directory(f"{tmp_path}/link")
    assert refused.value.strerror == f"{tmp_path}/link is a symbolic link to nothing"
