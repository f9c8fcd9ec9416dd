"""Simulations of a whole cluster; each runs in a process of its own, as a run depends on the hash seed of the process.

`python -m wirebroker.tests.simulation --seed N --seconds S` runs one of them by hand, with `--trace` for all of it.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from wirebroker.tests.simulation.broken_brokers import BROKEN_BROKERS


def simulate(*arguments: object, timeout_s: float = 600.0) -> subprocess.CompletedProcess[str]:
    """Run simulations, and return their output."""
    command = [sys.executable, "-m", "wirebroker.tests.simulation", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)


def check(*arguments: object, timeout_s: float = 600.0) -> str:
    """Run simulations that must not fail, and return their output."""
    done = simulate(*arguments, timeout_s=timeout_s)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("seed", "protocol"), [(1, "2.6"), (2, "2.8"), pytest.param(3, "2.0", marks=pytest.mark.nightly)]
)
def test_the_invariants_hold_under_faults(seed: int, protocol: str) -> None:
    output = check("--seed", seed, "--seconds", 20)
    assert f"seed {seed}, protocol {protocol}: " in output
    acknowledged = re.search(r"(\d+) records acknowledged", output)
    assert acknowledged is not None
    assert int(acknowledged[1]) > 100, output


@pytest.mark.parametrize("first", range(0, 8, 4))
def test_the_invariants_hold_for_hours(first: int) -> None:
    """Eight runs of 15 minutes: two simulated hours with more than 250 faults, in 145 s of one processor.

    A fault begins every 30 s on average.  Clients are busy around each, and rest otherwise; each inter-broker protocol
    has two of the runs.
    """
    output = check("--seed", first, "--count", 4, "--seconds", 900, "--pause", 30, "--busy", 4)
    runs = output.splitlines()
    assert len(runs) == 4, output
    for run in runs:
        assert float(re.findall(r": ([\d.]+) s,", run)[0]) >= 900, run
        faults = run[run.index("faults: ") : run.index("; trace")]
        assert sum(map(int, re.findall(r" (\d+)\b", faults))) >= 15, run


def test_a_run_depends_on_its_seed_alone() -> None:
    first, second = (check("--seed", 4, "--seconds", 10) for _ in range(2))
    assert first == second
    assert "seed 4, protocol 3.9: " in first
    assert "trace of " in first
    behind_another = check("--seed", 3, "--count", 2, "--seconds", 10)
    assert behind_another.splitlines()[1:] == first.splitlines()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] * each.is_slow) for name, each in BROKEN_BROKERS.items()]
)
def test_the_observer_notices_a_broken_broker(name: str) -> None:
    broken = BROKEN_BROKERS[name]
    options = ["--protocol", broken.protocol, *(option for each in broken.faults for option in ("--fault", each))]
    done = simulate("--broken", name, "--seed", 1, "--count", 20, "--seconds", 20, *options)
    assert done.returncode == 1, done.stdout
    failure = done.stdout[done.stdout.index("FAILED: ") :]
    assert re.search(broken.violation, failure), failure
    assert "run it again: python -m wirebroker.tests.simulation --seed " in failure


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(100, 400, 10))
def test_the_invariants_hold_for_long(first: int) -> None:
    check("--seed", first, "--count", 10, "--seconds", 120, timeout_s=3600)
