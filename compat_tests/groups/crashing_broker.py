"""wirebroker that ends, as if by kill -9, at a chosen moment in the life of a group.

    python -m compat_tests.groups.crashing_broker ARMED start --listener ...

ARMED is a file: if it exists, the process ends at the moment that it names.  Moments:

    "JoinGroup before 1"       the 1st such request has been read, and nothing was done about it
    "JoinGroup after 1"        the group has changed in memory; nothing is written or answered
                               (the same of SyncGroup, OffsetCommit, Heartbeat and LeaveGroup)
    "group before 1"           the 1st group record in __consumer_offsets: before it is written ("half": with half of
                               its bytes written, "after": with all of them, and nothing is answered)
    "offset half 3"            the 3rd batch of committed offsets
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compat_tests.transactions.crashing_broker import Switch, die
from wirebroker.coordinator.group.shard import GroupShard
from wirebroker.storage.log import Log

if TYPE_CHECKING:
    from wirebroker.record.record_batch import RecordBatch

_KINDS = {0: "offset", 1: "offset", 2: "group"}


def install(switch: Switch) -> None:
    """Replace the functions at which the process may end."""
    append, handle = Log.append_as_leader, GroupShard.handle

    def append_as_leader(log: Log, batch: RecordBatch, *more: Any) -> Any:
        if log.topic_partition.topic != "__consumer_offsets" or batch.is_control:
            return append(log, batch, *more)
        key = next(iter(batch.keyed_records()))[1] or b""
        kind = _KINDS[int.from_bytes(key[:2], "big")]
        if switch.moment(kind, "before"):
            die()
        if switch.moment(kind, "half"):
            segment = log.segments[-1]
            data = bytes(batch.buffer)
            segment.log_file.open().pwrite(data[: len(data) // 2], segment.size_bytes)
            die()
        result = append(log, batch, *more)
        if switch.moment(kind, "after"):
            die()
        return result

    def handled(shard: GroupShard, request: Any, *more: Any) -> Any:
        what = type(getattr(request, "message", request)).__name__.removesuffix("Request")
        if switch.moment(what, "before"):
            die()
        outcome = handle(shard, request, *more)
        if switch.moment(what, "after"):
            die()
        return outcome

    Log.append_as_leader = append_as_leader  # type: ignore[method-assign, assignment]
    GroupShard.handle = handled  # type: ignore[method-assign, assignment]


def main() -> int:
    from wirebroker.cli.main import main as command

    install(Switch(Path(sys.argv.pop(1))))
    return command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
