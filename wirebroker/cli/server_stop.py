"""`wirebroker server-stop`: stop the broker, wirebroker or Apache Kafka, that has a data directory on this machine.

Both keep a POSIX lock on the file .lock of each log directory, and the kernel tells the process of a lock.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import time
from typing import TYPE_CHECKING, Final

from wirebroker.cli.standard_streams import print_error

if TYPE_CHECKING:
    import argparse

_SIGNALS: Final = ("TERM", "INT", "HUP", "KILL")
_DEFAULT_DIRECTORY: Final = "wirebroker-data"
_LOCK_FILE: Final = ".lock"
_FLOCK: Final = struct.Struct("hhqqi")
"""struct flock of 64-bit Linux: type, whence, start, length, process."""
_LOOK_AGAIN_S: Final = 0.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker server-stop`."""
    parser.add_argument(
        "data_dirs",
        nargs="*",
        default=[_DEFAULT_DIRECTORY],
        metavar="DIR",
        help=f"a data directory of the broker (default: ./{_DEFAULT_DIRECTORY})",
    )
    parser.add_argument("--signal", choices=_SIGNALS, default="TERM", help="default: TERM, a clean stop")
    parser.add_argument(
        "--wait", type=float, default=60.0, metavar="S", help="how long to wait for the end, in seconds; default: 60"
    )


def run(args: argparse.Namespace) -> int:
    """Send the signal and wait; return the exit code, 1 if there is no broker or it still runs."""
    processes: dict[int, str] = {}
    code = 0
    for directory in args.data_dirs:
        try:
            process = lock_owner(os.path.join(directory, _LOCK_FILE))
        except OSError as fault:
            print_error(f"{fault.filename}: {fault.strerror}")
            return 1
        if process is None:
            print_error(f"no broker has {directory} open")
            code = 1
        else:
            processes[process] = directory
    for process, directory in processes.items():
        try:
            os.kill(process, getattr(signal, f"SIG{args.signal}"))
        except ProcessLookupError:
            continue
        except PermissionError:
            print_error(f"process {process} of {directory} belongs to another user")
            return 1
    deadline = time.monotonic() + args.wait
    for process, directory in processes.items():
        while lock_owner(os.path.join(directory, _LOCK_FILE)) == process:
            if time.monotonic() >= deadline:
                print_error(f"process {process} still has {directory} open after {args.wait:g} s")
                return 1
            time.sleep(_LOOK_AGAIN_S)
        print(f"stopped process {process} of {directory}")
    return code


def lock_owner(path: str) -> int | None:
    """Return the process that has a lock on *path*, None if there is none or no such file: 3.9 deletes it at its end.

    Raises:
        OSError: the file cannot be opened, or the directory does not exist.
    """
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        os.stat(os.path.dirname(path))
        return None
    try:
        asked = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, _, _, _, process = _FLOCK.unpack(fcntl.fcntl(file, fcntl.F_GETLK, asked))
    finally:
        os.close(file)
    return None if kind == fcntl.F_UNLCK else process
