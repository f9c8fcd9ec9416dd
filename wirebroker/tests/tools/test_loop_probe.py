"""The arithmetic of the loop probe."""

from __future__ import annotations

import pytest

from tools.bench.loop_probe import Lag, run_delay_s, with_requests_due


def test_percentiles_are_of_the_nearest_rank() -> None:
    assert Lag.of([number / 1000 for number in range(1000, 0, -1)]) == Lag(1000, 500.0, 990.0, 999.0, 1000.0)


def test_no_requests() -> None:
    assert Lag.of([]).requests == 0


def test_a_stall_counts_for_every_request_that_was_due_meanwhile() -> None:
    assert with_requests_due(0.02, 0.005) == pytest.approx([0.02, 0.015, 0.01, 0.005])
    assert with_requests_due(0.001, 0.005) == [0.001]


def test_the_wait_for_a_processor_is_known_of_processes_that_run() -> None:
    assert run_delay_s("self") >= 0
    assert run_delay_s(2**31 - 1) == 0
