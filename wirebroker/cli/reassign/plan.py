"""The JSON files of kafka-reassign-partitions.sh, and the throttles of a plan; nothing here does I/O.

{"version": 1, "topics": [{"topic": "t"}]}
{"version": 1, "partitions": [{"topic": "t", "partition": 0, "replicas": [1, 2], "log_dirs": ["any", "any"]}]}
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wirebroker.controller.assignment import assign
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_VERSION: Final = 1
_ANY_LOG_DIR: Final = "any"

Replicas = dict[TopicPartition, list[int]]


class PlanError(Exception):
    """A file has not the content that Kafka's tool asks for; the text is for the user."""


class TopicPartitionReplica(NamedTuple):
    """The replica of a partition on one broker."""

    at: TopicPartition
    broker_id: int

    def __str__(self) -> str:
        return f"{self.at}-{self.broker_id}"


class Reassignment(NamedTuple):
    """A reassignment in progress."""

    replicas: list[int]
    adding: list[int]
    removing: list[int]


class Throttles(NamedTuple):
    """The settings that hold a plan's copies back."""

    leader_replicas: dict[str, str]
    """Topic -> leader.replication.throttled.replicas."""
    follower_replicas: dict[str, str]
    """Topic -> follower.replication.throttled.replicas."""
    brokers: list[int]
    """The brokers that get a rate."""


def parse_topics(text: str) -> list[str]:
    """Return the topics of a file for `generate`.

    Raises:
        PlanError: there are none, or one comes twice, or it is not such a file.
    """
    names = [_text(each, "topic") for each in _listed(text, "topics")]
    twice = _duplicates(names)
    if twice:
        raise PlanError(f"List of topics to reassign contains duplicate entries: {', '.join(twice)}")
    if not names:
        raise PlanError("the file names no topics")
    return names


def parse_reassignment(text: str) -> Replicas:
    """Return partition -> replicas of a file for `execute`, `verify` and `cancel`.

    Raises:
        PlanError: it is not such a file, or names a partition or replica twice.
    """
    plan: list[tuple[TopicPartition, list[int]]] = []
    for each in _listed(text, "partitions"):
        at = TopicPartition(_text(each, "topic"), _number(each.get("partition"), "partition"))
        listed = each.get("replicas")
        if not isinstance(listed, list):
            raise PlanError(f'partition {at} has no list of "replicas"')
        directories = each.get("log_dirs", [_ANY_LOG_DIR] * len(listed))
        if not isinstance(directories, list) or not all(isinstance(directory, str) for directory in directories):
            raise PlanError(f'partition {at}: "log_dirs" is not a list of paths')
        if len(directories) != len(listed):
            raise PlanError(
                f"Size of replicas list {_java_list(listed)} is different from size of log dirs list "
                f"{_java_list(directories)} for partition {at}"
            )
        plan.append((at, [_number(broker_id, "replicas") for broker_id in listed]))
    if not plan:
        raise PlanError("Partition reassignment list cannot be empty")
    if not all(replicas for _, replicas in plan):
        raise PlanError("Partition replica list cannot be empty")
    twice = _duplicates(at for at, _ in plan)
    if twice:
        raise PlanError(f"Partition reassignment contains duplicate topic partitions: {','.join(map(str, twice))}")
    wrong = [(at, _duplicates(replicas)) for at, replicas in plan if _duplicates(replicas)]
    if wrong:
        entries = ". ".join(f"{at} contains multiple entries for {','.join(map(str, ids))}" for at, ids in wrong)
        raise PlanError(f"Partition replica lists may not contain duplicate entries: {entries}")
    return dict(plan)


def parse_log_dirs(text: str) -> dict[TopicPartitionReplica, str]:
    """Return replica -> log directory of a file that `parse_reassignment` accepts; replicas with "any" are left out."""
    return {
        TopicPartitionReplica(TopicPartition(each["topic"], each["partition"]), broker_id): directory
        for each in _listed(text, "partitions")
        for broker_id, directory in zip(each["replicas"], each.get("log_dirs", ()), strict=False)
        if directory != _ANY_LOG_DIR
    }


def as_document(plan: Mapping[TopicPartition, Sequence[int]]) -> dict[str, Any]:
    """Return the document of a plan, which `parse_reassignment` reads."""
    return {
        "version": _VERSION,
        "partitions": [
            {
                "topic": at.topic,
                "partition": at.partition,
                "replicas": list(plan[at]),
                "log_dirs": [_ANY_LOG_DIR] * len(plan[at]),
            }
            for at in sorted(plan)
        ],
    }


def as_line(plan: Mapping[TopicPartition, Sequence[int]]) -> str:
    """Return the document of a plan in one line, as Kafka's tool prints it."""
    return json.dumps(as_document(plan), separators=(",", ":"))


def propose(current: Mapping[TopicPartition, Sequence[int]], racks: Mapping[int, str | None], start: int) -> Replicas:
    """Return new replicas for every partition of *current*, on the brokers of *racks*.

    Each topic keeps the number of replicas of its first partition, and is spread anew.

    Args:
        current: All partitions of some topics.
        racks: Broker id -> rack.
        start: Any number; chooses the first broker.

    Raises:
        PlanError: there are fewer brokers than replicas.
    """
    proposed: Replicas = {}
    for topic in sorted({at.topic for at in current}):
        partitions = sorted(at for at in current if at.topic == topic)
        factor = len(current[partitions[0]])
        if factor > len(racks):
            raise PlanError(f"Replication factor: {factor} larger than available brokers: {len(racks)}.")
        assigned = assign(racks, len(partitions), factor, start=start, shift=start)
        proposed.update((at, list(replicas)) for at, replicas in zip(partitions, assigned, strict=True))
    return proposed


def throttles(
    under_way: Mapping[TopicPartition, Reassignment],
    proposed: Mapping[TopicPartition, Sequence[int]],
    current: Mapping[TopicPartition, Sequence[int]],
) -> Throttles:
    """Return the throttles of all moves: those under way and those of *proposed*, from the replicas in *current*."""
    moves: dict[TopicPartition, tuple[set[int], set[int]]] = {
        at: (set(each.replicas) - set(each.adding), set(each.adding)) for at, each in under_way.items()
    }
    for at, replicas in proposed.items():
        sources = moves[at][0] if at in moves else set(current[at])
        moves[at] = (sources, set(replicas) - sources)
    leaders: dict[str, list[str]] = {}
    followers: dict[str, list[str]] = {}
    brokers: set[int] = set()
    for at, (sources, destinations) in moves.items():
        leaders.setdefault(at.topic, []).extend(f"{at.partition}:{each}" for each in sources)
        followers.setdefault(at.topic, []).extend(f"{at.partition}:{each}" for each in destinations)
        brokers |= sources | destinations
    return Throttles(
        {topic: ",".join(sorted(entries)) for topic, entries in leaders.items()},
        {topic: ",".join(sorted(entries)) for topic, entries in followers.items()},
        sorted(brokers),
    )


def _listed(text: str, name: str) -> list[dict[str, Any]]:
    """Return the objects of the list *name* in a document of version 1."""
    try:
        document = json.loads(text)
    except ValueError as problem:
        raise PlanError(f"the file is not valid JSON: {problem}") from None
    if not isinstance(document, dict):
        raise PlanError("the file is not a JSON object")
    version = document.get("version", _VERSION)
    if version != _VERSION:
        raise PlanError(f"Not supported version field value {version}")
    listed = document.get(name, [])
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise PlanError(f'"{name}" is not a list of objects')
    return listed


def _java_list(values: Iterable[object]) -> str:
    return f"[{', '.join(map(str, values))}]"


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise PlanError(f'an entry has no "{name}"')
    return value


def _number(value: Any, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise PlanError(f'{value!r} in "{name}" is not a number')
    return value


def _duplicates(values: Iterable[Any]) -> list[Any]:
    return [value for value, count in Counter(values).items() if count > 1]
