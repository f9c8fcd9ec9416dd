"""A topic's own settings over the broker's defaults, and what CreateTopics and AlterConfigs may write.

Facts: KIP-226 and Kafka's table of server synonyms: a topic key's default is the broker key of (nearly) the same name,
which has siblings in coarser units (`log.retention.hours`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wirebroker.config.catalog import TOPIC_KEYS, TOPIC_SYNONYMS
from wirebroker.config.log import FOREVER, LogConfig
from wirebroker.config.values import ConfigError, render_value

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from wirebroker.config.values import Value

_UNIT_MS = {"minutes": 60_000, "hours": 3_600_000}


def field(name: str) -> str:
    """The attribute of LogConfig that holds the topic key *name*."""
    return name.replace(".", "_")


def default_of(name: str, broker_value: Callable[[str], Value]) -> Value:
    """The value of topic key *name* where the topic says nothing."""
    for synonym in TOPIC_SYNONYMS.get(name, ()):
        value = broker_value(synonym)
        if value is not None:
            unit = _UNIT_MS.get(synonym.rpartition(".")[2], 1)
            if unit > 1:
                assert isinstance(value, int)
                value *= unit
            # Any negative age means "for ever" in the broker's units, and only -1 does in a topic's.
            return -1 if name == "retention.ms" and isinstance(value, int) and value < 0 else value
    return TOPIC_KEYS[name].default


def topic_defaults(broker_value: Callable[[str], Value]) -> LogConfig:
    """What a topic without settings obeys."""
    values: dict[str, Any] = {field(name): default_of(name, broker_value) for name in TOPIC_KEYS}
    return LogConfig(**values)


def log_config(defaults: LogConfig, overrides: Mapping[str, str]) -> LogConfig:
    """*defaults* with a topic's settings over them; a setting that will not do is passed over.

    Settings were checked when they were written; only another version's can be wrong here.
    """
    values: dict[str, Any] = {}
    for name, text in overrides.items():
        try:
            values[field(name)] = parse_setting(name, text)
        except ConfigError:
            continue
    return replace(defaults, **values) if values else defaults


def with_timestamp_bounds(config: LogConfig) -> LogConfig:
    """*config* where the older key for both bounds stands in for those of the newer two that set no bound (KIP-937)."""
    either = config.message_timestamp_difference_max_ms
    if either == FOREVER:
        return config
    before, after = config.message_timestamp_before_max_ms, config.message_timestamp_after_max_ms
    return replace(
        config,
        message_timestamp_before_max_ms=either if before == FOREVER else before,
        message_timestamp_after_max_ms=either if after == FOREVER else after,
    )


def parse_setting(name: str, text: str | None) -> Value:
    """The value of one topic setting; ConfigError says what is wrong with it."""
    key = TOPIC_KEYS.get(name)
    if key is None:
        raise ConfigError(f"Unknown topic config name: {name}")
    if text is None:
        raise ConfigError(f"Null value not supported for topic configs: {name}")
    return key.parse(text)


def check_settings(
    overrides: Mapping[str, str | None], defaults: LogConfig, known: Collection[str] = TOPIC_KEYS
) -> dict[str, str]:
    """The settings of a topic in the form to store; ConfigError when one of them, or two together, will not do."""
    for name in overrides:
        if name not in known:
            raise ConfigError(f"Unknown topic config name: {name}")
    parsed = {name: parse_setting(name, text) for name, text in overrides.items()}
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
