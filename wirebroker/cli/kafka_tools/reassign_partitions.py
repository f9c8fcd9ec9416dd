"""kafka-reassign-partitions.sh --list; `scripts.py` hands the other actions to `reassign`, whose output is the same.

Without an action, or with several, it ends with Kafka's message.
"""

from __future__ import annotations

from typing import Final

from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect, message_of
from wirebroker.cli.reassign.requests import list_reassignments
from wirebroker.client.connection import ClientError

_ABOUT: Final = "This tool helps to move topic partitions between replicas."
ACTIONS: Final = ("--generate", "--execute", "--verify", "--cancel", "--list")
_OPTIONS: Final = (
    "--broker-list",
    "--reassignment-json-file",
    "--replica-alter-log-dirs-throttle",
    "--throttle",
    "--timeout",
    "--topics-to-move-json-file",
)
_FLAGS: Final = ("--additional", "--disable-rack-aware", "--preserve-throttles")


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-reassign-partitions", _ABOUT)
    for action in ACTIONS:
        parser.add_argument(action, action="store_true")
    for option in _OPTIONS:
        parser.add_argument(option)
    for flag in _FLAGS:
        parser.add_argument(flag, action="store_true")
    args = parser.read(argv)
    if sum(action in argv for action in ACTIONS) != 1:
        parser.usage_error(f"Command must include exactly one action: {', '.join(ACTIONS)}")
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
