"""Tools that move partitions and elect leaders."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.compared_tools import BROKERS
from compat_tests.cluster.tool_matrix.scenario import (
    create,
    file,
    plan_file,
    produce,
    skip_unless,
    skip_way,
    until_equal_to,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from compat_tests.cluster.compared_tools import ComparedTools

pytestmark = pytest.mark.nightly


def test_partitions_are_reassigned(tools: ComparedTools, zookeeper: bool, tmp_path: Path) -> None:
    skip_way(tools, zookeeper, "2.6")
    topic = f"moved-{int(zookeeper)}"
    reassign = partial(tools.compare, "kafka-reassign-partitions", zookeeper=zookeeper, ordered=False)
    create(tools, topic, {0: (0, 1), 1: (1, 2)})
    for partition in range(2):  # a throttle of 100 MB/s is none, one of 1000 B/s lets one record through in 15 minutes
        tools.on_both(partial(produce, topic, partition, [b"x" * 900_000] * 20))
    moving = file(tmp_path / "topics.json", {"version": 1, "topics": [{"topic": topic}]})
    generate = ["--topics-to-move-json-file", moving, "--generate", "--broker-list"]
    reassign(*generate, "0,1,2", only=current_assignment)
    reassign(*generate, "0,7")
    reassign(*generate, "0,0")
    away = plan_file(tmp_path / "away.json", topic, {0: (2, 1), 1: (2, 0)})
    wrong: Mapping[str, Mapping[int, tuple[int, ...]]] = {
        "unknown": {7: (0,)},
        "offline": {0: (0, 8)},
        "twice": {0: (1, 1)},
        "none": {0: ()},
    }
    for name, partitions in wrong.items():
        reassign(*plan_file(tmp_path / f"{name}.json", topic, partitions), "--execute")
    unknown = plan_file(tmp_path / "nobody.json", "neither-created-nor-asked-for", {0: (0,)})
    reassign(*unknown, "--execute")
    reassign(*unknown, "--verify")
    reassign("--reassignment-json-file", file(tmp_path / "empty.json", {"version": 1, "partitions": []}), "--execute")
    reassign(*away, "--verify")
    reassign(*away, "--execute", "--throttle", "1000")
    modern = not zookeeper
    if modern:
        reassign("--list")
        reassign(*away, "--verify")
        reassign(*away, "--execute", "--throttle", "1000")
        reassign(*away, "--execute", "--additional", "--throttle", "2000")
    configs = partial(tools.compare, "kafka-configs", "--describe", zookeeper=zookeeper, settles=True)
    configs("--entity-type", "topics", "--entity-name", topic)
    configs("--entity-type", "brokers", "--entity-name", "1")
    if modern:
        reassign(*away, "--cancel", "--preserve-throttles")
        until_equal_to(tools, "still in progress", *away, "--verify", "--preserve-throttles")
        reassign("--list", settles=True)
        configs("--entity-type", "topics", "--entity-name", topic)
        tools.await_states(topic, {0: (0, {0, 1}), 1: (1, {1, 2})})
        reassign(*away, "--verify")
        reassign(*away, "--cancel")
    reassign(*away, "--execute", "--throttle", "100000000")
    if zookeeper and tools.dist.version >= "2.6":  # which does not change the throttle of a reassignment in progress
        raise_throttles(tools)
    until_equal_to(tools, "progress", *away, "--verify", zookeeper=zookeeper)
    reassign(*away, "--verify", settles=True)
    configs("--entity-type", "topics", "--entity-name", topic)
    configs("--entity-type", "brokers", "--entity-name", "1")
    tools.await_states(topic, {0: (2, {1, 2}), 1: (2, {0, 2})})
    more = plan_file(tmp_path / "more.json", topic, {0: (0, 1, 2), 1: (1,)})
    reassign(*more, "--execute")
    until_equal_to(tools, "progress", *more, "--verify", zookeeper=zookeeper)
    describe = partial(tools.compare, "kafka-topics", "--describe", "--topic", topic, settles=True)
    describe(zookeeper=zookeeper, only=without_replication_factor)


def raise_throttles(tools: ComparedTools) -> None:
    """Set the rates of throttled replicas on each broker to 100 MB/s."""
    rates = ",".join(f"{side}.replication.throttled.rate=100000000" for side in ("leader", "follower"))
    for broker_id in BROKERS:
        broker = ["--entity-type", "brokers", "--entity-name", str(broker_id)]
        assert "exit code 0" in tools.compare("kafka-configs", *broker, "--alter", "--add-config", rates)


def without_replication_factor(printed: str) -> str:
    """The description without the replication factor, which is that of the first partition of a map without order."""
    return re.sub(r"ReplicationFactor: ?\d+", "ReplicationFactor", printed)


def current_assignment(printed: str) -> str:
    """The current assignment that --generate prints; its proposal begins at a random broker."""
    return printed.partition("Proposed")[0]


def test_preferred_leaders_are_elected(tools: ComparedTools, zookeeper: bool, tmp_path: Path) -> None:
    if zookeeper:
        skip_unless(tools, until="3", what="kafka-preferred-replica-election")
    else:
        skip_unless(tools, since="2.4", what="kafka-leader-election")
    topic = f"elected-{int(zookeeper)}"
    create(tools, topic, {0: (0, 1), 1: (1, 2), 2: (2, 0)})
    plan = plan_file(tmp_path / "order.json", topic, {0: (1, 0), 1: (2, 1), 2: (2, 0)})
    by_zookeeper = tools.dist.version < "2.6"
    tools.compare("kafka-reassign-partitions", *plan, "--execute", zookeeper=by_zookeeper, ordered=False)
    until_equal_to(tools, "progress", *plan, "--verify", zookeeper=by_zookeeper)
    tools.await_states(topic, {0: (0, {0, 1}), 1: (1, {1, 2}), 2: (2, {0, 2})})
    wanted = [{"topic": topic, "partition": 1}, {"topic": topic, "partition": 2}]
    document = file(tmp_path / "elect.json", {"partitions": wanted})
    if zookeeper:
        elect = partial(tools.compare, "kafka-preferred-replica-election", zookeeper=True, ordered=False)
        elect("--path-to-json-file", document)
        tools.await_states(topic, {0: (0, {0, 1}), 1: (2, {1, 2}), 2: (2, {0, 2})})
        unknown = [{"topic": topic, "partition": 9}]
        elect("--path-to-json-file", file(tmp_path / "unknown.json", {"partitions": unknown}))
    else:
        elect = partial(tools.compare, "kafka-leader-election", ordered=False)
        elect("--election-type", "preferred", "--path-to-json-file", document)
        tools.await_states(topic, {0: (0, {0, 1}), 1: (2, {1, 2}), 2: (2, {0, 2})})
        elect("--election-type", "unclean", "--path-to-json-file", document)
        elect("--election-type", "preferred", "--topic", topic, "--partition", "2")
        elect("--election-type", "preferred", "--topic", topic, "--partition", "9")
        elect("--election-type", "preferred", "--topic", "nobody", "--partition", "0")
        elect("--election-type", "preferred", "--topic", topic, "--partition", "0")
        tools.await_states(topic, {0: (1, {0, 1}), 1: (2, {1, 2}), 2: (2, {0, 2})})
        elect("--election-type", "unclean", "--all-topic-partitions")
