"""`wirebroker reassign verify`: whether the reassignments of a file are done; if so, the throttles go."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.cli.output import print_json, print_lines
from wirebroker.cli.reassign.log_dir_moves import find_log_dir_moves
from wirebroker.cli.reassign.options import add_plan, add_preserve_throttles, clear_and_print, read_plan, run_plan
from wirebroker.cli.reassign.plan import parse_log_dirs, parse_reassignment
from wirebroker.cli.reassign.requests import list_reassignments
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    import argparse

    from wirebroker.cli.reassign.plan import Replicas
    from wirebroker.client.admin import Admin


class _State(NamedTuple):
    """How far the reassignment of a partition is."""

    state: str
    line: str
    replicas: list[int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker reassign verify`."""
    add_plan(parser)
    add_preserve_throttles(parser)


def run(args: argparse.Namespace) -> int:
    """Compare a plan with the cluster; return the exit code."""
    return run_plan(args, _verify)


def _verify(admin: Admin, args: argparse.Namespace) -> int:
    text = read_plan(args.reassignment_json_file)
    plan = parse_reassignment(text)
    under_way = list_reassignments(admin)
    found = _replicas_of_existing(admin, {at.topic for at in plan})
    states = {at: _state(at, plan[at], found.get(at, []), is_moving=at in under_way) for at in sorted(plan)}
    moves = find_log_dir_moves(admin, parse_log_dirs(text))
    is_text = args.format != "json"
    if is_text:
        print("Status of partition reassignment:")
        print_lines(each.line for each in states.values())
        print_lines([each.line for each in moves.values()] or [""])
    code = 0
    is_done = not under_way and all(each.is_done for each in moves.values())
    if is_done and not args.preserve_throttles:
        code = clear_and_print(admin, plan, is_printed=is_text)
    if not is_text:
        print_json(
            [
                {
                    "topic": at.topic,
                    "partition": at.partition,
                    "state": each.state,
                    "replicas": each.replicas,
                    "target_replicas": plan[at],
                    "log_dir_moves": [
                        {"broker": replica.broker_id, "state": move.state, "log_dir": move.current}
                        for replica, move in moves.items()
                        if replica.at == at
                    ],
                }
                for at, each in states.items()
            ]
        )
    return code


def _state(at: TopicPartition, target: list[int], replicas: list[int], *, is_moving: bool) -> _State:
    if is_moving:
        return _State("in_progress", f"Reassignment of partition {at} is still in progress.", replicas)
    if replicas == target:
        return _State("completed", f"Reassignment of partition {at} is completed.", replicas)
    current, wanted = (",".join(map(str, each)) for each in (replicas, target))
    line = f"There is no active reassignment of partition {at}, but replica set is {current} rather than {wanted}."
    return _State("not_active", line, replicas)


def _replicas_of_existing(admin: Admin, topics: set[str]) -> Replicas:
    return {
        TopicPartition(topic.name or "", each.partition_index): list(each.replica_nodes)
        for topic in admin.metadata(sorted(topics)).topics
        for each in topic.partitions
    }
