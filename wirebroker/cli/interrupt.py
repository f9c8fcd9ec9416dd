"""Ctrl-C while nothing has been begun: one line and exit code 130, not the traceback of an import that was cut short.

Imports nothing that takes time: `entry.py` calls it before everything else.
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

EXIT_CODE = 130
"""128 + SIGINT, as shells count."""


def exit_on_interrupt() -> None:
    """Have SIGINT end the process at once, unless it is ignored (as in a shell's background jobs)."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _exit)


def raise_on_interrupt() -> None:
    """Have SIGINT raise KeyboardInterrupt again, from where there is something to clean up."""
    if signal.getsignal(signal.SIGINT) is _exit:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def exiting_on_interrupt() -> Iterator[None]:
    """Have SIGINT end the process at once inside of the block; other handlers may be installed in there and removed."""
    before = signal.getsignal(signal.SIGINT)
    exit_on_interrupt()
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _exit(*_: object) -> None:
    os.write(2, b"wirebroker: interrupted\n")
    os._exit(EXIT_CODE)
