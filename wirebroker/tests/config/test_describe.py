"""Sources and synonyms, as an Apache Kafka 3.9.1 broker was seen to list them."""

from __future__ import annotations

from wirebroker.config.describe import (
    ConfigEntry,
    ConfigSource,
    ConfigSynonym,
    describe_broker,
    describe_cluster_default,
    describe_topic,
)
from wirebroker.config.load import load
from wirebroker.config.values import ConfigType
from wirebroker.config.waivers import Waivers

CONFIG = load(
    sets=["log.retention.hours=100", "ssl.key.password=swordfish", "no.such=swordfish", "node.id=1"],
    waivers=Waivers(ignored=("ssl.key.password",)),
).config
DYNAMIC = CONFIG.with_dynamic(
    {"log.retention.ms": "6000", "no.such2": "x"},
    {"log.retention.ms": "5000", "listener.name.plaintext.max.connections": "50"},
)


def broker(name: str, config: object = DYNAMIC) -> ConfigEntry:
    assert config is CONFIG or config is DYNAMIC
    (entry,) = describe_broker(CONFIG if config is CONFIG else DYNAMIC, [name])
    return entry


def topic(name: str, **overrides: str) -> ConfigEntry:
    (entry,) = describe_topic(DYNAMIC, {key.replace("_", "."): text for key, text in overrides.items()}, [name])
    return entry


def test_a_default() -> None:
    assert broker("num.partitions") == ConfigEntry(
        "num.partitions",
        "1",
        ConfigSource.DEFAULT,
        True,
        False,
        ConfigType.INT,
        (ConfigSynonym("num.partitions", "1", ConfigSource.DEFAULT),),
    )


def test_no_value_at_all_has_no_synonyms() -> None:
    entry = broker("broker.rack")
    assert (entry.value, entry.source, entry.synonyms) == (None, ConfigSource.DEFAULT, ())


def test_every_level_is_listed_strongest_first() -> None:
    entry = broker("log.retention.ms")
    assert (entry.value, entry.source, entry.read_only) == ("5000", ConfigSource.DYNAMIC_BROKER, False)
    assert entry.synonyms == (
        ConfigSynonym("log.retention.ms", "5000", ConfigSource.DYNAMIC_BROKER),
        ConfigSynonym("log.retention.ms", "6000", ConfigSource.DYNAMIC_DEFAULT_BROKER),
        ConfigSynonym("log.retention.hours", "100", ConfigSource.STATIC_BROKER),
        ConfigSynonym("log.retention.hours", "168", ConfigSource.DEFAULT),
    )


def test_a_coarser_key_alone_does_not_show_under_the_finer_one() -> None:
    entry = broker("log.retention.ms", CONFIG)
    assert (entry.value, entry.source, entry.synonyms) == (None, ConfigSource.DEFAULT, ())


def test_both_names_of_the_id_are_static() -> None:
    for name in ("node.id", "broker.id"):
        assert (broker(name).value, broker(name).source) == ("1", ConfigSource.STATIC_BROKER)


def test_secrets_and_unknown_keys_show_no_value() -> None:
    for name, kind in (("ssl.key.password", ConfigType.PASSWORD), ("no.such", ConfigType.UNKNOWN)):
        entry = broker(name)
        assert (entry.value, entry.sensitive, entry.kind) == (None, True, kind)
        assert [synonym.value for synonym in entry.synonyms] == [None]
    assert broker("no.such2").source is ConfigSource.DYNAMIC_DEFAULT_BROKER


def test_throttles_that_only_a_running_broker_has_are_numbers() -> None:
    """With a value that is hidden, kafka-configs would refuse every further change of the broker."""
    names = {f"{side}.replication.throttled.rate": "300000" for side in ("leader", "follower")}
    names["replica.alter.log.dirs.io.max.bytes.per.second"] = "1000"
    entries = describe_broker(CONFIG.with_dynamic(names, {}), names)
    assert {each.name: each.value for each in entries} == names
    assert {(each.kind, each.sensitive) for each in entries} == {(ConfigType.LONG, False)}


def test_a_key_for_one_listener() -> None:
    entry = broker("listener.name.plaintext.max.connections")
    assert (entry.value, entry.read_only, entry.kind) == ("50", True, ConfigType.INT)
    assert entry.synonyms == (
        ConfigSynonym("listener.name.plaintext.max.connections", "50", ConfigSource.DYNAMIC_BROKER),
        ConfigSynonym("max.connections", "2147483647", ConfigSource.DEFAULT),
    )


def test_internal_and_removed_keys_are_not_listed_until_set() -> None:
    names = {entry.name for entry in describe_broker(CONFIG)}
    assert len(names) == 328 - 14 + 1  # and no.such
    assert names.isdisjoint({"port", "log.initial.task.delay.ms"})
    config = load(sets=["log.initial.task.delay.ms=1"]).config
    assert [entry.value for entry in describe_broker(config, ["log.initial.task.delay.ms"])] == ["1"]


def test_the_cluster_default_lists_what_was_set() -> None:
    assert describe_cluster_default(CONFIG) == []
    known, unknown = describe_cluster_default(DYNAMIC)
    assert (known.name, known.value, known.read_only) == ("log.retention.ms", "6000", False)
    assert (unknown.value, unknown.sensitive, unknown.read_only) == (None, True, True)
    assert describe_cluster_default(DYNAMIC, ["no.such2"]) == [unknown]


def test_a_topic_key_is_explained_by_the_brokers() -> None:
    entry = topic("retention.ms")
    assert (entry.value, entry.source, entry.read_only) == ("5000", ConfigSource.DYNAMIC_BROKER, False)
    assert [synonym.source for synonym in entry.synonyms] == [
        ConfigSource.DYNAMIC_BROKER,
        ConfigSource.DYNAMIC_DEFAULT_BROKER,
        ConfigSource.STATIC_BROKER,
        ConfigSource.DEFAULT,
    ]


def test_a_topics_own_setting_comes_first() -> None:
    entry = topic("segment.bytes", segment_bytes="2000")
    assert (entry.value, entry.source) == ("2000", ConfigSource.TOPIC)
    assert entry.synonyms == (
        ConfigSynonym("segment.bytes", "2000", ConfigSource.TOPIC),
        ConfigSynonym("log.segment.bytes", "1073741824", ConfigSource.DEFAULT),
    )


def test_a_topic_key_without_a_synonym_that_is_set() -> None:
    assert (topic("segment.ms").value, topic("segment.ms").synonyms) == ("604800000", ())
    assert topic("remote.storage.enable").synonyms == ()


def test_all_topic_keys_are_listed() -> None:
    assert len(describe_topic(CONFIG, {})) == 36
