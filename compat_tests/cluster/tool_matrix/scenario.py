"""Topics, records, commits and files that the tests of tools begin with, and what a release lacks."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Final

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.conftest import wait_until
from compat_tests.limits import flush
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from compat_tests.cluster.compared_tools import ComparedTools
    from compat_tests.cluster.mixed_cluster import MixedCluster

NOW: Final = int(time.time()) * 1000
"""The timestamp of the first record of each partition; older ones would be deleted."""


def skip_unless(tools: ComparedTools, *, since: str = "0", until: str = "9", what: str = "the tool") -> None:
    """Skip the test if the release of the tools lacks something."""
    if not since <= tools.dist.version < until:
        pytest.skip(f"{what} is not in {tools.dist.version}")


def skip_way(tools: ComparedTools, zookeeper: bool, bootstrap_since: str) -> None:
    """Skip the test if the release of the tools lacks this way to the cluster."""
    skip_unless(tools, **({"until": "3"} if zookeeper else {"since": bootstrap_since}), what="this way")


def refusal(tools: ComparedTools) -> Callable[[str], str]:
    """A function that returns the part to compare of what a tool prints about a setting that is refused.

    Older brokers refuse wrong values with InvalidRequestException instead of InvalidConfigurationException.
    """
    return str if tools.theirs.dist.version == KAFKA else exit_code


def create(
    tools: ComparedTools,
    topic: str,
    assignment: Mapping[int, tuple[int, ...]],
    configs: Mapping[str, str] | None = None,
) -> None:
    """Create a topic in both clusters, and wait until all brokers know it."""
    names = [f"{name}={value}" for name, value in (configs or {}).items()]
    options = [word for each in names for word in ("--config", each)]
    replicas = ",".join(":".join(map(str, assignment[each])) for each in sorted(assignment))
    words = ["--create", "--topic", topic, "--replica-assignment", replicas, *options]
    tools.compare("kafka-topics", *words, zookeeper=tools.dist.version < "2.2")
    tools.await_states(topic, {at: (each[0], set(each)) for at, each in assignment.items()})


def produce(topic: str, partition: int, values: list[bytes], cluster: MixedCluster) -> None:
    """Produce to one partition, one record in a batch."""
    producer = Producer({"bootstrap.servers": cluster.bootstrap(), "acks": "all", "linger.ms": 0})
    for number, value in enumerate(values):
        producer.produce(topic, value, b"key", partition, timestamp=NOW + number)
        flush(producer)


def consume(topic: str, group: str, partitions: int, cluster: MixedCluster) -> None:
    """Commit offset 1 of each partition, and one offset more of each next one, without being a member of the group."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap(), "group.id": group})
    try:
        offsets = [TopicPartition(topic, number, number + 1) for number in range(partitions)]
        consumer.commit(offsets=offsets, asynchronous=False)
    finally:
        consumer.close()


def file(path: Path, document: Mapping[str, object]) -> str:
    """Write a file of JSON; return its path."""
    path.write_text(json.dumps(document))
    return str(path)


def plan_file(path: Path, topic: str, plan: Mapping[int, tuple[int, ...]]) -> list[str]:
    """Write the file of a reassignment; return the option that names it."""
    partitions = [{"topic": topic, "partition": number, "replicas": replicas} for number, replicas in plan.items()]
    return ["--reassignment-json-file", file(path, {"version": 1, "partitions": partitions})]


def until_equal_to(tools: ComparedTools, wanted: str, *words: str, zookeeper: bool = False) -> None:
    """Run kafka-reassign-partitions until no output of it has *wanted*."""
    wait_until(
        lambda: (
            not any(wanted in each for each in tools.both("kafka-reassign-partitions", *words, zookeeper=zookeeper))
        ),
        240,
    )


def without_columns(*names: str) -> Callable[[str], str]:
    """A function that returns a printed table without the columns of these names; a last cell may be empty."""

    def remaining(printed: str) -> str:
        lines = printed.splitlines()
        header = next((line.split() for line in lines if set(line.split()) & {*names}), None)
        if header is None:
            return printed
        kept = [at for at, name in enumerate(header) if name not in names]
        return "\n".join(
            " ".join(cells[at] for at in kept if at < len(cells)) if 0 <= len(header) - len(cells) <= 1 else line
            for line, cells in ((line, line.split()) for line in lines)
        )

    return remaining


def exit_code(printed: str) -> str:
    """The line of the exit code, where brokers word a refusal differently."""
    return printed.splitlines()[0]
