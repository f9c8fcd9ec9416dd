"""`wirebroker reassign execute`: begin the reassignments of a file, with a throttle if one is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.connection import positive
from wirebroker.cli.output import print_json, print_lines
from wirebroker.cli.reassign.options import add_plan, read_plan, run_plan
from wirebroker.cli.reassign.plan import PlanError, as_document, as_line, parse_reassignment, throttles
from wirebroker.cli.reassign.requests import alter_reassignments, list_reassignments, replicas_of, set_throttles
from wirebroker.cli.standard_streams import print_error

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker reassign execute`."""
    add_plan(parser)
    parser.add_argument(
        "--throttle", type=positive, metavar="BYTES", help="how many bytes per second a broker copies; `verify` ends it"
    )
    parser.add_argument(
        "--additional", action="store_true", help="go on although other reassignments are in progress, or change them"
    )


def run(args: argparse.Namespace) -> int:
    """Begin reassignments; return the exit code."""
    return run_plan(args, _execute)


def _execute(admin: Admin, args: argparse.Namespace) -> int:
    plan = parse_reassignment(read_plan(args.reassignment_json_file))
    under_way = list_reassignments(admin)
    if under_way and not args.additional:
        raise PlanError(
            "Cannot execute because there is an existing partition assignment.  Use --additional to override this and "
            "create a new partition assignment in addition to the existing one. The --additional flag can also be used "
            "to change the throttle by resubmitting the current reassignment."
        )
    live = {each.node_id for each in admin.metadata(()).brokers}
    unknown = sorted({each for replicas in plan.values() for each in replicas} - live)
    if unknown:
        raise PlanError(f"Unknown broker id {unknown[0]}")
    found = replicas_of(admin, {at.topic for at in plan})
    missing = sorted(plan.keys() - found.keys())
    if missing:
        raise PlanError(f"Unable to find partition: {', '.join(map(str, missing))}")
    current = {at: found[at] for at in plan}
    is_text = args.format != "json"
    if is_text:
        print_lines(("Current partition replica assignment", "", as_line(current), ""))
        print("Save this to use as the --reassignment-json-file option during rollback")
    if args.throttle is not None:
        set_throttles(admin, throttles(under_way, plan, current), args.throttle)
        if is_text:
            print(
                "Warning: You must run --verify periodically, until the reassignment completes, to ensure the throttle "
                "is removed."
            )
            print(f"The inter-broker throttle limit was set to {args.throttle} B/s")
    refused = alter_reassignments(admin, plan)
    if refused:
        print_error(f"Error reassigning partition(s): {'; '.join(refused)}")
        return 1
    started = [str(at) for at in sorted(plan)]
    if is_text:
        print(f"Successfully started partition reassignment{'s' * (len(started) != 1)} for {','.join(started)}")
    else:
        print_json({"current": as_document(current), "started": started, "throttle": args.throttle})
    return 0
