"""Ctrl-C before a command has begun its work: one line and exit code 130, not the traceback of an interrupted import.

Imports nothing that takes time, not even `typing` and `contextlib`: `entry.py` calls it before every other import, and
an interrupt before that prints a traceback.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, NoReturn

EXIT_CODE = 130
"""128 + SIGINT, as shells count."""
TERMINATED = 143
"""128 + SIGTERM."""


def exit_on_interrupt() -> None:
    """Have SIGINT end the process at once, unless it is ignored (as in a shell's background jobs)."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _exit)


def raise_on_interrupt() -> None:
    """Have SIGINT raise KeyboardInterrupt, so that a command that has begun can clean up."""
    if signal.getsignal(signal.SIGINT) is _exit:
        signal.signal(signal.SIGINT, _raise_interrupt)


def raise_on_terminate() -> None:
    """Have SIGTERM raise SystemExit with the exit code TERMINATED, so that what is open is closed on the way out."""
    signal.signal(signal.SIGTERM, _raise_exit)


def raise_lost() -> None:
    """Raise the newest exception of a signal again, if there was one.

    A C library may not have passed it on, and Python drops an exception that is raised in a finalizer or in a callback
    of a weak reference; a command that runs until Ctrl-C would go on.
    """
    if _raised:
        raise _raised[-1]


_raised: Final[list[BaseException]] = []
"""The exceptions that the handlers of this file have raised."""


def _raise(exception: BaseException) -> NoReturn:
    _raised.append(exception)
    raise exception


def _raise_interrupt(*_: object) -> None:
    _raise(KeyboardInterrupt())


def _raise_exit(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one does not wait
    _raise(SystemExit(TERMINATED))


class exiting_on_interrupt:
    """Have SIGINT end the process at once inside the block, which may install other handlers and remove them."""

    def __enter__(self) -> None:
        self._before = signal.getsignal(signal.SIGINT)
        exit_on_interrupt()

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)


def _exit(*_: object) -> None:
    os.write(2, b"wirebroker: interrupted\n")
    os._exit(EXIT_CODE)
