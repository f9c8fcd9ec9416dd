"""The standard streams: those that the caller has closed (`wirebroker topics list >&-`), and lines for errors."""

from __future__ import annotations

import os
import sys


def open_closed_streams() -> None:
    """Open the null device in place of each closed standard stream.

    Python sets such a stream to None, and `print(..., file=None)` writes to standard output; a socket that got the
    number of the descriptor would be written to by whoever writes to the stream by number.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:  # a lower descriptor was free, or this one is used again already
                os.dup2(null, number)
                os.close(null)
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115  # open until the process ends
            setattr(sys, name, stream)


def print_error(text: str) -> None:
    """Print *text* to standard error as the one line `wirebroker: text`."""
    print(f"wirebroker: {' '.join(text.split())}", file=sys.stderr, flush=True)
