"""Configs as Apache Kafka 3.9 describes and validates them: every key, then every kind of error."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.conftest import unique_name, wait_until
from compat_tests.wire import Wire
from wirebroker.config.registry import STANDALONE
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages import alter_configs as old
from wirebroker.protocol.messages import incremental_alter_configs as new
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource

if TYPE_CHECKING:
    from compat_tests.broker import Broker, Wirebroker
    from tools.jvm.kafka import KafkaBroker

TOPIC, BROKER = 2, 4
SET, DELETE, APPEND, SUBTRACT = range(4)
NODE = "0"

DIFFERENT_BY_PLACE = {
    "advertised.listeners",
    "controller.listener.names",
    "controller.quorum.voters",
    "listener.security.protocol.map",
    "listeners",
    "log.dirs",
    "num.recovery.threads.per.data.dir",
    "process.roles",
    "broker.id",
    "node.id",
    # the real broker's controller is started with more, so that it does not fence the broker on a busy machine
    "broker.session.timeout.ms",
    # asked for in the real broker's file, because there it would only start with a newer release
    "share.coordinator.state.topic.min.isr",
    "share.coordinator.state.topic.replication.factor",
}
"""Keys that the two processes were started with."""
DIFFERENT_ON_PURPOSE = set(STANDALONE)
"""Keys with defaults for a broker without a cluster."""


def ask(broker: Broker, request: Any, version: int) -> Any:
    with Wire(broker.host, broker.port) as wire:
        return wire.ask(request, version)


def describe(broker: Broker, kind: int, name: str, version: int = 4, keys: list[str] | None = None) -> Any:
    request = DescribeConfigsRequest([DescribeConfigsResource(kind, name, keys)], include_synonyms=version > 0)
    request.include_documentation = version >= 3
    (result,) = ask(broker, request, version).results
    return result


def create_topic(broker: Broker, name: str, **configs: str) -> int:
    settings = [CreatableTopicConfig(key.replace("_", "."), value) for key, value in configs.items()]
    (result,) = ask(broker, CreateTopicsRequest([CreatableTopic(name, 1, 1, [], settings)], 30_000), 5).topics
    code: int = result.error_code
    return code


def known(broker: Broker, topic: str) -> bool:
    return bool(describe(broker, TOPIC, topic).error_code == ErrorCode.NONE)


def shown(entry: Any) -> tuple[Any, ...]:
    synonyms = [(each.name, each.value, each.source) for each in entry.synonyms]
    return (entry.value, entry.config_source, entry.read_only, entry.is_sensitive, entry.config_type, synonyms)


def test_every_broker_key_is_described_as_kafka_describes_it(wirebroker: Wirebroker, apache_kafka: KafkaBroker) -> None:
    ours, theirs = (
        {entry.name: entry for entry in describe(broker, BROKER, NODE).configs} for broker in (wirebroker, apache_kafka)
    )
    assert set(ours) - set(theirs) == set()
    assert set(theirs) - set(ours) <= DIFFERENT_BY_PLACE
    different = {name for name in set(ours) & set(theirs) if shown(ours[name]) != shown(theirs[name])}
    assert different <= DIFFERENT_BY_PLACE | DIFFERENT_ON_PURPOSE
    for name in different:  # even there, all but the values is the same
        kinds = [(each.read_only, each.is_sensitive, each.config_type) for each in (ours[name], theirs[name])]
        assert kinds[0] == kinds[1]
    assert [name for name, entry in ours.items() if not entry.documentation] == []


def test_documentation_states_limited_effects(wirebroker: Wirebroker) -> None:
    name = unique_name("texts")
    assert create_topic(wirebroker, name) == ErrorCode.NONE
    wait_until(partial(known, wirebroker, name))
    of_topic, of_broker = (
        {entry.name: entry.documentation for entry in describe(wirebroker, *resource).configs}
        for resource in ((TOPIC, name), (BROKER, NODE))
    )
    assert "(wirebroker: partial effect, " in of_topic["min.insync.replicas"]
    assert "(wirebroker: no effect.)" in of_broker["num.io.threads"]
    assert "(wirebroker: not supported, connections are not encrypted" in of_broker["ssl.keystore.location"]
    for text in (of_topic["retention.ms"], of_topic["cleanup.policy"], of_broker["log.cleanup.policy"]):
        assert "wirebroker" not in text


@pytest.mark.parametrize("version", DescribeConfigsRequest.VERSIONS)
def test_every_topic_key_is_described_as_kafka_describes_it(
    wirebroker: Wirebroker, apache_kafka: KafkaBroker, version: int
) -> None:
    name = unique_name("described")
    answers = []
    for broker in (wirebroker, apache_kafka):
        assert create_topic(broker, name, segment_bytes=" 2000", cleanup_policy="compact , delete") == ErrorCode.NONE
        # Apache Kafka answers CreateTopics a moment before the broker has the topic
        wait_until(partial(known, broker, name))
        entries = describe(broker, TOPIC, name, version).configs
        answers.append({entry.name: shown(entry) for entry in entries})
    ours, theirs = answers
    assert set(ours) == set(theirs)
    assert {name: value for name, value in ours.items() if value != theirs[name]} == {}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (TOPIC, "no-such-topic"),
        (TOPIC, "bad name!"),
        (TOPIC, ""),
        (BROKER, "7"),
        (BROKER, "x"),
        (BROKER, ""),
        (99, "x"),
    ],
)
def test_describe_configs_errors(wirebroker: Wirebroker, apache_kafka: KafkaBroker, kind: int, name: str) -> None:
    ours, theirs = (describe(broker, kind, name) for broker in (wirebroker, apache_kafka))
    assert (ours.error_code, len(ours.configs)) == (theirs.error_code, len(theirs.configs))


NEW_TOPICS = [
    ("no.such", "1"),
    ("retention.ms", "abc"),
    ("retention.ms", "-2"),
    ("retention.ms", ""),
    ("retention.ms", "0x10"),
    ("retention.bytes", "-5"),
    ("segment.bytes", "13"),
    ("segment.bytes", "99999999999"),
    ("cleanup.policy", "foo"),
    ("cleanup.policy", ""),
    ("cleanup.policy", "compact,,delete"),
    ("compression.type", "none"),
    ("compression.gzip.level", "0"),
    ("compression.lz4.level", "18"),
    ("preallocate", "TRUE"),
    ("preallocate", "yes"),
    ("min.cleanable.dirty.ratio", "1.5"),
    ("min.cleanable.dirty.ratio", "0.30"),
    ("message.timestamp.type", "createtime"),
    ("message.format.version", "9.9"),
    ("message.format.version", "2.0"),
    ("leader.replication.throttled.replicas", "*"),
    ("leader.replication.throttled.replicas", "1:2,x"),
    ("min.insync.replicas", "0"),
    ("remote.storage.enable", "true"),
    ("local.retention.ms", "10"),
    ("flush.ms", "1e3"),
]


@pytest.mark.parametrize(("key", "value"), NEW_TOPICS)
def test_settings_of_a_new_topic(wirebroker: Wirebroker, apache_kafka: KafkaBroker, key: str, value: str) -> None:
    name = unique_name("new-topic")
    codes = [create_topic(broker, name, **{key: value}) for broker in (wirebroker, apache_kafka)]
    assert codes[0] == codes[1]


T = "TOPIC"  # stands for a topic that is there
INCREMENTAL = [
    (TOPIC, T, [("no.such", SET, "1")]),
    (TOPIC, T, [("no.such", DELETE, None)]),
    (TOPIC, T, [("retention.ms", SET, "abc")]),
    (TOPIC, T, [("retention.ms", APPEND, "5")]),
    (TOPIC, T, [("retention.ms", SUBTRACT, "5")]),
    (TOPIC, T, [("retention.ms", SET, None)]),
    (TOPIC, T, [("retention.ms", DELETE, None)]),
    (TOPIC, T, [("retention.ms", SET, "1"), ("retention.ms", SET, "2")]),
    (TOPIC, T, [("retention.ms", 9, "1")]),
    (TOPIC, T, [("cleanup.policy", APPEND, "compact")]),
    (TOPIC, T, [("cleanup.policy", SUBTRACT, "delete")]),
    (TOPIC, "nope", [("retention.ms", SET, "1")]),
    (TOPIC, "nope", [("retention.ms", SET, "abc")]),
    (TOPIC, "bad name!", [("retention.ms", SET, "abc")]),
    (TOPIC, "", [("retention.ms", SET, "1")]),
    (TOPIC, "bad name!", [("retention.ms", SET, "1")]),
    (BROKER, NODE, [("log.retention.hours", SET, "7")]),
    (BROKER, "", [("log.retention.hours", SET, "7")]),
    (BROKER, NODE, [("log.segment.bytes", SET, "13")]),
    (BROKER, "", [("log.segment.bytes", SET, "x")]),
    (BROKER, NODE, [("broker.id", SET, "9")]),
    (BROKER, "", [("advertised.listeners", SET, "PLAINTEXT://x:1")]),
    (BROKER, "", [("ssl.keystore.password", SET, "x")]),
    (BROKER, NODE, [("ssl.keystore.password", SET, "x")]),
    (BROKER, NODE, [("num.io.threads", SET, "100")]),
    (BROKER, "", [("max.connections.per.ip.overrides", SET, "foo")]),
    (BROKER, NODE, [("leader.replication.throttled.rate", SET, "abc")]),
    (BROKER, "", [("follower.replication.throttled.rate", SET, "-1")]),
    (BROKER, NODE, [("replica.alter.log.dirs.io.max.bytes.per.second", SET, "1.5")]),
    (BROKER, "", [("leader.replication.throttled.rate", SET, " 0 ")]),
    (BROKER, NODE, [("no.such", SET, "x")]),
    (BROKER, NODE, [("log.retention.ms", SET, "100000000")]),
    (BROKER, "7", [("log.retention.ms", SET, "1")]),
    (BROKER, "x", [("log.retention.ms", SET, "1")]),
    (99, "x", [("a", SET, "1")]),
]


@pytest.mark.parametrize(("kind", "name", "edits"), INCREMENTAL)
def test_incremental_changes(
    wirebroker: Wirebroker,
    apache_kafka: KafkaBroker,
    kind: int,
    name: str,
    edits: list[tuple[str, int, str | None]],
) -> None:
    codes = []
    topic = unique_name("incremental")
    for broker in (wirebroker, apache_kafka):
        if name == T:
            assert create_topic(broker, topic) == ErrorCode.NONE
        configs = [new.AlterableConfig(*edit) for edit in edits]
        resource = new.AlterConfigsResource(kind, topic if name == T else name, configs)
        answers = ask(broker, new.IncrementalAlterConfigsRequest([resource], validate_only=True), 1)
        codes.append([each.error_code for each in answers.responses])
    assert codes[0] == codes[1]


REPLACING = [
    (TOPIC, T, {"retention.ms": "1"}),
    (TOPIC, T, {}),
    (TOPIC, T, {"retention.ms": "x"}),
    (TOPIC, T, {"retention.ms": None}),
    (TOPIC, T, {"no.such": "x"}),
    (TOPIC, "nope", {"retention.ms": "1"}),
    (TOPIC, "nope", {"retention.ms": "x"}),
    (BROKER, NODE, {"log.segment.bytes": "x"}),
    (BROKER, NODE, {"broker.id": "9"}),
    (BROKER, "7", {"log.retention.ms": "1"}),
    (99, "x", {}),
]


@pytest.mark.parametrize(("kind", "name", "configs"), REPLACING)
def test_replacing_changes(
    wirebroker: Wirebroker, apache_kafka: KafkaBroker, kind: int, name: str, configs: dict[str, str | None]
) -> None:
    codes = []
    topic = unique_name("replacing")
    for broker in (wirebroker, apache_kafka):
        if name == T:
            assert create_topic(broker, topic) == ErrorCode.NONE
        settings = [old.AlterableConfig(*pair) for pair in configs.items()]
        resource = old.AlterConfigsResource(kind, topic if name == T else name, settings)
        answers = ask(broker, old.AlterConfigsRequest([resource], validate_only=True), 2)
        codes.append([each.error_code for each in answers.responses])
    assert codes[0] == codes[1]


@pytest.mark.parametrize("version", new.IncrementalAlterConfigsRequest.VERSIONS)
def test_a_change_survives_a_restart(start_wirebroker: Any, version: int) -> None:
    broker = start_wirebroker({"log.retention.hours": "2"})
    assert create_topic(broker, "t") == ErrorCode.NONE
    resources = [
        new.AlterConfigsResource(TOPIC, "t", [new.AlterableConfig("segment.bytes", SET, "2000")]),
        new.AlterConfigsResource(BROKER, "", [new.AlterableConfig("log.retention.ms", SET, "3000")]),
        new.AlterConfigsResource(BROKER, NODE, [new.AlterableConfig("message.max.bytes", SET, "5000")]),
    ]
    answers = ask(broker, new.IncrementalAlterConfigsRequest(resources), version).responses
    assert [each.error_code for each in answers] == [ErrorCode.NONE] * 3
    broker.kill()
    broker.start()
    found = {entry.name: (entry.value, entry.config_source) for entry in describe(broker, TOPIC, "t").configs}
    assert found["segment.bytes"] == ("2000", 1)
    assert found["retention.ms"] == ("3000", 3)
    assert found["max.message.bytes"] == ("5000", 2)
    assert found["segment.ms"] == ("604800000", 5)
