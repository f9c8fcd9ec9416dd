"""Screen: what `wirebroker top` shows at one moment, as tables of text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.output import Column, table_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNITS: Final = ("", "k", "M", "G", "T")
_THOUSAND: Final = 1000.0


@dataclass(frozen=True, slots=True)
class Section:
    """One table, whose first rows matter most."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]


@dataclass(slots=True)
class Screen:
    """A line about the broker or cluster, and tables."""

    summary: str
    sections: list[Section] = field(default_factory=list)

    def lines(self, width: int, height: int) -> list[str]:
        """Return what fits into *height* lines of *width* characters; each table gets a fair part of them."""
        found = [self.summary[:width]]
        shown = [section for section in self.sections if section.rows]
        left = height - 1
        for number, section in enumerate(shown):
            share = left // (len(shown) - number)
            if share < 3:  # a blank line, the header and a row
                break
            rows = section.rows[: share - 2]
            found += ["", *(line[:width] for line in table_lines(section.columns, rows))]
            left = height - len(found)
        return found


def short(value: float | None) -> str:
    """Return a number with three digits and a unit, as 12.3k; a dash for None."""
    if value is None:
        return "-"
    for unit in _UNITS:
        if abs(value) < _THOUSAND or unit == _UNITS[-1]:
            break
        value /= _THOUSAND
    return f"{value:.3g}{unit}"
