"""Where values come from, as DescribeConfigs tells it: entries with their source and synonyms.

Facts: KIP-226 (sources, synonyms), KIP-569 (types, texts), and what an Apache Kafka 3.9.1 broker answers: a key is
"static" when somebody wrote it into the file, its synonyms are listed strongest first and only from the key's own
setting on, unknown keys show no value, and a key for one listener is read-only.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.catalog import BROKER_SYNONYMS, NEWEST, TOPIC_KEYS, TOPIC_SYNONYMS, without_listener
from wirebroker.config.keys import READ_ONLY
from wirebroker.config.server import STANDALONE
from wirebroker.config.topic import default_of, parse_setting
from wirebroker.config.values import ConfigError, ConfigType, render_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wirebroker.config.server import BrokerConfig
    from wirebroker.config.values import Value


class ConfigSource(IntEnum):
    """Where a value was set, as numbered on the wire."""

    UNKNOWN = 0
    TOPIC = 1
    DYNAMIC_BROKER = 2
    DYNAMIC_DEFAULT_BROKER = 3
    STATIC_BROKER = 4
    DEFAULT = 5
    DYNAMIC_BROKER_LOGGER = 6
    CLIENT_METRICS = 7


class Synonym(NamedTuple):
    """A key and level that could give the value; the first of a list does."""

    name: str
    value: str | None
    source: ConfigSource


class Entry(NamedTuple):
    """One key as described to a client; *value* is None where there is none and where it is secret."""

    name: str
    value: str | None
    source: ConfigSource
    read_only: bool
    sensitive: bool
    kind: ConfigType
    synonyms: tuple[Synonym, ...]


def describe_broker(config: BrokerConfig, wanted: Iterable[str] | None = None) -> list[Entry]:
    """All keys of a broker, or those of them that are *wanted*."""
    sources = config.sources
    listed = [name for name, key in config.keys.broker.items() if not key.internal and key.removed_in is None]
    names = dict.fromkeys((*listed, *sources.static, *sources.cluster_default, *sources.per_broker))
    return [_broker_entry(config, name) for name in _chosen(names, wanted)]


def describe_cluster_default(config: BrokerConfig, wanted: Iterable[str] | None = None) -> list[Entry]:
    """The dynamic settings of all brokers, which is all there is to the resource without a name."""
    entries = []
    for name in _chosen(config.sources.cluster_default, wanted):
        kind, sensitive = _kind_of(config, name)
        value = None if sensitive else config.sources.cluster_default[name]
        synonym = Synonym(name, value, ConfigSource.DYNAMIC_DEFAULT_BROKER)
        entries.append(Entry(name, value, synonym.source, _is_read_only(config, name), sensitive, kind, (synonym,)))
    return entries


def describe_topic(
    config: BrokerConfig, overrides: Mapping[str, str], wanted: Iterable[str] | None = None
) -> list[Entry]:
    """All keys of a topic with the settings *overrides* of its own, or those that are *wanted*."""
    return [_topic_entry(config, overrides, name) for name in _chosen(config.keys.topic, wanted)]


def broker_synonyms(name: str) -> tuple[str, ...]:
    """The broker keys that give *name* its value, itself first."""
    if name in NEWEST.broker:
        return (name, *BROKER_SYNONYMS.get(name, ()))
    plain = without_listener(name)
    return (name,) if plain is None else (name, plain)


def _chosen(names: Iterable[str], wanted: Iterable[str] | None) -> list[str]:
    if wanted is None:
        return list(names)
    asked = set(wanted)
    return [name for name in names if name in asked]


def _broker_entry(config: BrokerConfig, name: str) -> Entry:
    kind, sensitive = _kind_of(config, name)
    synonyms = _synonyms(config, name, sensitive)
    value = None if sensitive else render_value(_broker_value(config, name))
    source = synonyms[0].source if synonyms else ConfigSource.DEFAULT
    return Entry(name, value, source, _is_read_only(config, name), sensitive, kind, synonyms)


def _broker_value(config: BrokerConfig, name: str) -> Value:
    if name in config.keys.broker:
        return config.value(name)
    sources = config.sources
    static = sources.static.get(name)
    text = sources.per_broker.get(name) or sources.cluster_default.get(name) or (static.text if static else "")
    return text.strip()


def _topic_entry(config: BrokerConfig, overrides: Mapping[str, str], name: str) -> Entry:
    key = TOPIC_KEYS[name]
    synonyms: tuple[Synonym, ...] = ()
    if name in TOPIC_SYNONYMS:
        synonyms = _synonyms(config, TOPIC_SYNONYMS[name][0], key.sensitive)
    value = default_of(name, config.value)
    if name in overrides:
        try:
            value = parse_setting(name, overrides[name])
            synonyms = (Synonym(name, render_value(value), ConfigSource.TOPIC), *synonyms)
        except ConfigError:
            pass  # not obeyed either
    source = synonyms[0].source if synonyms else ConfigSource.DEFAULT
    return Entry(name, render_value(value), source, False, key.sensitive, key.kind, synonyms)


def _synonyms(config: BrokerConfig, name: str, sensitive: bool) -> tuple[Synonym, ...]:
    names = broker_synonyms(name)
    sources = config.sources
    static = {each: sources.static[each].text for each in names if each in sources.static}
    default = {each: _default_text(config, each) for each in names}
    found = [
        Synonym(each, None if sensitive else text, source)
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
    return render_value(STANDALONE.get(name, key.default))


def _kind_of(config: BrokerConfig, name: str) -> tuple[ConfigType, bool]:
    """The type of a broker key, and whether to hide its value: an unknown key may hold anything."""
    keys = config.keys.broker
    key = keys.get(name) or keys.get(without_listener(name) or "")
    return (ConfigType.UNKNOWN, True) if key is None else (key.kind, key.sensitive)


def _is_read_only(config: BrokerConfig, name: str) -> bool:
    key = config.keys.broker.get(name)
    return key is None or key.scope is READ_ONLY
