"""`wirebroker reassign generate`: propose replicas for all partitions of some topics, on some brokers."""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import TYPE_CHECKING

from wirebroker.cli.connection import add_connection
from wirebroker.cli.output import print_json, print_lines
from wirebroker.cli.reassign.options import read_plan, run_plan
from wirebroker.cli.reassign.plan import as_document, as_line, parse_topics, propose
from wirebroker.cli.reassign.requests import racks_of, replicas_of

if TYPE_CHECKING:
    from wirebroker.client.admin import Admin


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker reassign generate`."""
    add_connection(parser)
    parser.add_argument(
        "--topics-to-move-json-file",
        type=Path,
        required=True,
        metavar="FILE",
        help='the topics: {"version":1,"topics":[{"topic":"t"}]}',
    )
    parser.add_argument(
        "--broker-list",
        type=_broker_ids,
        required=True,
        metavar="ID,ID,...",
        help="the brokers to move them to; those that are not live are left out",
    )
    parser.add_argument("--disable-rack-aware", action="store_true", help="do not look at the brokers' racks")


def run(args: argparse.Namespace) -> int:
    """Propose replicas; return the exit code."""
    return run_plan(args, _generate)


def _generate(admin: Admin, args: argparse.Namespace) -> int:
    topics = parse_topics(read_plan(args.topics_to_move_json_file))
    current = replicas_of(admin, topics)
    racks = racks_of(admin, args.broker_list, is_rack_aware=not args.disable_rack_aware)
    proposed = propose(current, racks, random.randrange(max(1, len(racks))))
    if args.format == "json":
        print_json({"current": as_document(current), "proposed": as_document(proposed)})
        return 0
    print_lines(("Current partition replica assignment", as_line(current), ""))
    print_lines(("Proposed partition reassignment configuration", as_line(proposed)))
    return 0


def _broker_ids(text: str) -> list[int]:
    try:
        ids = [int(each) for each in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of broker ids") from None
    if len(set(ids)) != len(ids):
        raise argparse.ArgumentTypeError(f"Broker list contains duplicate entries: {text}")
    return ids
