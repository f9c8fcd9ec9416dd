"""AlterClientQuotas and DescribeClientQuotas beside Apache Kafka 3.9.1, in all versions, field by field."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.conftest import wait_until
from compat_tests.side_by_side import BrokerPair, comparable
from compat_tests.wire import Wire
from wirebroker.protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    OpData,
    RequestEntityData,
    RequestEntryData,
)
from wirebroker.protocol.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from compat_tests.broker import Broker, Wirebroker
    from tools.jvm.kafka import KafkaBroker

Entity = tuple[tuple[str, str | None], ...]
EXACT, DEFAULT, ANY = 0, 1, 2
USER, USER_DEFAULT = ("user", "alice"), ("user", None)
CLIENT, CLIENT_DEFAULT = ("client-id", "shop"), ("client-id", None)
IP, IP_DEFAULT = ("ip", "10.1.2.3"), ("ip", None)
ALL: dict[Entity, dict[str, float]] = {
    (USER,): {"producer_byte_rate": 1e9, "consumer_byte_rate": 2e9, "request_percentage": 12.5},
    (USER_DEFAULT,): {"producer_byte_rate": 3e9},
    (CLIENT,): {"controller_mutation_rate": 0.5},
    (CLIENT_DEFAULT,): {"producer_byte_rate": 4e9},
    (USER, CLIENT): {"consumer_byte_rate": 5e9},
    (USER, CLIENT_DEFAULT): {"consumer_byte_rate": 6e9},
    (USER_DEFAULT, CLIENT): {"consumer_byte_rate": 7e9},
    (USER_DEFAULT, CLIENT_DEFAULT): {"consumer_byte_rate": 8e9},
    (IP,): {"connection_creation_rate": 1e6},
    (IP_DEFAULT,): {"connection_creation_rate": 2e6},
}


@pytest.fixture
def pair(wirebroker: Wirebroker, apache_kafka: KafkaBroker) -> Iterator[BrokerPair]:
    for broker in (wirebroker, apache_kafka):  # which other tests have used, too
        clear(broker)
    yield BrokerPair(wirebroker, apache_kafka)
    for broker in (wirebroker, apache_kafka):
        clear(broker)


def entry(entity: Entity, *ops: tuple[str, float | None]) -> RequestEntryData:
    """An entry of a request; a limit of None removes the quota."""
    return RequestEntryData(
        [RequestEntityData(*part) for part in entity], [OpData(key, limit or 0.0, limit is None) for key, limit in ops]
    )


def ask(broker: Broker, request: Any, version: int) -> Any:
    with Wire(broker.host, broker.port) as wire:
        return wire.ask(request, version)


def quotas(broker: Broker) -> Any:
    return comparable(ask(broker, DescribeClientQuotasRequest(), 1))


def clear(broker: Broker) -> None:
    found = ask(broker, DescribeClientQuotasRequest(), 1).entries
    removals = [
        entry(
            tuple((part.entity_type, part.entity_name) for part in each.entity),
            *((value.key, None) for value in each.values),
        )
        for each in found
    ]
    ask(broker, AlterClientQuotasRequest(removals), 1)
    wait_until(lambda: not ask(broker, DescribeClientQuotasRequest(), 1).entries)


def set_all(pair: BrokerPair, limits: Mapping[Entity, Mapping[str, float]], version: int) -> None:
    request = AlterClientQuotasRequest([entry(entity, *ops.items()) for entity, ops in limits.items()])
    assert pair.differences([("set all", request, version)]) == []
    wait_until(lambda: quotas(pair.ours) == quotas(pair.theirs))
    assert len(ask(pair.ours, DescribeClientQuotasRequest(), 1).entries) == len(limits)


FILTERS: list[list[tuple[str, int, str | None]]] = [
    [],
    [("user", EXACT, "alice")],
    [("user", EXACT, "nobody")],
    [("user", DEFAULT, None)],
    [("user", ANY, None)],
    [("client-id", EXACT, "shop")],
    [("client-id", DEFAULT, None)],
    [("client-id", ANY, None)],
    [("user", EXACT, "alice"), ("client-id", EXACT, "shop")],
    [("client-id", ANY, None), ("user", ANY, None)],
    [("user", DEFAULT, None), ("client-id", DEFAULT, None)],
    [("user", EXACT, "alice"), ("client-id", DEFAULT, None)],
    [("ip", EXACT, "10.1.2.3")],
    [("ip", DEFAULT, None)],
    [("ip", ANY, None)],
    [("ip", EXACT, "not an address")],
    [("user", EXACT, None)],
    [("user", EXACT, "")],
    [("user", DEFAULT, "alice")],
    [("user", ANY, "alice")],
    [("user", 3, None)],
    [("user", -1, "alice")],
    [("user", ANY, None), ("user", ANY, None)],
    [("user", EXACT, "a"), ("user", EXACT, "b")],
    [("ip", ANY, None), ("user", ANY, None)],
    [("client-id", ANY, None), ("ip", ANY, None)],
    [("", ANY, None)],
    [("host", ANY, None)],
    [("host", 9, None)],
    [("user", ANY, None), ("host", ANY, None)],
]


@pytest.mark.parametrize("version", DescribeClientQuotasRequest.VERSIONS)
def test_describe(pair: BrokerPair, version: int) -> None:
    set_all(pair, ALL, version)
    steps = [
        (
            f"{filters} strict={strict}",
            DescribeClientQuotasRequest([ComponentData(*each) for each in filters], strict),
            version,
        )
        for filters in FILTERS
        for strict in (False, True)
    ]
    assert pair.differences(steps) == []


CHANGES: list[tuple[str, Sequence[RequestEntryData]]] = [
    ("nothing", []),
    ("no entity", [entry((), ("producer_byte_rate", 1.0))]),
    ("no change", [entry((USER,))]),
    ("an unknown type", [entry((("host", "h"),), ("producer_byte_rate", 1.0))]),
    ("an unknown type beside a known one", [entry((USER, ("host", "h")), ("producer_byte_rate", 1.0))]),
    ("an empty type", [entry((("", "h"),), ("producer_byte_rate", 1.0))]),
    ("an empty user", [entry((("user", ""),), ("producer_byte_rate", 1.0))]),
    ("an empty client id", [entry((("client-id", ""),), ("producer_byte_rate", 1.0))]),
    ("an empty client id of a user", [entry((USER, ("client-id", "")), ("producer_byte_rate", 1.0))]),
    ("a type twice", [entry((USER, ("user", "bob")), ("producer_byte_rate", 1e6))]),
    ("user and ip", [entry((USER, IP), ("producer_byte_rate", 1.0))]),
    ("client id and ip", [entry((CLIENT, IP), ("connection_creation_rate", 1.0))]),
    ("a quota of ips for a user", [entry((USER,), ("connection_creation_rate", 1.0))]),
    ("a quota of users for an ip", [entry((IP,), ("producer_byte_rate", 1.0))]),
    ("an unknown quota", [entry((USER,), ("never_heard_of", 1.0))]),
    ("an unknown quota removed", [entry((USER,), ("never_heard_of", None))]),
    ("zero", [entry((USER,), ("producer_byte_rate", 0.0))]),
    ("less than zero", [entry((USER,), ("producer_byte_rate", -1.0))]),
    ("half a byte", [entry((USER,), ("producer_byte_rate", 1000.5))]),
    ("nearly a whole number", [entry((USER,), ("producer_byte_rate", 1e6 + 1e-8))]),
    ("more than a long", [entry((USER,), ("producer_byte_rate", 1e19))]),
    ("a percentage of zero", [entry((USER,), ("request_percentage", 0.0))]),
    ("a small percentage", [entry((USER,), ("request_percentage", 0.001))]),
    ("a large percentage", [entry((USER,), ("request_percentage", 1e300))]),
    ("an infinite percentage", [entry((USER,), ("request_percentage", math.inf))]),
    ("a large rate of connections", [entry((IP,), ("connection_creation_rate", 2.0**31 - 1))]),
    ("too large a rate of connections", [entry((IP,), ("connection_creation_rate", 2.0**31))]),
    ("half a connection", [entry((IP,), ("connection_creation_rate", 0.5))]),
    ("an address of IPv6", [entry((("ip", "::1"),), ("connection_creation_rate", 1e6))]),
    ("a host", [entry((("ip", "localhost"),), ("connection_creation_rate", 1e6))]),
    ("an unknown host", [entry((("ip", "no.such.host."),), ("connection_creation_rate", 1e6))]),
    ("no address", [entry((("ip", "1.2.3.4.5"),), ("connection_creation_rate", 1e6))]),
    ("a quota twice", [entry((USER,), ("producer_byte_rate", 1e6), ("producer_byte_rate", 2e6))]),
    ("set and removed", [entry((USER,), ("producer_byte_rate", 1e6), ("producer_byte_rate", None))]),
    ("an entity twice", [entry((USER,), ("producer_byte_rate", 1e6)), entry((USER,), ("consumer_byte_rate", 2e6))]),
    (
        "an entity twice in another order",
        [entry((USER, CLIENT), ("producer_byte_rate", 1e6)), entry((CLIENT, USER), ("producer_byte_rate", 2e6))],
    ),
    (
        "one of two is wrong",
        [entry((CLIENT,), ("producer_byte_rate", 1e6)), entry((USER,), ("producer_byte_rate", -1.0))],
    ),
    ("one of two quotas is wrong", [entry((USER,), ("producer_byte_rate", 1e6), ("request_percentage", -1.0))]),
    ("a name that is no ASCII", [entry((("user", "Zoë Ω"),), ("producer_byte_rate", 1e6))]),
    ("a name that looks like the default", [entry((("user", "<default>"),), ("producer_byte_rate", 1e6))]),
    ("defaults", [entry((USER_DEFAULT, CLIENT_DEFAULT), ("producer_byte_rate", 1e9))]),
    ("removed", [entry((USER_DEFAULT, CLIENT_DEFAULT), ("producer_byte_rate", None))]),
    ("removed again", [entry((USER_DEFAULT, CLIENT_DEFAULT), ("producer_byte_rate", None))]),
]


@pytest.mark.parametrize("version", AlterClientQuotasRequest.VERSIONS)
def test_alter(pair: BrokerPair, version: int) -> None:
    found = []
    for label, entries in CHANGES:
        before = quotas(pair.ours)
        found += pair.differences([(f"{label}, checked", AlterClientQuotasRequest(list(entries), True), version)])
        assert quotas(pair.ours) == before, label
        found += pair.differences([(label, AlterClientQuotasRequest(list(entries)), version)])
        try:
            wait_until(lambda: quotas(pair.ours) == quotas(pair.theirs))
        except AssertionError:
            found.append(f"after {label}\n  ours   {quotas(pair.ours)}\n  theirs {quotas(pair.theirs)}")
    assert found == [], "\n".join(found)
