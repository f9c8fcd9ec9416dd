"""Wait until a record is committed: for the broker's own writes, which have acks=all but no DelayedProduce."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from wirebroker.replication.leader_state import LeaderState
    from wirebroker.replication.partition import Partition


class _Change:
    """A listener of one partition, which lets a task wait for the next change."""

    def __init__(self) -> None:
        self.event = trio.Event()

    def partition_changed(self) -> None:
        self.event.set()


async def wait_until_committed(partition: Partition, leader: LeaderState, end_offset: int) -> ErrorCode:
    """Wait until all in-sync replicas have the records below *end_offset* that were appended in the role *leader*.

    Returns:
        NONE; NOT_ENOUGH_REPLICAS_AFTER_APPEND if too few replicas are in sync by then; NOT_LEADER_OR_FOLLOWER if the
        role has ended or the log is out of service, and the records may be lost.
    """
    while partition.leader is leader:
        is_done, code = partition.check_enough_replicas_reach_offset(end_offset)
        if is_done or code:
            return code
        change = _Change()
        partition.listeners.add(change)
        try:
            await change.event.wait()
        finally:
            partition.listeners.discard(change)
    return ErrorCode.NOT_LEADER_OR_FOLLOWER
