"""The files of `wirebroker reassign`, proposals, and the throttles that a plan needs."""

from __future__ import annotations

import json

import pytest

from wirebroker.cli.reassign.plan import (
    PlanError,
    Reassignment,
    TopicPartitionReplica,
    as_line,
    parse_log_dirs,
    parse_reassignment,
    parse_topics,
    propose,
    throttles,
)
from wirebroker.model import TopicPartition

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)


def plan(*partitions: object) -> str:
    return json.dumps({"version": 1, "partitions": partitions})


def test_a_plan_is_printed_as_kafka_prints_it_and_read_again() -> None:
    text = as_line({T1: [2, 1], T0: [1]})
    assert text == (
        '{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1],"log_dirs":["any"]},'
        '{"topic":"t","partition":1,"replicas":[2,1],"log_dirs":["any","any"]}]}'
    )
    assert parse_reassignment(text) == {T0: [1], T1: [2, 1]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not valid JSON"),
        ("[]", "not a JSON object"),
        ('{"version":2}', "Not supported version field value 2"),
        (plan(), "Partition reassignment list cannot be empty"),
        (plan({"topic": "t", "partition": 0, "replicas": []}), "Partition replica list cannot be empty"),
        (plan({"topic": "t", "partition": 0, "replicas": [1, 1]}), "t-0 contains multiple entries for 1"),
        (plan({"topic": "t", "partition": "0", "replicas": [1]}), "not a number"),
        (plan({"partition": 0, "replicas": [1]}), 'no "topic"'),
        (plan({"topic": "t", "partition": 0}), 'no list of "replicas"'),
        (plan(*[{"topic": "t", "partition": 0, "replicas": [1]}] * 2), "duplicate topic partitions: t-0"),
        (
            plan({"topic": "t", "partition": 0, "replicas": [2, 1], "log_dirs": ["any"]}),
            r"Size of replicas list \[2, 1\] is different from size of log dirs list \[any\] for partition t-0",
        ),
        (plan({"topic": "t", "partition": 0, "replicas": [1], "log_dirs": [1]}), "not a list of paths"),
    ],
)
def test_wrong_plans(text: str, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        parse_reassignment(text)


def test_log_directories_of_a_plan() -> None:
    text = plan(
        {"topic": "t", "partition": 0, "replicas": [2, 1], "log_dirs": ["any", "/d"]},
        {"topic": "t", "partition": 1, "replicas": [2]},
    )
    assert parse_reassignment(text) == {T0: [2, 1], T1: [2]}
    assert parse_log_dirs(text) == {TopicPartitionReplica(T0, 1): "/d"}
    assert str(TopicPartitionReplica(T0, 1)) == "t-0-1"


def test_topics_are_named_once() -> None:
    assert parse_topics('{"topics":[{"topic":"t"},{"topic":"u"}]}') == ["t", "u"]
    with pytest.raises(PlanError, match="duplicate entries: t"):
        parse_topics('{"version":1,"topics":[{"topic":"t"},{"topic":"t"}]}')
    with pytest.raises(PlanError, match="names no topics"):
        parse_topics('{"version":1}')


def test_a_proposal_keeps_the_number_of_replicas_and_separates_racks() -> None:
    racks: dict[int, str | None] = {1: "a", 2: "a", 3: "b", 4: "b"}
    proposed = propose({T0: [9, 8], T1: [8, 9], U0: [9]}, racks, 1)
    assert proposed.keys() == {T0, T1, U0}
    assert [len(proposed[each]) for each in (T0, T1, U0)] == [2, 2, 1]
    assert all({racks[each] for each in proposed[at]} == {"a", "b"} for at in (T0, T1))
    with pytest.raises(PlanError, match="Replication factor: 2 larger than available brokers: 1"):
        propose({T0: [9, 8]}, {1: None}, 0)


def test_throttles_name_sources_and_new_replicas() -> None:
    under_way = {T1: Reassignment([3, 1, 2], [3], [1])}
    wanted = throttles(under_way, {T0: [2, 4], T1: [1, 2, 5]}, {T0: [1, 2], T1: [3, 1, 2]})
    assert wanted == ({"t": "0:1,0:2,1:1,1:2"}, {"t": "0:4,1:5"}, [1, 2, 4, 5])
