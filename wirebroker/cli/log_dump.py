"""`wirebroker dump-log`: print what is in the files of a partition, as Apache Kafka's kafka-dump-log.sh does.

Options, lines and checks are those of its release 3.9.  Ours besides: a whole partition directory may be named,
``--json`` prints one object a line, ``leader-epoch-checkpoint`` and ``partition.metadata`` are shown too, and a file
that cannot be read is one line on stderr and exit code 1 after the other files, where the original ends with a stack
trace.  Anything that two files disagree on is listed on stderr at the end, as the original does.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.cli.dump_decoders import DECODERS, decoder
from wirebroker.cli.dump_report import JsonReport, Report, TextReport
from wirebroker.cli.output import print_error
from wirebroker.cli.progress import Progress
from wirebroker.cli.usage import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from wirebroker.cli.dump_decoders import Decoder
    from wirebroker.record.record_batch import Record

    RecordDecoder = Callable[[Record], tuple[str | None, str | None]]
    """Key and payload as they are printed; None for what is not."""

UNLIMITED = (1 << 31) - 1
SUFFIXES = (".log", ".checkpoint", ".index", ".timeindex", ".txnindex", ".snapshot")
NO_PROGRESS = Progress(0, shown=False)
LEADER_EPOCHS, PARTITION_METADATA = "leader-epoch-checkpoint", "partition.metadata"


class DumpOptions(NamedTuple):
    """What to print; named as on the command line."""

    deep_iteration: bool = False
    print_data_log: bool = False
    skip_record_metadata: bool = False
    verify_index_only: bool = False
    index_sanity_check: bool = False
    max_message_size: int = 5 << 20
    max_bytes: int = UNLIMITED
    key_decoder: Decoder = DECODERS["StringDecoder"]
    value_decoder: Decoder = DECODERS["StringDecoder"]
    record_decoder: RecordDecoder | None = None
    """Knows the records of an internal topic."""
    progress: Progress = NO_PROGRESS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker dump-log`."""
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="like --files: a segment file, or a partition directory")
    add("--files", action="append", default=[], metavar="A[,B]", help="files or partition directories to dump")
    add("--print-data-log", action="store_true", help="print keys and values; implies --deep-iteration")
    add("--deep-iteration", action="store_true", help="print every record, not only batches")
    add("--skip-record-metadata", action="store_true", help="print keys and values without offsets and sizes")
    add("--verify-index-only", action="store_true", help="check indexes against the log without printing them")
    add("--index-sanity-check", action="store_true", help="check indexes as a starting broker does, nothing else")
    add("--max-message-size", type=int, default=5 << 20, metavar="BYTES", help="largest batch an index may point to")
    add("--max-bytes", type=int, default=UNLIMITED, metavar="BYTES", help="look at this much of each .log only")
    for what in ("key", "value"):
        add(
            f"--{what}-decoder-class",
            nargs="?",
            const="StringDecoder",
            metavar="CLASS",
            help=f"how to print {what}s: {', '.join(DECODERS)}; implies --print-data-log",
        )
    add("--offsets-decoder", action="store_true", help="print records of __consumer_offsets as JSON")
    add("--transaction-log-decoder", action="store_true", help="print records of __transaction_state")
    add("--cluster-metadata-decoder", action="store_true", help="print records of a KRaft controller's log as JSON")
    add("--remote-log-metadata-decoder", action="store_true", help="print records of __remote_log_metadata")
    add("--json", action="store_true", help="one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """Dump the files; the result is the exit code: 1 if one could not be read."""
    names = [*args.paths, *(name for group in args.files for name in group.split(","))]
    if not names:
        raise UsageError("name at least one file with --files")
    try:
        key_decoder = decoder(args.key_decoder_class or "StringDecoder")
        value_decoder = decoder(args.value_decoder_class or "StringDecoder")
    except KeyError as unknown:
        raise UsageError(f"no decoder {unknown}, there are {', '.join(DECODERS)}") from None
    record_decoder = _record_decoder(args)
    wants_data = args.key_decoder_class or args.value_decoder_class or record_decoder
    print_data_log = args.print_data_log or bool(wants_data)
    paths = list(expand(names))
    empty = [name for name in names if Path(name).is_dir() and not any(expand([name]))]
    # lines on the same terminal would tear a bar apart
    progress = Progress(sum(map(_size_of, paths)), shown=not sys.stdout.isatty())
    options = DumpOptions(
        deep_iteration=args.deep_iteration or print_data_log,
        print_data_log=print_data_log,
        skip_record_metadata=args.skip_record_metadata,
        verify_index_only=args.verify_index_only,
        index_sanity_check=args.index_sanity_check,
        max_message_size=args.max_message_size,
        max_bytes=args.max_bytes,
        key_decoder=key_decoder,
        value_decoder=value_decoder,
        record_decoder=record_decoder,
        progress=progress,
    )
    report: Report = (JsonReport if args.json else TextReport)(sys.stdout, sys.stderr)
    with progress:
        code = dump(paths, options, report)
    for name in empty:
        print_error(f"{name} has no segments, indexes or snapshots; name the directory of a partition, TOPIC-N")
    return 1 if empty else code


def _record_decoder(args: argparse.Namespace) -> RecordDecoder | None:
    """The one that is asked for; of several the first, as in the original."""
    if args.offsets_decoder:
        from wirebroker.cli import dump_offsets

        return dump_offsets.decode_record
    if args.transaction_log_decoder:
        from wirebroker.cli import dump_transactions

        return dump_transactions.decode_record
    if args.cluster_metadata_decoder:
        from wirebroker.cli import dump_metadata

        return dump_metadata.decode_record
    if args.remote_log_metadata_decoder:
        from wirebroker.cli import dump_remote

        return dump_remote.decode_record
    return None


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size if path.suffix in (".log", ".checkpoint") else 0
    except OSError:
        return 0


def dump(paths: list[Path], options: DumpOptions, report: Report) -> int:
    """Dump files, then what did not fit together.  1 if something could not be read, else 0."""
    from wirebroker.record.faults import RecordError

    code = 0
    for path in paths:
        report.file(path)
        try:
            _dumper(path)(path, options, report)
        except BrokenPipeError:
            raise
        except (RecordError, ValueError, OSError) as fault:
            report.fault(path, f"{fault.strerror or fault}" if isinstance(fault, OSError) else str(fault))
            code = 1
    report.finish()
    return code


def expand(names: list[str]) -> Iterator[Path]:
    """The files that *names* stand for: a directory for all of a partition's files, segment by segment."""
    for name in names:
        path = Path(name)
        if not path.is_dir():
            yield path
            continue
        known = [child for child in path.iterdir() if child.suffix in SUFFIXES]
        yield from sorted(known, key=lambda child: (child.stem, SUFFIXES.index(child.suffix)))
        yield from (path / extra for extra in (LEADER_EPOCHS, PARTITION_METADATA) if (path / extra).exists())


def _dumper(path: Path) -> Callable[[Path, DumpOptions, Report], None]:
    from wirebroker.cli import dump_indexes, dump_segments, dump_state

    by_suffix = {
        ".log": dump_segments.dump_log,
        ".checkpoint": dump_segments.dump_snapshot,
        ".index": dump_indexes.dump_index,
        ".timeindex": dump_indexes.dump_time_index,
        ".txnindex": dump_state.dump_transaction_index,
        ".snapshot": dump_state.dump_producer_snapshot,
    }
    by_name = {
        LEADER_EPOCHS: dump_state.dump_leader_epochs,
        PARTITION_METADATA: dump_state.dump_partition_metadata,
    }
    return by_suffix.get(path.suffix) or by_name.get(path.name) or _ignore


def _ignore(path: Path, options: DumpOptions, report: Report) -> None:
    report.remark(f"Ignoring unknown file {path}")
