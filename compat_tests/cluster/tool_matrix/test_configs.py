"""kafka-configs of topics, brokers, quotas and SCRAM credentials."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.tool_matrix.scenario import create, refusal, skip_way
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from compat_tests.cluster.compared_tools import ComparedTools

pytestmark = pytest.mark.nightly


def test_topic_configs(tools: ComparedTools, zookeeper: bool) -> None:
    skip_way(tools, zookeeper, "2.5")
    topic = f"configured-{int(zookeeper)}"
    create(tools, topic, {0: (0, 1)})
    entity = ["--entity-type", "topics", "--entity-name", topic]
    configs = partial(tools.compare, "kafka-configs", zookeeper=zookeeper, ordered=False)
    configs(*entity, "--describe")
    configs(*entity, "--alter", "--add-config", "cleanup.policy=[compact,delete],retention.ms=1000")
    configs(*entity, "--describe", settles=True)
    configs(*entity, "--alter", "--delete-config", "retention.ms", "--add-config", "max.message.bytes=2000000")
    configs(*entity, "--describe", settles=True)
    configs(*entity, "--alter", "--delete-config", "retention.ms")
    configs(*entity, "--alter", "--add-config", "no.such=1")
    configs(*entity, "--alter", "--add-config", "retention.ms=x", only=refusal(tools))
    configs(*entity, "--alter", "--add-config", "min.insync.replicas=0", only=refusal(tools))
    configs("--entity-type", "topics", "--entity-name", "nobody", "--describe")
    configs("--entity-type", "topics", "--entity-name", "nobody", "--alter", "--add-config", "retention.ms=1")
    configs("--entity-type", "topics", "--describe", settles=True)
    if not zookeeper and has_settings_of_wirebroker(tools):
        configs(*entity, "--describe", "--all", settles=True)


def test_broker_configs(tools: ComparedTools) -> None:
    one, every = ["--entity-type", "brokers", "--entity-name", "1"], ["--entity-type", "brokers", "--entity-default"]
    configs = partial(tools.compare, "kafka-configs", ordered=False)
    more = dynamic_configs_beside_those_of_brokers(tools)
    configs(*one, "--describe", settles=True)
    configs(*one, "--alter", "--add-config", ",".join(["log.cleaner.threads=2", *more]))
    configs(*every, "--alter", "--add-config", "log.retention.ms=7200000,unclean.leader.election.enable=false")
    configs(*one, "--describe", settles=True)
    configs(*every, "--describe", settles=True)
    configs(*one, "--alter", "--add-config", "broker.id=7")
    if tools.dist.version >= "2.3":  # before, the tool cannot take it back
        configs(*one, "--alter", "--add-config", "no.such=7")
        configs(*one, "--describe", settles=True)
        configs(*one, "--alter", "--add-config", "log.cleaner.threads=2")  # which older tools refuse beside it
        configs(*one, "--alter", "--delete-config", "no.such")
    configs(*one, "--alter", "--add-config", "log.cleaner.threads=x")
    configs(*one, "--alter", "--add-config", "log.cleaner.threads=100")
    configs(*every, "--alter", "--add-config", "listeners=PLAINTEXT://:1")
    configs("--entity-type", "brokers", "--entity-name", "x", "--describe")
    configs(
        *one,
        "--alter",
        "--delete-config",
        ",".join(["log.cleaner.threads", *(each.partition("=")[0] for each in more)]),
    )
    configs(*every, "--alter", "--delete-config", "log.retention.ms,unclean.leader.election.enable")
    configs(*every, "--alter", "--delete-config", "log.retention.ms")
    configs(*one, "--describe", settles=True)
    configs(*every, "--describe", settles=True)
    if tools.dist.version >= "2.5" and has_settings_of_wirebroker(tools):
        configs(*one, "--describe", "--all", settles=True, only=without_settings_of_the_tests)
    if tools.dist.version >= "2.4":
        loggers = ["--entity-type", "broker-loggers", "--entity-name", "1"]  # each kind has its own names but for root
        configs(*loggers, "--alter", "--add-config", "root=WARN")
        configs(*loggers, "--alter", "--add-config", "root=NOLEVEL", only=refusal(tools))
        configs(*loggers, "--alter", "--add-config", "no.such.logger=DEBUG")
        configs(*loggers, "--alter", "--add-config", "root=INFO")
        configs(*loggers, "--alter", "--delete-config", "root")


def has_settings_of_wirebroker(tools: ComparedTools) -> bool:
    """Whether the brokers have the settings and defaults of the release that wirebroker is like."""
    return tools.theirs.dist.version == KAFKA


def dynamic_configs_beside_those_of_brokers(tools: ComparedTools) -> list[str]:
    """Throttles, of which brokers of 2.0 do not know the type: they describe them as sensitive, and without a value."""
    return ["leader.replication.throttled.rate=1000000"] if tools.theirs.dist.version >= "2.4" else []


def without_settings_of_the_tests(printed: str) -> str:
    """The lines but for those of settings with which the tests start brokers of one kind only."""
    names = ("listeners=", "log.cleaner.dedupe.buffer.size=", "num.recovery.threads.per.data.dir=")
    return "\n".join(line for line in printed.splitlines() if not line.lstrip().startswith(names))


def test_quotas(tools: ComparedTools, zookeeper: bool) -> None:
    skip_way(tools, zookeeper, "2.6")
    configs = partial(tools.compare, "kafka-configs", zookeeper=zookeeper, ordered=False)
    entities = [
        ["--entity-type", "users", "--entity-name", "u"],
        ["--entity-type", "users", "--entity-default"],
        ["--entity-type", "clients", "--entity-name", "c"],
        ["--entity-type", "clients", "--entity-default"],
        ["--entity-type", "users", "--entity-name", "u", "--entity-type", "clients", "--entity-name", "c"],
        ["--entity-type", "users", "--entity-name", "u", "--entity-type", "clients", "--entity-default"],
    ]
    for number, entity in enumerate(entities, 1):
        configs(*entity, "--alter", "--add-config", f"producer_byte_rate={number}000,consumer_byte_rate={number}500")
        configs(*entity, "--describe", settles=True)
    if tools.dist.version >= "2.8":
        for entity in (["--entity-name", "10.0.0.1"], ["--entity-default"]):
            ip = ["--entity-type", "ips", *entity]
            configs(*ip, "--alter", "--add-config", "connection_creation_rate=100")
            configs(*ip, "--describe", settles=True)
        configs("--entity-type", "ips", "--describe", settles=True)
    for kind in ("users", "clients"):
        configs("--entity-type", kind, "--describe", settles=True)
    configs("--entity-type", "users", "--entity-type", "clients", "--describe", settles=True)
    configs(*entities[0], "--alter", "--add-config", "no_such_rate=1")
    configs(*entities[0], "--alter", "--add-config", "producer_byte_rate=x")
    configs(*entities[0], "--alter", "--add-config", "producer_byte_rate=-5")
    for entity in entities:
        configs(*entity, "--alter", "--delete-config", "producer_byte_rate,consumer_byte_rate")
    configs(*entities[0], "--alter", "--delete-config", "producer_byte_rate")
    if tools.dist.version >= "2.8":
        for entity in (["--entity-name", "10.0.0.1"], ["--entity-default"]):
            configs("--entity-type", "ips", *entity, "--alter", "--delete-config", "connection_creation_rate")
        configs(
            "--entity-type", "ips", "--entity-name", "no ip", "--alter", "--add-config", "connection_creation_rate=1"
        )
    for kind in ("users", "clients"):
        configs("--entity-type", kind, "--describe", settles=True)


def test_scram_credentials(tools: ComparedTools, zookeeper: bool) -> None:
    skip_way(tools, zookeeper, "2.7")
    configs = partial(tools.compare, "kafka-configs", zookeeper=zookeeper, ordered=False)
    user = ["--entity-type", "users", "--entity-name", f"alice-{int(zookeeper)}"]
    configs(*user, "--alter", "--add-config", "SCRAM-SHA-256=[iterations=4096,password=secret]")
    configs(*user, "--alter", "--delete-config", "SCRAM-SHA-512")
    if not zookeeper:  # where salts, which are random, are printed
        configs(*user, "--describe", settles=True)
    configs(*user, "--alter", "--delete-config", "SCRAM-SHA-256")
    configs(*user, "--describe", settles=True)
