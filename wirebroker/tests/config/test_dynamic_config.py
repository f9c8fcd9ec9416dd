"""DynamicConfig and its subscribers, and the checks of a change of dynamic settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.config.dynamic_config import DynamicConfig, check_broker_change
from wirebroker.config.load import load
from wirebroker.config.unsupported import check_dynamic_settings, dynamic_findings
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from wirebroker.config.server import BrokerConfig

CONFIG = load().config

REFUSED = [
    ({"broker.id": "9"}, False, "Cannot update these configs dynamically: broker.id"),
    ({"log.retention.hours": "7"}, True, "Cannot update these configs dynamically: log.retention.hours"),
    ({"advertised.listeners": "PLAINTEXT://x:1"}, True, "at default cluster level, broker id must be specified: adv"),
    ({"listener.name.x.max.connections": "1"}, True, "at default cluster level"),
    ({"ssl.keystore.password": "x"}, False, "only per-listener using the listener prefix: ssl.keystore.password"),
    (
        {"log.segment.bytes": "13"},
        False,
        "Invalid value 13 for configuration log.segment.bytes: Value must be at least",
    ),
    ({"log.segment.bytes": "x"}, True, "Invalid value x for configuration log.segment.bytes: Not a number of type INT"),
    ({"listener.name.x.max.connections": "x"}, False, "Not a number of type INT"),
    ({"leader.replication.throttled.rate": "abc"}, False, "Not a number of type LONG"),
    ({"follower.replication.throttled.rate": "-1"}, True, "Value must be at least 0"),
    ({"replica.alter.log.dirs.io.max.bytes.per.second": "1.5"}, False, "Not a number of type LONG"),
    ({"num.io.threads": "100"}, False, "between half and double the current value 8"),
    ({"log.cleaner.threads": "0"}, False, "configuration log.cleaner.threads: value should be at least 1"),
    ({"num.replica.fetchers": "0"}, True, "configuration num.replica.fetchers: value should be at least 1"),
    ({"metric.reporters": "x"}, True, "metric.reporters: class x cannot be found"),
    ({"log.cleaner.dedupe.buffer.size": "1048576"}, True, "more than 1048576 bytes are needed for each of"),
    ({"ssl.keystore.password": "x"}, True, "only per-listener using the listener prefix: ssl.keystore.password"),
    ({"num.io.threads": "3"}, False, "between half and double the current value 8"),
    ({"max.connections.per.ip.overrides": "foo"}, True, "Value must be a list of host:count"),
    ({"advertised.listeners": "PLAINTEXT://0.0.0.0:1"}, False, "clients cannot connect to 0.0.0.0"),
    ({"max.connections": "0"}, True, "Invalid value 0 for configuration max.connections: it must be 1 or more"),
    ({"max.connection.creation.rate": "0"}, False, "configuration max.connection.creation.rate: it must be 1 or more"),
    ({"max.connections.per.ip": "0"}, True, "it can be 0 only if max.connections.per.ip.overrides is set"),
    ({"log.retention.ms": "0"}, True, "log.retention.ms=0: it must be -1 (unlimited), or 1 or more"),
    ({"log.roll.ms": "0"}, False, "log.roll.ms=0: it must be 1 or more"),
    ({"log.roll.jitter.ms": "-1"}, False, "log.roll.jitter.ms=-1: it must be 0 or more"),
    ({"listeners": "SSL://127.0.0.1:9092"}, False, "listeners: listener SSL needs SSL, and only PLAINTEXT is served"),
    (
        {"listener.security.protocol.map": "PLAINTEXT:SSL"},
        False,
        "listener.security.protocol.map: listener PLAINTEXT needs SSL",
    ),
    ({"listeners": "PLAINTEXT://127.0.0.1:9092,E://:1"}, False, "does not say which protocol E speaks"),
    (
        {"listeners": "PLAINTEXT://127.0.0.1:9092,E://:1", "listener.security.protocol.map": "E:PLAINTEXT"},
        False,
        "listeners: a running broker keeps its listeners and the addresses that it has registered; set it where the",
    ),
]


@pytest.mark.parametrize(("after", "all_brokers", "reason"), REFUSED)
def test_refused(after: dict[str, str], all_brokers: bool, reason: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        check_broker_change(CONFIG, after.keys(), after, all_brokers=all_brokers)
    assert reason in str(refusal.value)


@pytest.mark.parametrize(
    ("after", "all_brokers"),
    [
        ({"log.retention.ms": "5000"}, True),
        ({"log.retention.ms": "5000", "no.such": "x"}, False),
        ({"num.io.threads": "16"}, True),
        ({"num.io.threads": "4"}, True),
        ({"log.cleaner.dedupe.buffer.size": "1048577"}, True),
        ({"advertised.listeners": "PLAINTEXT://x:1"}, False),
        ({"listener.name.plaintext.ssl.keystore.password": "x"}, False),
        ({"max.connections.per.ip": "0", "max.connections.per.ip.overrides": "10.0.0.1:5"}, True),
        ({"log.retention.ms": "-5"}, True),
        ({"listeners": "PLAINTEXT://127.0.0.1:9092", "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT"}, False),
        ({"metric.reporters": "org.apache.kafka.common.metrics.JmxReporter"}, True),
        ({"metric.reporters": ""}, True),
        ({}, False),
    ],
)
def test_accepted(after: dict[str, str], all_brokers: bool) -> None:
    check_broker_change(CONFIG, after.keys(), after, all_brokers=all_brokers)


@pytest.mark.parametrize("all_brokers", [False, True])
def test_every_key_may_be_removed(all_brokers: bool) -> None:
    removed = ["node.id", "listeners", "ssl.keystore.location", "listener.name.a.ssl.keystore.location", "no.such.key"]
    check_broker_change(CONFIG, removed, {}, all_brokers=all_brokers)
    with pytest.raises(ConfigError, match=r"^Cannot update these configs dynamically: log\.dirs$"):
        check_broker_change(CONFIG, [*removed, "log.dirs"], {"log.dirs": "/d"}, all_brokers=all_brokers)


def test_a_stored_setting_of_listeners_stops_no_start() -> None:
    """An earlier version has accepted it; the listeners are those that the broker was started with."""
    stored = {"listeners": "SSL://127.0.0.1:1", "listener.security.protocol.map": "PLAINTEXT:SSL"}
    config = CONFIG.with_dynamic({}, stored)
    assert config.listeners == CONFIG.listeners
    check_dynamic_settings(config)
    assert [str(finding) for finding in dynamic_findings(config)] == [
        f"{name}={text} (dynamic setting of broker 0) has no effect: listeners are opened as the broker is started for"
        for name, text in sorted(stored.items())
    ]


def test_a_member_of_a_cluster_keeps_its_registered_addresses() -> None:
    of_start = "PLAINTEXT://h:1"
    config = load(sets=["zookeeper.connect=z", "listeners=PLAINTEXT://:1", f"advertised.listeners={of_start}"]).config
    for text in (of_start, "PLAINTEXT://other:1"):
        change = {"advertised.listeners": text}
        if text == of_start:
            check_broker_change(config, change.keys(), change, all_brokers=False)
        else:
            with pytest.raises(ConfigError, match="keeps its listeners and the addresses that it has registered"):
                check_broker_change(config, change.keys(), change, all_brokers=False)
            stored = config.with_dynamic({}, change)
            assert stored.advertised == {"PLAINTEXT": ("h", 1)}
            assert [finding.name for finding in dynamic_findings(stored)] == ["advertised.listeners"]


def test_throttles_are_no_unknown_settings() -> None:
    stored = {"leader.replication.throttled.rate": "5", "replica.alter.log.dirs.io.max.bytes.per.second": "5"}
    assert dynamic_findings(CONFIG.with_dynamic(stored, stored)) == []


def test_unchanged_thread_counts_are_not_compared_with_the_current_ones() -> None:
    config = CONFIG.with_dynamic({}, {"num.io.threads": "16"})
    check_broker_change(config, ["log.retention.ms"], {"num.io.threads": "16"}, all_brokers=False)


def test_subscribers_get_the_current_configuration_and_each_later_one() -> None:
    dynamic = DynamicConfig(CONFIG)
    seen: list[tuple[str, int]] = []
    dynamic.subscribe(lambda config: seen.append(("a", config.max_connections)))
    dynamic.subscribe(lambda config: seen.append(("b", config.max_connections)))
    dynamic.update({"max.connections": "5"}, {})
    dynamic.update({"max.connections": "5"}, {})  # nothing changed
    dynamic.update({"max.connections": "5"}, {"max.connections": "6"})
    before = CONFIG.max_connections
    assert seen == [("a", before), ("b", before), ("a", 5), ("b", 5), ("a", 6), ("b", 6)]
    assert dynamic.current.max_connections == 6
    dynamic.update({}, {})
    assert dynamic.current.max_connections == before


def test_a_subscriber_that_raises_does_not_keep_the_change_from_the_next_one(caplog: pytest.LogCaptureFixture) -> None:
    dynamic = DynamicConfig(CONFIG)
    seen: list[int] = []

    def fail(config: BrokerConfig) -> None:
        if config.max_connections == 5:
            raise ValueError("five")

    dynamic.subscribe(fail)
    dynamic.subscribe(lambda config: seen.append(config.max_connections))
    dynamic.update({"max.connections": "5"}, {})
    assert seen[-1] == 5
    assert "failed to apply them; restart the broker" in caplog.text


@pytest.mark.parametrize(("after", "is_accepted"), [("1", True), ("2", True), ("6", True), ("7", False)])
def test_threads_may_be_halved_and_doubled_with_the_half_rounded_down(after: str, is_accepted: bool) -> None:
    config = CONFIG.with_dynamic({"log.cleaner.threads": "3"}, {})
    change = {"log.cleaner.threads": after}
    if is_accepted:
        check_broker_change(config, change.keys(), change, all_brokers=True)
    else:
        with pytest.raises(ConfigError, match="between half and double"):
            check_broker_change(config, change.keys(), change, all_brokers=True)


@pytest.mark.parametrize(
    "settings", [{"log.cleaner.threads": "0"}, {"log.cleaner.threads": "130"}, {"log.cleaner.dedupe.buffer.size": "-1"}]
)
def test_a_start_is_refused_if_a_cleaner_has_no_buffer(settings: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"log\.cleaner\.threads="):
        load(sets=[f"{name}={value}" for name, value in settings.items()])


def test_settings_that_are_stored_without_a_buffer_for_each_cleaner_stop_no_broker() -> None:
    config = CONFIG.with_dynamic({"log.cleaner.threads": "130"}, {})
    assert config.log_cleaner_threads == 130
    with pytest.raises(ConfigError, match=r"log\.cleaner\.threads=130"):
        check_broker_change(config, ["log.cleaner.backoff.ms"], {"log.cleaner.threads": "130"}, all_brokers=True)


def test_rates_of_throttles() -> None:
    """A rate of this broker goes before that of all; one that is no number, which another version wrote, is ignored."""
    rate = "follower.replication.throttled.rate"
    for per_broker, expected in (({rate: " 7 "}, 7), ({rate: "0"}, 0), ({rate: "x"}, 100), ({}, 100)):
        assert CONFIG.with_dynamic({rate: "100"}, per_broker).follower_throttle == expected
    assert CONFIG.with_dynamic({}, {rate: "-1"}).follower_throttle is None
