"""`wirebroker log verify`: check every file of data directories or partitions; exit code 1 if there is damage."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirebroker.cli.progress import Progress
from wirebroker.storage.files import Files
from wirebroker.storage.verify.directory import in_use, size_of, verify
from wirebroker.storage.verify.findings import Checked

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from wirebroker.storage.verify.findings import Finding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker log verify`."""
    parser.add_argument("directories", nargs="+", metavar="DIR", help="a data directory, or a partition's directory")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="for people or for programs")


def run(args: argparse.Namespace) -> int:
    """Check; the result is the exit code: 0 all is well, 1 there is damage, 2 there is nothing to check."""
    checked = check([Path(name) for name in args.directories])
    if checked is None:
        return 2
    print(as_json(checked) if args.format == "json" else as_table(checked))
    return 1 if checked.damages else 0


def check(directories: Sequence[Path]) -> Checked | None:
    """Check *directories* with a progress bar; None if one is none, which is said."""
    files, checked = Files(), Checked()
    for directory in directories:
        if not directory.is_dir():
            print(f"wirebroker log: {directory} is no directory", file=sys.stderr)
            return None
    try:
        with Progress(sum(map(size_of, directories))) as progress:
            for directory in directories:
                if in_use(directory, files):
                    progress.clear()
                    print(
                        f"wirebroker log: a broker uses {directory}: what it is writing now may look damaged",
                        file=sys.stderr,
                    )
                verify(directory, files, checked, progress.advance)
    except OSError as fault:
        print(f"wirebroker log: {fault.filename}: {fault.strerror}", file=sys.stderr)
        return None
    return checked


def as_table(checked: Checked) -> str:
    """What people read: damage first, then what is only odd, then how much was looked at."""
    lines = []
    found = sorted(checked.findings, key=lambda each: not each.is_damage)
    if found:
        width = min(max(len(each.path) for each in found), 100)
        lines.append(f"{'FILE':<{width}}  {'':<6}  {'POSITION':>10}  WHAT")
    for each in found:
        position = "" if each.position is None else str(each.position)
        kind = "DAMAGE" if each.is_damage else "note"
        lines.append(f"{each.path:<{width}}  {kind:<6}  {position:>10}  {each.what}{_lost(each)}")
    notes = len(found) - len(checked.damages)
    lines.append(
        f"{checked.partitions} partitions, {checked.segments} segments, {checked.batches:,} batches,"
        f" {checked.size_bytes / (1 << 20):,.1f} MiB, {checked.other_files} other files:"
        f" {_count(len(checked.damages), 'damage') if checked.damages else 'no damage'}"
        + (f", {_count(notes, 'note')}" if notes else "")
    )
    return "\n".join(lines)


def _lost(finding: Finding) -> str:
    if finding.offsets is None or finding.offsets[0] >= finding.offsets[1]:
        return ""
    return f" (offsets {finding.offsets[0]} to {finding.offsets[1] - 1})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def as_json(checked: Checked) -> str:
    """The same as one object."""
    document: dict[str, Any] = {
        "partitions": checked.partitions,
        "segments": checked.segments,
        "batches": checked.batches,
        "bytes": checked.size_bytes,
        "otherFiles": checked.other_files,
        "damaged": bool(checked.damages),
        "findings": [
            {
                "file": each.path,
                "kind": "damage" if each.is_damage else "note",
                "what": each.what,
                "position": each.position,
                "end": each.end,
                "offsets": None if each.offsets is None else list(each.offsets),
                "remedy": each.remedy.name.lower(),
            }
            for each in checked.findings
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
