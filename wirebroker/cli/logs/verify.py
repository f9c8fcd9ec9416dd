"""`wirebroker log verify`: check every file of data directories or partitions; exit code 1 on damage."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirebroker.cli.output import Column, add_format, counted, print_json, print_lines, table_lines, text_lines
from wirebroker.cli.progress import Progress
from wirebroker.cli.standard_streams import print_error
from wirebroker.metadata.journal import JOURNAL_NAME
from wirebroker.metadata.verification import verify_metadata
from wirebroker.storage.files import Files
from wirebroker.storage.integrity.verify_log_dir import (
    CHECKPOINTS,
    in_use,
    is_partition,
    partitions_in,
    size_of,
    verify_log_dir,
)
from wirebroker.storage.integrity.verify_report import VerificationReport

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from wirebroker.model import TopicPartition
    from wirebroker.storage.integrity.verify_report import Finding

_EMPTY_CHECKPOINT = len("0\n0\n")
COLUMNS = (
    Column("FILE", "file", max_width=100),
    Column("KIND", "kind"),
    Column("POSITION", "position", align=">"),
    Column("WHAT", "what"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker log verify`."""
    parser.add_argument("directories", nargs="+", metavar="DIR", help="a data directory, or a partition's directory")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Verify; return 0 if nothing is damaged, 1 if something is, 2 if there is nothing to verify or on an error."""
    report = check([Path(name) for name in args.directories])
    if report is None:
        return 2
    if args.format == "json":
        print_json(as_document(report))
    elif args.format == "text":
        print_lines(text_lines(rows(report)))
    else:
        print_lines(as_table(report))
    return 1 if report.damages else 0


def check(directories: Sequence[Path]) -> VerificationReport | None:
    """Verify *directories* with a progress bar; return None, after a line on stderr, if one holds no logs."""
    files, report = Files(), VerificationReport()
    try:
        for directory in directories:
            problem = why_no_logs(directory)
            if problem is not None and not (directory / JOURNAL_NAME).exists():
                print_error(problem)
                return None
        with Progress(sum(map(size_of, directories))) as progress:
            for directory in directories:
                if in_use(directory, files):
                    progress.clear()
                    print_error(f"a broker uses {directory}: files that it is writing now may be reported as damaged")
                verify(directory, files, report, progress.advance)
    except OSError as fault:
        print_error(f"{fault.filename}: {fault.strerror}")
        return None
    return report


def verify(
    directory: Path, files: Files, report: VerificationReport, advance: Callable[[int], None]
) -> dict[TopicPartition, int]:
    """Check everything in *directory*, the metadata of a data directory too, and return where each log ends."""
    ends = verify_log_dir(directory, files, report, advance)
    if not is_partition(directory):
        verify_metadata(directory, files, report)
    return ends


def why_no_logs(directory: Path) -> str | None:
    """Return why there is nothing to check in *directory*, None if there is.  Raises OSError."""
    if not directory.exists():
        return f"{directory} does not exist"
    if not directory.is_dir():
        return f"{directory} is a file, not a data directory or a partition's directory"
    listed = any(
        path.stat().st_size > _EMPTY_CHECKPOINT for path in map(directory.joinpath, CHECKPOINTS) if path.exists()
    )
    if partitions_in(directory) or listed:
        return None
    return f"{directory} holds no logs: give a data directory (as in log.dirs) or a partition's directory"


def as_table(report: VerificationReport) -> list[str]:
    """Return the lines of a table of the findings, damage first, and a line that says how much was checked."""
    found = rows(report)
    notes = len(found) - len(report.damages)
    summary = (
        f"{counted(report.partitions, 'partition')}, {counted(report.segments, 'segment')},"
        f" {report.batches:,} {'batch' if report.batches == 1 else 'batches'},"
        f" {report.size_bytes / (1 << 20):,.1f} MiB, {counted(report.other_files, 'other file')}:"
        f" {counted(len(report.damages), 'damage') if report.damages else 'no damage'}"
        + (f", {counted(notes, 'note')}" if notes else "")
    )
    return [*(table_lines(COLUMNS, found, separator="  ") if found else []), summary]


def rows(report: VerificationReport) -> list[tuple[str, str, str, str]]:
    """Return one row for each finding, damage first."""
    return [
        (
            each.path,
            "DAMAGE" if each.is_damage else "note",
            "" if each.position is None else str(each.position),
            f"{each.what}{_lost(each)}",
        )
        for each in sorted(report.findings, key=lambda each: not each.is_damage)
    ]


def _lost(finding: Finding) -> str:
    if finding.offsets is None or finding.offsets[0] >= finding.offsets[1]:
        return ""
    return f" (offsets {finding.offsets[0]} to {finding.offsets[1] - 1})"


def as_document(report: VerificationReport) -> dict[str, Any]:
    """Return the findings and counts as one JSON object."""
    return {
        "partitions": report.partitions,
        "segments": report.segments,
        "batches": report.batches,
        "bytes": report.size_bytes,
        "other_files": report.other_files,
        "damaged": bool(report.damages),
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
            for each in report.findings
        ],
    }
