"""Transactions of `perf produce`: when one begins, and when it is committed."""

from __future__ import annotations

import pytest

from wirebroker.cli.main import main
from wirebroker.cli.perf.transactions import PerfTransactions


class FakeProducer:
    """A producer that notes what is asked of it."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def init_transactions(self, timeout_s: float) -> None:
        assert timeout_s == 5
        self.calls.append("init")

    def begin_transaction(self) -> None:
        self.calls.append("begin")

    def commit_transaction(self, timeout_s: float) -> None:
        assert timeout_s == 5
        self.calls.append("commit")


def calls_of(duration_s: float, record_times_s: list[float]) -> list[str]:
    """Send a record at each of the times, and return what the producer was asked."""
    producer, now = FakeProducer(), [0.0]
    transactions = PerfTransactions(producer, duration_s, 5, lambda: now[0])
    for time_s in record_times_s:
        transactions.before_record()
        now[0] = time_s
        producer.calls.append("record")
        transactions.after_record()
    transactions.commit()
    return producer.calls


@pytest.mark.parametrize(
    ("duration_s", "record_times_s", "calls"),
    [
        (0, [1, 2], "record record"),
        (1, [0.1, 0.5], "init begin record record commit"),
        (1, [0.5, 1.0, 1.5], "init begin record record commit begin record commit"),
        (1, [0.5, 1.0], "init begin record record commit"),
        (1, [], "init"),
    ],
)
def test_when_a_transaction_is_committed(duration_s: float, record_times_s: list[float], calls: str) -> None:
    assert calls_of(duration_s, record_times_s) == calls.split()


def test_an_id_without_a_duration_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["perf", "produce", "t", "--transactional-id", "x"])
    assert end.value.code == 2
    assert "--transactional-id needs --transaction-duration-ms" in capsys.readouterr().err
