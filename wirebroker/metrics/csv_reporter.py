"""CsvReporter: a CSV file for each MBean, with a line for each time it is written."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_UNSAFE: Final = re.compile(r"[^\w.=,:-]")
_MOST_CHARACTERS: Final = 200
"""Of a file's name; topics have up to 249, file systems take 255 bytes."""


class CsvReporter:
    """Writes to files in *directory*, which is made if need be; files that are there are continued."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)

    def write(self, mbeans: Iterable[tuple[str, Mapping[str, float]]], now_s: int) -> None:
        """Append a line to the file of each MBean.  Raises OSError."""
        for name, attributes in mbeans:
            path = self._directory / f"{file_name(name)}.csv"
            is_new = not path.exists()
            with path.open("a", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                if is_new:
                    writer.writerow(["# time", *attributes])
                writer.writerow([now_s, *attributes.values()])


def file_name(mbean: str) -> str:
    """Return the name of an MBean as the name of a file."""
    return _UNSAFE.sub("_", mbean)[:_MOST_CHARACTERS]
