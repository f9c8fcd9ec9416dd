"""Each command that needs a coordinator waits while the coordinator loads or moves, for up to `--timeout`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.main import main
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.cli.fake_cluster import FakeConnection

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.client.connection import Address
    from wirebroker.protocol.message import Message

COMMANDS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("groups", "list"): ("ListGroupsRequest",),
    ("groups", "describe", "--group", "g"): ("FindCoordinatorRequest", "DescribeGroupsRequest", "OffsetFetchRequest"),
    ("groups", "describe", "--group", "g", "--state"): ("FindCoordinatorRequest", "DescribeGroupsRequest"),
    ("groups", "reset-offsets", "--group", "e", "--topic", "t:0", "--to-current", "--execute"): (
        "FindCoordinatorRequest",
        "DescribeGroupsRequest",
        "OffsetFetchRequest",
        "OffsetCommitRequest",
    ),
    ("groups", "delete", "--group", "g"): ("FindCoordinatorRequest", "DeleteGroupsRequest"),
    ("groups", "delete-offsets", "--group", "g", "--topic", "t"): ("FindCoordinatorRequest", "OffsetDeleteRequest"),
    ("groups", "explain", "--group", "g"): ("FindCoordinatorRequest", "DescribeGroupsRequest", "InspectRequest"),
    ("transactions", "list"): ("ListTransactionsRequest",),
    ("transactions", "describe", "--transactional-id", "x"): ("FindCoordinatorRequest", "DescribeTransactionsRequest"),
    ("transactions", "find-hanging", "--topic", "t", "--partition", "0"): (
        "ListTransactionsRequest",
        "FindCoordinatorRequest",
        "DescribeTransactionsRequest",
    ),
}
"""Command -> the requests to coordinators that it sends."""
PARTS: dict[str, Callable[[Any], Any]] = {
    "DescribeGroupsRequest": lambda answer: answer.groups[0],
    "DeleteGroupsRequest": lambda answer: answer.results[0],
    "OffsetCommitRequest": lambda answer: answer.topics[0].partitions[0],
    "DescribeTransactionsRequest": lambda answer: answer.transaction_states[0],
}
"""Where an answer has its error code, if not on top."""


class Clock:
    """Time that passes only in `sleep`."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


def cluster_that_loads(
    clock: Clock, request_name: str, code: ErrorCode, until_s: float, refused: list[str]
) -> type[FakeConnection]:
    """A cluster that answers one kind of request with *code* until *until_s*."""

    class Loading(FakeConnection):
        def __init__(self, address: Address, timeout_s: float, client_id: str = "", security: object = None) -> None:
            super().__init__(address, timeout_s, client_id)

        def send(self, request: Message, highest: int | None = None) -> Any:
            answer = super().send(request, highest)
            name = type(request).__name__
            if name == request_name and clock.now_s < until_s:
                PARTS.get(name, lambda answer: answer)(answer).error_code = code
                refused.append(name)
            return answer

    return Loading


@pytest.mark.parametrize(
    ("words", "request_name"),
    [(words, name) for words, names in COMMANDS.items() for name in names],
    ids=lambda value: value.removesuffix("Request") if isinstance(value, str) else " ".join(value[:2]),
)
def test_the_request_is_sent_again(
    words: tuple[str, ...],
    request_name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock, refused = Clock(), list[str]()
    monkeypatch.setattr("wirebroker.client.admin.time", clock)

    def run(code: ErrorCode, until_s: float, *more: str) -> int:
        clock.now_s = 0.0
        refused.clear()
        cluster = cluster_that_loads(clock, request_name, code, until_s, refused)
        monkeypatch.setattr("wirebroker.client.admin.Connection", cluster)
        return main([*words, *more])

    assert run(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, 3.0) == 0
    assert len(refused) > 1
    assert clock.now_s == pytest.approx(3.0, abs=0.2)
    capsys.readouterr()
    assert run(ErrorCode.NOT_COORDINATOR, 3.0, "--timeout", "1000") == 1
    err = capsys.readouterr().err
    assert "NOT_COORDINATOR" in err
    assert "still so after 1 s; a longer --timeout waits for it" in err
    assert run(ErrorCode.GROUP_AUTHORIZATION_FAILED, 3.0) == 1
    assert clock.now_s == 0.0
