"""Which changes of a running broker are refused, and with which words."""

from __future__ import annotations

import pytest

from wirebroker.config.dynamic import check_broker_change
from wirebroker.config.load import load
from wirebroker.config.values import ConfigError

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
    ({"num.io.threads": "100"}, False, "between half and double the current value 8"),
    ({"log.cleaner.threads": "0"}, False, "between half and double the current value 1"),
    ({"ssl.keystore.password": "x"}, True, "only per-listener using the listener prefix: ssl.keystore.password"),
    ({"num.io.threads": "3"}, False, "between half and double the current value 8"),
    ({"max.connections.per.ip.overrides": "foo"}, True, "Value must be a list of host:count"),
    ({"advertised.listeners": "PLAINTEXT://0.0.0.0:1"}, False, "clients cannot connect to 0.0.0.0"),
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
        ({"advertised.listeners": "PLAINTEXT://x:1"}, False),
        ({"listener.name.plaintext.ssl.keystore.password": "x"}, False),
        ({}, False),
    ],
)
def test_accepted(after: dict[str, str], all_brokers: bool) -> None:
    check_broker_change(CONFIG, after.keys(), after, all_brokers=all_brokers)


def test_taking_away_what_may_not_be_set_is_refused_too() -> None:
    with pytest.raises(ConfigError, match=r"^Cannot update these configs dynamically: node\.id$"):
        check_broker_change(CONFIG, ["node.id"], {}, all_brokers=False)


def test_settings_that_stay_are_not_measured_against_the_present_again() -> None:
    config = CONFIG.with_dynamic({}, {"num.io.threads": "16"})
    check_broker_change(config, ["log.retention.ms"], {"num.io.threads": "16"}, all_brokers=False)
