"""`wirebroker reassign cancel`: bring the partitions of a file back to the replicas that they had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.output import print_json
from wirebroker.cli.reassign.execute import MOVE_TIMEOUT_S
from wirebroker.cli.reassign.log_dir_moves import find_log_dir_moves, start_log_dir_moves, started_line
from wirebroker.cli.reassign.options import add_plan, add_preserve_throttles, clear_and_print, read_plan, run_plan
from wirebroker.cli.reassign.plan import parse_log_dirs, parse_reassignment
from wirebroker.cli.reassign.requests import alter_reassignments, list_reassignments
from wirebroker.cli.standard_streams import print_error

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker reassign cancel`."""
    add_plan(parser)
    add_preserve_throttles(parser)
    parser.set_defaults(move_timeout_s=MOVE_TIMEOUT_S)


def run(args: argparse.Namespace) -> int:
    """Cancel reassignments; return the exit code."""
    return run_plan(args, _cancel)


def _cancel(admin: Admin, args: argparse.Namespace) -> int:
    text = read_plan(args.reassignment_json_file)
    plan = parse_reassignment(text)
    active = sorted(plan.keys() & list_reassignments(admin).keys())
    refused = alter_reassignments(admin, dict.fromkeys(active)) if active else []
    if refused:
        print_error(f"Error cancelling partition reassignment{'s' * (len(refused) != 1)} for: {'; '.join(refused)}")
        return 1
    is_text = args.format != "json"
    names = [str(at) for at in active]
    if is_text:
        print(
            f"Successfully cancelled partition reassignment{'s' * (len(names) != 1)} for: {','.join(names)}"
            if names
            else "None of the specified partition reassignments are active."
        )
    moves = {
        replica: move.current
        for replica, move in find_log_dir_moves(admin, parse_log_dirs(text)).items()
        if move.state == "in_progress"
    }
    # a move to the log directory that has the replica ends the one under way
    for replica in start_log_dir_moves(admin, moves, args.move_timeout_s):
        if is_text:
            print(started_line(replica, moves[replica]))
    if is_text and not moves:
        print("None of the specified partition moves are active.")
    if not is_text:
        print_json({"cancelled": names, "cancelled_log_dir_moves": [str(each) for each in moves]})
    return 0 if args.preserve_throttles else clear_and_print(admin, plan, is_printed=is_text)
