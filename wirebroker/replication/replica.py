"""Replica: what the leader of a partition knows of a follower (Kafka: Replica, ReplicaState)."""

from __future__ import annotations

import math
from typing import Final

NEVER: Final = -math.inf
UNKNOWN_OFFSET: Final = -1


class Replica:
    """The offsets and times of one follower.  Times are in seconds of the monotonic clock, NEVER before the first."""

    __slots__ = (
        "broker_id",
        "last_caught_up_s",
        "last_fetch_leader_log_end_offset",
        "last_fetch_s",
        "log_end_offset",
        "log_start_offset",
    )

    def __init__(self, broker_id: int) -> None:
        self.broker_id = broker_id
        self.log_end_offset = UNKNOWN_OFFSET
        """The fetch offset of its last request: it has every record below."""
        self.log_start_offset = UNKNOWN_OFFSET
        self.last_caught_up_s = NEVER
        """The last time at which it had every record that the leader had then."""
        self.last_fetch_s = NEVER
        self.last_fetch_leader_log_end_offset = UNKNOWN_OFFSET
        """The leader's log end at its last request: a follower that fetches from there on was caught up then."""

    def __repr__(self) -> str:
        return f"Replica({self.broker_id}, log_end_offset={self.log_end_offset})"

    def update_fetch_state(
        self, fetch_offset: int, log_start_offset: int, fetch_s: float, leader_log_end_offset: int
    ) -> None:
        """Note a request of the follower for records from *fetch_offset* on, served at *fetch_s*."""
        if fetch_offset >= leader_log_end_offset:
            if fetch_s > self.last_caught_up_s:
                self.last_caught_up_s = fetch_s
        elif fetch_offset >= self.last_fetch_leader_log_end_offset:
            self.last_caught_up_s = max(self.last_caught_up_s, self.last_fetch_s)
        self.log_end_offset = fetch_offset
        self.log_start_offset = log_start_offset
        if leader_log_end_offset > self.last_fetch_leader_log_end_offset:
            self.last_fetch_leader_log_end_offset = leader_log_end_offset
        self.last_fetch_s = fetch_s

    def is_caught_up(self, leader_log_end_offset: int, now_s: float, max_lag_s: float) -> bool:
        """Whether the follower has all records of the leader, or had them within the last *max_lag_s*."""
        return self.log_end_offset == leader_log_end_offset or now_s - self.last_caught_up_s <= max_lag_s
