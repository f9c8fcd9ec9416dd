"""`wirebroker dump-log`: print what is in the files of a partition, as Apache Kafka's kafka-dump-log.sh does.

Options, lines and checks are those of its release 3.9.  Beyond it, a partition directory may be named in place of its
files, ``--json`` prints one object a line, ``leader-epoch-checkpoint`` and ``partition.metadata`` are shown too, and a
file that cannot be read is one line on stderr and exit code 1 after the other files, where the original ends with a
stack trace.  Mismatches between files are listed on stderr at the end, as in the original.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wirebroker.cli.dump.indexes import dump_index, dump_time_index
from wirebroker.cli.dump.json_report import JsonReport
from wirebroker.cli.dump.options import add_options, dump_options, file_names
from wirebroker.cli.dump.segments import dump_log, dump_snapshot
from wirebroker.cli.dump.small_files import (
    dump_leader_epochs,
    dump_partition_metadata,
    dump_producer_snapshot,
    dump_transaction_index,
)
from wirebroker.cli.dump.text_report import TextReport
from wirebroker.cli.progress import Progress
from wirebroker.cli.standard_streams import print_error

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from wirebroker.cli.dump.options import DumpOptions
    from wirebroker.cli.dump.report import Report

    Dumper = Callable[[Path, DumpOptions, Report], None]

_BY_SUFFIX: Final[dict[str, Dumper]] = {
    ".log": dump_log,
    ".checkpoint": dump_snapshot,
    ".index": dump_index,
    ".timeindex": dump_time_index,
    ".txnindex": dump_transaction_index,
    ".snapshot": dump_producer_snapshot,
}
"""Suffix -> the function that dumps such a file; in this order the files of one segment are dumped."""
_BY_NAME: Final[dict[str, Dumper]] = {
    "leader-epoch-checkpoint": dump_leader_epochs,
    "partition.metadata": dump_partition_metadata,
}
_SUFFIXES: Final = tuple(_BY_SUFFIX)
_READ_WHOLE: Final = (".log", ".checkpoint")
"""Files large enough to be worth a progress bar."""

add_arguments = add_options


def run(args: argparse.Namespace) -> int:
    """Dump the files; return the exit code: 1 if one could not be read."""
    names = file_names(args)
    options = dump_options(args)
    paths = list(expand(names))
    empty = [name for name in names if Path(name).is_dir() and not any(expand([name]))]
    # lines on the same terminal would tear a bar apart
    progress = Progress(sum(map(_size_of, paths)), shown=not sys.stdout.isatty())
    report_class = JsonReport if args.json else TextReport
    with progress:
        code = dump(paths, options, report_class(options, sys.stdout, sys.stderr, progress.advance))
    for name in empty:
        print_error(f"{name} has no segments, indexes or snapshots; name the directory of a partition, TOPIC-N")
    return 1 if empty else code


def dump(paths: list[Path], options: DumpOptions, report: Report) -> int:
    """Dump *paths*, then the mismatches between them; return 1 if one could not be read, else 0."""
    code = 0
    for path in paths:
        report.begin_file(path)
        dumper = _BY_SUFFIX.get(path.suffix) or _BY_NAME.get(path.name) or _ignore
        try:
            dumper(path, options, report)
        except BrokenPipeError:
            raise
        except (ValueError, OSError) as error:  # RecordError and CorruptFileError are ValueErrors
            report.error(path, f"{error.strerror or error}" if isinstance(error, OSError) else str(error))
            code = 1
    report.finish()
    return code


def expand(names: list[str]) -> Iterator[Path]:
    """The files that *names* stand for; a directory stands for all files of a partition, segment by segment."""
    for name in names:
        path = Path(name)
        if not path.is_dir():
            yield path
            continue
        known = [child for child in path.iterdir() if child.suffix in _SUFFIXES]
        yield from sorted(known, key=lambda child: (child.stem, _SUFFIXES.index(child.suffix)))
        yield from (path / extra for extra in _BY_NAME if (path / extra).exists())


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size if path.suffix in _READ_WHOLE else 0
    except OSError:
        return 0


def _ignore(path: Path, _: DumpOptions, report: Report) -> None:
    report.warning(f"Ignoring unknown file {path}")
