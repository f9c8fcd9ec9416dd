"""`wirebroker elect`: elect preferred leaders, or unclean ones, as kafka-leader-election.sh does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import print_json
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.admin import describe_code, response_error
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition, partitions_by_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from wirebroker.client.admin import Admin

_TYPES: Final = {"preferred": 0, "unclean": 1}
_WITH_TYPE: Final = 1
"""The first version of ElectLeaders that knows unclean elections (Kafka 2.4)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker elect`."""
    add_connection(parser)
    parser.add_argument(
        "--election-type",
        type=str.lower,  # Kafka's script takes capital letters, too
        choices=_TYPES,
        required=True,
        help="preferred: the first replica is to lead; unclean: any replica, for partitions without a leader",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--all-topic-partitions", action="store_true", help="all partitions that need an election")
    which.add_argument("--topic", metavar="TOPIC", help="the topic of one partition, with --partition")
    which.add_argument(
        "--path-to-json-file", type=Path, metavar="FILE", help='{"partitions":[{"topic":"t","partition":0}]}'
    )
    parser.add_argument("--partition", type=int, metavar="N", help="the partition of --topic")


def run(args: argparse.Namespace) -> int:
    """Elect leaders; return the exit code, 1 if one could not be elected."""
    if (args.topic is None) != (args.partition is None):
        raise UsageError("--topic and --partition name one partition together")
    return run_with(args, _elect)


def _elect(admin: Admin, args: argparse.Namespace) -> int:
    partitions = None
    if args.path_to_json_file is not None:
        partitions = _read(args.path_to_json_file)
    elif args.topic is not None:
        partitions = [TopicPartition(args.topic, args.partition)]
    results = elect_leaders(admin, args.election_type, partitions)
    elected = [str(at) for at, (code, _) in results.items() if not code]
    valid = [str(at) for at, (code, _) in results.items() if code == ErrorCode.ELECTION_NOT_NEEDED]
    failed = {
        str(at): message or describe_code(code)
        for at, (code, message) in results.items()
        if code not in (ErrorCode.NONE, ErrorCode.ELECTION_NOT_NEEDED)
    }
    if args.format == "json":
        listed = [{"partition": at, "error": error} for at, error in failed.items()]
        print_json({"elected": elected, "valid": valid, "failed": listed})
        return 1 if failed else 0
    kind = args.election_type.upper()
    if elected:
        print(f"Successfully completed leader election ({kind}) for partitions {', '.join(elected)}")
    if valid:
        print(f"Valid replica already elected for partitions {', '.join(valid)}")
    for at, error in failed.items():
        print(f"Error completing leader election ({kind}) for partition: {at}: {error}")
    if failed:
        print_error(f"{len(failed)} replica(s) could not be elected")
        return 1
    return 0


def elect_leaders(
    admin: Admin, election_type: str, partitions: Iterable[TopicPartition] | None
) -> dict[TopicPartition, tuple[int, str | None]]:
    """Elect leaders of *partitions*, with None of all; return (code, message) of each, sorted.

    Raises:
        ClientError: the controller refuses all of them.
    """
    wanted = None
    if partitions is not None:
        by_topic = partitions_by_topic(partitions).items()
        wanted = [TopicPartitions(topic, numbers) for topic, numbers in by_topic]
    request = ElectLeadersRequest(_TYPES[election_type], wanted, admin.timeout_ms)

    def send() -> dict[TopicPartition, tuple[int, str | None]]:
        controller = admin.controller()
        if _TYPES[election_type] and controller.version(ElectLeadersRequest) < _WITH_TYPE:
            raise ClientError("the cluster knows no unclean elections; brokers do from Kafka 2.4")
        response = controller.send(request)
        if response.error_code:
            raise response_error("elections", response.error_code)
        found = {
            TopicPartition(topic.topic, each.partition_id): (each.error_code, each.error_message)
            for topic in response.replica_election_results
            for each in topic.partition_result
        }
        for code, message in found.values():
            if code == ErrorCode.NOT_CONTROLLER:
                raise response_error("elections", code, message)
        return dict(sorted(found.items()))

    return admin.retry(send)


def _read(path: Path) -> list[TopicPartition]:
    """Return the partitions of a file.

    Raises:
        ClientError: it is not such a file.
    """
    try:
        document: Any = json.loads(path.read_text())
        found = [TopicPartition(str(each["topic"]), int(each["partition"])) for each in document["partitions"]]
    except OSError as problem:
        raise ClientError(f"{path} cannot be read: {problem.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise ClientError(f'{path} is not {{"partitions":[{{"topic":"t","partition":0}}]}}') from None
    if len(set(found)) != len(found):
        raise ClientError(f"{path} names a partition twice")
    return found
