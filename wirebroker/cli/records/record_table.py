"""`consume --format table`: a header, and a line for each record as it comes.

The widths are fixed with the first line, as later records are not known; a longer cell moves the rest of its line.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.output import as_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

_TITLES: Final = ("TOPIC", "PARTITION", "OFFSET", "TIMESTAMP", "KEY", "HEADERS", "VALUE")
_OFFSET_WIDTH, _TIMESTAMP_WIDTH, _TEXT_WIDTH = 10, 24, 12


class RecordTable:
    """Returns the lines of consumed messages, the first with the header before it."""

    def __init__(self, topics: Sequence[str]) -> None:
        """Fix the widths.

        Args:
            topics: the names that will come.
        """
        topic = max(map(len, (_TITLES[0], *topics)))
        self._form = f"{{:{topic}}} {{:>9}} {{:>{_OFFSET_WIDTH}}} {{:{_TIMESTAMP_WIDTH}}} "
        self._form += f"{{:{_TEXT_WIDTH}}} {{:{_TEXT_WIDTH}}} {{}}"
        self._has_header = False

    def __call__(self, message: Any) -> bytes:
        """Return the line of *message*."""
        kind, timestamp = message.timestamp()
        headers = ",".join(f"{name}={as_cell(_text(value))}" for name, value in message.headers() or ())
        cells = (
            *(message.topic(), message.partition(), message.offset(), _instant(timestamp) if kind else None),
            *(_text(message.key()), headers or None, _text(message.value())),
        )
        lines = [] if self._has_header else [self._form.format(*_TITLES)]
        self._has_header = True
        lines.append(self._form.format(*map(as_cell, cells)))
        return "".join(f"{line.rstrip()}\n" for line in lines).encode("utf-8", "surrogatepass")


def _text(data: bytes | None) -> str | None:
    """*data* as UTF-8, with other bytes as escapes."""
    return None if data is None else data.decode(errors="backslashreplace")


def _instant(timestamp_ms: int) -> str:
    """A timestamp as ISO 8601, or its number if it is of no year that the calendar has."""
    try:
        instant = datetime.fromtimestamp(timestamp_ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return str(timestamp_ms)
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")
