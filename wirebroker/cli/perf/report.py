"""The three forms of a performance test's figures: Kafka's lines, CSV, and one JSON document."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.output import print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

FORMATS: Final = ("text", "csv", "json")


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add `--format`."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="the lines of Kafka's tool (default), CSV with a header, or one JSON document",
    )


class Report:
    """Prints figures as they come, or, in JSON, together at the end."""

    def __init__(self, form: str) -> None:
        self._form = form
        self._windows: list[dict[str, Any]] = []
        self._has_header = False

    def window(self, line: str, figures: dict[str, Any]) -> None:
        """Report a part of the run."""
        if self._form == "json":
            self._windows.append(figures)
        else:
            self._print("window", line, figures)

    def total(self, lines: Sequence[str], figures: dict[str, Any]) -> None:
        """Report the run."""
        if self._form == "json":
            print_json({"windows": self._windows, "total": figures})
        else:
            self._print("total", "\n".join(lines), figures)

    def _print(self, part: str, text: str, figures: dict[str, Any]) -> None:
        if self._form == "text":
            print(text, flush=True)
            return
        import csv  # takes time that the other forms save

        writer = csv.writer(sys.stdout, lineterminator="\n")
        if not self._has_header:
            writer.writerow(("part", *figures))
            self._has_header = True
        writer.writerow((part, *figures.values()))
        sys.stdout.flush()
