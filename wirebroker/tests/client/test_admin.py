"""Requests to a coordinator that is not ready are sent again until the timeout has passed."""

from __future__ import annotations

import pytest

from wirebroker.client.admin import Admin, CoordinatorNotReady, response_error
from wirebroker.client.connection import Address, ClientError
from wirebroker.protocol.errors import ErrorCode

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


def test_other_errors_are_not_retried(admin: Admin, clock: Clock) -> None:
    def send() -> str:
        raise response_error("group g", ErrorCode.GROUP_AUTHORIZATION_FAILED)

    with pytest.raises(ClientError) as refused:
        admin.retry(send)
    assert not isinstance(refused.value, CoordinatorNotReady)
    assert clock.now_s == 1000.0
