"""The log lines about a log directory that fails: full, renamed, removed, read-only."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from wirebroker.storage.errors import StorageError
from wirebroker.storage.files import Files
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, batch, manager

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "no space left on its file system; free some space, then start the broker again"),
        (errno.EDQUOT, "the disk quota is used up; free some space or raise the quota, then start the broker again"),
        (errno.EROFS, "its file system is read-only; mount it for writing, then start the broker again"),
        (errno.EIO, "[Errno 5] Input/output error: '/data/t-0/00000000000000000000.log'"),
    ],
)
def test_the_reason_for_a_failed_directory(code: int, words: str) -> None:
    disk = FakeDisk()
    made = manager(disk)
    log = made.get_or_create("t", 0)
    disk.fail_next["pwrite"] = code
    with pytest.raises(StorageError) as failure:
        log.append_as_leader(batch(), 0, 0)
    assert made.log_dirs.failures() == {}
    made.log_dirs.mark_offline(DIR, failure.value)
    assert made.log_dirs.failures() == {DIR: words}


@pytest.mark.parametrize("then", ["renamed", "removed", "replaced"])
def test_a_directory_that_is_not_there_any_more_is_noticed(tmp_path: Path, then: str) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    offline: list[Path] = []
    made = manager(Files(), SMALL, None, one, two)
    made.log_dirs.on_offline = lambda path, _: offline.append(path)
    made.log_dirs.check_in_place()
    assert offline == []
    if then == "removed":
        os.unlink(one / ".lock")
        for name in os.listdir(one):
            os.unlink(one / name)
        one.rmdir()
    else:
        one.rename(tmp_path / "elsewhere")
    if then == "replaced":
        one.mkdir()
    made.log_dirs.check_in_place()
    made.log_dirs.check_in_place()
    assert offline == [one]
    assert made.log_dirs.failures() == {
        one: f"{one} was renamed, removed or replaced while the broker was using it; put it back, then start the "
        f"broker again"
    }
    assert made.get_or_create("t", 0, is_new=True).directory == two / "t-0"
