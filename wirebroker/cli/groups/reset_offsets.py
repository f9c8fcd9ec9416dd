"""`wirebroker groups reset-offsets`: move groups that have no members to other offsets.

Prints the new offsets; `--execute` commits them, `--export` prints them as CSV for `--from-file`: topic, partition and
offset, preceded by the group if there are several, as in kafka-consumer-groups.sh.
"""

from __future__ import annotations

import csv
import re
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.groups.requests import add_groups, committed_offsets, describe, wanted_groups
from wirebroker.cli.groups.topic_options import add_topics, chosen_partitions
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.admin import EARLIEST, LATEST, response_error
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition, values_by_topic
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_OFFSET_COMMIT_BY_NAME = 8
_COLUMNS = (
    Column("GROUP", "group"),
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition"),
    Column("NEW-OFFSET", "new_offset"),
)
_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker groups reset-offsets`."""
    add_connection(parser)
    add_groups(parser)
    to = parser.add_mutually_exclusive_group(required=True)
    to.add_argument("--to-earliest", action="store_true", help="the log start offset")
    to.add_argument("--to-latest", action="store_true", help="the log end offset")
    to.add_argument("--to-current", action="store_true", help="the committed offset")
    to.add_argument("--to-offset", type=int, metavar="N", help="this offset, or the nearest that exists")
    to.add_argument("--shift-by", type=int, metavar="N", help="this many records forward, or back if negative")
    to.add_argument(
        "--to-datetime", metavar="YYYY-MM-DDTHH:mm:SS.sss[Z]", help="the first record at or after this time"
    )
    to.add_argument("--by-duration", metavar="PnDTnHnMnS", help="the first record within this time before now")
    to.add_argument("--from-file", metavar="CSV", help="the output of --export")
    add_topics(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--dry-run", action="store_true", help="only print the new offsets (the default)")
    how.add_argument("--execute", action="store_true", help="commit the new offsets")
    how.add_argument("--export", action="store_true", help="print the new offsets as CSV")


def run(args: argparse.Namespace) -> int:
    """Reset offsets; return the exit code."""
    args.timestamp_ms = _timestamp_ms(args)
    return run_with(args, _reset)


def _reset(admin: Admin, args: argparse.Namespace) -> int:
    """Plan all groups before the output, and commit those without members; groups with members are errors."""
    groups = wanted_groups(admin, args)
    file = _from_file(args.from_file, groups) if args.from_file is not None else None
    planned: dict[str, dict[TopicPartition, int]] = {}
    refused: list[str] = []
    for group_id in groups:
        group = describe(admin, group_id)
        if group.members:
            refused.append(f"group {group_id} is {group.group_state}: stop its members before resetting offsets")
            continue
        planned[group_id] = plan(admin, args, group_id, file[group_id] if file is not None else None)
        if args.execute:
            commit_offsets(admin, group_id, planned[group_id])
    rows = [(group_id, *at, offset) for group_id, offsets in planned.items() for at, offset in sorted(offsets.items())]
    if args.export:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows(row if len(groups) > 1 else row[1:] for row in rows)
    elif planned or args.format == "json":
        print_records(_COLUMNS, rows, args.format)
        if not args.execute and args.format == "table":
            print("\nNothing was changed; add --execute to commit these offsets.", file=sys.stderr)
    for problem in refused:
        print_error(problem)
    return 1 if refused else 0


def plan(
    admin: Admin, args: argparse.Namespace, group_id: str, from_file: dict[TopicPartition, int] | None
) -> dict[TopicPartition, int]:
    """The new offset of each chosen partition, between its log start and log end offset.

    Raises:
        ClientError: a topic, a partition or a time is not valid.
    """
    partitions = chosen_partitions(admin, args, group_id)
    first = admin.list_offsets(dict.fromkeys(partitions, EARLIEST))
    last = admin.list_offsets(dict.fromkeys(partitions, LATEST))
    if from_file is not None:
        wanted = {at: offset for at, offset in from_file.items() if at in last}
    elif args.timestamp_ms is not None:
        found = admin.list_offsets(dict.fromkeys(partitions, args.timestamp_ms))
        wanted = {at: last[at] if found.get(at, -1) < 0 else found[at] for at in last}
    elif args.to_offset is not None:
        wanted = dict.fromkeys(last, args.to_offset)
    elif args.to_earliest:
        wanted = first
    elif args.to_latest:
        wanted = last
    else:
        committed = committed_offsets(admin, group_id)
        shift = args.shift_by or 0
        wanted = {at: committed.get(at, end) + shift for at, end in last.items()}
    return {at: min(max(offset, first[at]), last[at]) for at, offset in wanted.items()}


def _timestamp_ms(args: argparse.Namespace) -> int | None:
    """The time that --to-datetime or --by-duration names, None without these options.

    Raises:
        UsageError: the text is in another form.
    """
    if args.to_datetime is not None:
        try:
            when = datetime.fromisoformat(args.to_datetime)
        except ValueError:
            raise UsageError(f"--to-datetime {args.to_datetime}: write it as 2026-01-31T13:00:00.000") from None
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return int(when.timestamp() * 1000)
    if args.by_duration is not None:
        match = _DURATION.fullmatch(args.by_duration)
        if match is None or not any(match.groups()):
            raise UsageError(f"--by-duration {args.by_duration}: write it as P1DT2H30M0S")
        days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
        return int((time.time() - ((days * 24 + hours) * 60 + minutes) * 60 - seconds) * 1000)
    return None


def _from_file(path: str, groups: list[str]) -> dict[str, dict[TopicPartition, int]]:
    """Group -> partition -> offset as the file has them; its lines name a group if *groups* are several."""
    found: dict[str, dict[TopicPartition, int]] = {group_id: {} for group_id in groups}
    several = len(groups) > 1
    try:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.reader(file):
                group_id, topic, index, offset = row if several else (groups[0], *row)
                found.setdefault(group_id, {})[TopicPartition(topic, int(index))] = int(offset)
    except OSError as fault:
        raise ClientError(f"{path}: {fault.strerror or fault}") from fault
    except ValueError:
        raise ClientError(f"{path}: each line is {'group,' if several else ''}topic,partition,offset") from None
    return found


def commit_offsets(admin: Admin, group_id: str, planned: dict[TopicPartition, int]) -> None:
    """Commit offsets for a group without members, as a consumer without a generation does.

    Raises:
        ClientError: the coordinator refuses a partition.
    """
    request = OffsetCommitRequest(
        group_id=group_id,
        generation_id_or_member_epoch=-1,
        topics=[
            OffsetCommitRequestTopic(
                name=name,
                partitions=[
                    OffsetCommitRequestPartition(partition_index=index, committed_offset=offset)
                    for index, offset in offsets
                ],
            )
            for name, offsets in values_by_topic(planned).items()
        ],
    )

    def commit() -> None:
        _, _, coordinator = admin.coordinator(group_id)
        for topic in coordinator.send(request, _OFFSET_COMMIT_BY_NAME).topics:
            for each in topic.partitions:
                if each.error_code:
                    raise response_error(f"{topic.name}-{each.partition_index} was not reset", each.error_code)

    admin.retry(commit)
