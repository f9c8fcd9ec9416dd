"""``python -m tools.bench run``: measure and write RESULTS.md; ``sink``: the sender's ceiling; ``profile``: one
workload.
"""

import argparse
import sys
from pathlib import Path

from tools.bench import report, sink
from tools.bench.brokers import BROKERS, StartError
from tools.bench.compare import NAMES, Plan, compare
from tools.bench.profile import profile


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    action = {"run": _run, "sink": _sink, "profile": _profile, "list": _list}[options.command]
    try:
        return action(options)
    except StartError as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="compare the brokers")
    run.add_argument("--only", action="append", default=[], metavar="NAME", help="workloads whose name begins so")
    run.add_argument("--rounds", type=int, default=5)
    run.add_argument("--quick", action="store_true", help="a fifth of the volume, two rounds unless --rounds says more")
    run.add_argument("--broker", action="append", choices=list(BROKERS), help="measure only this one")
    run.add_argument("--directory", type=Path, help="where the data directories are made (default: the temp directory)")
    run.add_argument("--format", choices=("text", "json"), default="text")
    run.add_argument("--no-write", action="store_true", help="leave RESULTS.md as it is")
    commands.add_parser("sink", help="what the raw sender reaches when its peer does nothing")
    one = commands.add_parser("profile", help="run one workload against wirebroker under cProfile")
    one.add_argument("name", choices=NAMES[1:-1])
    one.add_argument("--lines", type=int, default=40)
    commands.add_parser("list", help="the names of the workloads")
    return parser


def _run(options: argparse.Namespace) -> int:
    rounds = min(options.rounds, 2) if options.quick and options.rounds == 5 else options.rounds
    unknown = [name for name in options.only if not any(known.startswith(name) for known in NAMES)]
    if unknown:
        print(f"no workload begins with {', '.join(unknown)}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    plan = Plan(options.only, rounds, options.quick, options.broker or tuple(BROKERS), options.directory)
    rows = compare(plan, lambda line: print(line, file=sys.stderr, flush=True))
    whole = not options.only and not options.broker
    ceiling = sink.measure() if whole else None
    print(report.as_json(rows, plan, ceiling) if options.format == "json" else report.text(rows))
    if whole and not options.no_write:
        report.RESULTS.write_text(report.markdown(rows, plan, ceiling))
    return 0


def _sink(options: argparse.Namespace) -> int:
    ceiling = sink.measure()
    print(f"{ceiling.flood_bytes_per_s / 1e6:,.0f} MB/s")
    for in_flight, rate in ceiling.small_per_s.items():
        print(f"{rate:,.0f} one-record requests/s with {in_flight} in flight")
    return 0


def _profile(options: argparse.Namespace) -> int:
    print(profile(options.name, options.lines))
    return 0


def _list(options: argparse.Namespace) -> int:
    print("\n".join(NAMES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
