"""Finding: the result of a check of `wirebroker doctor`."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Level(StrEnum):
    """The importance of a finding."""

    OK = "ok"
    NOTE = "note"
    """It works; some change is usual."""
    WARNING = "warning"
    """It works now, and may fail or be slow under load."""
    ERROR = "error"
    """A broker does not start, or clients cannot use it."""


class Finding(NamedTuple):
    """One result."""

    level: Level
    check: str
    """The thing that was looked at, in a word or two."""
    finding: str
    fix: str = ""
    """The line that would change it: a command, or a setting."""
