"""`wirebroker topics explain-retention`: the segments of a topic on disk, when each goes, and which setting decides.

A running broker is asked (the Inspect API of wirebroker); with `--log-dir` the files of one that does not run are read.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, print_json, print_lines, table_lines, text_lines
from wirebroker.cli.standard_streams import print_error
from wirebroker.cli.topics.offline import explain_directories
from wirebroker.client.admin import response_error
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition
from wirebroker.protocol.messages.inspect import InspectRequest
from wirebroker.storage.retention_report import RetentionReport, SegmentReport, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.client.admin import Admin
    from wirebroker.client.connection import Connection
    from wirebroker.protocol.messages.inspect import InspectResponse

_COLUMNS: Final = (
    Column("PARTITION", "partition", align=">"),
    Column("OFFSET", "base_offset", align=">"),
    Column("BYTES", "size_bytes", align=">"),
    Column("NEWEST RECORD", "newest"),
    Column("STATE", "state"),
    Column("ACTION", "action"),
    Column("WHEN", "when"),
    Column("SETTING", "setting"),
    Column("WHY", "why"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker topics explain-retention`."""
    add_connection(parser)
    parser.add_argument("topic", metavar="TOPIC", help="name of the topic")
    parser.add_argument("--partition", type=int, metavar="N", help="only this partition")
    parser.add_argument(
        "--log-dir",
        action="append",
        default=[],
        metavar="DIR",
        help="read this data directory in place of asking a broker; repeatable",
    )
    parser.add_argument("--config", metavar="FILE", help="with --log-dir: the server.properties of its broker")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="with --log-dir: a broker config; repeatable"
    )
    parser.add_argument(
        "--topic-config",
        action="append",
        default=[],
        type=_setting,
        metavar="KEY=VALUE",
        help="with --log-dir: a setting of the topic that the directory does not have; repeatable",
    )


def _setting(text: str) -> str:
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return text


def run(args: argparse.Namespace) -> int:
    """Explain; return the exit code."""
    if not args.log_dir:
        if args.config or args.set or args.topic_config:
            raise UsageError("--config, --set and --topic-config need --log-dir; a broker knows its own settings")
        return run_with(args, _explain)
    try:
        return _print(explain_directories(args), args)
    except ClientError as problem:
        print_error(str(problem))
        return 1


def _explain(admin: Admin, args: argparse.Namespace) -> int:
    """Ask the leader of each partition."""
    wanted = [TopicPartition(args.topic, each) for each in admin.partitions_of(args.topic)]
    leaders = admin.leaders(wanted)
    answers: dict[Connection, dict[str, Any]] = {}
    partitions = []
    for at in wanted:
        leader = leaders.get(at)
        if leader is None:
            partitions.append(
                {"partition": at.partition, "directory": None, "problem": "no broker leads the partition"}
            )
            continue
        if leader not in answers:
            answers[leader] = _ask(leader, args.topic)
        partitions += [each for each in answers[leader]["partitions"] if each["partition"] == at.partition]
    if not answers:
        raise ClientError(f"no partition of {args.topic} has a leader")
    return _print({**next(iter(answers.values())), "partitions": partitions}, args)


def _ask(leader: Connection, topic: str) -> dict[str, Any]:
    """The document of one broker.

    Raises:
        ClientError: the broker is no wirebroker, or refuses.
    """
    try:
        answer: InspectResponse = leader.send_unlisted(InspectRequest(subject="retention", name=topic), 0)
    except ClientError:
        raise ClientError(
            f"the broker at {leader.address} does not explain retention; is it a wirebroker? With --log-dir its data"
            " directory is read"
        ) from None
    if answer.error_code:
        raise response_error(f"topic {topic}", answer.error_code)
    found: dict[str, Any] = json.loads(answer.document)
    return found


def _print(document: dict[str, Any], args: argparse.Namespace) -> int:
    """Print the document; return 1 if the wanted partition, or the log of one, is not there."""
    if args.partition is not None:
        document["partitions"] = [each for each in document["partitions"] if each["partition"] == args.partition]
        if not document["partitions"]:
            raise ClientError(f"{args.topic} has no partition {args.partition} there")
    healthy = [each for each in document["partitions"] if each["problem"] is None]
    if args.format == "json":
        print_json(document)
    elif args.format == "text":
        print_lines(text_lines(row for each in healthy for row in _rows(each)))
    else:
        for each in healthy:
            print_lines([_summary(args.topic, each), *table_lines(_COLUMNS, _rows(each), separator="  "), ""])
        print_lines(f"{each['name']}={each['value']}  ({each['set_by']})" for each in document["settings"])
    for each in document["partitions"]:
        if each["problem"] is not None:
            print_error(f"{args.topic}-{each['partition']}: {each['problem']}")
    return 0 if len(healthy) == len(document["partitions"]) else 1


def _summary(topic: str, partition: dict[str, Any]) -> str:
    """One line about the log of a partition."""
    report = RetentionReport.from_object(partition)
    text = (
        f"{topic}-{partition['partition']} in {partition['directory']}: {report.size_bytes} bytes in"
        f" {len(report.segments)} segments, log start {report.log_start_offset}, last stable offset"
        f" {report.last_stable_offset}, high watermark {report.high_watermark}, log end {report.log_end_offset}"
    )
    if report.dirty_ratio is None:
        return text
    return f"{text}; compacted up to offset {report.first_dirty_offset}, {report.dirty_ratio:.1%} dirty"


def _rows(partition: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """One row for each thing that happens to a segment; one row without, if nothing does."""
    for segment in RetentionReport.from_object(partition).segments:
        for verdict in segment.verdicts or (None,):
            yield (partition["partition"], *_cells(segment), *_verdict_cells(verdict))


def _cells(segment: SegmentReport) -> tuple[Any, ...]:
    return segment.base_offset, segment.size_bytes, _time(segment.newest_timestamp_ms), segment.state


def _verdict_cells(verdict: Verdict | None) -> tuple[Any, ...]:
    if verdict is None:
        return None, None, None, "nothing deletes or compacts it"
    when = "now" if verdict.is_due else _time(verdict.due_ms)
    return verdict.action.value, when, verdict.setting, verdict.why


def _time(timestamp_ms: int | None) -> str | None:
    """The time in UTC; the number itself, if it is beyond the year 9999."""
    if timestamp_ms is None:
        return None
    try:
        return datetime.fromtimestamp(timestamp_ms / 1000, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return str(timestamp_ms)
