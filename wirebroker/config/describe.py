"""Config entries with their sources and synonyms, for DescribeConfigs.

Facts: KIP-226 (sources, synonyms), KIP-569 (types, texts), and what an Apache Kafka 3.9.1 broker answers: a key is
"static" when it is in the file, its synonyms are listed strongest first and only from the key's own
setting on, unknown keys show no value, and a key for one listener is read-only.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.keys import READ_ONLY
from wirebroker.config.registry import DECLARED_TOPIC_KEYS, NEWEST, STANDALONE, TOPIC_KEYS, without_listener
from wirebroker.config.server import THROTTLES
from wirebroker.config.topic import default_of, parse_setting
from wirebroker.config.values import ConfigError, ConfigType, render_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wirebroker.config.server import BrokerConfig
    from wirebroker.config.values import Value


class ConfigSource(IntEnum):
    """The level that gives a value, as numbered on the wire."""

    UNKNOWN = 0
    TOPIC = 1
    DYNAMIC_BROKER = 2
    DYNAMIC_DEFAULT_BROKER = 3
    STATIC_BROKER = 4
    DEFAULT = 5
    DYNAMIC_BROKER_LOGGER = 6
    CLIENT_METRICS = 7


class ConfigSynonym(NamedTuple):
    """A key and level that have a value; the first synonym of an entry gives the entry its value."""

    name: str
    value: str | None
    source: ConfigSource


class ConfigEntry(NamedTuple):
    """One described key; *value* is None for a key without a value and for a secret."""

    name: str
    value: str | None
    source: ConfigSource
    read_only: bool
    sensitive: bool
    kind: ConfigType
    synonyms: tuple[ConfigSynonym, ...]


def describe_broker(config: BrokerConfig, wanted: Iterable[str] | None = None) -> list[ConfigEntry]:
    """Return all keys of a broker, or the *wanted* ones."""
    sources = config.sources
    listed = [name for name, key in config.keys.broker.items() if not key.internal and key.removed_in is None]
    names = dict.fromkeys((*listed, *sources.static, *sources.cluster_default, *sources.per_broker))
    return [_broker_entry(config, name) for name in _chosen(names, wanted)]


def describe_cluster_default(config: BrokerConfig, wanted: Iterable[str] | None = None) -> list[ConfigEntry]:
    """Return the dynamic settings of all brokers: the entries of the broker resource without a name."""
    entries = []
    for name in _chosen(config.sources.cluster_default, wanted):
        kind, sensitive = _kind_of(config, name)
        value = None if sensitive else config.sources.cluster_default[name]
        synonym = ConfigSynonym(name, value, ConfigSource.DYNAMIC_DEFAULT_BROKER)
        entries.append(
            ConfigEntry(name, value, synonym.source, _is_read_only(config, name), sensitive, kind, (synonym,))
        )
    return entries


def describe_topic(
    config: BrokerConfig, overrides: Mapping[str, str], wanted: Iterable[str] | None = None
) -> list[ConfigEntry]:
    """Return all keys of a topic whose own settings are *overrides*, or the *wanted* ones."""
    names = [name for name, key in config.keys.topic.items() if not key.internal or name in overrides]
    return [_topic_entry(config, overrides, name) for name in _chosen(names, wanted)]


def explain_settings(
    config: BrokerConfig, overrides: Mapping[str, str], topic_keys: Iterable[str], broker_keys: Iterable[str]
) -> list[dict[str, str | None]]:
    """Return an object of JSON (name, value, set_by) for each key of a topic with these settings, and of a broker."""
    entries = [*describe_topic(config, overrides, topic_keys), *describe_broker(config, broker_keys)]
    return [{"name": each.name, "value": each.value, "set_by": _set_by(config, each)} for each in entries]


def _set_by(config: BrokerConfig, entry: ConfigEntry) -> str:
    """Where the value of *entry* was set: the level, and the key there with its text."""
    if entry.source is ConfigSource.TOPIC:
        return "topic"
    key = TOPIC_KEYS.get(entry.name)
    # the synonyms of DescribeConfigs leave out those in coarser units, such as log.retention.hours
    names = (entry.name,) if key is None else key.synonyms
    name = next((each for each in names if config.value(each) is not None), None)
    if name is None:
        return "default"
    sources = config.sources
    if name in sources.per_broker:
        return f"broker {config.node_id}: {name}={sources.per_broker[name]}"
    if name in sources.cluster_default:
        return f"all brokers: {name}={sources.cluster_default[name]}"
    if name in sources.static:
        return f"{sources.static[name].place}: {name}={sources.static[name].text}"
    return f"default: {name}={render_value(config.value(name))}"


def broker_synonyms(name: str) -> tuple[str, ...]:
    """Return the broker keys that give *name* its value, itself first."""
    if name in NEWEST.broker:
        return (name, *NEWEST.broker[name].synonyms)
    plain = without_listener(name)
    return (name,) if plain is None else (name, plain)


def _chosen(names: Iterable[str], wanted: Iterable[str] | None) -> list[str]:
    if wanted is None:
        return list(names)
    asked = set(wanted)
    return [name for name in names if name in asked]


def _broker_entry(config: BrokerConfig, name: str) -> ConfigEntry:
    kind, sensitive = _kind_of(config, name)
    synonyms = _synonyms(config, name, sensitive)
    value = None if sensitive else render_value(_broker_value(config, name))
    source = synonyms[0].source if synonyms else ConfigSource.DEFAULT
    return ConfigEntry(name, value, source, _is_read_only(config, name), sensitive, kind, synonyms)


def _broker_value(config: BrokerConfig, name: str) -> Value:
    if name in config.keys.broker:
        return config.value(name)
    sources = config.sources
    static = sources.static.get(name)
    text = sources.per_broker.get(name) or sources.cluster_default.get(name) or (static.text if static else "")
    return text.strip()


def _topic_entry(config: BrokerConfig, overrides: Mapping[str, str], name: str) -> ConfigEntry:
    key = DECLARED_TOPIC_KEYS[name]
    synonyms: tuple[ConfigSynonym, ...] = ()
    if key.synonyms:
        synonyms = _synonyms(config, key.synonyms[0], key.sensitive)
    value = default_of(name, config.value)
    if name in overrides:
        try:
            value = parse_setting(name, overrides[name])
            synonyms = (ConfigSynonym(name, render_value(value), ConfigSource.TOPIC), *synonyms)
        except ConfigError:
            pass  # not in effect either
    source = synonyms[0].source if synonyms else ConfigSource.DEFAULT
    return ConfigEntry(name, render_value(value), source, False, key.sensitive, key.kind, synonyms)


def _synonyms(config: BrokerConfig, name: str, sensitive: bool) -> tuple[ConfigSynonym, ...]:
    names = broker_synonyms(name)
    sources = config.sources
    static = {each: sources.static[each].text for each in names if each in sources.static}
    default = {each: _default_text(config, each) for each in names}
    found = [
        ConfigSynonym(each, None if sensitive else text, source)
        for level, source in (
            (sources.per_broker, ConfigSource.DYNAMIC_BROKER),
            (sources.cluster_default, ConfigSource.DYNAMIC_DEFAULT_BROKER),
            (static, ConfigSource.STATIC_BROKER),
            (default, ConfigSource.DEFAULT),
        )
        for each in names
        if (text := level.get(each)) is not None
    ]
    for first, synonym in enumerate(found):
        if synonym.name == name:
            return tuple(found[first:])
    return ()


def _default_text(config: BrokerConfig, name: str) -> str | None:
    key = config.keys.broker.get(name)
    if key is None:
        return None
    return render_value(key.default if config.in_cluster else STANDALONE.get(name, key.default))


def _kind_of(config: BrokerConfig, name: str) -> tuple[ConfigType, bool]:
    """Return the type of a broker key, and whether to hide its value, as that of an unknown key."""
    if name in THROTTLES:
        return ConfigType.LONG, False
    keys = config.keys.broker
    key = keys.get(name) or keys.get(without_listener(name) or "")
    return (ConfigType.UNKNOWN, True) if key is None else (key.kind, key.sensitive)


def _is_read_only(config: BrokerConfig, name: str) -> bool:
    key = config.keys.broker.get(name)
    return key is None or key.scope is READ_ONLY
