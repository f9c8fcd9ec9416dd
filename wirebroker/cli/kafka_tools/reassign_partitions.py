"""kafka-reassign-partitions.sh --list; `scripts.py` hands the other actions to `reassign`, whose output is the same."""

from __future__ import annotations

from typing import Final

from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect, message_of
from wirebroker.cli.reassign.requests import list_reassignments
from wirebroker.client.connection import ClientError

_ABOUT: Final = "This tool helps to move topic partitions between replicas."


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-reassign-partitions", _ABOUT)
    parser.add_argument("--list", action="store_true")
    args = parser.read(argv)
    parser.require(args, "bootstrap-server")
    try:
        with connect(args) as admin:
            found = list_reassignments(admin)
    except ClientError as problem:
        raise ToolError(message_of(problem)) from None
    print("Current partition reassignments:" if found else "No partition reassignments found.")
    for at, each in sorted(found.items()):
        changes = (("replicas", each.replicas), ("adding", each.adding), ("removing", each.removing))
        print(f"{at}:" + "".join(f" {name}: {','.join(map(str, ids))}." for name, ids in changes if ids))
    return 0
