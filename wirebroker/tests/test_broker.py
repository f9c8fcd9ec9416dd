"""The composition root: a failed background task does not end the broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.broker import max_connections
from wirebroker.composition import keep_running

if TYPE_CHECKING:
    import pytest
    import trio.testing


async def test_a_task_that_fails_is_started_again(
    autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    runs = 0

    async def work() -> None:
        nonlocal runs
        runs += 1
        if runs < 3:
            raise KeyError(runs)

    await keep_running("work", work)
    assert runs == 3
    assert [record.message for record in caplog.records] == ["background task work failed; it starts again in 1 s"] * 2


def test_peers_leave_descriptors_for_the_logs() -> None:
    for limit in (256, 1024, 65536):
        assert 64 <= max_connections(limit) < limit - max(64, limit // 3)
