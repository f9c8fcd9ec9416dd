"""`python -m compat_tests.sync_recorder start ...`: wirebroker, with a line on stderr for each sync in the main thread.

The event loop runs in the main thread, and a sync may take as long as the disk likes.  All of wirebroker's syncs go
through the functions of `os`, so this sees them on any machine, without strace or a preloaded library.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.broker import Wirebroker

PROGRAM = ["-m", "compat_tests.sync_recorder"]
_FUNCTIONS = ("fsync", "fdatasync", "sync")
_LINE = re.compile(r"^sync-recorder: (main|other) (\w+) (.*)$", re.MULTILINE)


class Sync(NamedTuple):
    """One call."""

    in_main_thread: bool
    function: str
    place: str
    """The innermost frames, from the caller of the function outwards."""


def syncs(broker: Wirebroker, after: int = 0) -> list[Sync]:
    """The calls that a broker has reported, from byte *after* of its output on."""
    return [Sync(thread == "main", function, place) for thread, function, place in _LINE.findall(broker.log(after))]


def _recorded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        thread = "main" if threading.current_thread() is threading.main_thread() else "other"
        frames = reversed(traceback.extract_stack(limit=9)[:-1])
        place = " < ".join(f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames)
        os.write(2, f"sync-recorder: {thread} {name} {place}\n".encode())
        return function(*arguments)

    return call


if __name__ == "__main__":
    for each in _FUNCTIONS:
        setattr(os, each, _recorded(each, getattr(os, each)))
    from wirebroker.cli.main import main

    sys.exit(main())
