"""`wirebroker reassign execute`: begin the reassignments of a file, with a throttle if one is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.connection import positive
from wirebroker.cli.output import print_json, print_lines
from wirebroker.cli.reassign.log_dir_moves import start_log_dir_moves, started_line
from wirebroker.cli.reassign.options import add_plan, read_plan, run_plan
from wirebroker.cli.reassign.plan import (
    PlanError,
    as_document,
    as_line,
    parse_log_dirs,
    parse_reassignment,
    throttles,
)
from wirebroker.cli.reassign.requests import (
    alter_reassignments,
    list_reassignments,
    replicas_of,
    set_log_dirs_throttle,
    set_throttles,
)
from wirebroker.cli.standard_streams import print_error

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin


MOVE_TIMEOUT_S: Final = 10.0
"""How long a move to a log directory waits for its replica, which may be new on its broker."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker reassign execute`."""
    add_plan(parser)
    parser.add_argument(
        "--throttle", type=positive, metavar="BYTES", help="how many bytes per second a broker copies; `verify` ends it"
    )
    parser.add_argument(
        "--replica-alter-log-dirs-throttle",
        type=positive,
        metavar="BYTES",
        help="how many bytes per second a broker copies between its log directories",
    )
    parser.add_argument(
        "--additional", action="store_true", help="go on although other reassignments are in progress, or change them"
    )

    parser.set_defaults(move_timeout_s=MOVE_TIMEOUT_S)


def run(args: argparse.Namespace) -> int:
    """Begin reassignments; return the exit code."""
    return run_plan(args, _execute)


def _execute(admin: Admin, args: argparse.Namespace) -> int:
    text = read_plan(args.reassignment_json_file)
    plan, log_dirs = parse_reassignment(text), parse_log_dirs(text)
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
    log_dirs_throttle = args.replica_alter_log_dirs_throttle
    if is_text and (args.throttle is not None or log_dirs_throttle is not None):
        print(
            "Warning: You must run --verify periodically, until the reassignment completes, to ensure the throttle "
            "is removed."
        )
    if args.throttle is not None:
        set_throttles(admin, throttles(under_way, plan, current), args.throttle)
        if is_text:
            print(f"The inter-broker throttle limit was set to {args.throttle} B/s")
    if log_dirs_throttle is not None:
        set_log_dirs_throttle(admin, {each.broker_id for each in log_dirs}, log_dirs_throttle)
        if is_text:
            print(f"The replica-alter-dir throttle limit was set to {log_dirs_throttle} B/s")
    refused = alter_reassignments(admin, plan)
    if refused:
        print_error(f"Error reassigning partition(s): {'; '.join(refused)}")
        return 1
    started = [str(at) for at in sorted(plan)]
    if is_text:
        print(f"Successfully started partition reassignment{'s' * (len(started) != 1)} for {','.join(started)}")
    moves = []
    for replica in start_log_dir_moves(admin, log_dirs, args.move_timeout_s):
        if is_text:
            print(started_line(replica, log_dirs[replica]))
        moves.append({"replica": str(replica), "log_dir": log_dirs[replica]})
    if not is_text:
        document = {"current": as_document(current), "started": started, "throttle": args.throttle}
        print_json(document | {"log_dirs_throttle": log_dirs_throttle, "log_dir_moves": moves})
    return 0
