"""Run simulations of a cluster: `python -m wirebroker.tests.simulation --seed 7 --seconds 120`."""

from __future__ import annotations

import argparse
import os
import shlex
import sys

import pytest

_HASH_SEED = "PYTHONHASHSEED"


def main() -> int:
    """Run the seeds that were asked for; return 1 if one of them violates an invariant."""
    parser = argparse.ArgumentParser(prog="python -m wirebroker.tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1, help="how many seeds, each the one before plus 1")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long faults happen, in virtual seconds")
    parser.add_argument("--pause", type=float, help="the mean seconds between two faults")
    parser.add_argument("--busy", type=float, help="let clients rest, but for these seconds around each fault")
    parser.add_argument("--protocol", help="the inter-broker protocol; depends on the seed unless told")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME", help="let only these faults happen")
    parser.add_argument("--trace", action="store_true", help="print the whole trace, not only the end of a failed run")
    parser.add_argument("--broken", metavar="NAME", help="put a fault of broken_brokers.py into the product")
    arguments = parser.parse_args()
    from wirebroker.tests.simulation.broken_brokers import BROKEN_BROKERS
    from wirebroker.tests.simulation.cluster import Simulation
    from wirebroker.tests.simulation.trace import Trace

    def write(line: str) -> None:
        sys.stdout.write(f"{line}\n")

    patch = pytest.MonkeyPatch()
    if arguments.broken is not None:
        BROKEN_BROKERS[arguments.broken].put_in(patch)
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        trace = Trace(write if arguments.trace else lambda _: None)
        try:
            rates = {
                name: value for name, value in (("mean_pause_s", arguments.pause), ("busy_s", arguments.busy)) if value
            }
            summary = Simulation(seed, arguments.seconds, trace, arguments.fault, arguments.protocol, **rates).run()
        except BaseException as fault:
            for line in () if arguments.trace else trace.newest:
                write(line)
            write(f"FAILED: {_reasons(fault)}")
            write(f"run it again: python -m wirebroker.tests.simulation {_options(arguments, seed)}")
            return 1
        write(str(summary))
    return 0


def _options(arguments: argparse.Namespace, seed: int) -> str:
    options = [("seed", seed), ("seconds", f"{arguments.seconds:g}"), *(("fault", each) for each in arguments.fault)]
    options += [
        (name, getattr(arguments, name))
        for name in ("pause", "busy", "protocol", "broken")
        if getattr(arguments, name) is not None
    ]
    return " ".join(f"--{name} {shlex.quote(str(value))}" for name, value in options)


def _reasons(fault: BaseException) -> str:
    if isinstance(fault, BaseExceptionGroup):
        return "; ".join(_reasons(each) for each in fault.exceptions)
    import traceback

    return (
        str(fault) if isinstance(fault, AssertionError) and str(fault) else "".join(traceback.format_exception(fault))
    )


if __name__ == "__main__":
    if os.environ.get(_HASH_SEED) != "0":  # else sets of strings have another order in each process
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | {_HASH_SEED: "0"})
    sys.exit(main())
