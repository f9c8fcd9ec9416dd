"""`wirebroker records delete`: delete the oldest records of partitions, up to an offset."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.records.deletion import HIGH_WATERMARK, delete_records, parse_offset_json
from wirebroker.cli.standard_streams import print_error
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition"),
    Column("LOW-WATERMARK", "low_watermark"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker records delete`."""
    add_connection(parser)
    parser.add_argument(
        "offsets",
        nargs="*",
        type=_offset,
        metavar="TOPIC:PARTITION=OFFSET",
        help="the first offset to keep, or `latest` to keep no record",
    )
    parser.add_argument(
        "--offset-json-file",
        metavar="FILE",
        help='{"partitions": [{"topic": "t", "partition": 0, "offset": 1}], "version": 1}; -1 is `latest`',
    )


def _offset(text: str) -> tuple[TopicPartition, int]:
    where, _, offset = text.rpartition("=")
    topic, _, partition = where.rpartition(":")
    is_number = offset.isdecimal() or offset == "latest"
    if not (topic and partition.isdecimal() and is_number):
        raise argparse.ArgumentTypeError(f"{text!r} is not TOPIC:PARTITION=OFFSET, or =latest")
    return TopicPartition(topic, int(partition)), HIGH_WATERMARK if offset == "latest" else int(offset)


def run(args: argparse.Namespace) -> int:
    """Delete records; return the exit code, 1 if a partition refused."""
    if bool(args.offsets) == bool(args.offset_json_file):
        raise UsageError("name partitions and offsets, or a file with --offset-json-file")
    args.wanted = dict(args.offsets)
    if len(args.wanted) < len(args.offsets):
        raise UsageError("a partition is named twice")
    if args.offset_json_file:
        with open(args.offset_json_file, encoding="utf-8") as file:
            text = file.read()
        try:
            args.wanted = parse_offset_json(text)
        except ValueError as problem:
            raise UsageError(f"{args.offset_json_file}: {problem}") from None
    return run_with(args, _delete)


def _delete(admin: Admin, args: argparse.Namespace) -> int:
    results = delete_records(admin, args.wanted)
    for each in results:
        if each.error:
            print_error(f"{each.at}: {each.error}")
    rows = [(*each.at, each.low_watermark) for each in results if not each.error]
    if rows or args.format == "json":
        print_records(_COLUMNS, rows, args.format)
    return int(any(each.error for each in results))
