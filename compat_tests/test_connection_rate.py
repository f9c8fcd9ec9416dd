"""connection_creation_rate of addresses (KIP-612): how many connections are served, beside Apache Kafka 3.9.1."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from compat_tests.conftest import wait_until
from compat_tests.wire import Closed, Wire
from wirebroker.protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    OpData,
    RequestEntityData,
    RequestEntryData,
)
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compat_tests.broker import Broker

KEY = "connection_creation_rate"
RATE = 3.0
AT_ONCE = 33
"""The connections of a whole window of eleven samples."""


def set_rates(broker: Broker, rates: dict[str | None, float | None]) -> None:
    """Set the rates of addresses, None for that of all others; a rate of None is removed."""
    entries = [
        RequestEntryData([RequestEntityData("ip", address)], [OpData(KEY, rate or 0.0, rate is None)])
        for address, rate in rates.items()
    ]
    with Wire(broker.host, broker.port) as wire:
        answer = wire.ask(AlterClientQuotasRequest(entries), 1)
    assert [each.error_code for each in answer.entries] == [0] * len(rates)


def is_served(broker: Broker) -> bool:
    """Connect once; False if the connection was closed without an answer."""
    try:
        with Wire(broker.host, broker.port) as wire:
            wire.ask(ApiVersionsRequest(), 0)
    except (Closed, ConnectionError):
        return False
    return True


@pytest.fixture(params=["wirebroker", "apache_kafka"])
def broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    target: Broker = request.getfixturevalue(request.param)
    yield target

    def is_unlimited() -> bool:
        try:
            set_rates(target, {None: None, target.host: None})
        except (Closed, ConnectionError):
            return False  # this connection was one too many
        return True

    wait_until(is_unlimited, 60)


def test_connections_beyond_the_rate_are_closed_after_a_while(broker: Broker) -> None:
    set_rates(broker, {None: RATE})
    time.sleep(1)  # Apache Kafka's brokers hear of it later
    began, served = time.monotonic(), 0
    while is_served(broker):
        served += 1
        assert served < 10 * AT_ONCE
    took_s = time.monotonic() - began
    # a burst takes what a window holds, and a slow one what comes meanwhile
    assert 0.8 * AT_ONCE <= served <= 1.2 * (AT_ONCE + RATE * took_s)
    waits: list[float] = []
    while len(waits) < 3:
        began = time.monotonic()
        if not is_served(broker):
            waits.append(time.monotonic() - began)
    assert max(waits) > 0.2, "a client that comes again at once does not get faster for that"


def test_the_rate_of_an_address_goes_before_that_of_all(broker: Broker) -> None:
    set_rates(broker, {None: 1.0, broker.host: 1e6})
    time.sleep(1)
    assert all(is_served(broker) for _ in range(3 * AT_ONCE))
