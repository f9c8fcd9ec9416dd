"""wirebroker that ends, as if by kill -9, at a chosen moment of the end of a transaction.

The broker has no code for this: functions are replaced before it starts.

    python -m compat_tests.transactions.crashing_broker ARMED start --listener ...

ARMED is a file: if it exists, the process ends at the moment that it names.  Moments:

    "PrepareCommit before 1"   the 1st record of that state in __transaction_state: before it is written ("half": with
                               half of its bytes written, "after": with all of them)
    "marker after 2"           the 2nd control batch, in whatever partition
    "reply before 1"           the answer of EndTxn is known, and not sent
    "load before 1"            a shard of __transaction_state with records is being loaded
    "loaded before 1"          it is loaded, and none of its pending markers is sent
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from wirebroker.coordinator import loader
from wirebroker.coordinator.transaction.coordinator import TransactionCoordinator
from wirebroker.coordinator.transaction.transaction_metadata import TransactionState
from wirebroker.model import TRANSACTION_STATE_TOPIC_NAME
from wirebroker.protocol.internal.transaction_state import TransactionLogValue
from wirebroker.storage.log import Log

if TYPE_CHECKING:
    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.replication.partition import Partition

KILLED = 137


class Switch:
    """Counts moments, and ends the process at the armed one."""

    def __init__(self, armed: Path) -> None:
        self.armed = armed
        self.seen: Counter[str] = Counter()

    def moment(self, what: str, when: str) -> bool:
        """Return whether the process ends at this moment; moments are counted from the time that the file appears."""
        try:
            kind, wanted, number = self.armed.read_text().split()
        except (FileNotFoundError, ValueError):
            self.seen.clear()
            return False
        if kind != what or wanted != when:
            return False
        self.seen[what] += 1
        return self.seen[what] == int(number)


def die() -> NoReturn:
    os._exit(KILLED)


def states(batch: RecordBatch) -> list[str]:
    """The states of the records in a batch of __transaction_state, in Kafka's spelling."""
    found = []
    for _, _, value in batch.keyed_records():
        if value is not None:
            version = int.from_bytes(value[:2], "big")
            parsed, _ = TransactionLogValue.read(value, 2, version)
            found.append(TransactionState(parsed.transaction_status).label)
    return found


def install(switch: Switch) -> None:
    """Replace the functions at which the process may end."""
    append, load, end = Log.append_as_leader, loader.replay_log, TransactionCoordinator.end_transaction

    def append_as_leader(log: Log, batch: RecordBatch, *more: Any) -> Any:
        what = (
            ["marker"]
            if batch.is_control
            else states(batch)
            if log.topic_partition.topic == TRANSACTION_STATE_TOPIC_NAME
            else []
        )
        for each in what:
            if switch.moment(each, "before"):
                die()
            if switch.moment(each, "half"):
                segment = log.segments[-1]
                data = bytes(batch.buffer)
                segment.log_file.open().pwrite(data[: len(data) // 2], segment.size_bytes)
                die()
        result = append(log, batch, *more)
        if any(switch.moment(each, "after") for each in what):
            die()
        return result

    async def replay(partition: Partition, shard: Any) -> Any:
        used = partition.topic_partition.topic == TRANSACTION_STATE_TOPIC_NAME and partition.log.log_end_offset > 0
        if used and switch.moment("load", "before"):
            die()
        count = await load(partition, shard)
        if used and switch.moment("loaded", "before"):
            die()
        return count

    async def ended(coordinator: TransactionCoordinator, *given: Any, **more: Any) -> Any:
        answer = await end(coordinator, *given, **more)
        if switch.moment("reply", "before"):
            die()
        return answer

    Log.append_as_leader = append_as_leader  # type: ignore[method-assign, assignment]
    loader.replay_log = replay
    TransactionCoordinator.end_transaction = ended  # type: ignore[method-assign, assignment]


def main() -> int:
    from wirebroker.cli.main import main as command

    install(Switch(Path(sys.argv.pop(1))))
    return command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
