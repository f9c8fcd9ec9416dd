"""Requests to a coordinator that is not ready are sent again until the timeout has passed."""

from __future__ import annotations

import pytest

from wirebroker.client.admin import Admin, CoordinatorNotReady, response_error
from wirebroker.client.connection import Address, ClientError
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from wirebroker.protocol.messages.metadata import MetadataResponse, MetadataResponseBroker

NOT_READY = (
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
)


class Clock:
    """Time that passes only in `sleep`."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


class NoBroker:
    """A connection that is never used."""

    def __init__(self, address: Address, timeout_s: float, client_id: str = "", security: object = None) -> None:
        self.address = address

    def close(self) -> None:
        pass


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("wirebroker.client.admin.time", clock)
    return clock


@pytest.fixture
def admin(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Admin:
    monkeypatch.setattr("wirebroker.client.admin.Connection", NoBroker)
    return Admin("a:1", timeout_s=5.0)


@pytest.mark.parametrize("code", NOT_READY, ids=lambda code: code.name)
def test_a_coordinator_that_becomes_ready(admin: Admin, clock: Clock, code: ErrorCode) -> None:
    def send() -> str:
        if clock.now_s < 1004.0:
            raise response_error("group g", code)
        return "done"

    assert admin.retry(send) == "done"
    assert clock.now_s == pytest.approx(1004.0, abs=0.2)


def test_a_coordinator_that_never_becomes_ready(admin: Admin, clock: Clock) -> None:
    def send() -> str:
        raise response_error("group g", ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)

    with pytest.raises(ClientError, match=r"group g: COORDINATOR_LOAD_IN_PROGRESS.* after 5 s; a longer --timeout"):
        admin.retry(send)
    assert clock.now_s == pytest.approx(1005.0, abs=0.2)


def dies(monkeypatch: pytest.MonkeyPatch, clock: Clock, until_s: float) -> None:
    """Have broker 1, the controller and coordinator of "g", be dead, and broker 2 take its place at a time."""

    def connect(address: Address, *others: object) -> NoBroker:
        if address.host == "dead":
            raise ClientError(f"cannot reach a broker at {address}: Connection refused")
        return NoBroker(address, 5.0)

    def send(_: NoBroker, request: object, highest: int | None = None) -> object:
        leader, host = (1, "dead") if clock.now_s < until_s else (2, "b")
        if isinstance(request, FindCoordinatorRequest):
            return FindCoordinatorResponse(node_id=leader, host=host, port=1)
        return MetadataResponse(controller_id=leader, brokers=[MetadataResponseBroker(leader, host, 1)])

    monkeypatch.setattr("wirebroker.client.admin.Connection", connect)
    monkeypatch.setattr(NoBroker, "send", send, raising=False)


ROLES = {"controller": lambda admin: admin.controller(), "coordinator": lambda admin: admin.coordinator("g")[2]}


@pytest.mark.parametrize("role", ROLES)
def test_a_broker_that_takes_the_place_of_a_dead_one(
    admin: Admin, clock: Clock, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    dies(monkeypatch, clock, 1003.0)
    connection = admin.retry(lambda: ROLES[role](admin))
    assert str(connection.address) == "b:1"
    assert clock.now_s == pytest.approx(1003.0, abs=0.2)


@pytest.mark.parametrize("role", ROLES)
def test_a_dead_broker_whose_place_no_other_takes(
    admin: Admin, clock: Clock, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    dies(monkeypatch, clock, 2000.0)
    with pytest.raises(ClientError, match=r"cannot reach a broker at dead:1: .* after 5 s; a longer --timeout"):
        admin.retry(lambda: ROLES[role](admin))


def test_other_errors_are_not_retried(admin: Admin, clock: Clock) -> None:
    def send() -> str:
        raise response_error("group g", ErrorCode.GROUP_AUTHORIZATION_FAILED)

    with pytest.raises(ClientError) as refused:
        admin.retry(send)
    assert not isinstance(refused.value, CoordinatorNotReady)
    assert clock.now_s == 1000.0


def test_a_broker_that_breaks_off_is_left_out_until_it_answers_again(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    opened = list[str]()

    class OneOfTwo(NoBroker):
        def __init__(self, address: Address, *others: object) -> None:
            opened.append(address.host)
            super().__init__(address, 5.0)

        def send(self, request: object, highest: int | None = None) -> MetadataResponse:
            return MetadataResponse(brokers=[MetadataResponseBroker(each, "ab"[each], 1) for each in (1, 0)])

    broken = ["b"]

    def ask(broker_id: int, connection: object) -> str:
        host = "ab"[broker_id]
        if host in broken:
            raise ClientError(f"the connection to the broker at {host} broke")
        return host

    monkeypatch.setattr("wirebroker.client.admin.Connection", OneOfTwo)
    admin = Admin("a:1", timeout_s=5.0)
    with pytest.raises(ClientError, match="the broker at b broke"):
        admin.ask_brokers(ask)
    admin.skips_unreachable = True
    assert admin.ask_brokers(ask) == {0: "a"}
    assert admin.unreachable == {1: "the connection to the broker at b broke"}
    broken.clear()
    assert list(admin.ask_brokers(ask).items()) == [(0, "a"), (1, "b")]
    assert not admin.unreachable
    assert opened == ["a", "b", "b"], "a connection that broke is not used again"


def test_a_broker_that_refuses_is_not_left_out(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    dies(monkeypatch, clock, until_s=0.0)
    admin = Admin("a:1", timeout_s=5.0)
    admin.skips_unreachable = True

    def ask(broker_id: int, connection: object) -> None:
        raise response_error(f"broker {broker_id}", ErrorCode.CLUSTER_AUTHORIZATION_FAILED)

    with pytest.raises(ClientError, match="broker 2: CLUSTER_AUTHORIZATION_FAILED"):
        admin.ask_brokers(ask)
    assert not admin.unreachable
