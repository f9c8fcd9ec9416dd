"""`wirebroker topics describe`: partitions with leader and replicas, and the settings that are not the default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import (
    Column,
    as_objects,
    counted,
    print_json,
    print_lines,
    print_records,
    table_lines,
    text_lines,
)
from wirebroker.cli.topics.requests import describe_topics, name_of, parse_topic_id, topic_id_text
from wirebroker.cli.topics.selection import (
    PartitionFilter,
    add_exclude_internal,
    add_partition_filters,
    add_patterns,
    matching_topics,
)
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse

    from wirebroker.cli.configs.resources import ConfigEntry
    from wirebroker.cli.topics.requests import PartitionDescription, TopicDescription
    from wirebroker.client.admin import Admin

_TOPIC_COLUMNS: Final = (
    Column("TOPIC", "topic"),
    Column("TOPIC-ID", "topic_id"),
    Column("PARTITIONS", "partition_count", align=">"),
    Column("REPLICATION-FACTOR", "replication_factor", align=">"),
    Column("CONFIGS", "configs"),
)
_PARTITION_COLUMNS: Final = (
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition", align=">"),
    Column("LEADER", "leader", align=">"),
    Column("REPLICAS", "replicas"),
    Column("ISR", "isr"),
    Column("ADDING", "adding_replicas"),
    Column("REMOVING", "removing_replicas"),
    Column("ELR", "elr"),
    Column("LAST-KNOWN-ELR", "last_known_elr"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker topics describe`."""
    add_connection(parser)
    add_patterns(parser, "names or regular expressions (default: all topics)")
    parser.add_argument("--topic-id", metavar="ID", help="the topic with this id")
    add_exclude_internal(parser)
    parser.add_argument("--if-exists", action="store_true", help="a topic that does not exist is no error")
    add_partition_filters(parser)
    parser.add_argument(
        "--topics-with-overrides", action="store_true", help="only topics with settings of their own, no partitions"
    )


def run(args: argparse.Namespace) -> int:
    """Describe topics; return the exit code."""
    if args.topic_id is not None and (args.topics or args.topic):
        raise UsageError("name topics either by --topic-id or by name")
    if args.topics_with_overrides and any(PartitionFilter.of(args)):
        raise UsageError("--topics-with-overrides shows no partitions, which another option is to choose")
    return run_with(args, _describe)


def _describe(admin: Admin, args: argparse.Namespace) -> int:
    topics = describe_topics(admin, _names(admin, args))
    if args.topics_with_overrides:
        rows = [_topic_row(topic) for topic in topics if topic.overrides]
        if args.format == "json":
            print_json([_topic_object(topic) for topic in topics if topic.overrides])
        else:
            print_records(_TOPIC_COLUMNS, rows, args.format)
        return 0
    chosen = PartitionFilter.of(args)
    live = {broker.node_id for broker in admin.metadata(()).brokers}
    shown = {
        topic.name: [each for each in topic.partitions if chosen.shows(each, topic.min_isr, live)] for topic in topics
    }
    if args.format == "json":
        print_json(
            [
                {
                    **_topic_object(topic),
                    "partitions": as_objects(_PARTITION_COLUMNS, map(_partition_row, shown[topic.name])),
                }
                for topic in topics
                if shown[topic.name]
            ]
        )
    elif args.format == "text" or any(chosen):
        partitions = [_partition_row(each) for topic in topics for each in shown[topic.name]]
        if args.format == "text":
            print_lines(text_lines(partitions))
        else:
            _print_partitions(partitions)
    else:
        for number, topic in enumerate(topics):
            if number:
                print()
            _print_topic(topic)
    return 0


def _names(admin: Admin, args: argparse.Namespace) -> list[str]:
    if args.topic_id is None:
        return matching_topics(admin, args)
    name = name_of(admin, parse_topic_id(args.topic_id), exclude_internal=args.exclude_internal)
    if name is None and not args.if_exists:
        raise ClientError(f"there is no topic with the id {args.topic_id}")
    return [] if name is None else [name]


def _print_topic(topic: TopicDescription) -> None:
    """Print the topic's settings in a line, its partitions as a table below."""
    configs = " ".join(f"{each.name}={each.value}" for each in _overrides(topic))
    topic_id = topic_id_text(topic.topic_id)
    factor = topic.partitions[0].replication_factor if topic.partitions else 0
    facts = [counted(len(topic.partitions), "partition"), f"replication factor {factor}"]
    facts += [f"id {topic_id}"] if topic_id else []
    facts += [configs] if configs else []
    print(f"{topic.name}: {', '.join(facts)}")
    _print_partitions([_partition_row(each) for each in topic.partitions])


def _print_partitions(rows: list[tuple[Any, ...]]) -> None:
    """Print partitions without the columns that are empty in all of them, as those of a reassignment mostly are."""
    used = [
        index
        for index in range(len(_PARTITION_COLUMNS))
        if _PARTITION_COLUMNS[index].key not in ("adding_replicas", "removing_replicas", "elr", "last_known_elr")
        or any(row[index] for row in rows)
    ]
    print_lines(
        table_lines([_PARTITION_COLUMNS[index] for index in used], [[row[index] for index in used] for row in rows])
    )


def _topic_row(topic: TopicDescription) -> tuple[Any, ...]:
    return (
        topic.name,
        topic_id_text(topic.topic_id),
        len(topic.partitions),
        topic.partitions[0].replication_factor if topic.partitions else 0,
        [f"{each.name}={each.value}" for each in _overrides(topic)],
    )


def _topic_object(topic: TopicDescription) -> dict[str, Any]:
    (document,) = as_objects(_TOPIC_COLUMNS, [_topic_row(topic)])
    return {**document, "configs": [{"name": each.name, "value": each.value} for each in _overrides(topic)]}


def _overrides(topic: TopicDescription) -> list[ConfigEntry]:
    """The settings of a topic itself by name; brokers answer in an order of their own."""
    return sorted(topic.overrides, key=lambda each: each.name)


def _partition_row(partition: PartitionDescription) -> tuple[Any, ...]:
    return (*partition.at, *partition[1:4], partition.adding, partition.removing, partition.elr, partition[5])
