"""`wirebroker configs` and Apache Kafka's kafka-configs.sh change and print the same entities, of either broker."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from compat_tests.conftest import unique_name, wait_until
from compat_tests.spark_help import await_topic
from compat_tests.versions import KAFKA
from tools.jvm.tool_runner import ToolRunner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

RATES: Final = ("producer_byte_rate=1000", "consumer_byte_rate=2000")
CONNECTION_RATES: Final = ("connection_creation_rate=10", "connection_creation_rate=20")
ENTITIES: Final = {
    "topics": ("--entity-type topics --entity-name TOPIC", "retention.ms=1234567", "segment.ms=999999"),
    "brokers": ("--entity-type brokers --entity-name BROKER", "log.cleaner.threads=2", "log.retention.ms=7777777"),
    "broker defaults": (
        "--entity-type brokers --entity-default",
        "log.flush.interval.messages=987654321",
        "log.retention.ms=888888888",
    ),
    "broker-loggers": ("--entity-type broker-loggers --entity-name BROKER", "root=WARN", "root=INFO"),
    "users": ("--entity-type users --entity-name u", *RATES),
    "user defaults": ("--entity-type users --entity-default", *RATES),
    "clients": ("--entity-type clients --entity-name c", *RATES),
    "client defaults": ("--entity-type clients --entity-default", *RATES),
    "users with clients": ("--entity-type users --entity-name u --entity-type clients --entity-name c", *RATES),
    "ips": ("--entity-type ips --entity-name 10.0.0.1", *CONNECTION_RATES),
    "ip defaults": ("--entity-type ips --entity-default", *CONNECTION_RATES),
    "client-metrics": ("--entity-type client-metrics --entity-name m", "interval.ms=5000", "interval.ms=6000"),
}
"""Options of the entity, a setting that wirebroker's command adds, and one that Apache Kafka's script adds."""


@pytest.fixture(scope="module")
def runner(kafka_dist: Callable[[str], KafkaDist]) -> Iterator[ToolRunner]:
    with ToolRunner(kafka_dist(KAFKA)) as runner:
        yield runner


@pytest.fixture(scope="module", params=["wirebroker", "apache_kafka"])
def broker(request: pytest.FixtureRequest) -> Broker:
    broker: Broker = request.getfixturevalue(request.param)
    return broker


class Command:
    """`wirebroker` and the script of Apache Kafka against one broker."""

    def __init__(self, broker: Broker, runner: ToolRunner) -> None:
        self._bootstrap, self._runner = broker.bootstrap, runner
        self.topic = unique_name("configs")
        self.ours("topics", "create", self.topic)
        await_topic(self._bootstrap, self.topic)
        (node,) = json.loads(self.ours("cluster", "info", "--format", "json"))["brokers"]
        self.broker_id = str(node["broker_id"])

    def ours(self, *words: str) -> str:
        """Run wirebroker's command and return its output."""
        command = [sys.executable, "-m", "wirebroker", *words, "--bootstrap-server", self._bootstrap]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout

    def theirs(self, *words: str) -> str:
        """Run kafka-configs.sh and return its output."""
        done = self._runner.run("kafka-configs", "--bootstrap-server", self._bootstrap, *words)
        assert done.returncode == 0, (words, done)
        return str(done.stdout)

    def settings(self, entity: list[str]) -> dict[str, str]:
        """Return the settings that `configs describe` prints for one entity."""
        rows = json.loads(self.ours("configs", "describe", *entity, "--format", "json"))
        return {row["config"]: str(row["value"]) for row in rows}


@pytest.fixture(scope="module")
def command(broker: Broker, runner: ToolRunner) -> Command:
    return Command(broker, runner)


def items_of(printed: str, kind: str) -> list[str]:
    """Return what one of the scripts prints, in an order: quotas come in that of a hash map."""
    lines = printed.splitlines()
    if kind == "broker-loggers":  # each kind of broker has its own ones
        lines = [line for line in lines if line.startswith("  root=")]
    return sorted(word for line in lines for word in line.replace(", ", " ").split(" "))


@pytest.mark.parametrize("kind", ENTITIES)
def test_both_change_and_print_an_entity(command: Command, kind: str) -> None:
    options, first, second = ENTITIES[kind]
    entity = options.replace("TOPIC", command.topic).replace("BROKER", command.broker_id).split()
    wanted = dict(each.split("=") for each in (first, second))
    script = ("kafka-configs.sh", *entity, "--describe")

    command.ours("configs", "alter", *entity, "--add-config", first)
    wait_until(lambda: first in command.theirs(*entity, "--describe"))
    command.theirs(*entity, "--alter", "--add-config", second)
    wait_until(lambda: second in command.theirs(*entity, "--describe"))
    found = command.settings(entity)
    assert {name: found[name].removesuffix(".0") for name in wanted} == wanted
    assert items_of(command.ours(*script), kind) == items_of(command.theirs(*entity, "--describe"), kind)

    if kind == "broker-loggers":  # the level of the root logger cannot be removed
        return
    command.ours("configs", "alter", *entity, "--delete-config", ",".join(wanted))
    wait_until(lambda: not any(name in command.theirs(*entity, "--describe") for name in wanted))
