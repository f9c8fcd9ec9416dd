"""The options of `wirebroker dump-log`, named and defaulted as those of kafka-dump-log.sh 3.9."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.dump.decoders import DECODERS, decoder

if TYPE_CHECKING:
    import argparse

    from wirebroker.cli.dump.decoders import Decoder, RecordDecoder

UNLIMITED: Final = (1 << 31) - 1
_MAX_MESSAGE_SIZE: Final = 5 << 20
_DEFAULT_DECODER: Final = "StringDecoder"
_RECORD_DECODERS: Final = {
    "offsets_decoder": "wirebroker.cli.dump.consumer_offsets",
    "transaction_log_decoder": "wirebroker.cli.dump.transaction_state",
    "cluster_metadata_decoder": "wirebroker.cli.dump.cluster_metadata",
    "remote_log_metadata_decoder": "wirebroker.cli.dump.remote_log_metadata",
}
"""Option -> module with a `decode_record`, imported when the option is given.  Of several options the first counts."""


class DumpOptions(NamedTuple):
    """The options of one run."""

    deep_iteration: bool = False
    """Print every record, not only batches."""
    print_data_log: bool = False
    """Print keys and values."""
    skip_record_metadata: bool = False
    verify_index_only: bool = False
    index_sanity_check: bool = False
    max_message_size: int = _MAX_MESSAGE_SIZE
    """Bytes of the largest batch that an index entry may point to."""
    max_bytes: int = UNLIMITED
    """How much of each `.log` is read."""
    key_decoder: Decoder = DECODERS[_DEFAULT_DECODER]
    value_decoder: Decoder = DECODERS[_DEFAULT_DECODER]
    record_decoder: RecordDecoder | None = None
    """Decodes the records of an internal topic, in place of `key_decoder` and `value_decoder`."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker dump-log`."""
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="like --files: a segment file, or a partition directory")
    add("--files", action="append", default=[], metavar="A[,B]", help="files or partition directories to dump")
    add("--print-data-log", action="store_true", help="print keys and values; implies --deep-iteration")
    add("--deep-iteration", action="store_true", help="print every record, not only batches")
    add("--skip-record-metadata", action="store_true", help="print keys and values without offsets and sizes")
    add("--verify-index-only", action="store_true", help="check indexes against the log without printing them")
    add("--index-sanity-check", action="store_true", help="check indexes as a starting broker does, nothing else")
    add(
        "--max-message-size",
        type=int,
        default=_MAX_MESSAGE_SIZE,
        metavar="BYTES",
        help="largest batch that an index may point to",
    )
    add("--max-bytes", type=int, default=UNLIMITED, metavar="BYTES", help="read only this much of each .log")
    for part in ("key", "value"):
        add(
            f"--{part}-decoder-class",
            nargs="?",
            const=_DEFAULT_DECODER,
            metavar="CLASS",
            help=f"how to print {part}s: {', '.join(DECODERS)}; implies --print-data-log",
        )
    add("--offsets-decoder", action="store_true", help="print records of __consumer_offsets as JSON")
    add("--transaction-log-decoder", action="store_true", help="print records of __transaction_state")
    add("--cluster-metadata-decoder", action="store_true", help="print records of a KRaft controller's log as JSON")
    add("--remote-log-metadata-decoder", action="store_true", help="print records of __remote_log_metadata")
    add("--json", action="store_true", help="print one JSON object a line")


def file_names(args: argparse.Namespace) -> list[str]:
    """The files and directories that the command line names.

    Raises:
        UsageError: it names none.
    """
    names = [*args.paths, *(name for group in args.files for name in group.split(","))]
    if not names:
        raise UsageError("name at least one file with --files")
    return names


def dump_options(args: argparse.Namespace) -> DumpOptions:
    """The options of the command line.

    Raises:
        UsageError: a decoder is not known.
    """
    try:
        key_decoder = decoder(args.key_decoder_class or _DEFAULT_DECODER)
        value_decoder = decoder(args.value_decoder_class or _DEFAULT_DECODER)
    except KeyError as unknown:
        raise UsageError(f"no decoder {unknown}, there are {', '.join(DECODERS)}") from None
    record_decoder = _record_decoder(args)
    print_data_log = bool(
        args.print_data_log or args.key_decoder_class or args.value_decoder_class or record_decoder is not None
    )
    return DumpOptions(
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
    )


def _record_decoder(args: argparse.Namespace) -> RecordDecoder | None:
    for option, module in _RECORD_DECODERS.items():
        if getattr(args, option):
            decode_record: RecordDecoder = import_module(module).decode_record
            return decode_record
    return None
