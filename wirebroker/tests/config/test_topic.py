"""A topic's settings over the broker's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.config.load import load
from wirebroker.config.topic import check_settings, default_log_config
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from wirebroker.config.log import LogConfig


def defaults(*sets: str) -> LogConfig:
    return load(sets=sets).config.topic_defaults


def test_a_topic_obeys_the_defaults_of_its_keys_without_settings() -> None:
    assert defaults() == default_log_config()


@pytest.mark.parametrize(
    ("setting", "field", "value"),
    [
        ("log.retention.hours=2", "retention_ms", 7_200_000),
        ("log.retention.minutes=3", "retention_ms", 180_000),
        ("log.retention.ms=5", "retention_ms", 5),
        ("log.retention.hours=-1", "retention_ms", -1),
        ("log.retention.minutes=-5", "retention_ms", -1),
        ("log.retention.ms=-1", "retention_ms", -1),
        ("log.roll.hours=1", "segment_ms", 3_600_000),
        ("log.roll.ms=1", "segment_ms", 1),
        ("log.roll.jitter.hours=1", "segment_jitter_ms", 3_600_000),
        ("log.flush.scheduler.interval.ms=9", "flush_ms", 9),
        ("log.flush.interval.ms=8", "flush_ms", 8),
        ("message.max.bytes=77", "max_message_bytes", 77),
        ("log.cleanup.policy=compact,delete", "cleanup_policy", ("compact", "delete")),
        ("log.segment.delete.delay.ms=1", "file_delete_delay_ms", 1),
    ],
)
def test_broker_settings_give_topic_defaults(setting: str, field: str, value: object) -> None:
    assert getattr(defaults(setting), field) == value


def test_the_finer_unit_wins() -> None:
    assert defaults("log.retention.hours=2", "log.retention.minutes=3").retention_ms == 180_000
    assert defaults("log.retention.ms=1", "log.retention.minutes=3").retention_ms == 1


def test_a_topic_config_overrides() -> None:
    config = load(sets=["log.retention.ms=5"]).config
    changed = config.log_config({"retention.ms": " 77 ", "cleanup.policy": "compact", "preallocate": "TRUE"})
    assert (changed.retention_ms, changed.cleanup_policy, changed.preallocate) == (77, ("compact",), True)
    assert changed.segment_bytes == config.topic_defaults.segment_bytes
    assert config.log_config({}) is config.topic_defaults


def test_the_older_timestamp_key_stands_in_for_the_newer_two() -> None:
    config = load(sets=["log.message.timestamp.difference.max.ms=100"]).config

    def bounds(**overrides: str) -> tuple[int, int]:
        found = config.log_config({f"message.timestamp.{key}.max.ms": value for key, value in overrides.items()})
        return found.message_timestamp_before_max_ms, found.message_timestamp_after_max_ms

    assert bounds() == (100, 100)
    assert bounds(before="5") == (5, 100)
    assert bounds(difference="7", after="9") == (7, 9)
    assert load().config.log_config({}).message_timestamp_before_max_ms == (1 << 63) - 1


def test_invalid_settings_of_another_version_are_ignored() -> None:
    config = load().config
    changed = config.log_config({"no.such": "1", "retention.ms": "abc", "segment.bytes": "20"})
    assert (changed.retention_ms, changed.segment_bytes) == (config.topic_defaults.retention_ms, 20)


def test_settings_are_stored_in_one_form() -> None:
    settings = {"segment.bytes": " 2000 ", "cleanup.policy": " compact , delete ", "min.cleanable.dirty.ratio": "0.30"}
    assert check_settings(settings, default_log_config()) == {
        "segment.bytes": "2000",
        "cleanup.policy": "compact,delete",
        "min.cleanable.dirty.ratio": "0.3",
    }


REFUSED = [
    ({"no.such": "1", "retention.ms": "x"}, "Unknown topic config name: no.such"),
    ({"retention.ms": "abc"}, "Invalid value abc for configuration retention.ms: Not a number of type LONG"),
    ({"retention.ms": "-2"}, "Invalid value -2 for configuration retention.ms: Value must be at least -1"),
    ({"retention.ms": None}, "Null value not supported for topic configs: retention.ms"),
    ({"segment.bytes": "99999999999"}, "Invalid value 99999999999 for configuration segment.bytes: Not a number of"),
    ({"cleanup.policy": "foo"}, "Invalid value foo for configuration cleanup.policy: String must be one of: compact,"),
    ({"cleanup.policy": "compact,,delete"}, "Invalid value  for configuration cleanup.policy: String must be one of"),
    ({"compression.type": "none"}, "Invalid value none for configuration compression.type: String must be one of"),
    ({"preallocate": "yes"}, "Invalid value yes for configuration preallocate: Expected value to be either true or"),
    ({"leader.replication.throttled.replicas": "1:2,x"}, "Invalid value [1:2, x] for configuration leader.repl"),
    (
        {"min.compaction.lag.ms": "100", "max.compaction.lag.ms": "50"},
        "conflict topic config setting min.compaction.lag.ms (100) > max.compaction.lag.ms (50)",
    ),
    ({"remote.storage.enable": "true"}, "no tiered storage"),
]


@pytest.mark.parametrize(("settings", "reason"), REFUSED)
def test_refused(settings: dict[str, str | None], reason: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        check_settings(settings, default_log_config())
    assert reason in str(refusal.value)


def test_compaction_lags_are_compared_with_each_other_and_with_the_defaults() -> None:
    with pytest.raises(ConfigError, match="conflict"):
        check_settings({"min.compaction.lag.ms": "100"}, defaults("log.cleaner.max.compaction.lag.ms=50"))
    assert check_settings({"max.compaction.lag.ms": "9"}, default_log_config()) == {"max.compaction.lag.ms": "9"}
