"""kafka-consumer-groups and kafka-transactions."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.cluster.tool_matrix.scenario import (
    NOW,
    consume,
    create,
    exit_code,
    produce,
    skip_unless,
    without_columns,
)
from compat_tests.conftest import wait_until
from compat_tests.limits import flush

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.cluster.compared_tools import ComparedTools
    from compat_tests.cluster.mixed_cluster import MixedCluster

pytestmark = pytest.mark.nightly


def test_consumer_groups(tools: ComparedTools, tmp_path: Path) -> None:
    create(tools, "grouped", {0: (0, 1), 1: (1, 2)})
    for partition in range(2):
        tools.on_both(partial(produce, "grouped", partition, [b"value"] * 10))
    tools.on_both(partial(consume, "grouped", "left", 2))
    tools.on_both(partial(consume, "grouped", "other", 1))
    groups = partial(tools.compare, "kafka-consumer-groups", ordered=False, only=without_coordinators)
    groups("--list", settles=True)
    describe = partial(groups, "--describe", "--group", "left", settles=True)
    for options in ([], ["--offsets"], ["--members"], ["--members", "--verbose"], ["--state"]):
        describe(*options)
    groups("--describe", "--group", "nobody", settles=True)
    if tools.dist.version >= "2.4":
        for options in ([], ["--members"], ["--state"]):
            groups("--describe", "--all-groups", *options, settles=True)
    if tools.dist.version >= "2.7":
        groups("--list", "--state", settles=True)
        groups("--list", "--state", "Empty", settles=True)
        groups("--list", "--state", "Nonsense", settles=True)
    if tools.dist.version >= "3.8":
        groups("--list", "--type", settles=True)
        groups("--list", "--type", "consumer", settles=True)
    reset = partial(groups, "--reset-offsets", "--group", "left")
    for options in (
        ["--to-earliest"],
        ["--to-latest"],
        ["--to-current"],
        ["--to-offset", "5"],
        ["--to-offset", "500"],
        ["--shift-by", "-1"],
        ["--to-datetime", datetime.fromtimestamp(NOW // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.005")],
    ):
        reset("--all-topics", *options, "--dry-run")
    reset("--topic", "grouped:1", "--to-offset", "7", "--execute")
    reset("--topic", "nobody", "--to-earliest", "--dry-run")
    reset("--all-topics", "--to-current", "--export", "--dry-run")
    describe()
    plan = tmp_path / "offsets.csv"
    plan.write_text("grouped,0,3\ngrouped,1,4\n")
    reset("--from-file", str(plan), "--execute")
    describe()
    groups("--reset-offsets", "--group", "new", "--topic", "grouped", "--to-earliest", "--execute")
    if tools.dist.version >= "2.4":
        groups("--delete-offsets", "--group", "left", "--topic", "grouped:0")
        groups("--delete-offsets", "--group", "left", "--topic", "nobody")
        groups("--delete-offsets", "--group", "nobody", "--topic", "grouped")
        describe()
    with_members(tools, groups)
    groups("--delete", "--group", "left")
    groups("--delete", "--group", "nobody")
    groups("--delete", "--group", "other", "--group", "new")
    groups("--list", settles=True)


def without_coordinators(printed: str) -> str:
    """The output without the coordinators of groups, whose partitions chance puts on brokers."""
    return re.sub(r"BROKER-\d \(\d\)", "BROKER (ID)", printed)


def with_members(tools: ComparedTools, groups: Callable[..., str]) -> None:
    """Describe, reset and delete a group that has a member."""
    consumers = []

    def join(cluster: MixedCluster) -> None:
        consumer = Consumer(
            {
                "bootstrap.servers": cluster.bootstrap(),
                "group.id": "busy",
                "client.id": "reader",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "group.instance.id": "static",
            }
            if tools.dist.version >= "2.4"
            else {
                "bootstrap.servers": cluster.bootstrap(),
                "group.id": "busy",
                "client.id": "reader",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )
        consumers.append(consumer)
        consumer.subscribe(["grouped"])
        seen: set[int] = set()

        def has_read() -> bool:
            message = consumer.poll(0.2)
            if message is not None and message.error() is None:
                seen.add(message.partition())
            return seen == {0, 1}

        wait_until(has_read)
        consumer.commit(offsets=[TopicPartition("grouped", each, 10) for each in (0, 1)], asynchronous=False)

    try:
        tools.on_both(join)
        describe = partial(groups, "--describe", "--group", "busy", settles=True)
        for options in ([], ["--members"], ["--members", "--verbose"], ["--state"]):
            describe(*options)
        groups("--reset-offsets", "--group", "busy", "--all-topics", "--to-earliest", "--execute")
        groups("--delete", "--group", "busy")
        if tools.dist.version >= "2.4":
            groups("--delete-offsets", "--group", "busy", "--topic", "grouped")
    finally:
        for each in consumers:
            each.close()


def test_transactions(tools: ComparedTools) -> None:
    skip_unless(tools, since="3", what="kafka-transactions")
    create(tools, "transacted", {0: (0, 1)})
    open_ones = []

    def begin(cluster: MixedCluster) -> None:
        done = Producer({"bootstrap.servers": cluster.bootstrap(), "transactional.id": "done"})
        done.init_transactions(120)
        done.begin_transaction()
        done.produce("transacted", b"value", partition=0)
        done.commit_transaction(120)
        longest = {"transaction.timeout.ms": 900_000}  # else it is aborted while a tool below asks for a minute
        producer = Producer({"bootstrap.servers": cluster.bootstrap(), "transactional.id": "open", **longest})
        producer.init_transactions(120)
        producer.begin_transaction()
        producer.produce("transacted", b"value", partition=0)
        flush(producer)
        open_ones.append(producer)

    tools.on_both(begin)
    only = without_columns("Coordinator", "CoordinatorId", "ProducerId", "TransactionDurationMs")
    transactions = partial(tools.compare, "kafka-transactions", ordered=False, only=only)
    transactions("list", settles=True)
    for name in ("done", "open", "nobody"):
        transactions("describe", "--transactional-id", name, settles=True)
    transactions("describe-producers", "--topic", "transacted", "--partition", "0", settles=True)
    transactions("describe-producers", "--topic", "transacted", "--partition", "0", "--broker-id", "1", settles=True)
    transactions("describe-producers", "--topic", "transacted", "--partition", "0", "--broker-id", "2")
    transactions("describe-producers", "--topic", "nobody", "--partition", "0", only=exit_code)  # which call timed out
    transactions("find-hanging", "--broker-id", "0", "--max-transaction-timeout", "0")
    transactions("find-hanging", "--topic", "transacted")
    transactions("abort", "--topic", "transacted", "--partition", "0", "--start-offset", "2")
    transactions("abort", "--topic", "transacted", "--partition", "0", "--start-offset", "1000")
    transactions("abort", "--topic", "nobody", "--partition", "0", "--start-offset", "0", only=exit_code)
    transactions("describe", "--transactional-id", "open")
    tools.on_both(lambda cluster: cluster.await_states("transacted", {0: (0, {0, 1})}))
    for each in open_ones:
        each.purge()
