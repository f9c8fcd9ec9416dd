"""Positions at which `wirebroker consume` begins: the options that name one, and the offset of each partition."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.records.client_library import serve
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

BEGINNING, END = -2, -1
"""librdkafka's logical offsets."""
_NUMBER: Final = re.compile(r"-?\d+", re.ASCII)


class Start(NamedTuple):
    """Where to begin in every partition: one of the three is set."""

    offset: int | None = None
    """An offset, BEGINNING or END."""
    tail: int | None = None
    """How many offsets before the end."""
    timestamp_ms: int | None = None
    """The first record that is as new."""


def add_positions(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a position."""
    add = parser.add_argument
    add(
        "--from-beginning",
        action="store_true",
        help="begin with the first record there is (default: with the next new one)",
    )
    add(
        "-o",
        "--offset",
        metavar="OFFSET",
        help="begin there in each partition: a number, beginning or end; -N is N before the end, like --tail N",
    )
    add("--tail", type=int, metavar="N", help="begin N records before the end of each partition")
    add(
        "--from-timestamp",
        metavar="TIME",
        help="begin with the first record of that time or later: milliseconds since 1970, or 2026-11-23T08:00:00+01:00 "
        "(without an offset: UTC)",
    )


def start_of(args: argparse.Namespace) -> Start | None:
    """Return the position that the options name, None if they name none.

    Raises:
        UsageError: they name several, or one that cannot be read.
    """
    given = [args.from_beginning or None, args.offset, args.tail, args.from_timestamp]
    if sum(each is not None for each in given) > 1:
        raise UsageError("give one of --from-beginning, --offset, --tail and --from-timestamp")
    if args.from_beginning:
        return Start(offset=BEGINNING)
    if args.tail is not None:
        if args.tail < 0:
            raise UsageError("--tail: a number of records, 0 or more")
        return Start(tail=args.tail)
    if args.from_timestamp is not None:
        return Start(timestamp_ms=timestamp_ms(args.from_timestamp))
    if args.offset is None:
        return None
    words = {"beginning": BEGINNING, "earliest": BEGINNING, "end": END, "latest": END}
    if args.offset in words:
        return Start(offset=words[args.offset])
    if not _NUMBER.fullmatch(args.offset):
        raise UsageError(f"--offset: {args.offset!r} is neither a number, nor beginning, nor end")
    number = int(args.offset)
    return Start(offset=number) if number >= 0 else Start(tail=-number)


def timestamp_ms(text: str) -> int:
    """Return a time in milliseconds since 1970.

    Raises:
        UsageError: *text* is none.
    """
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"{text!r} is no time; write it as 2026-11-23T08:00:00, or as milliseconds since 1970"
        ) from None
    if moment.tzinfo is None:
        moment = datetime.fromisoformat(f"{text}+00:00" if "T" in text or " " in text else f"{text}T00:00:00+00:00")
    return round(moment.timestamp() * 1000)


def assigned(
    consumer: Any, kafka: Any, partitions: Sequence[tuple[str, int]], start: Start, timeout_s: float
) -> list[Any]:
    """Return a TopicPartition with the first offset to read for each of *partitions*.

    Raises:
        ClientError: an offset is outside of its partition.
        KafkaException: the cluster does not answer.
    """
    if start.timestamp_ms is not None:
        wanted = [kafka.TopicPartition(topic, number, start.timestamp_ms) for topic, number in partitions]
        found = serve(consumer.offsets_for_times, wanted, timeout=timeout_s)
        for each in found:
            if each.error is not None:
                raise kafka.KafkaException(each.error)
        return [kafka.TopicPartition(at.topic, at.partition, at.offset if at.offset >= 0 else END) for at in found]
    result = []
    for topic, number in partitions:
        offset = start.offset
        if start.tail is not None or (offset is not None and offset > 0):
            at = kafka.TopicPartition(topic, number)
            low, high = serve(consumer.get_watermark_offsets, at, timeout=timeout_s)
            if start.tail is not None:
                offset = max(low, high - start.tail)
            elif not low <= (offset or 0) <= high:
                raise ClientError(f"{topic}-{number} has offsets from {low} to {high}, not {offset}")
        result.append(kafka.TopicPartition(topic, number, offset))
    return result
