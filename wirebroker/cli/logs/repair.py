"""`wirebroker log repair`: show what would be done to repair a data directory; `--execute` does it.

Removed files are kept beside the data directory (a broker takes every directory in it for a partition's).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.logs.verify import as_table, verify, why_no_logs
from wirebroker.cli.output import add_format, print_json, print_lines, text_lines
from wirebroker.cli.progress import Progress
from wirebroker.cli.standard_streams import print_error
from wirebroker.storage.files import Files
from wirebroker.storage.integrity.repair import Repair, RepairAction, plan
from wirebroker.storage.integrity.verify_log_dir import is_partition, size_of
from wirebroker.storage.integrity.verify_report import Finding, Remedy, VerificationReport
from wirebroker.storage.log_dir import ACCEPTED_EMPTY, LOCK

if TYPE_CHECKING:
    import argparse

    from wirebroker.model import TopicPartition

_GAP: Final = (
    "note: offsets that are lost stay a gap; in a cluster, a replica outside of the ISR truncates its log at such"
    " damage above its recovery point when its broker starts, and fetches the rest from its leader"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker log repair`."""
    parser.add_argument("directory", metavar="DIR", type=Path, help="a data directory, or a partition's directory")
    parser.add_argument(
        "--accept-empty",
        action="store_true",
        help="DIR is empty because its disk was replaced: let the broker use it, and begin the lost partitions empty",
    )
    parser.add_argument("--execute", action="store_true", help="do it; without this nothing is changed")
    parser.add_argument(
        "--keep-in",
        type=Path,
        metavar="SIDE",
        help="where to keep what is taken away (default: DIR.removed/<time>, beside the data directory)",
    )
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Verify, and repair if asked to; return 0 if nothing is damaged (any more), 1 if something is, 2 on an error."""
    directory: Path = args.directory.absolute()
    try:
        problem = why_no_logs(args.directory)
        if args.accept_empty and directory.is_dir():
            return _accept_empty(directory, execute=args.execute, is_empty=problem is not None)
        return _repair_locked(args, directory) if problem is None else _refuse(problem)
    except OSError as fault:
        return _refuse(f"{fault.filename}: {fault.strerror}")


def _repair_locked(args: argparse.Namespace, directory: Path) -> int:
    """Repair under the lock of the log directory, so that no broker starts meanwhile."""
    root = directory.parent if is_partition(directory) else directory
    files = Files()
    lock = files.lock(str(root / LOCK))
    if lock is None:
        return _refuse(f"a broker uses {root}: stop it first")
    try:
        return _repair(args, directory, root, files)
    finally:
        lock.close()


def _accept_empty(directory: Path, *, execute: bool, is_empty: bool) -> int:
    """Have the next start use *directory*, whose disk was replaced."""
    if not is_empty:
        return _refuse(f"{directory} holds logs, so there is no need for --accept-empty")
    if not execute:
        print("the next start would use it, and begin partitions that are in no log directory empty; add --execute")
        return 0
    files = Files()
    try:
        files.write_whole(str(directory / ACCEPTED_EMPTY), b"")
    except OSError as fault:
        return _refuse(f"{fault.filename}: {fault.strerror}")
    print("done; the next start uses it, and begins partitions that are in no log directory empty")
    return 0


def _repair(args: argparse.Namespace, directory: Path, root: Path, files: Files) -> int:
    report, ends = _verify(directory, files)
    actions = plan(report.findings)
    unrepaired = [each for each in report.damages if each.path not in {action.path for action in actions}]
    side: Path = (args.keep_in or root.with_name(root.name + ".removed") / time.strftime("%Y%m%dT%H%M%S")).absolute()
    if args.execute and actions:
        if side.is_relative_to(root):
            return _refuse(f"{side} is inside of {root}, where a broker would take it for a partition: use --keep-in")
        repair = Repair(files, root, side)
        repair.execute(actions, ends)
        report, ends = _verify(directory, files)
        again = [each for each in plan(report.findings) if Path(each.path).parent == root]
        if again:  # a log that was cut ends below what the checkpoints say
            repair.execute(again, ends)
            report, _ = _verify(directory, files)
        repair.remove_clean_shutdown_marker()
    if args.format == "json":
        print_json(_as_document(actions, report, side if args.execute else None))
    elif args.format == "text":
        print_lines(text_lines((each.path, each.text) for each in actions))
    else:
        for action in actions:
            print(f"{action.path}: {action.text}")
        for each in unrepaired:
            print(f"{each.path}: {each.what}: {each.remedy.value}")
        if not actions:
            print("nothing to repair" if not unrepaired else "nothing else to repair")
        elif args.execute:
            print(f"done; what was taken away is in {side}")
            print_lines(as_table(report))
        else:
            print("nothing was changed; add --execute to do it")
        if any(_loses_offsets(each.finding) for each in actions):
            print(_GAP)
    return 1 if report.damages else 0


def _loses_offsets(finding: Finding) -> bool:
    return finding.remedy is Remedy.CUT and finding.offsets is not None and finding.offsets[0] < finding.offsets[1]


def _verify(directory: Path, files: Files) -> tuple[VerificationReport, dict[TopicPartition, int]]:
    report = VerificationReport()
    with Progress(size_of(directory)) as progress:
        ends = verify(directory, files, report, progress.advance)
    return report, ends


def _as_document(actions: list[RepairAction], report: VerificationReport, side: Path | None) -> dict[str, Any]:
    return {
        "actions": [
            {"file": each.path, "what": each.text, "remedy": each.finding.remedy.name.lower()} for each in actions
        ],
        "executed": side is not None and bool(actions),
        "kept_in": None if side is None else str(side),
        "damaged": bool(report.damages),
    }


def _refuse(text: str) -> int:
    print_error(text)
    return 2
