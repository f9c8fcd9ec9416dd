"""Topic configs: the settings of a topic over the broker's defaults, and the checks of CreateTopics and AlterConfigs.

Facts: KIP-226 and Kafka's table of server synonyms: a topic key's default is the broker key of (nearly) the same name,
which may have synonyms in coarser units (`log.retention.hours`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.config.keys import FOREVER, value_of_synonyms
from wirebroker.config.log import LogConfig
from wirebroker.config.registry import BROKER_KEYS, DECLARED_TOPIC_KEYS, TOPIC_KEYS
from wirebroker.config.sections.topic import SEGMENT_BYTES_BELOW_BOUND
from wirebroker.config.values import ConfigError, render_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wirebroker.config.keys import Key
    from wirebroker.config.values import Value


def field(name: str) -> str:
    """Return the attribute of LogConfig for the topic key *name*."""
    return name.replace(".", "_")


def default_of(name: str, broker_value: Callable[[str], Value]) -> Value:
    """Return the value of topic key *name* where the topic has no setting of its own."""
    key = DECLARED_TOPIC_KEYS[name]
    value = value_of_synonyms(key.synonyms, broker_value)
    if value is None:
        return key.default
    # Any negative age means "for ever" in the broker's units, and only -1 does in a topic's.
    return -1 if name == "retention.ms" and isinstance(value, int) and value < 0 else value


def default_log_config(**settings: Any) -> LogConfig:
    """Return what a topic without settings on a broker without settings obeys, but for *settings*, by field."""
    return topic_defaults(lambda name: BROKER_KEYS[name].default)._replace(**settings)


def topic_defaults(broker_value: Callable[[str], Value]) -> LogConfig:
    """Return the settings of a topic without any of its own, on a broker with these values."""
    values: dict[str, Any] = {field(name): default_of(name, broker_value) for name in TOPIC_KEYS}
    return LogConfig(**values)


def log_config(defaults: LogConfig, overrides: Mapping[str, str]) -> LogConfig:
    """Return *defaults* with the settings of a topic over them; invalid settings are ignored.

    Settings were checked when they were written, or read (`cluster/invalid_configs.py`); only those of another version
    can be invalid here.
    """
    values: dict[str, Any] = {}
    for name, text in overrides.items():
        try:
            values[field(name)] = parse_setting(name, text)
        except ConfigError:
            continue
    below_bound = values.pop(field(SEGMENT_BYTES_BELOW_BOUND), None)
    if below_bound is not None:
        values["segment_bytes"] = below_bound
    return defaults._replace(**values) if values else defaults


def with_timestamp_bounds(config: LogConfig) -> LogConfig:
    """Return *config* with the older bound of timestamps in place of each newer one that is not set (KIP-937)."""
    bound = config.message_timestamp_difference_max_ms
    if bound == FOREVER:
        return config
    before, after = config.message_timestamp_before_max_ms, config.message_timestamp_after_max_ms
    return config._replace(
        message_timestamp_before_max_ms=bound if before == FOREVER else before,
        message_timestamp_after_max_ms=bound if after == FOREVER else after,
    )


def parse_setting(name: str, text: str | None, known: Mapping[str, Key] = DECLARED_TOPIC_KEYS) -> Value:
    """Return the value of one topic setting by the *known* keys; ConfigError for an invalid one."""
    key = known.get(name)
    if key is None:
        raise ConfigError(f"Unknown topic config name: {name}")
    if text is None:
        raise ConfigError(f"Null value not supported for topic configs: {name}")
    return key.parse(text)


def check_settings(
    overrides: Mapping[str, str | None], defaults: LogConfig, known: Mapping[str, Key] = TOPIC_KEYS
) -> dict[str, str]:
    """Return the settings of a topic in canonical form, to store; ConfigError for invalid or contradicting ones."""
    for name in overrides:
        if name not in known:
            raise ConfigError(f"Unknown topic config name: {name}")
    parsed = {name: parse_setting(name, text, known) for name, text in overrides.items()}
    shortest = parsed.get("min.compaction.lag.ms", defaults.min_compaction_lag_ms)
    longest = parsed.get("max.compaction.lag.ms", defaults.max_compaction_lag_ms)
    assert isinstance(shortest, int)
    assert isinstance(longest, int)
    if shortest > longest:
        raise ConfigError(
            f"conflict topic config setting min.compaction.lag.ms ({shortest}) > max.compaction.lag.ms ({longest})"
        )
    if parsed.get("remote.storage.enable"):
        raise ConfigError("remote.storage.enable: this broker has no tiered storage")
    return {name: render_value(value) or "" for name, value in parsed.items()}
