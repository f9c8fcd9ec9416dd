"""SmallDisk: a file system with little room, which outlives the brokers that have their logs on it.

It is a tmpfs in a mount namespace of its own, so no privileges are needed where user namespaces are allowed.  A broker
joins the namespace and is started there: `python -m compat_tests.cluster.small_disk start ...`.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from compat_tests.broker import Wirebroker

_HOLDER: Final = "WIREBROKER_TESTS_NAMESPACE"
_CLONE_NEWUSER, _CLONE_NEWNS = 0x10000000, 0x00020000
_FILLER: Final = "filler"


class NoNamespaces(Exception):
    """This machine does not let a user have namespaces."""


class SmallDisk:
    """A tmpfs of *size_mb* at *path*, seen by the processes in its namespace; a context manager.

    Raises:
        NoNamespaces: on entry, if the machine has no user namespaces.
    """

    def __init__(self, path: Path, size_mb: int) -> None:
        self.path, self._size_mb = path, size_mb
        self._holder: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.path.mkdir(parents=True)
        script = f"mount -t tmpfs -o size={self._size_mb}m tmpfs {self.path} && echo mounted && exec sleep infinity"
        command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
        self._holder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self._holder.stdout is not None
        if self._holder.stdout.readline() != b"mounted\n":
            _, errors = self._holder.communicate(timeout=60)
            raise NoNamespaces(errors.decode().strip())
        return self

    def __exit__(self, *_: object) -> None:
        assert self._holder is not None
        self._holder.kill()
        self._holder.communicate(timeout=60)

    @property
    def seen_from_outside(self) -> Path:
        """The directory by a path that works in every namespace."""
        assert self._holder is not None
        return Path(f"/proc/{self._holder.pid}/root{self.path}")

    def hold(self, broker: Wirebroker) -> None:
        """Have a broker, which is to be started, run where the disk is, with its logs on it."""
        assert self._holder is not None
        broker.program = ["-m", "compat_tests.cluster.small_disk"]
        broker.environment[_HOLDER] = str(self._holder.pid)
        broker.data_directory = self.path / "data"

    def fill(self) -> None:
        """Leave no room."""
        with (self.seen_from_outside / _FILLER).open("wb", buffering=0) as filler:
            for size in (1 << 20, 4096):
                try:
                    while True:
                        filler.write(b"\1" * size)
                except OSError:
                    continue

    def free(self) -> None:
        """Take away what `fill` has written."""
        (self.seen_from_outside / _FILLER).unlink()


def _join_namespaces(pid: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for name, kind in (("user", _CLONE_NEWUSER), ("mnt", _CLONE_NEWNS)):
        descriptor = os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY)
        if libc.setns(descriptor, kind) != 0:
            raise OSError(ctypes.get_errno(), f"setns: {name}")
        os.close(descriptor)


if __name__ == "__main__":
    _here = Path.cwd()
    _join_namespaces(int(os.environ[_HOLDER]))
    os.chdir(_here)  # joining a mount namespace changes to its root directory
    os.execv(sys.executable, [sys.executable, "-m", "wirebroker", *sys.argv[1:]])
