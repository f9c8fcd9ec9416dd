"""kafka-topics.sh: create, list, describe, alter and delete topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.kafka_tools.tool import FAILED, ToolError, ToolParser, connect, is_given, message_of
from wirebroker.cli.kafka_tools.topic_arguments import replica_assignment, topic_id
from wirebroker.cli.topics.changes import create_partitions, create_topic, delete_topic
from wirebroker.cli.topics.requests import (
    describe_topics,
    name_of,
    topic_id_text,
    topic_names,
)
from wirebroker.cli.topics.selection import PartitionFilter
from wirebroker.client.connection import ClientError, ResponseError
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    import argparse

    from wirebroker.cli.topics.requests import PartitionDescription, TopicDescription
    from wirebroker.client.admin import Admin

_ABOUT: Final = "This tool helps to create, delete, describe, or change a topic."
_ACTIONS: Final = ("list", "describe", "create", "alter", "delete")
_REPORTS: Final = (
    "under-replicated-partitions",
    "under-min-isr-partitions",
    "at-min-isr-partitions",
    "unavailable-partitions",
)
_ALTER_CONFIGS: Final = " (the kafka-configs CLI supports altering topic configs with a --bootstrap-server option)"
_MAX_REPLICATION_FACTOR: Final = 32767


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-topics", _ABOUT)
    for each in (*_ACTIONS, *_REPORTS, "topics-with-overrides", "if-exists", "if-not-exists", "exclude-internal"):
        parser.add_argument(f"--{each}", action="store_true")
    for each in ("topic", "topic-id", "replica-assignment"):
        parser.add_argument(f"--{each}")
    for each in ("partitions", "replication-factor", "partition-size-limit-per-response"):
        parser.add_argument(f"--{each}", type=int)
    parser.add_argument("--config", action="append", default=[])
    parser.add_argument("--delete-config", action="append", default=[])
    args = parser.read(argv)
    _check(parser, args)
    try:
        with connect(args) as admin:
            _run(admin, args)
    except (ClientError, ValueError) as problem:
        print(f"Error while executing topic command : {message_of(problem)}")
        return FAILED
    return 0


def _check(parser: ToolParser, args: argparse.Namespace) -> None:
    """End with the usage if options are missing or contradict each other."""
    if sum(is_given(args, each) for each in _ACTIONS) != 1:
        parser.usage_error("Command must include exactly one action: --list, --describe, --create, --alter or --delete")
    if not is_given(args, "bootstrap-server"):
        raise ToolError("--bootstrap-server must be specified")
    if args.describe and args.if_exists and not (is_given(args, "topic") or is_given(args, "topic-id")):
        parser.usage_error("--topic or --topic-id is required to describe a topic")
    if not (args.list or args.describe):
        parser.require(args, "topic")
    if args.alter:
        if args.config:
            parser.usage_error(
                'Option combination "[bootstrap-server],[config]" can\'t be used with option "[alter]"' + _ALTER_CONFIGS
            )
        parser.require(args, "partitions")
    for option, allowed in (
        ("config", ("create", "alter")),
        ("delete-config", ("alter",)),
        ("partitions", ("create", "alter")),
        ("replication-factor", ("create",)),
        ("replica-assignment", ("create", "alter")),
        *((report, ("describe",)) for report in _REPORTS),
        ("topics-with-overrides", ("describe",)),
        ("if-exists", ("alter", "delete", "describe")),
        ("if-not-exists", ("create",)),
        ("exclude-internal", ("list", "describe")),
    ):
        parser.refuse(args, option, [each for each in _ACTIONS if each not in allowed])
    if args.create:
        parser.refuse(args, "replica-assignment", ["partitions", "replication-factor"])
    for report in _REPORTS:
        parser.refuse(args, report, ["topics-with-overrides", *(each for each in _REPORTS if each != report)])


def _run(admin: Admin, args: argparse.Namespace) -> None:
    if args.create:
        _create(admin, args)
    elif args.list:
        print("\n".join(topic_names(admin, args.topic, exclude_internal=args.exclude_internal)))
    elif args.describe:
        _describe(admin, args)
    elif args.alter:
        assignment = replica_assignment(args.replica_assignment) if args.replica_assignment else []
        for name in _existing(admin, args):
            existing = len(admin.partitions_of(name))
            create_partitions(admin, name, args.partitions, assignment[existing:])
    else:
        for name in _existing(admin, args):
            delete_topic(admin, name)


def _create(admin: Admin, args: argparse.Namespace) -> None:
    assignment = replica_assignment(args.replica_assignment) if args.replica_assignment else []
    pairs = [config.split("=", 1) for config in args.config]
    if any(len(pair) != 2 or not pair[1].strip() for pair in pairs):
        raise ValueError(
            'requirement failed: Invalid topic config: all configs to be added must be in the format "key=val".'
        )
    if "." in args.topic or "_" in args.topic:
        print(
            "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') could "
            "collide. To avoid issues it is best to use either, but not both."
        )
    factor = args.replication_factor
    if factor is not None and not 1 <= factor <= _MAX_REPLICATION_FACTOR:
        raise ValueError(f"The replication factor must be between 1 and {_MAX_REPLICATION_FACTOR} inclusive")
    if args.partitions is not None and args.partitions < 1:
        raise ValueError("The partitions must be greater than 0")
    configs = {name.strip(): value.strip() for name, value in pairs}
    try:
        create_topic(admin, args.topic, args.partitions, factor, assignment, configs)
    except ResponseError as problem:
        if args.if_not_exists and problem.code == ErrorCode.TOPIC_ALREADY_EXISTS:
            return
        raise
    print(f"Created topic {args.topic}.")


def _existing(admin: Admin, args: argparse.Namespace) -> list[str]:
    names = topic_names(admin, args.topic, exclude_internal=args.exclude_internal)
    if args.topic and not names and not args.if_exists:
        raise ValueError(f"Topic 'Optional[{args.topic}]' does not exist as expected")
    return names


def _describe(admin: Admin, args: argparse.Namespace) -> None:
    chosen_id = topic_id(args.topic_id) if is_given(args, "topic-id") else b""
    if any(chosen_id):  # Kafka's tool takes the id of no topic, all zeros, for none
        name = name_of(admin, chosen_id, exclude_internal=args.exclude_internal)
        if name is None and not args.if_exists:
            raise ValueError(f"TopicId '{args.topic_id}' does not exist as expected")
        names = [] if name is None else [name]
    else:
        names = _existing(admin, args)
    chosen = PartitionFilter.of(args)
    live = {broker.node_id for broker in admin.metadata(()).brokers}
    for topic in describe_topics(admin, names):
        if not any(chosen) and (topic.overrides or not args.topics_with_overrides):
            print(_topic_line(topic))
        if not args.topics_with_overrides:
            for partition in topic.partitions:
                if chosen.shows(partition, topic.min_isr, live):
                    print(_partition_line(partition))


def _topic_line(topic: TopicDescription) -> str:
    id_text = topic_id_text(topic.topic_id)
    fields = [
        f"Topic: {topic.name}",
        *([f"TopicId: {id_text}"] if id_text else []),
        f"PartitionCount: {len(topic.partitions)}",
        f"ReplicationFactor: {topic.partitions[0].replication_factor}",
        f"Configs: {','.join(f'{each.name}={each.value}' for each in topic.overrides)}",
    ]
    return "\t".join(fields)


def _partition_line(partition: PartitionDescription) -> str:
    fields = [
        f"Topic: {partition.at.topic}",
        f"Partition: {partition.at.partition}",
        f"Leader: {'none' if partition.leader is None else partition.leader}",
        f"Replicas: {_ids(partition.replicas)}",
        f"Isr: {_ids(partition.isr)}",
    ]
    if partition.adding is not None or partition.removing is not None:
        fields += [f"Adding Replicas: {_ids(partition.adding)}", f"Removing Replicas: {_ids(partition.removing)}"]
    fields += [
        f"Elr: {'N/A' if partition.elr is None else _ids(partition.elr)}",
        f"LastKnownElr: {'N/A' if partition.last_known_elr is None else _ids(partition.last_known_elr)}",
    ]
    return "\t" + "\t".join(fields)


def _ids(numbers: list[int] | None) -> str:
    return ",".join(map(str, numbers or ()))
