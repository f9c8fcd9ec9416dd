"""Java's ConsumerGroupCommand on wirebroker: of Kafka 3.9, and of 2.0, whose admin client is another one, in Scala."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from compat_tests.conftest import unique_name
from compat_tests.group_clients import MEMBERS, MemberPool
from compat_tests.limits import flush
from compat_tests.spark_help import create_topic
from compat_tests.versions import KAFKA, OLDEST_KAFKA
from compat_tests.wire import Wire
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.jvm.kafka import KafkaDist

PARTITIONS = 4
HEADINGS = {"GROUP", "TOPIC", "CONSUMER-ID", "COORDINATOR"}


@pytest.fixture
def filled(bootstrap: str, topic: str) -> str:
    """A topic of four partitions with ten records each."""
    from confluent_kafka import Producer

    create_topic(bootstrap, topic, PARTITIONS)
    producer = Producer({"bootstrap.servers": bootstrap})
    for number in range(40):
        producer.produce(topic, b"%d" % number, partition=number % PARTITIONS)
    flush(producer)
    return topic


@pytest.mark.parametrize("version", [KAFKA, OLDEST_KAFKA])
def test_the_consumer_group_command(
    bootstrap: str, kafka_dist: Callable[[str], KafkaDist], filled: str, version: str
) -> None:
    group = unique_name("command")
    old = version == OLDEST_KAFKA

    def run(*arguments: str) -> str:
        done = kafka_dist(version).run("kafka-consumer-groups", "--bootstrap-server", bootstrap, *arguments)
        return done.stdout + done.stderr

    with MemberPool() as pool:
        member = pool.add(MEMBERS["confluent-kafka"](bootstrap, group, filled, "inst"))
        pool.poll_until(lambda: len(pool.read) == 40)
        member.commit()
        if old:
            assert group in run("--list").split()
        else:
            assert re.search(rf"^{group}\s+Stable", run("--list", "--state"), re.MULTILINE)
        table = _rows(run("--describe", "--group", group))
        assert {(row["PARTITION"], row["CURRENT-OFFSET"], row["LOG-END-OFFSET"], row["LAG"]) for row in table} == {
            (str(partition), "10", "10", "0") for partition in range(PARTITIONS)
        }
        assert {row["HOST"] for row in table} == {"/127.0.0.1"}
        (row,) = _rows(run("--describe", "--group", group, "--members", "--verbose"))
        assert row["#PARTITIONS"] == "4"
        # 3.9.1 forgets to print the topic, on Apache Kafka, too
        assert row["ASSIGNMENT"] == (f"{filled}(0,1,2,3)" if old else "(0,1,2,3)")
        assert old or row["GROUP-INSTANCE-ID"] == "inst"
        (state,) = _rows(run("--describe", "--group", group, "--state"))
        assert (state["ASSIGNMENT-STRATEGY"], state["STATE"], state["#MEMBERS"]) == ("range", "Stable", "1")
        if not old:
            for words in ((), ("--members",), ("--members", "--verbose"), ("--state",), ("--offsets",)):
                theirs = _columns(run("--describe", "--group", group, *words))
                mine = _columns(_ours(bootstrap, "describe", "--group", group, *words))
                assert [name for name in mine if name != "LAG-SECONDS"] == theirs, words
            theirs = _columns(run("--list", "--state"))
            assert _columns(_ours(bootstrap, "list", "--state")) == theirs
        assert re.search("NON_EMPTY_GROUP|is not empty", run("--delete", "--group", group))
        refused = run("--reset-offsets", "--group", group, "--all-topics", "--to-earliest", "--execute")
        assert "Assignments can only be reset if the group" in refused
        pool.leave(pool.add(MEMBERS["confluent-kafka"](bootstrap, group, filled)))
    _remove_static(bootstrap, group)
    for words, offsets in (
        (("--shift-by", "-3"), {("1", "7"), ("2", "7")}),
        (("--to-earliest",), {("1", "0"), ("2", "0")}),
        (("--to-latest",), {("1", "10"), ("2", "10")}),
        (("--to-datetime", "2020-01-01T00:00:00.000"), {("1", "0"), ("2", "0")}),
        (("--to-offset", "8"), {("1", "8"), ("2", "8")}),
    ):
        reset = run("--reset-offsets", "--group", group, "--topic", f"{filled}:1,2", *words, "--execute")
        # this table comes in one line
        assert set(re.findall(rf"{filled}\s+(\d)\s+(\d+)", reset)) == offsets, reset
        assert offsets < {
            (row["PARTITION"], row["CURRENT-OFFSET"]) for row in _rows(run("--describe", "--group", group))
        }
    if not old:
        deleted = run("--delete-offsets", "--group", group, "--topic", f"{filled}:3")
        assert re.search(rf"{filled}\s+3\s+Successful", deleted)
        table = _rows(run("--describe", "--group", group))
        assert {(row["PARTITION"], row["CURRENT-OFFSET"]) for row in table} == {("0", "10"), ("1", "8"), ("2", "8")}
    assert "was successful" in run("--delete", "--group", group)
    assert group not in run("--list").split()


def _ours(bootstrap: str, *words: str) -> str:
    """The output of `wirebroker groups`."""
    command = [sys.executable, "-m", "wirebroker", "groups", *words, "--bootstrap-server", bootstrap]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def _columns(output: str) -> list[str]:
    """The headings of a table."""
    (line,) = [line for line in output.splitlines() if line.split()[:1] == ["GROUP"]]
    return re.sub(r"\s+\(ID\)", "(ID)", line).split()


def _remove_static(bootstrap: str, group: str) -> None:
    """Remove a static member whose process has ended, as an operator does."""
    host, port = bootstrap.split(":")
    with Wire(host, int(port)) as wire:
        answer = wire.ask(LeaveGroupRequest(group, members=[MemberIdentity("", "inst")]), 4)
        assert not answer.members[0].error_code, repr(answer)


def _rows(output: str) -> list[dict[str, str]]:
    """The tables of the command: a line of headings, then rows of as many words."""
    found: list[dict[str, str]] = []
    headings: list[str] = []
    for line in output.splitlines():
        words = re.sub(r"(COORDINATOR)\s+\(ID\)|(\d)\s+\(\d+\)", r"\1\2", line).split()
        if words and words[0] in HEADINGS:
            headings = words
        elif headings and len(words) == len(headings):
            found.append(dict(zip(headings, words, strict=True)))
    return found
