"""Moves of replicas to the log directories that a plan names: start them, and say how far they are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.log_dirs.requests import describe_log_dirs, move_replicas
from wirebroker.cli.reassign.plan import PlanError, TopicPartitionReplica
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from wirebroker.client.admin import Admin

_TRY_AGAIN_S: Final = 0.1


class LogDirMove(NamedTuple):
    """How far the move of a replica to a log directory is."""

    state: str
    """completed, in_progress, not_active, or not_found."""
    line: str
    current: str = ""
    """The log directory that has the replica now."""

    @property
    def is_done(self) -> bool:
        """Whether no more is to be expected of the move."""
        return self.state in ("completed", "not_active")


def find_log_dir_moves(
    admin: Admin, targets: Mapping[TopicPartitionReplica, str]
) -> dict[TopicPartitionReplica, LogDirMove]:
    """Return how far the move of each replica in *targets* to its log directory is, sorted.

    Raises:
        ClientError: a broker refuses, or cannot be reached.
    """
    if not targets:
        return {}
    current: dict[TopicPartitionReplica, str] = {}
    future: dict[TopicPartitionReplica, str] = {}
    found = describe_log_dirs(admin, {each.broker_id for each in targets})
    for broker_id, directories in found.items():
        for directory in directories:
            for each in directory.replicas:
                (future if each.is_future else current)[TopicPartitionReplica(each.at, broker_id)] = directory.path
    return {
        replica: _log_dir_move(replica, targets[replica], current.get(replica), future.get(replica), found.keys())
        for replica in sorted(targets)
    }


def _log_dir_move(
    replica: TopicPartitionReplica, target: str, current: str | None, future: str | None, live: Collection[int]
) -> LogDirMove:
    at, broker_id = replica
    if broker_id not in live:
        return LogDirMove(
            "not_found", f"Partition {at} cannot be found in any live log directory on broker {broker_id}."
        )
    if current is None:
        return LogDirMove(
            "not_found",
            f"Partition {at} is not found in any live log dir on broker {broker_id}. There is likely an offline log"
            " directory on the broker.",
        )
    if future == target:
        return LogDirMove("in_progress", f"Reassignment of replica {replica} is still in progress.", current)
    if future is not None:
        line = f"Partition {at} on broker {broker_id} is being moved to log dir {future} instead of {target}."
        return LogDirMove("in_progress", line, current)
    if current == target:
        return LogDirMove("completed", f"Reassignment of replica {replica} completed successfully.", current)
    line = f"Partition {at} on broker {broker_id} is not being moved from log dir {current} to {target}."
    return LogDirMove("not_active", line, current)


def start_log_dir_moves(
    admin: Admin, targets: Mapping[TopicPartitionReplica, str], timeout_s: float
) -> Iterator[TopicPartitionReplica]:
    """Move each replica in *targets* to its log directory; yield each whose move has started.

    A replica that is new on its broker is asked for again until it is there.

    Raises:
        PlanError: a broker refuses a move, or a replica is not there in time.
        ClientError: a broker cannot be reached.
    """
    pending = dict(targets)
    deadline_s = time.monotonic() + timeout_s
    while True:
        for replica in _request_moves(admin, pending):
            del pending[replica]
            yield replica
        if not pending:
            return
        if time.monotonic() >= deadline_s:
            raise PlanError(
                f"Timed out before log directory move{'s' * (len(pending) != 1)} could be started for: "
                f"{','.join(map(str, sorted(pending)))}"
            )
        time.sleep(_TRY_AGAIN_S)


def _request_moves(admin: Admin, targets: Mapping[TopicPartitionReplica, str]) -> list[TopicPartitionReplica]:
    """Ask the brokers for the moves once; return the replicas whose moves have started, sorted."""
    started: list[TopicPartitionReplica] = []
    for broker_id, path in sorted({(replica.broker_id, path) for replica, path in targets.items()}):
        partitions = [each.at for each in sorted(targets) if (each.broker_id, targets[each]) == (broker_id, path)]
        for at, error in move_replicas(admin, broker_id, partitions, path):
            replica = TopicPartitionReplica(at, broker_id)
            if error is None:
                started.append(replica)
            elif error != ErrorCode.REPLICA_NOT_AVAILABLE.name:
                raise PlanError(f"Failed to alter dir for {replica}: {error}")
    return sorted(started)


def started_line(replica: TopicPartitionReplica, path: str) -> str:
    """Return the line about a move that has started; its last character is a space, as that of Kafka's tool."""
    at, broker_id = replica
    return f"Successfully started moving log directory to {path} for replica {at} with broker {broker_id} "
