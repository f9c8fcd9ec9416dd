"""The config keys of releases: which are listed, and which attributes differ from the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.config.describe import ConfigSource, describe_broker, describe_topic
from wirebroker.config.load import load
from wirebroker.config.registry import BROKER_KEYS, NEWEST, TOPIC_KEYS, keys_of
from wirebroker.config.topic import check_settings
from wirebroker.config.values import ConfigError, render_value
from wirebroker.releases.config_keys import ADDED, CHANGED, REMOVED, TOPIC_ADDED, TOPIC_CHANGED, TOPIC_REMOVED, era_of
from wirebroker.releases.profile import WIREBROKER, ReleaseProfile
from wirebroker.releases.versions import RELEASES

if TYPE_CHECKING:
    from wirebroker.config.server import BrokerConfig


def config_as(version: str, *sets: str) -> BrokerConfig:
    return load(sets=sets, as_version=version).config


def listed(config: BrokerConfig) -> set[str]:
    return {entry.name for entry in describe_broker(config)} - {"wirebroker.as.version"}


def test_every_name_is_in_the_registry() -> None:
    for names in (*ADDED.values(), REMOVED):
        assert set(names.split()) <= set(BROKER_KEYS)
    for names in (*TOPIC_ADDED.values(), TOPIC_REMOVED):
        assert set(names.split()) <= set(TOPIC_KEYS)
    for changes in CHANGED.values():
        assert set(changes) <= set(BROKER_KEYS)
    for changes in TOPIC_CHANGED.values():
        assert set(changes) <= set(TOPIC_KEYS)


@pytest.mark.parametrize(
    ("release", "era"),
    [
        ("0.8.2", "2.0"),
        ("2.0", "2.0"),
        ("2.7", "2.0"),
        ("2.8", "2.8"),
        ("3.2", "2.8"),
        ("3.3", "3.9"),
        ("4.0", "4.0"),
        ("4.3", "4.1"),
    ],
)
def test_the_era_of_a_release(release: str, era: str) -> None:
    assert era_of(release) == era


@pytest.mark.parametrize(
    ("version", "broker", "topic"),
    [("2.0.1", 181, 25), ("2.8.2", 218, 26), ("3.9.1", 314, 36), ("4.0.0", 289, 33), ("4.1.0", 316, 33)],
)
def test_the_number_of_listed_keys(version: str, broker: int, topic: int) -> None:
    config = config_as(version)
    assert len(listed(config)) == broker
    assert len(describe_topic(config, {})) == topic


@pytest.mark.parametrize("release", RELEASES)
def test_defaults_are_values_that_their_keys_take(release: str) -> None:
    for key in keys_of(ReleaseProfile(release)).broker.values():
        text = render_value(key.default)
        if text:
            assert key.parse(text) == key.default


@pytest.mark.parametrize(("protocol", "magic"), [("2.8", 0), ("3.0-IV0", 0), ("3.0-IV1", 2), ("3.9", 2)])
def test_an_old_message_format_needs_an_old_protocol(protocol: str, magic: int) -> None:
    config = load(sets=[f"inter.broker.protocol.version={protocol}", "log.message.format.version=0.9.0"]).config
    assert config.topic_defaults.record_version == magic
    assert config.log_config({"message.format.version": "0.9.0"}).record_version == magic
    assert config.log_config({"message.format.version": "2.0"}).record_version == 2
    assert config.value("log.message.format.version") == "0.9.0"


def test_defaults_of_a_release_are_obeyed() -> None:
    old, new = config_as("2.0"), load().config
    assert old.value("message.max.bytes") == old.topic_defaults.max_message_bytes == 1_000_012
    assert new.value("message.max.bytes") == 1_048_588
    assert config_as("0.10.2").topic_defaults.message_format_version == "0.10.2-IV0"
    assert config_as("2.3").value("inter.broker.protocol.version") == "2.3-IV1"
    assert config_as("3.5").topic_defaults.message_format_version == "3.0-IV1"
    assert config_as("2.8").log_config({"message.format.version": "0.10.2"}).record_version == 1
    assert config_as("2.0", "message.max.bytes=5").topic_defaults.max_message_bytes == 5


def test_keys_added_after_3_9() -> None:
    assert "group.streams.max.size" in listed(config_as("4.1"))
    assert "group.streams.max.size" not in listed(config_as("4.0"))
    assert "share.coordinator.threads" in listed(config_as("4.0"))
    assert "share.coordinator.threads" not in listed(config_as("3.9"))
    assert "share.coordinator.threads" not in listed(load().config)
    assert "share.coordinator.threads" in listed(load(sets=["share.coordinator.threads=2"]).config)
    with pytest.raises(ConfigError, match="at least 1"):
        load(sets=["share.coordinator.threads=0"])
    assert config_as("4.0").value("share.coordinator.append.linger.ms") == 10
    assert load().config.value("share.coordinator.append.linger.ms") == 5


def test_a_key_of_a_later_release_is_listed_if_it_is_set() -> None:
    config = config_as("2.0", "node.id=0", "fetch.max.bytes=2000")
    assert {"fetch.max.bytes", "node.id"} <= listed(config)
    assert config.fetch_max_bytes == 2000
    entry = next(each for each in describe_broker(config) if each.name == "fetch.max.bytes")
    assert (entry.value, entry.source) == ("2000", ConfigSource.STATIC_BROKER)


def test_removed_keys_are_listed_for_releases_that_had_them() -> None:
    assert "port" in listed(config_as("2.8"))
    assert "port" not in listed(config_as("3.9"))
    assert "zookeeper.connect" in listed(config_as("3.9"))
    assert "zookeeper.connect" not in listed(config_as("4.0"))


def test_without_a_release_all_keys_are_as_declared() -> None:
    assert load().config.keys is NEWEST
    assert keys_of(WIREBROKER) is NEWEST


@pytest.mark.parametrize(
    ("release", "broker", "topic"), [("3.9", 14, 14), ("4.0", 1 << 20, 14), ("4.1", 1 << 20, 1 << 20)]
)
def test_the_smallest_segments_of_a_release(release: str, broker: int, topic: int) -> None:
    config = config_as(release, f"log.segment.bytes={broker}")
    assert check_settings({"segment.bytes": str(topic)}, config.topic_defaults, config.keys.topic)
    with pytest.raises(ConfigError, match=f"Value must be at least {topic}"):
        check_settings({"segment.bytes": str(topic - 1)}, config.topic_defaults, config.keys.topic)
    with pytest.raises(ConfigError, match=f"Value must be at least {broker}"):
        config_as(release, f"log.segment.bytes={broker - 1}")


def test_segments_below_the_bound_of_4_1() -> None:
    config = config_as("4.1")
    settings = check_settings({"internal.segment.bytes": "300"}, config.topic_defaults, config.keys.topic)
    assert config.log_config(settings).segment_bytes == 300
    assert config.log_config({**settings, "segment.bytes": "2000000"}).segment_bytes == 300
    entries = describe_topic(config, settings)
    names = [entry.name for entry in entries]
    assert names == sorted(names)
    found = {entry.name: (entry.value, entry.source) for entry in entries}
    assert found["internal.segment.bytes"] == ("300", ConfigSource.TOPIC)
    assert found["segment.bytes"] == (str(1 << 30), ConfigSource.DEFAULT)
    assert "internal.segment.bytes" not in {entry.name for entry in describe_topic(config, {})}
    for older in (config_as("4.0"), load().config):
        with pytest.raises(ConfigError, match="Unknown topic config name"):
            check_settings(settings, older.topic_defaults, older.keys.topic)


def test_an_unknown_release_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"wirebroker.as.version.*no release"):
        config_as("9.9")
