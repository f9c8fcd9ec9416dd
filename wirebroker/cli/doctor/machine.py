"""Checks of this machine: data directories, kernel settings, descriptors and the clock."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wirebroker.cli.doctor.finding import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterator

_GIB: Final = 1 << 30
_LOW_SPACE: Final = 0.10
_FEW_DESCRIPTORS: Final = 65_536
_MOST_SWAPPINESS: Final = 10
_MOST_DIRTY_BACKGROUND: Final = 10
_VOLATILE: Final = frozenset({"tmpfs", "ramfs", "overlay"})
_REMOTE: Final = frozenset({"nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p"})
_TIME_ERROR: Final = 5
"""The result of adjtimex for a clock that nobody keeps right."""


def check_data_directory(path: Path, mounts: Path = Path("/proc/mounts")) -> Iterator[Finding]:
    """Check rights, space and file system of one directory of `log.dirs`, which may not be there yet."""
    check = f"directory {path}"
    place = path.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if path.exists() and not path.is_dir():
        yield Finding(Level.ERROR, check, "it is a file", f"log.dirs={path}-data")
        return
    if not os.access(place, os.W_OK | os.X_OK):
        user = os.environ.get("USER") or str(os.getuid())
        yield Finding(Level.ERROR, check, f"{place} cannot be written by {user}", f"sudo chown -R {user} {place}")
        return
    usage = shutil.disk_usage(place)
    free = f"{usage.free / _GIB:.1f} GiB of {usage.total / _GIB:.1f} free"
    if usage.free < _LOW_SPACE * usage.total:
        yield Finding(Level.WARNING, check, free, "log.retention.bytes=1073741824")
    files = os.statvfs(place)
    if files.f_files and files.f_favail < _LOW_SPACE * files.f_files:  # some file systems have no fixed number
        text = f"{files.f_favail} of {files.f_files} inodes free; a segment is up to five files"
        yield Finding(Level.WARNING, check, text, "log.segment.bytes=1073741824, or log.dirs on another file system")
    kind = file_system(place, mounts)
    if kind in _REMOTE:
        yield Finding(Level.WARNING, check, f"on {kind}: locks and fsync may not hold", "log.dirs=/a/local/disk")
    elif kind in _VOLATILE:
        yield Finding(Level.WARNING, check, f"on {kind}: records are lost with the machine", "log.dirs=/a/local/disk")
    else:
        made = "writable" if path.exists() else "can be made"
        yield Finding(Level.OK, check, f"{made}, {kind or 'unknown file system'}, {free}")


def file_system(path: Path, mounts: Path) -> str | None:
    """Return the type of the file system that *path* is on, None if the system does not say."""
    try:
        lines = mounts.read_text().splitlines()
    except OSError:
        return None
    best, found = -1, None
    for line in lines:
        _, point, kind, *_ = line.split(" ")
        point = point.replace(r"\040", " ")
        if path.is_relative_to(point) and len(point) >= best:
            best, found = len(point), kind
    return found


def check_kernel(root: Path = Path("/proc/sys/vm")) -> Iterator[Finding]:
    """Check how the system swaps, and when it writes dirty pages."""
    swappiness = _number(root / "swappiness")
    if swappiness is not None:
        good = swappiness <= _MOST_SWAPPINESS
        fix = "" if good else "sudo sysctl -w vm.swappiness=1"
        yield Finding(Level.OK if good else Level.NOTE, "vm.swappiness", f"{swappiness}, usual is 1", fix)
    background, ratio = _number(root / "dirty_background_ratio"), _number(root / "dirty_ratio")
    if background is not None and ratio is not None:
        text = f"dirty_background_ratio={background} dirty_ratio={ratio}, usual are 5 and 60"
        late = background > _MOST_DIRTY_BACKGROUND
        fix = "sudo sysctl -w vm.dirty_background_ratio=5 vm.dirty_ratio=60" if late else ""
        yield Finding(Level.NOTE if late else Level.OK, "vm.dirty_ratio", text, fix)


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def check_descriptors(hard: int | None = None) -> Iterator[Finding]:
    """Check the hard limit of open files, to which a broker raises its own."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1] if hard is None else hard
    if limit == resource.RLIM_INFINITY or limit >= _FEW_DESCRIPTORS:
        yield Finding(Level.OK, "open files", "no limit" if limit == resource.RLIM_INFINITY else f"up to {limit}")
    else:
        text = f"up to {limit}; partitions and connections take one to six each"
        yield Finding(Level.WARNING, "open files", text, "LimitNOFILE=100000 (systemd), or ulimit -Hn 100000")


def check_clock(state: int | None = None) -> Iterator[Finding]:
    """Check whether the clock is kept right: timestamps, retention and offsets for times depend on it."""
    found = clock_state() if state is None else state
    if found is None:
        return
    if found == _TIME_ERROR:
        yield Finding(Level.WARNING, "clock", "nobody keeps it right", "sudo timedatectl set-ntp true")
    else:
        yield Finding(Level.OK, "clock", "kept right by the system")


def clock_state() -> int | None:
    """Return the state of the kernel's clock, None on systems without one."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        state = int(libc.adjtimex(ctypes.create_string_buffer(512)))  # a struct timex of zeros changes nothing
    except (OSError, AttributeError):
        return None
    return state if state >= 0 else None
