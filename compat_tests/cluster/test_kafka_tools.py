"""Apache Kafka's own tools on three wirebrokers print what they print on three brokers of Apache Kafka."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.compared_tools import ComparedTools
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist


@pytest.fixture(
    scope="module",
    params=[OLDEST_KAFKA, *(pytest.param(each, marks=pytest.mark.nightly) for each in (OLD_KAFKA, KAFKA))],
)
def tools(
    request: pytest.FixtureRequest, kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ComparedTools]:
    with ComparedTools(tmp_path_factory.mktemp("tools"), kafka_dist(request.param)) as tools:
        yield tools


def by_zookeeper(tools: ComparedTools, last_version: str) -> bool:
    """Whether the tool is asked to use ZooKeeper: releases up to *last_version*."""
    return tools.dist.version <= last_version


def sorted_lines(printed: str) -> list[str]:
    """The lines in an order that does not depend on that of a hash map."""
    return sorted(printed.splitlines())


def test_a_topic_is_created_moved_and_deleted(tools: ComparedTools, tmp_path: Path) -> None:
    zookeeper = by_zookeeper(tools, "2.1")
    create = ["--create", "--topic", "short", "--replica-assignment", "0:1,1:2", "--config", "retention.ms=3600000"]
    assert "exit code 0" in tools.same("kafka-topics", *create, zookeeper=zookeeper)
    tools.await_states("short", {0: (0, {0, 1}), 1: (1, {1, 2})})
    assert "retention.ms=3600000" in tools.same("kafka-topics", "--describe", "--topic", "short", zookeeper=zookeeper)
    plan, zookeeper = plan_file(tmp_path, "short", {0: (1, 2), 1: (2, 0)}), by_zookeeper(tools, "2.4")
    theirs, ours = tools.both("kafka-reassign-partitions", *plan, "--execute", zookeeper=zookeeper)
    assert sorted_lines(ours) == sorted_lines(theirs)
    tools.await_states("short", {0: (1, {1, 2}), 1: (2, {2, 0})})
    verified: list[str] = []

    def is_over() -> bool:
        """Whether both controllers have ended the reassignment, which they do after the ISR has changed."""
        verified[:] = tools.both("kafka-reassign-partitions", *plan, "--verify", zookeeper=zookeeper)
        return not any("in progress" in each for each in verified)

    wait_until(is_over, 240)
    theirs, ours = verified
    assert sorted_lines(ours) == sorted_lines(theirs)
    delete = ["--delete", "--topic", "short"]
    assert "exit code 0" in tools.same("kafka-topics", *delete, zookeeper=by_zookeeper(tools, "2.1"))


def file(path: Path, document: Mapping[str, object]) -> str:
    """Write a file of JSON; return its path."""
    path.write_text(json.dumps(document))
    return str(path)


def plan_file(directory: Path, topic: str, plan: Mapping[int, tuple[int, ...]]) -> list[str]:
    """Write the file of a reassignment; return the option that names it."""
    partitions = [{"topic": topic, "partition": number, "replicas": replicas} for number, replicas in plan.items()]
    return ["--reassignment-json-file", file(directory / "plan.json", {"version": 1, "partitions": partitions})]
