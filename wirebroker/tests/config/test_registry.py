"""Rules for all keys: each is there once, is described, and its default passes its own checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.config.documentation import documentation, topic_documentation
from wirebroker.config.log import LogConfig
from wirebroker.config.registry import (
    BROKER_KEYS,
    SECTIONS,
    STANDALONE,
    TOPIC_KEYS,
    is_known,
    without_listener,
)
from wirebroker.config.server import ServerConfig
from wirebroker.config.values import ConfigType, parse_value, render_value

if TYPE_CHECKING:
    from wirebroker.config.keys import Key

EVERY_KEY = [*BROKER_KEYS.values(), *TOPIC_KEYS.values()]
PYTHON_TYPES = {
    "int": (ConfigType.INT, ConfigType.SHORT, ConfigType.LONG),
    "bool": (ConfigType.BOOLEAN,),
    "str": (ConfigType.STRING,),
    "float": (ConfigType.DOUBLE,),
    "tuple[str, ...]": (ConfigType.LIST,),
}


def test_no_key_is_declared_twice() -> None:
    assert sum(len(keys) for keys in SECTIONS.values()) == len(BROKER_KEYS)


def test_the_numbers_of_keys_of_kafka_3_9() -> None:
    """330 broker keys (16 of them internal), 36 topic keys; 7 more went with 3.0, and 52 came with 4.0 and 4.1."""
    later = [key for key in BROKER_KEYS.values() if key.since is not None]
    assert (len(later), sum(key.internal for key in later)) == (52, 10)
    kafka = [each for each in BROKER_KEYS.values() if not each.name.startswith("wirebroker.") and each.since is None]
    kept = [key for key in kafka if key.removed_in is None]
    assert (len(kept), sum(key.internal for key in kept), len(kafka) - len(kept)) == (330, 16, 7)
    assert len(TOPIC_KEYS) == 36


@pytest.mark.parametrize("key", EVERY_KEY, ids=lambda key: key.name)
def test_a_default_is_a_value_that_the_key_takes(key: Key) -> None:
    if key.default is None:
        return
    text = render_value(key.default)
    assert text is not None
    assert parse_value(key.kind, text) == key.default
    assert key.check is None or key.check(key.default) is None or text == ""


def test_every_key_is_described_and_no_other() -> None:
    assert [name for name in BROKER_KEYS if not documentation(name)] == []
    assert [name for name in TOPIC_KEYS if not topic_documentation(name)] == []
    for name, key in BROKER_KEYS.items():
        assert ("(wirebroker: " in (documentation(name) or "")) == (key.effect.level != "full")
    for name, key in TOPIC_KEYS.items():
        assert ("(wirebroker: " in (topic_documentation(name) or "")) == (key.effect.level != "full")
    assert documentation("no.such") is None
    assert topic_documentation("no.such") is None
    assert documentation("listener.name.x.ssl.protocol") == documentation("ssl.protocol")


def test_synonyms_name_keys() -> None:
    for key in EVERY_KEY:
        assert set(key.synonyms) <= set(BROKER_KEYS)


def test_a_topic_key_has_the_default_of_its_synonyms() -> None:
    assert TOPIC_KEYS["segment.bytes"].default == BROKER_KEYS["log.segment.bytes"].default
    assert TOPIC_KEYS["retention.ms"].default == 7 * 24 * 3_600_000  # log.retention.hours
    assert TOPIC_KEYS["flush.ms"].default == BROKER_KEYS["log.flush.scheduler.interval.ms"].default
    assert sum(not key.synonyms for key in TOPIC_KEYS.values()) == 5


def test_the_fields_of_log_config_are_the_topic_keys() -> None:
    assert {name.replace("_", ".") for name in LogConfig.__annotations__} == set(TOPIC_KEYS)
    for field, annotation in LogConfig.__annotations__.items():
        assert TOPIC_KEYS[field.replace("_", ".")].kind in PYTHON_TYPES[annotation.__forward_arg__], field


def test_the_fields_of_the_broker_are_keys_of_that_type() -> None:
    for field in ServerConfig.FIELDS:
        key = BROKER_KEYS[field.replace("_", ".")]
        annotation = str(ServerConfig.__annotations__[field])
        assert key.kind in PYTHON_TYPES[annotation.removesuffix(" | None")], field
        assert (key.default is None) == annotation.endswith(" | None"), field


def test_standalone_defaults_are_values_of_their_keys() -> None:
    for name, value in STANDALONE.items():
        assert value != BROKER_KEYS[name].default
        assert BROKER_KEYS[name].parse(render_value(value) or "") == value


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("log.dirs", True),
        ("retention.ms", False),
        ("listener.name.internal.ssl.keystore.location", True),
        ("listener.name.internal.plain.sasl.jaas.config", True),
        ("listener.name.internal.scram-sha-256.sasl.jaas.config", True),
        ("listener.name.internal.nonsense", False),
        ("listener.name.internal", False),
        ("rsm.config.bucket", True),
        ("confluent.support.metrics.enable", False),
    ],
)
def test_known_names(name: str, known: bool) -> None:
    assert is_known(name) == known


def test_without_listener() -> None:
    assert without_listener("listener.name.a.max.connections") == "max.connections"
    assert without_listener("listener.name.a.plain.sasl.jaas.config") == "sasl.jaas.config"
    assert without_listener("max.connections") is None


def test_an_error_message_hides_secrets() -> None:
    key = BROKER_KEYS["ssl.key.password"]
    assert key.sensitive
    assert "swordfish" not in key.error_message("swordfish", "is wrong")
